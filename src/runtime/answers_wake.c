/* runtime/answers_wake.c — calls that wait, and what they are shown when they wake.
 *
 * A START waits for the end of its instance, an event for the end of its instances, one after the other, a
 * WATCH for the next change, a poll for a job. Their time is a deadline (deadlines.h).
 */
#include "runtime/runtime_int.h"

#include "base/must.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/transact.h"

/* The instance that a START or an ARRIVE shows; NULL: none. */
static struct instance_view *shown_by(const struct call *call)
{
    return call->kind == CALL_ARRIVE ? call->value.arrivals.instance : call->value.instances.view;
}

/* ---- the instances of an event ---- */

static size_t awaited_count(const struct call *call)
{
    size_t count = call->as.events.event->instance_count;
    return count < EVENT_AWAITED_MAX ? count : EVENT_AWAITED_MAX;
}

/* Shows one instance of the event as it is now. An instance that cannot be read has no dialect. True if it
 * lives, or if only the next look can tell. */
static bool view_awaited(struct turn *turn, struct call *call, size_t index)
{
    const struct event_instance *of = &call->as.events.event->instance[index];
    struct instance_view *view = &call->value.instances.view[index];
    const struct instance *instance;
    struct definition *definition;
    struct error err;
    *view = (struct instance_view){ .id = of->id };
    bool is_intact;
    if (found_intact(transact_load(turn, of->id, &instance, &definition, &err), &is_intact) != ST_OK)
        return true;
    if (!is_intact) return false;
    view_instance(definition->program, instance, definition->id, definition->version, turn->now_ms,
                  call->arena, view);
    return lives(instance);
}

/* Shows the event's instances that have ended, up to the first that still lives. True: none lives, so the
 * call has nothing more to wait for. */
static bool view_until_alive(struct turn *turn, struct call *call)
{
    struct answer_instances *answer = &call->value.instances;
    if (!answer->view) answer->view = arena_make_n(call->arena, struct instance_view, awaited_count(call));
    for (; answer->count < awaited_count(call); answer->count++)
        if (view_awaited(turn, call, answer->count)) return false;
    return true;
}

/* The time is up: the others are shown as they are. */
static void view_rest(struct turn *turn, struct call *call)
{
    struct answer_instances *answer = &call->value.instances;
    for (; answer->count < awaited_count(call); answer->count++) view_awaited(turn, call, answer->count);
}

/* Lets the call wait for the next instance of its event that lives, or answers it. */
static void await_event(struct turn *turn, struct call *call, int64_t until_ms)
{
    must(call->kind == CALL_EVENTS && call->as.events.event_count == 1);
    bool done = view_until_alive(turn, call);
    if (!done && !turn->engine->draining && !call->abandoned) {
        uint64_t next = call->as.events.event->instance[call->value.instances.count].id;
        watchers_add(&turn->engine->memory.watchers, next, call, until_ms);
        return;
    }
    view_rest(turn, call);
    call_list_add(&turn->engine->answered, call);
}

/* ---- the instance of a start ---- */

/* Nothing goes on by itself: the instance has ended, or waits for a person, an event or a time. */
static bool rests(const struct instance *instance)
{
    if (!lives(instance)) return true;
    if (instance->is_held) return false;
    for (size_t i = 0; i < instance->job_count; i++)
        if (reaches(instance, instance->job[i].execution)) return false;
    return true;
}

static void show(struct turn *turn, struct call *call, const struct instance *instance,
                 const struct definition *definition)
{
    view_instance(definition->program, instance, definition->id, definition->version, turn->now_ms,
                  call->arena, shown_by(call));
    if (call->kind == CALL_ARRIVE) call->value.arrivals.finished = rests(instance);
}

/* Shows the instance of a START or an ARRIVE as it is now: others may have changed it since. True: the call
 * has nothing more to wait for. */
static bool view_again(struct turn *turn, struct call *call)
{
    must(shown_by(call));
    const struct instance *instance;
    struct definition *definition;
    struct error err;
    bool is_intact;
    if (found_intact(transact_load(turn, shown_by(call)->id, &instance, &definition, &err), &is_intact) !=
        ST_OK)
        return false; /* It may live, and the call has time. */
    if (!is_intact) return true;
    show(turn, call, instance, definition);
    return call->kind == CALL_ARRIVE ? call->value.arrivals.finished : !lives(instance);
}

bool answers_await(struct turn *turn, struct call *call)
{
    int64_t until_ms = turn->now_ms + call_wait_ms(call);
    if (call->kind == CALL_EVENTS) {
        await_event(turn, call, until_ms);
        return true;
    }
    if (view_again(turn, call) || turn->engine->draining || call->abandoned) return false;
    watchers_add(&turn->engine->memory.watchers, shown_by(call)->id, call, until_ms);
    return true;
}

/* ---- waking ---- */

/* The call has waited long enough: it shows the instance as it is now. */
static void answer_waited(struct turn *turn, struct call *call)
{
    if (call->kind == CALL_WATCH) {
        call_list_add(&turn->engine->for_query, call);
        return;
    }
    if (call->kind == CALL_EVENTS) view_rest(turn, call);
    else view_again(turn, call);
    call_list_add(&turn->engine->answered, call);
}

/* Ends leases that ran out and delays that are over, and answers calls that waited long enough. */
void answers_meet_deadlines(struct turn *turn)
{
    for (struct deadline *first;
         (first = deadlines_first(&turn->engine->memory.deadlines)) && first->at_ms <= turn->now_ms;) {
        switch (first->kind) {
        case DEADLINE_LEASE:
            metric_add(&turn->engine->metrics->job_timeouts, 1);
            release_expired(turn->engine, open_job_of(first));
            break;
        case DEADLINE_DELAY: jobs_ready(&turn->engine->memory.jobs, open_job_of(first), turn->now_ms); break;
        case DEADLINE_POLL:
            call_list_add(&turn->engine->answered, polls_take_late(&turn->engine->memory.jobs, first));
            break;
        case DEADLINE_SLOT: must(false); break; /* Only schedules have them, in a heap of their own. */
        case DEADLINE_TASK_FEED:
            call_list_add(&turn->engine->answered,
                          task_feed_take_late(&turn->engine->memory.task_feed, first));
            break;
        case DEADLINE_LIVE:
            call_list_add(&turn->engine->answered, live_take(&turn->engine->memory.live, turn->now_ms));
            break;
        case DEADLINE_UNIT: units_take_late(turn->engine, first); break;
        case DEADLINE_WATCH:
            answer_waited(turn, watchers_take_late(&turn->engine->memory.watchers, first));
            break;
        }
    }
}

void answers_release(struct turn *turn)
{
    for (struct call *call; (call = polls_take_any(&turn->engine->memory.jobs)) != NULL;)
        call_list_add(&turn->engine->answered, call);
    for (struct call *call; (call = watchers_take_any(&turn->engine->memory.watchers)) != NULL;)
        answer_waited(turn, call);
    for (struct call *call; (call = task_feed_take_any(&turn->engine->memory.task_feed)) != NULL;)
        call_list_add(&turn->engine->answered, call);
    struct call *live = live_take(&turn->engine->memory.live, turn->now_ms);
    if (live) call_list_add(&turn->engine->answered, live);
}

void answers_tell(struct turn *turn)
{
    for (struct call *call; (call = task_feed_take_told(&turn->engine->memory.task_feed)) != NULL;)
        call_list_add(&turn->engine->answered, call);
}

/* Answers the calls that waited for this. A START or an ARRIVE that waited shows how it ended; a WATCH
 * goes on to the query thread for the history. */
void answers_wake(struct turn *turn, const struct loaded *loaded)
{
    const struct instance *after = loaded->now;
    struct watchers *watchers = &turn->engine->memory.watchers;
    int64_t until_ms;
    for (struct call *call; (call = watchers_take(watchers, loaded->instance, after->revision, rests(after),
                                                  !lives(after), &until_ms)) != NULL;) {
        if (call->kind == CALL_WATCH) {
            call_list_add(&turn->engine->for_query, call);
            continue;
        }
        if (call->kind == CALL_EVENTS) {
            await_event(turn, call, until_ms);
            continue;
        }
        show(turn, call, after, loaded->definition);
        call_list_add(&turn->engine->answered, call);
    }
}

/* False: it cannot be read yet. */
static bool wake_for(struct turn *turn, uint64_t instance)
{
    const struct instance *now;
    struct definition *definition;
    struct error err;
    enum status status = found_needed(transact_load_stored(turn, instance, &now, &definition, &err));
    if (status == ST_NOT_FOUND) units_forget(turn, instance);
    turn->reads_wait |= status == ST_AGAIN;
    if (status != ST_OK) return !status_retry(status);
    answers_wake(turn, map_get(&turn->loaded_of, instance));
    return units_wake(turn, map_get(&turn->loaded_of, instance));
}

/* Reads them together: each for itself would be a round trip to the store. */
static void load_changed(struct turn *turn, const uint64_t *instance, size_t count)
{
    struct instance_row *row;
    struct error err;
    size_t found;
    if (count < 2) return;
    enum status status =
        store_load_instances(turn->engine->store, instance, count, &turn->arena, &row, &found, &err);
    turn->reads_wait |= status == ST_AGAIN;
    for (size_t i = 0; status == ST_OK && i < found; i++) /* A large one is read by itself. */
        if (row[i].state.n) transact_take(turn, &row[i]);
}

/* However much other nodes change, a turn looks at so many only, and waits for a lock only once. The next
 * turn goes on. */
void answers_wake_changed(struct turn *turn)
{
    struct nodes *nodes = &turn->engine->nodes;
    size_t count = nodes->changed_count < PREFETCH_MAX ? nodes->changed_count : PREFETCH_MAX, left = 0, i = 0;
    load_changed(turn, nodes->changed, count);
    slice_begin(turn, 1);
    for (; i < count && !turn->reads_wait && (!i || !slice_is_over(turn)); i++)
        if (!wake_for(turn, nodes->changed[i])) nodes->changed[left++] = nodes->changed[i];
    for (; i < nodes->changed_count; i++) nodes->changed[left++] = nodes->changed[i];
    nodes->changed_count = left;
    answers_tell(turn);
}
