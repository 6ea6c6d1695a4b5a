/* tests/power/workload.c — a little of everything the engine can do. */
#include "rig.h"

#include "../unit/documents.h"

#include <stdio.h>
#include <string.h>

enum { JOBS_AT_ONCE = 6, LISTED_MAX = 200, FINISH_TURNS_MAX = 60, ROUND_MS = 20000 };

static const char *const started[] = { "line", "person", "waits", "split", "relay" };
static const str job_types[] = { STR_INIT("ta"), STR_INIT("tb"), STR_INIT("tl"), STR_INIT("tn") };

/* ---- single calls ---- */

static void deploy(struct rig *rig, const char *name)
{
    struct call *call = rig_call(rig, CALL_DEPLOY);
    call->as.deploy.text = str_of(document("../power/workload", name));
    rig_run(rig, call);
}

static const struct json *variables(struct rig *rig, unsigned n)
{
    static char pad[6000];
    memset(pad, 'x', sizeof pad);
    struct json_builder builder;
    json_builder_init(&builder, &rig->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("n"));
    json_add_int(&builder, n);
    json_add_name(&builder, STR("pad"));
    /* Some do not fit on a page. */
    json_add_string(&builder, (str){ pad, n % 5 == 0 ? sizeof pad : n * 37 % 400 });
    json_close(&builder);
    return json_built(&builder);
}

static struct call *add_start(struct rig *rig, const char *definition, unsigned n)
{
    struct call *call = rig_call(rig, CALL_START);
    call->as.start.definition_id = str_of(definition);
    call->as.start.data = variables(rig, n);
    rig_add(rig, call);
    return call;
}

static void set_key(struct call *call, str key)
{
    call->idempotency_key = key;
    call->request_hash = 1;
}

static void add_instance_call(struct rig *rig, enum call_kind kind, const struct instance_view *view,
                              str node)
{
    struct call *call = rig_call(rig, kind);
    call->as.instance.id = instance_view_id(view);
    call->as.instance.node = node;
    call->as.instance.data =
        kind == CALL_CANCEL || kind == CALL_RETRY ? NULL : variables(rig, view->revision);
    rig_add(rig, call);
}

/* Jobs of all types, completed unless `failing` says how many of them fail. */
static size_t work(struct rig *rig, size_t max, unsigned failing)
{
    struct call *poll = rig_call(rig, CALL_POLL_JOBS);
    poll->as.poll.type = job_types;
    poll->as.poll.type_count = COUNT(job_types);
    poll->as.poll.worker = STR("w");
    poll->as.poll.max = max;
    if (!rig_run(rig, poll)) return 0;
    for (size_t i = 0; i < poll->value.jobs.count; i++) {
        struct call *call = rig_call(rig, i < failing ? CALL_FAIL_JOB : CALL_COMPLETE_JOB);
        call->as.job.id = job_view_id(&poll->value.jobs.view[i]);
        call->as.job.worker = STR("w");
        call->as.job.data = i < failing ? NULL : variables(rig, (unsigned)poll->value.jobs.view[i].instance);
        call->as.job.text = STR("broken");
        call->as.job.retryable = i == 0;
        rig_add(rig, call);
    }
    rig_turn(rig, false);
    return poll->value.jobs.count;
}

static struct call *list(struct rig *rig, int status)
{
    struct call *call = rig_call(rig, CALL_LIST_INSTANCES);
    call->as.instances.filter.status = status;
    call->as.instances.filter.max = LISTED_MAX;
    rig_run(rig, call);
    return call;
}

/* What people and other systems do about a waiting instance. */
static void nudge(struct rig *rig, const struct instance_view *view)
{
    for (size_t i = 0; i < view->current_count; i++) {
        str node = view->current[i];
        if (str_equal(node, STR("p"))) add_instance_call(rig, CALL_COMPLETE_TASK, view, node);
        else if (str_equal(node, STR("w"))) add_instance_call(rig, CALL_SIGNAL, view, node);
    }
}

/* ---- the whole ---- */

void workload_deploy(struct rig *rig)
{
    for (size_t i = 0; i < COUNT(started); i++) deploy(rig, started[i]);
}

void workload_round(struct rig *rig, unsigned round)
{
    if (round == WORKLOAD_ROUNDS / 3) deploy(rig, "leg"); /* Chained starts have waited for it. */
    if (round == WORKLOAD_ROUNDS / 2) deploy(rig, "line, second version");

    for (unsigned i = 0; i < 3; i++) {
        struct call *start = add_start(rig, started[(round + i) % COUNT(started)], round * 3 + i);
        if (i == 1) start->as.start.business_key = arena_printf(&rig->arena, "key %u", round % 3);
    }
    for (unsigned twice = 0; twice < 2; twice++)
        set_key(add_start(rig, "line", round), arena_printf(&rig->arena, "once %u", round % 7));
    rig_turn(rig, false);

    work(rig, JOBS_AT_ONCE, round % 3);
    work(rig, JOBS_AT_ONCE, 0);

    struct call *waiting = list(rig, INSTANCE_WAITING), *failed = list(rig, INSTANCE_FAILED);
    for (size_t i = 0; i < waiting->value.instances.count && i < 2; i++)
        nudge(rig, &waiting->value.instances.view[i]);
    if (waiting->value.instances.count > 2 && round % 2)
        add_instance_call(rig, CALL_CANCEL,
                          &waiting->value.instances.view[waiting->value.instances.count - 1], STR_NONE);
    if (failed->value.instances.count && failed->value.instances.view[0].current_count && round % 4 == 0)
        add_instance_call(rig, CALL_RETRY, &failed->value.instances.view[0],
                          failed->value.instances.view[0].current[0]);
    rig_turn(rig, false);

    rig->now_ms += ROUND_MS;
    rig_turn(rig, false);
    if (round % 3 == 2) rig_turn(rig, true);
}

bool workload_finish(struct rig *rig)
{
    deploy(rig, "leg");
    for (int turns = 0; turns < FINISH_TURNS_MAX; turns++) {
        struct call *active = list(rig, INSTANCE_ACTIVE), *waiting = list(rig, INSTANCE_WAITING);
        if (active->status != ST_OK || waiting->status != ST_OK) return false;
        if (!active->value.instances.count && !waiting->value.instances.count) return true;
        for (size_t i = 0; i < waiting->value.instances.count; i++)
            nudge(rig, &waiting->value.instances.view[i]);
        for (size_t i = 0; i < active->value.instances.count; i++)
            nudge(rig, &active->value.instances.view[i]);
        rig_turn(rig, false);
        while (work(rig, LISTED_MAX, 0)) continue;
        rig->now_ms += ROUND_MS;
        rig_turn(rig, false);
    }
    return false;
}
