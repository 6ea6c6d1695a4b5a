/* runtime/entities/entity_past.c — entities as they were, and the list of their changes, from their
 * histories.
 *
 * Histories are read newest first, a part at a time, because others wait for the query thread. To know an
 * entity at a moment takes the row of that moment and those back to the last write of the whole document: how
 * many came before does not matter. A deleted entity has its history until retention removes both.
 */
#include "runtime/entities/entities_int.h"

#include "base/array.h"
#include "runtime/call/call.h"
#include "runtime/entities/entity_history.h"
#include "runtime/memory/memory.h"

/* ---- histories, newest first ---- */

enum status entity_history_read(struct query *query, const struct history_filter *filter, size_t bytes_max,
                                struct arena *arena, struct history **ret_history,
                                struct history_row **ret_row, size_t *ret_count,
                                struct history_place *ret_next, struct error *err)
{
    struct history_row *row;
    size_t count;
    reader_bound(query->reader, bytes_max);
    TRY(reader_history_back(query->reader, filter, arena, &row, &count, ret_next, err));
    struct history *history = arena_make_n(arena, struct history, count);
    for (size_t i = 0; i < count; i++) TRY(history_decode(row[i].blob, arena, &history[i], err));
    *ret_history = history;
    if (ret_row) *ret_row = row;
    *ret_count = count;
    return ST_OK;
}

enum status entity_history_state(struct query *query, uint64_t instance, struct history_place place,
                                 struct arena *arena, struct past_state *ret_state, bool *ret_is_known,
                                 struct error *err)
{
    enum { AT_ONCE = 4 }; /* Most entities need one. */
    struct past *past = core_past_new(arena);
    bool is_done = false;
    while (!is_done && place.revision) {
        const struct history_filter filter = { instance, place, INT64_MAX, AT_ONCE };
        struct history *history;
        size_t count;
        TRY(entity_history_read(query, &filter, ENTITIES_READ_BYTES_MAX, arena, &history, NULL, &count,
                                &place, err));
        for (size_t i = 0; i < count && !is_done; i++) is_done = core_past_tell(past, &history[i]);
    }
    *ret_is_known = is_done;
    return is_done ? core_past_end(past, ret_state, err) : ST_OK;
}

struct entity_attribution entity_keep_attribution(const struct history *history, struct arena *arena)
{
    struct entity_attribution told = entity_history_attribution(history);
    return (struct entity_attribution){ arena_str(arena, told.user), arena_str(arena, told.kind),
                                        arena_str(arena, told.executor),
                                        arena_str(arena, told.executor_kind) };
}

/* Histories are told from the one that counts on back, until the whole document is known. */
enum status entity_history_at(struct query *query, uint64_t instance, int64_t at_ms, struct arena *arena,
                              struct past_state *ret_state, bool *ret_lived, struct error *err)
{
    enum { AT_ONCE = 4 }; /* Most entities need one. */
    struct past *past = core_past_new(arena);
    struct history_place from = { 0 };
    bool is_done = false;
    *ret_lived = false;
    for (bool is_first = true; !is_done && (is_first || from.revision); is_first = false) {
        const struct history_filter filter = { instance, from, is_first ? at_ms : INT64_MAX, AT_ONCE };
        struct history *history;
        size_t count;
        TRY(entity_history_read(query, &filter, ENTITIES_READ_BYTES_MAX, arena, &history, NULL, &count, &from,
                                err));
        for (size_t i = 0; i < count && !is_done; i++) is_done = core_past_tell(past, &history[i]);
    }
    if (!is_done) return ST_OK;
    TRY(core_past_end(past, ret_state, err));
    *ret_lived = !ret_state->has_ended;
    return ST_OK;
}

/* ---- an entity as it was ---- */

/* Between the parts of a read. */
struct entity_lookback {
    uint64_t instance;
    struct entity_view *view;
    struct history_place from; /* Where the walk goes on. */
    uint32_t revision;         /* That counts; 0: not found yet. */
    struct past *past;
    int64_t version; /* The version of its workflows at that moment; 0: not known yet. */
    int64_t version_now;
};

static enum status begin_lookback(struct query *query, struct call *call, struct error *err)
{
    struct entity_lookback *back = arena_make(call->arena, struct entity_lookback);
    struct arena scratch;
    struct instance_row row;
    struct definition *definition;
    arena_init(&scratch, 0);
    enum status status = entity_find_row(query, call, call->as.entity.id, &scratch, &row, &definition, err);
    if (status == ST_OK) {
        back->instance = row.id;
        back->version_now = row.definition;
        back->view = arena_make(call->arena, struct entity_view);
        back->past = core_past_new(call->arena);
        entity_view_head(call->as.entity.id, definition, call->arena, back->view);
        call->entity_.lookback = back;
    }
    arena_done(&scratch);
    TRY(status);
    bool is_other = call->as.entity.model.n && (call->as.entity.version != back->view->version ||
                                                !str_equal(call->as.entity.model, back->view->model));
    return is_other ? entity_fail_not_found(call->as.entity.id, err) : ST_OK;
}

/* Looks for the newest history of the transaction. */
static enum status find_transaction(struct query *query, struct call *call, struct arena *scratch,
                                    struct error *err)
{
    struct entity_lookback *back = call->entity_.lookback;
    const struct history_filter filter = { back->instance, back->from, INT64_MAX, HISTORIES_READ_MAX };
    struct history_place next;
    struct history *history;
    struct history_row *row;
    size_t count;
    TRY(entity_history_read(query, &filter, ENTITIES_READ_BYTES_MAX, scratch, &history, &row, &count, &next,
                            err));
    for (size_t i = 0; i < count; i++) {
        if (!str_equal(entity_history_transaction(&history[i]), call->as.entity.transaction)) continue;
        back->revision = history[i].revision;
        back->from = row[i].place;
        return ST_OK;
    }
    if (!next.revision) return entity_fail_not_found(call->as.entity.id, err);
    back->from = next;
    return ST_OK;
}

/* Names of transitions are copied, because the program may be dropped from memory. */
static enum status view_transitions(struct query *query, struct call *call, struct error *err)
{
    struct entity_lookback *back = call->entity_.lookback;
    struct entity_view *view = back->view;
    struct definition *definition;
    TRY(found_needed(catalogue_get(&query->catalogue, back->version ? back->version : back->version_now,
                                   &definition, err)));
    view->transition_count =
        entity_transitions_at(definition->program, view->carried, call->arena, &view->transition);
    for (size_t i = 0; i < view->transition_count; i++)
        view->transition[i] = arena_str(call->arena, view->transition[i]);
    return ST_OK;
}

static enum status end_lookback(struct query *query, struct call *call, struct error *err)
{
    struct entity_lookback *back = call->entity_.lookback;
    struct past_state state;
    TRY(core_past_end(back->past, &state, err));
    if (state.has_ended) return entity_fail_not_found(call->as.entity.id, err);
    back->view->data = state.data;
    back->view->carried = state.carried;
    if (call->as.entity.with_transitions) TRY(view_transitions(query, call, err));
    call->value.entities = (struct answer_entities){ .view = back->view, .count = 1 };
    return ST_OK;
}

/* Tells the histories from the one that counts on back. By time, the store finds the first of them. */
static enum status look_back(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    enum { AT_ONCE = 4 }; /* Most entities need one. */
    struct entity_lookback *back = call->entity_.lookback;
    bool by_time = !call->as.entity.transaction.n && !back->revision, is_done = false;
    const struct history_filter filter = { back->instance, back->from,
                                           by_time ? call->as.entity.at_ms : INT64_MAX, AT_ONCE };
    struct history *history;
    size_t count;
    TRY(entity_history_read(query, &filter, ENTITIES_READ_BYTES_MAX, call->arena, &history, NULL, &count,
                            &back->from, err));
    if (count && by_time) back->revision = history[0].revision;
    for (size_t i = 0; i < count && !is_done; i++) {
        if (history[i].revision > back->revision) continue;
        is_done = core_past_tell(back->past, &history[i]);
        if (!back->version) back->version = entity_audit_version(&history[i], 1);
        bool has_version = back->version || history[i].command == COMMAND_START;
        is_done &= has_version || !call->as.entity.with_transitions;
    }
    if (is_done) return end_lookback(query, call, err);
    if (!back->from.revision) return entity_fail_not_found(call->as.entity.id, err);
    *ret_more = true;
    return ST_OK;
}

/* True: the transaction that the call names has to be found first. */
static bool must_find(const struct call *call)
{
    return call->as.entity.transaction.n && !call->entity_.lookback->revision;
}

enum status entity_past_call(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    if (!call->entity_.lookback) TRY(begin_lookback(query, call, err));
    if (!must_find(call)) return look_back(query, call, ret_more, err);
    struct arena scratch;
    arena_init(&scratch, 0);
    enum status status = find_transaction(query, call, &scratch, err);
    arena_done(&scratch);
    *ret_more = status == ST_OK;
    return status;
}

/* ---- changes ---- */

/* Commands of one transaction are one change, told by the newest and begun by the oldest of them. */
static void tell_change(struct call *call, const struct history *history)
{
    struct answer_changes *answer = &call->value.changes;
    str transaction = entity_history_transaction(history);
    if (!transaction.n) return;
    struct entity_change *last = answer->count ? &answer->change[answer->count - 1] : NULL;
    if (!last || !str_equal(last->transaction, transaction)) {
        if (answer->count == call->as.entity.max) {
            call->entity_.lookback->from.revision = 0; /* The list is full. */
            return;
        }
        last = &answer->change[answer->count++];
        *last = (struct entity_change){ .kind = ENTITY_UPDATE,
                                        .at_ms = history->at_ms,
                                        .transaction = arena_str(call->arena, transaction) };
    }
    if (history->command == COMMAND_START) last->kind = ENTITY_CREATE;
    if (history->command == COMMAND_CANCEL) last->kind = ENTITY_DELETE;
    last->by = entity_keep_attribution(history, call->arena);
}

/* By time, the store finds the first of them. */
static enum status tell_changes(struct query *query, struct call *call, struct arena *scratch,
                                struct error *err)
{
    struct entity_lookback *back = call->entity_.lookback;
    bool by_time = call->as.entity.is_past && !call->as.entity.transaction.n && !back->from.revision;
    const struct history_filter filter = { back->instance, back->from,
                                           by_time ? call->as.entity.at_ms : INT64_MAX, HISTORIES_READ_MAX };
    struct history *history;
    size_t count;
    TRY(entity_history_read(query, &filter, ENTITIES_READ_BYTES_MAX, scratch, &history, NULL, &count,
                            &back->from, err));
    for (size_t i = 0; i < count; i++) tell_change(call, &history[i]);
    return count || !by_time ? ST_OK : entity_fail_not_found(call->as.entity.id, err);
}

enum status entity_changes_call(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    if (!call->entity_.lookback) {
        TRY(begin_lookback(query, call, err));
        call->value.changes.change = arena_make_n(call->arena, struct entity_change, call->as.entity.max);
    }
    struct arena scratch;
    arena_init(&scratch, 0);
    bool must_go_on = must_find(call);
    enum status status =
        must_go_on ? find_transaction(query, call, &scratch, err) : tell_changes(query, call, &scratch, err);
    arena_done(&scratch);
    *ret_more = status == ST_OK && (must_go_on || call->entity_.lookback->from.revision);
    return status;
}
