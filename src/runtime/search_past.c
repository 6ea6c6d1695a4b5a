/* runtime/search_past.c — entities as they were at the time that a search asks for. See search.h.
 *
 * No index knows the past: every entity that the model ever had is looked at, as long as its history is kept.
 */
#include "runtime/engine_int.h"
#include "runtime/entity_history.h"
#include "runtime/search.h"

enum status search_past_ids(struct query *query, struct search *search, struct arena *scratch,
                            search_past_id_fn *add, bool *ret_more, struct error *err)
{
    const struct selection_filter filter = { .ns = search->ns,
                                             .definition_id = search->definition_id,
                                             .statuses = UINT32_MAX,
                                             .after = search->last,
                                             .upto = ID_INSTANCE_MAX,
                                             .max = SEARCH_PAGE_MAX };
    struct instance_row *row;
    size_t count;
    TRY(reader_candidates(query->reader, &filter, scratch, &row, &count, err));
    for (size_t i = 0; i < count; i++) {
        search->last = row[i].id;
        if (row[i].created_ms <= search->at_ms) add(search, row[i].id);
    }
    *ret_more = count == filter.max;
    return ST_OK;
}

/* Histories are told from the one that counts on back, until the whole document is known. */
enum status search_past_find(struct query *query, const struct search *search, uint64_t instance,
                             struct arena *scratch, struct search_hit *ret_hit, bool *ret_lived,
                             struct error *err)
{
    enum { AT_ONCE = 4 }; /* Most entities need one. */
    struct past *past = core_past_new(scratch);
    struct history_place from = { 0 };
    struct past_state state;
    bool is_done = false;
    *ret_lived = false;
    for (bool is_first = true; !is_done && (is_first || from.revision); is_first = false) {
        const struct history_filter filter = { instance, from, is_first ? search->at_ms : INT64_MAX,
                                               AT_ONCE };
        struct history *history;
        size_t count;
        TRY(entity_history_read(query, &filter, ENTITIES_READ_BYTES_MAX, scratch, &history, NULL, &count,
                                &from, err));
        for (size_t i = 0; i < count && !is_done; i++) is_done = core_past_tell(past, &history[i]);
    }
    if (!is_done) return ST_OK;
    TRY(core_past_end(past, &state, err));
    *ret_lived = !state.has_ended;
    ret_hit->data = state.data;
    ret_hit->carried = state.carried;
    ret_hit->bytes = json_bytes(state.data);
    return ST_OK;
}
