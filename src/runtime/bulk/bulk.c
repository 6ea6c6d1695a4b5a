/* runtime/bulk/bulk.c — one command for many instances: begun, gone on with, cancelled.
 *
 * A bulk is a row with parts: the request, the selection of instances, and the result of each. Every turn
 * does a slice of one bulk in its transaction. The commands, their results and the progress of the bulk
 * commit together, so each instance gets its command once. Bulks take turns with each other, and tenants do.
 *
 * A slice is short: it has a part of the turn's budget (slice.c) and ends when that is used up. A transaction
 * that fails takes the slice with it, and after a pause the next slice has one instance. If that instance
 * cannot be read, it is left out in the end and its result says so, because it must not keep all others
 * waiting. If another node was in the way, the next slice has half as many and comes at once: the shorter a
 * transaction, the fewer conflicts.
 *
 * A bulk that is paused keeps its place, and its tenant may have as many bulks that run or are paused as may
 * run. The limit for all tenants counts bulks that run.
 */
#include "runtime/bulk/bulk_int.h"

#include "base/log.h"
#include "base/must.h"
#include "json/json.h"
#include "runtime/call/sight.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

/* The slice that is being done. */
struct bulk_slice {
    struct turn *turn;
    bulk_run_fn *run;
    struct bulk_row row;
    struct bulk_request request;
    str name;  /* "bulk 01J…" */
    str actor; /* The same, behind who began it. */
    struct json_builder results;
    size_t count;
};

static size_t slice_max(const struct engine *engine)
{
    int64_t max = engine->limits.bulk_turn_max;
    return max < 1 ? 1 : max > BULK_SLICE_MAX ? BULK_SLICE_MAX : (size_t)max;
}

/* ---- one of them ---- */

static void note_result(struct bulk_slice *slice, struct bulk_target target, enum bulk_outcome outcome,
                        str words)
{
    int64_t *const counter[BULK_OUTCOME_COUNT] = { [BULK_SUCCEEDED] = &slice->row.succeeded,
                                                   [BULK_SKIPPED] = &slice->row.skipped,
                                                   [BULK_REFUSED] = &slice->row.refused };
    ++*counter[outcome];
    slice->row.done++;
    slice->count++;
    json_open_array(&slice->results);
    json_add_int(&slice->results, (int64_t)target.number);
    json_add_int(&slice->results, target.created_ms);
    json_add_int(&slice->results, (int64_t)outcome);
    bool moved = outcome == BULK_SUCCEEDED && target.revision;
    if (words.n) json_add_string(&slice->results, words);
    else if (moved) json_add_null(&slice->results);
    if (moved) json_add_int(&slice->results, target.revision);
    if (moved && target.way_back.n)
        json_add(&slice->results, json_decode(target.way_back, &slice->turn->arena));
    json_close(&slice->results);
}

static struct call command_for(const struct bulk_slice *slice, const struct instance *instance,
                               struct arena *arena)
{
    must(slice->request.action <= BULK_SIGNAL);
    static const enum call_kind kinds[] = {
        [BULK_RETRY] = CALL_RETRY, [BULK_CANCEL] = CALL_CANCEL, [BULK_SIGNAL] = CALL_SIGNAL
    };
    const struct bulk_request *request = &slice->request;
    struct call call = { .kind = kinds[request->action],
                         .arena = arena,
                         .ns = slice->row.ns,
                         .as.instance = { .id = { .ms = instance->created_ms, .instance = instance->id },
                                          .node = request->step,
                                          .data = request->variables,
                                          .text = request->reason,
                                          .actor = slice->actor } };
    if (request->action == BULK_CANCEL && !request->reason.n) call.as.instance.text = slice->name;
    /* The filter has let it through: it failed, and that was asked for. */
    call.as.instance.failed_too = request->action == BULK_CANCEL && instance->status == INSTANCE_FAILED;
    return call;
}

static const char *misfit(const struct bulk_slice *slice, const struct instance *instance,
                          const struct definition *definition)
{
    struct arena *arena = &slice->turn->arena;
    struct bulk_subject subject = { .status = instance->status,
                                    .created_ms = instance->created_ms,
                                    .definition_id = definition->id,
                                    .version = definition->version,
                                    .business_key = instance->business_key,
                                    .reason = instance->failure };
    str failed =
        instance->status == INSTANCE_FAILED ? view_failed_step(definition->program, instance) : STR_NONE;
    str *step = &failed;
    subject.step_count = 1;
    if (instance->status != INSTANCE_FAILED && slice->request.filter.step.n)
        subject.step_count = core_current_nodes(definition->program, instance, arena, &step);
    subject.step = step;
    subject.program = definition->program;
    return bulk_mismatch(&slice->request.filter, &subject);
}

static enum status run_command(struct bulk_slice *slice, const struct instance *instance,
                               struct definition *definition, struct bulk_target *target, struct error *err)
{
    if (bulk_changes_version(slice->request.action))
        return bulk_migrate(slice->turn, &slice->request, slice->actor, instance, definition, target, err);
    struct call call = command_for(slice, instance, &slice->turn->arena);
    return slice->run(slice->turn, &call, err);
}

static enum status do_instance(struct bulk_slice *slice, struct bulk_target target, struct error *err)
{
    struct turn *turn = slice->turn;
    const struct instance *instance;
    struct definition *definition;
    struct found found = transact_load_in(turn, slice->row.ns, target.number, &instance, &definition, err);
    enum status status = found_needed(found);
    if (found_is(found) == NOT_THERE ||
        (found_is(found) == FOUND && instance->created_ms != target.created_ms)) {
        note_result(slice, target, BULK_SKIPPED, STR("it has been removed"));
        return ST_OK;
    }
    if (status == ST_OK) {
        const char *why = misfit(slice, instance, definition);
        if (why) {
            note_result(slice, target, BULK_SKIPPED, str_of(why));
            return ST_OK;
        }
        status = run_command(slice, instance, definition, &target, err);
    }
    if (transact_is_lost(turn, status)) return status == ST_OK ? turn->failed : status;
    if (status == ST_OK) note_result(slice, target, BULK_SUCCEEDED, STR_NONE);
    else note_result(slice, target, BULK_REFUSED, str_of(err->message));
    return ST_OK;
}

static void note_event(struct bulk_slice *slice, struct bulk_target target, const struct call_event *event)
{
    struct arena *arena = &slice->turn->arena;
    switch (event->outcome) {
    case EVENT_STARTED: note_result(slice, target, BULK_SUCCEEDED, STR("it started an instance")); break;
    case EVENT_DELIVERED:
        note_result(slice, target, BULK_SUCCEEDED,
                    arena_printf(arena, "%zu instances have it", event->instance_total));
        break;
    case EVENT_REFUSED: note_result(slice, target, BULK_REFUSED, str_of(event->error.message)); break;
    default: note_result(slice, target, BULK_SKIPPED, STR("nobody takes it, still"));
    }
}

/* ST_OVERLOAD if it has to wait: too many events are on their way. */
static enum status do_unmatched(struct bulk_slice *slice, struct bulk_target target, struct error *err)
{
    struct turn *turn = slice->turn;
    struct unmatched_row unmatched;
    struct found found = store_find_unmatched(turn->engine->store, slice->row.ns, (int64_t)target.number,
                                              &turn->arena, &unmatched, err);
    enum status status = found_needed(found);
    if (found_is(found) == NOT_THERE) {
        note_result(slice, target, BULK_SKIPPED, STR("it is no longer among the unmatched events"));
        return ST_OK;
    }
    struct call call = { .kind = CALL_EVENTS,
                         .arena = &turn->arena,
                         .ns = slice->row.ns,
                         .as.events = { .resend = (int64_t)target.number } };
    if (status == ST_OK) {
        turn->late = true; /* The call need not wait for the second part of a turn. */
        status = slice->run(turn, &call, err);
        turn->late = false;
    }
    if (transact_is_lost(turn, status)) return status == ST_OK ? turn->failed : status;
    if (status == ST_OK && !call.unfinished_ && call.as.events.event->outcome == EVENT_REFUSED &&
        call.as.events.event->error.status == ST_OVERLOAD)
        return ST_OVERLOAD;
    if (status == ST_OK && call.unfinished_)
        note_result(slice, target, BULK_SUCCEEDED, STR("it is on its way to very many instances"));
    else if (status == ST_OK) note_event(slice, target, call.as.events.event);
    else note_result(slice, target, BULK_REFUSED, str_of(err->message));
    return ST_OK;
}

/* ---- a slice ---- */

static enum status load_slice(struct bulk_slice *slice, struct bulk_target *ret_target, size_t *ret_count,
                              struct error *err)
{
    struct turn *turn = slice->turn;
    str blob;
    TRY(found_needed(store_load_bulk_part(turn->engine->store, slice->row.number, BULK_PART_REQUEST, 0,
                                          &turn->arena, &blob, err)));
    const struct json *body = json_decode(blob, &turn->arena);
    if (!body) return fail(err, ST_INTERNAL, "bulk", "what was asked for cannot be read");
    TRY(bulk_request_read(body, &turn->arena, &slice->request, err));
    TRY(found_needed(store_load_bulk_part(turn->engine->store, slice->row.number, BULK_PART_SELECTION,
                                          slice->row.done / BULK_PART_SUBJECTS, &turn->arena, &blob, err)));
    if (!bulk_targets_read(slice->request.action, blob, ret_target, ret_count))
        return fail(err, ST_INTERNAL, "bulk", "whom it is for cannot be read");
    char id[ID_CHARS + 1];
    id_print(bulk_id(&slice->row), id);
    slice->name = arena_printf(&turn->arena, "bulk %s", id);
    slice->actor = slice->request.by.n
                       ? arena_printf(&turn->arena, "%.*s, bulk %s", STR_ARG(slice->request.by), id)
                       : slice->name;
    json_builder_init(&slice->results, &turn->arena);
    json_open_array(&slice->results);
    return ST_OK;
}

static void tell_end(struct bulk_slice *slice)
{
    struct arena *arena = &slice->turn->arena;
    char id[ID_CHARS + 1];
    id_print(bulk_id(&slice->row), id);
    transact_say(slice->turn, LOG_INFO, "a bulk is done", "tenant", said_tenant(slice->turn, slice->row.ns),
                 "action", bulk_action_word(slice->request.action), "bulk", id, "#succeeded",
                 arena_printf(arena, "%lld", (long long)slice->row.succeeded).p, "#skipped",
                 arena_printf(arena, "%lld", (long long)slice->row.skipped).p, "#refused",
                 arena_printf(arena, "%lld", (long long)slice->row.refused).p, NULL);
}

static enum status save_slice(struct bulk_slice *slice, int64_t first, struct error *err)
{
    must(slice->count && slice->row.done == first + (int64_t)slice->count);
    json_close(&slice->results);
    if (slice->row.done == slice->row.found) {
        slice->row.state = BULK_STATE_DONE;
        slice->row.ended_ms = slice->turn->now_ms;
        tell_end(slice);
    }
    struct bulk_part_row results = { .bulk = slice->row.number,
                                     .kind = BULK_PART_RESULTS,
                                     .number = first,
                                     .blob = json_encoded(json_built(&slice->results)) };
    live_note_id(&slice->turn->engine->memory.live, slice->row.ns, LIVE_BULK, bulk_id(&slice->row));
    struct changeset changeset = { .bulk_update = &slice->row,
                                   .bulk_part_add = &results,
                                   .bulk_part_add_count = 1 };
    return transact_rows(slice->turn, &changeset, err);
}

/* The blame of the next one of the bulk; NULL: nothing bad. */
static struct bulk_blame *find_blame(const struct bulk_slice *slice)
{
    struct bulk_blame *blame = &slice->turn->engine->bulk.blame[slice->row.number % BULK_BLAMES];
    return blame->bulk == slice->row.number && blame->place == slice->row.done ? blame : NULL;
}

/* The next one of the bulk has made the transaction fail. */
static void blame_next(const struct bulk_slice *slice, const struct error *why)
{
    struct bulk_blame *blame = &slice->turn->engine->bulk.blame[slice->row.number % BULK_BLAMES];
    if (!find_blame(slice))
        *blame = (struct bulk_blame){ .bulk = slice->row.number, .place = slice->row.done };
    blame->failures++;
    blame->why = *why;
}

static enum status do_slice(struct bulk_slice *slice, size_t max, struct error *err)
{
    struct turn *turn = slice->turn;
    struct bulk_target *target = arena_make_n(&turn->arena, struct bulk_target, BULK_PART_SUBJECTS);
    int64_t first = slice->row.done;
    size_t count, at = (size_t)(first % BULK_PART_SUBJECTS);
    TRY(load_slice(slice, target, &count, err));
    if (at >= count) return fail(err, ST_INTERNAL, "bulk", "it is for fewer than were found");
    const struct bulk_blame *blame = find_blame(slice);
    if (blame && blame->failures >= BULK_FAILURES_MAX)
        note_result(slice, target[at++], BULK_REFUSED, arena_str(&turn->arena, str_of(blame->why.message)));
    enum status status = ST_OK;
    for (; at < count && slice->count < max && !(slice->count && slice_is_over(turn)) && status == ST_OK;
         at++)
        status = slice->request.action == BULK_RESEND ? do_unmatched(slice, target[at], err)
                                                      : do_instance(slice, target[at], err);
    if (status == ST_STORE) blame_next(slice, err);
    /* An event without room is sent again after a pause. */
    if (status == ST_OVERLOAD) backlog_hold(&turn->engine->transact.backlog[BACKLOG_BULK], turn->now_ms);
    else TRY(status);
    if (!slice->count) return ST_OK;
    must(slice->count <= max);
    return save_slice(slice, first, err);
}

/* A bulk that cannot be read ends: it would be tried for ever. */
static enum status give_up(struct bulk_slice *slice, const struct error *why, struct error *err)
{
    struct bulk_row row = slice->row;
    log_write(LOG_ERROR, "a bulk cannot go on", "reason", why->message, NULL);
    row.state = BULK_STATE_CANCELLED;
    row.ended_ms = slice->turn->now_ms;
    struct changeset changeset = { .bulk_update = &row };
    return transact_rows(slice->turn, &changeset, err);
}

/* The next bulk that goes on, after that number. */
static struct found next_after(struct engine *engine, int64_t after, struct bulk_row *ret_row,
                               struct error *err)
{
    struct bulk_row open = { .state = BULK_STATE_RUNNING, .number = after };
    struct found found = store_running_bulk(engine->store, &open, ret_row, err);
    if (found_is(found) != NOT_THERE || !after) return found;
    open.number = 0;
    return store_running_bulk(engine->store, &open, ret_row, err);
}

/* Every second turn is one of the tenants that had not the turn before, so that a tenant with one bulk need
 * not wait for all bulks of another. */
static struct found next_bulk(struct engine *engine, struct bulk_row *ret_row, struct error *err)
{
    struct bulk *bulk = &engine->bulk;
    int64_t after = bulk->other;
    for (int i = 0; bulk->is_others_turn && i < BULKS_RUNNING_ALL_MAX; i++) {
        TRY_FOUND(next_after(engine, after, ret_row, err));
        if (ret_row->ns == bulk->ns) {
            after = ret_row->number;
            continue;
        }
        bulk->other = ret_row->number;
        bulk->is_others_turn = false;
        return found_of(ST_OK);
    }
    TRY_FOUND(next_after(engine, bulk->last, ret_row, err));
    bulk->last = ret_row->number;
    bulk->ns = ret_row->ns;
    bulk->is_others_turn = true;
    return found_of(ST_OK);
}

void bulk_go_on(struct turn *turn, bulk_run_fn *run)
{
    struct backlog *backlog = &turn->engine->transact.backlog[BACKLOG_BULK];
    size_t max = backlog_begin(backlog, slice_max(turn->engine));
    struct bulk_slice slice = { .turn = turn, .run = run };
    struct error err;
    if (transact_begin(turn, &err) != ST_OK) return;
    bool is_there;
    enum status status = found_asked(next_bulk(turn->engine, &slice.row, &err), &is_there);
    if (status == ST_OK && !is_there) {
        backlog->due = false;
        return;
    }
    struct bulk_row row = slice.row;
    if (status == ST_OK) {
        backlog->did = true;
        status = usage_check_there(&turn->engine->memory.usage, row.ns, &err);
        if (status == ST_OK) status = do_slice(&slice, max, &err);
    }
    if (status == ST_OK) return;
    slice.row = row;
    if (!transact_is_lost(turn, status)) {
        struct error why = err;
        give_up(&slice, &why, &err);
        return;
    }
    transact_failed(turn, &err);
}

/* One instance that breaks should not take many others with it. */
void bulk_end(struct turn *turn, bool committed)
{
    struct backlog *backlog = &turn->engine->transact.backlog[BACKLOG_BULK];
    if (backlog->took_part && backlog->did && !committed && turn->failed != ST_AGAIN) backlog->slice = 1;
}

/* ---- calls ---- */

static void answer_bulk(struct call *call, const struct bulk_row *row, const struct json *request)
{
    struct answer_bulks *answer = &call->value.bulks;
    answer->view = arena_make(call->arena, struct bulk_view);
    answer->count = 1;
    *answer->view = (struct bulk_view){ .row = *row, .request = request };
}

/* Counts the bulks of a tenant, or of all, in that state, up to `max`. */
static enum status count_open(struct engine *engine, int32_t ns, enum bulk_state state, int64_t max,
                              int64_t *ret_count, struct error *err)
{
    struct bulk_row open = { .ns = ns, .state = (int32_t)state };
    struct bulk_row row;
    bool is_there = true;
    for (*ret_count = 0; *ret_count < max; open.number = row.number) {
        TRY(found_asked(store_running_bulk(engine->store, &open, &row, err), &is_there));
        if (!is_there) return ST_OK;
        ++*ret_count;
    }
    return ST_OK;
}

static enum status check_running_all(struct engine *engine, struct error *err)
{
    int64_t running;
    TRY(count_open(engine, TENANT_ANY, BULK_STATE_RUNNING, BULKS_RUNNING_ALL_MAX, &running, err));
    if (running < BULKS_RUNNING_ALL_MAX) return ST_OK;
    return fail(err, ST_OVERLOAD, "bulk", "%d bulks of all tenants go on; try again later",
                BULKS_RUNNING_ALL_MAX);
}

static enum status check_running(struct engine *engine, int32_t ns, struct error *err)
{
    int64_t running, paused, max = engine->limits.bulks_running_max;
    TRY(count_open(engine, ns, BULK_STATE_RUNNING, max, &running, err));
    TRY(count_open(engine, ns, BULK_STATE_PAUSED, max - running, &paused, err));
    if (running + paused >= max)
        return fail(err, ST_OVERLOAD, "bulk",
                    "%lld bulks go on or are paused, and more may not at the same time (bulks_running_max)",
                    (long long)max);
    return check_running_all(engine, err);
}

enum status bulk_call(struct turn *turn, struct call *call, struct error *err)
{
    struct bulk_row row = { .ns = call->ns,
                            .action = (int32_t)call->as.bulk.request->action,
                            .state = BULK_STATE_RUNNING,
                            .created_ms = turn->now_ms,
                            .found = call->value.bulks.total };
    int64_t expected = call->as.bulk.request->expected;
    if (expected >= 0 && expected != row.found)
        return fail(err, ST_CONFLICT, "expectFound", "it is for %lld now, and %lld were expected; look again",
                    (long long)row.found, (long long)expected);
    if (!row.found) {
        row.state = BULK_STATE_DONE;
        row.ended_ms = turn->now_ms;
    } else {
        TRY(check_running(turn->engine, call->ns, err));
    }
    struct changeset changeset = { .bulk_add = &row };
    bulk_found(call, &changeset.bulk_part_add, &changeset.bulk_part_add_count);
    TRY(transact_rows(turn, &changeset, err));
    row.number = changeset.ret_bulk;
    live_note_id(&turn->engine->memory.live, call->ns, LIVE_BULK, bulk_id(&row));
    turn->engine->transact.backlog[BACKLOG_BULK].due = true;
    answer_bulk(call, &row, call->as.bulk.request->body);
    return ST_OK;
}

/* The bulk that the call names, with its request (NULL: it cannot be had). */
static enum status load_named(struct turn *turn, struct call *call, struct bulk_row *ret_row,
                              const struct json **ret_request, struct error *err)
{
    char text[ID_CHARS + 1];
    id_print(call->as.bulks.id, text);
    bool is_there, has_request;
    TRY(found_asked(
        store_load_bulk(turn->engine->store, call->ns, (int64_t)call->as.bulks.id.instance, ret_row, err),
        &is_there));
    if (!is_there || ret_row->created_ms != call->as.bulks.id.ms)
        return fail(err, ST_NOT_FOUND, "bulk", "bulk %s not found", text);
    str blob = STR_NONE;
    TRY(found_asked(store_load_bulk_part(turn->engine->store, ret_row->number, BULK_PART_REQUEST, 0,
                                         call->arena, &blob, err),
                    &has_request));
    *ret_request = has_request ? json_decode(blob, call->arena) : NULL;
    const struct sight sight = sight_of(call);
    if (bulk_is_seen(&sight, *ret_request)) return ST_OK;
    return fail(err, ST_NOT_FOUND, "bulk", "bulk %s not found", text);
}

/* Commands that were done stay done. A bulk that has ended, or is in that state already, is shown as it is.
 */
enum status bulk_state_call(struct turn *turn, struct call *call, struct error *err)
{
    struct engine *engine = turn->engine;
    enum bulk_state state = call->kind == CALL_PAUSE_BULK    ? BULK_STATE_PAUSED
                            : call->kind == CALL_RESUME_BULK ? BULK_STATE_RUNNING
                                                             : BULK_STATE_CANCELLED;
    const struct json *request = NULL;
    struct bulk_row row;
    TRY(load_named(turn, call, &row, &request, err));
    if (!row.ended_ms && row.state != (int32_t)state) {
        if (state == BULK_STATE_RUNNING) TRY(check_running_all(engine, err));
        row.state = (int32_t)state;
        if (state == BULK_STATE_CANCELLED) row.ended_ms = turn->now_ms;
        struct changeset changeset = { .bulk_update = &row };
        TRY(transact_rows(turn, &changeset, err));
        live_note_id(&engine->memory.live, call->ns, LIVE_BULK, bulk_id(&row));
        if (state == BULK_STATE_RUNNING) engine->transact.backlog[BACKLOG_BULK].due = true;
    }
    answer_bulk(call, &row, request);
    return ST_OK;
}
