/* runtime/entities/search_past.c — entities as they were at the time that a search asks for. See search.h.
 *
 * No index knows the past: every entity that the model ever had is looked at, as long as its history is kept.
 */
#include "runtime/entities/entities_int.h"

#include "runtime/entities/entity_history.h"
#include "runtime/entities/search.h"
#include "runtime/memory/memory.h"

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

enum status search_past_find(struct query *query, const struct search *search, uint64_t instance,
                             struct arena *scratch, struct search_hit *ret_hit, bool *ret_lived,
                             struct error *err)
{
    struct past_state state;
    TRY(entity_history_at(query, instance, search->at_ms, scratch, &state, ret_lived, err));
    if (!*ret_lived) return ST_OK;
    ret_hit->data = state.data;
    ret_hit->carried = state.carried;
    ret_hit->bytes = json_bytes(state.data);
    return ST_OK;
}
