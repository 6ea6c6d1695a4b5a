#include "ledger.h"

#include "base/hash.h"
#include "base/must.h"

#include <stdio.h>
#include <string.h>

enum { LISTED_JOBS_MAX = 1000 };

static uint64_t hash_view(const struct instance_view *view, struct arena *arena)
{
    struct buf text;
    buf_init(&text, arena);
    buf_printf(&text, "%d %lld ", (int)view->status, (long long)view->ended_ms);
    buf_add_str(&text, view->failure);
    for (size_t i = 0; i < view->current_count; i++) buf_add_text(&text, view->current[i]);
    json_print_canonical(view->data, &text);
    return hash_bytes(buf_str(&text));
}

static void note_instance(struct ledger *ledger, const struct instance_view *view, struct arena *arena)
{
    size_t i = 0;
    while (i < ledger->instance_count && ledger->instance[i].id.instance != view->id) i++;
    must(i < LEDGER_INSTANCES_MAX);
    if (i < ledger->instance_count && ledger->instance[i].revision > view->revision) return;
    if (i == ledger->instance_count) ledger->instance_count++;
    ledger->instance[i].id = instance_view_id(view);
    ledger->instance[i].revision = view->revision;
    ledger->instance[i].contents = hash_view(view, arena);
}

static void note_job(struct ledger *ledger, struct rig *rig, const struct call *call)
{
    struct call *get = rig_call(rig, CALL_LIST_INSTANCES);
    get->as.instances.filter =
        (struct instance_filter){ .ns = call->ns, .status = INSTANCE_FAILED, .max = LEDGER_INSTANCES_MAX };
    queries_call(&rig->query, get);
    for (size_t i = 0; i < get->value.instances.count; i++)
        if (get->value.instances.view[i].id == call->as.job.id.instance) return;
    must(ledger->job_count < LEDGER_JOBS_MAX);
    ledger->job[ledger->job_count].instance = call->as.job.id.instance;
    ledger->job[ledger->job_count++].number = call->as.job.id.number;
}

static void note_accepted(struct ledger *ledger, struct rig *rig, const struct call *call)
{
    switch (call->kind) {
    case CALL_DEPLOY:
        must(ledger->definition_count < LEDGER_DEFINITIONS_MAX);
        snprintf(ledger->definition[ledger->definition_count].id, 32, "%.*s",
                 STR_ARG(call->value.definitions.row->id));
        ledger->definition[ledger->definition_count++].version = call->value.definitions.row->version;
        break;
    case CALL_COMPLETE_JOB:
    case CALL_FAIL_JOB: note_job(ledger, rig, call); break;
    case CALL_START:
    case CALL_COMPLETE_TASK:
    case CALL_SIGNAL:
    case CALL_CANCEL:
    case CALL_RETRY:
    case CALL_GET_INSTANCE:
    case CALL_LIST_INSTANCES:
        for (size_t i = 0; i < call->value.instances.count && !call->replayed; i++)
            note_instance(ledger, &call->value.instances.view[i], call->arena);
        break;
    default: break;
    }
}

void ledger_note(struct ledger *ledger, struct rig *rig, const struct call *call)
{
    if (call->status == ST_OK) {
        ledger->accepted++;
        note_accepted(ledger, rig, call);
    } else if (status_retry(call->status)) {
        ledger->retryable++;
    } else {
        ledger->rejected++;
    }
}

bool ledger_knows(const struct ledger *ledger, uint64_t instance)
{
    for (size_t i = 0; i < ledger->instance_count; i++)
        if (ledger->instance[i].id.instance == instance) return true;
    return false;
}

void ledger_expire(struct ledger *ledger, struct rig *rig)
{
    struct call *call = rig_call(rig, CALL_LIST_INSTANCES);
    call->as.instances.filter.max = LEDGER_INSTANCES_MAX;
    queries_call(&rig->query, call);
    for (size_t i = 0; i < call->value.instances.count; i++) {
        int64_t ended_ms = call->value.instances.view[i].ended_ms;
        for (size_t k = 0; k < ledger->instance_count; k++)
            if (ledger->instance[k].id.instance == call->value.instances.view[i].id && ended_ms &&
                ended_ms < rig->now_ms - rig->retention_ms)
                ledger->instance[k].may_be_gone = true;
    }
}

/* ---- do they hold? ---- */

static bool instance_holds(const struct ledger *ledger, size_t i, struct rig *rig, char *ret_why,
                           size_t why_bytes)
{
    struct call *call = rig_call(rig, CALL_GET_INSTANCE);
    call->as.read.id = ledger->instance[i].id;
    rig_run(rig, call);
    if (call->status == ST_NOT_FOUND && ledger->instance[i].may_be_gone) return true;
    unsigned long long id = ledger->instance[i].id.instance;
    if (call->status != ST_OK) {
        snprintf(ret_why, why_bytes, "instance %llu was promised: %s", id, call->error.message);
        return false;
    }
    uint32_t revision = call->value.instances.view->revision, promised = ledger->instance[i].revision;
    bool same = hash_view(call->value.instances.view, &rig->arena) == ledger->instance[i].contents;
    if (revision > promised || (revision == promised && same)) return true;
    snprintf(ret_why, why_bytes, "instance %llu was promised at revision %u and is at %u%s", id, promised,
             revision, revision == promised ? " with other contents" : "");
    return false;
}

static bool definition_holds(const struct ledger *ledger, size_t i, struct rig *rig, char *ret_why,
                             size_t why_bytes)
{
    struct call *call = rig_call(rig, CALL_GET_DEFINITION);
    call->as.definition.id = str_of(ledger->definition[i].id);
    call->as.definition.version = ledger->definition[i].version;
    if (rig_run(rig, call)) return true;
    snprintf(ret_why, why_bytes, "definition %s version %d was promised: %s", ledger->definition[i].id,
             call->as.definition.version, call->error.message);
    return false;
}

static bool jobs_hold(const struct ledger *ledger, struct rig *rig, char *ret_why, size_t why_bytes)
{
    struct call *call = rig_call(rig, CALL_LIST_JOBS);
    call->as.jobs.max = LISTED_JOBS_MAX;
    if (!rig_run(rig, call)) {
        snprintf(ret_why, why_bytes, "open jobs cannot be listed: %s", call->error.message);
        return false;
    }
    for (size_t i = 0; i < call->value.jobs.count; i++)
        for (size_t k = 0; k < ledger->job_count; k++) {
            if (call->value.jobs.view[i].instance != ledger->job[k].instance ||
                call->value.jobs.view[i].number != ledger->job[k].number)
                continue;
            snprintf(ret_why, why_bytes,
                     "job %u of instance %llu is open again, although its end was accepted",
                     ledger->job[k].number, (unsigned long long)ledger->job[k].instance);
            return false;
        }
    return true;
}

bool ledger_holds(const struct ledger *ledger, struct rig *rig, char *ret_why, size_t why_bytes)
{
    for (size_t i = 0; i < ledger->definition_count; i++)
        if (!definition_holds(ledger, i, rig, ret_why, why_bytes)) return false;
    for (size_t i = 0; i < ledger->instance_count; i++)
        if (!instance_holds(ledger, i, rig, ret_why, why_bytes)) return false;
    return jobs_hold(ledger, rig, ret_why, why_bytes);
}
