/* tests/sim/checker_family.c — children: one for each job, and one end for each job. */
#include "record.h"

#include "server.h"

#include <inttypes.h>

struct model_child *model_child(const struct checker *checker, uint64_t parent, uint32_t job)
{
    for (size_t i = checker->children.count; i-- > 0;)
        if (checker->children.item[i].parent == parent && checker->children.item[i].job == job)
            return &checker->children.item[i];
    return NULL;
}

/* The child of this instance's job that the record closes, and the job; false if there is no such job. */
static bool job_of_record(const struct record *record, const struct model_job **ret_job)
{
    const struct entry *closed = record_find(record->history, ENTRY_KIND_JOB_CLOSE);
    *ret_job = closed ? model_job(record->instance, closed->number) : NULL;
    return *ret_job && (*ret_job)->performer == PERFORM_CHILD;
}

static const struct flow_state *state_of(const struct model_instance *instance, const struct model_job *job)
{
    return &instance->spec->flow->states.item[model_token(instance, job->execution)->step];
}

/* ---- the beginning ---- */

void family_born(struct record *record)
{
    const struct entry *born = record_find(record->history, ENTRY_KIND_BORN);
    const struct entry *data = record_find(record->history, ENTRY_KIND_DATA);
    const struct model_instance *parent =
        born ? model_instance_of(record->checker, (uint64_t)born->time_ms) : NULL;
    const struct model_job *job = parent ? model_job(parent, born->number) : NULL;
    if (!job || job->performer != PERFORM_CHILD || !model_reaches(parent, job->execution)) {
        bad(record, "no parent asks for it");
        return;
    }
    if (model_child(record->checker, parent->id, job->number))
        bad(record, "job %" PRIu64 "/%u has a child already", parent->id, job->number);
    const struct spec *spec = record->instance->spec;
    if (!str_equal(job->type, spec->id) || spec != model_latest(record->checker, spec->id))
        bad(record, "the parent asks for another definition");
    if (born->value != state_of(parent, job)->awaited)
        bad(record, "it is %sawaited", born->value ? "" : "not ");
    if (json_count(job->payload) && (!data || !json_equal(data->json, job->payload)))
        bad(record, "it does not begin with what its parent gave it");
    *list_push(&record->checker->arena, &record->checker->children) =
        (struct model_child){ parent->id, job->number, record->instance->id, born->value, 0 };
}

/* The instance that started this one: its parent, or the one it was chained from. */
static const struct model_instance *starter_of(const struct record *record)
{
    const struct entry *from = record_find(record->history, ENTRY_KIND_BORN);
    if (!from) from = record_find(record->history, ENTRY_KIND_CHAINED);
    return from ? model_instance_of(record->checker, (uint64_t)from->time_ms) : NULL;
}

void family_origin(struct record *record, const struct entry *entry)
{
    const struct entry *born = record_find(record->history, ENTRY_KIND_BORN);
    const struct model_instance *starter = starter_of(record);
    struct model_instance *instance = record->instance;
    if (record->history->command != COMMAND_START || !starter) {
        bad(record, "a \"%s\" without anybody who started it", entry_word(entry->kind));
        return;
    }
    if (entry->kind == ENTRY_KIND_CHAINED) {
        if (born || !str_equal(record->history->actor, STR("chain"))) bad(record, "nothing was chained");
        return;
    }
    instance->root = (uint64_t)entry->time_ms;
    instance->depth = entry->value;
    /* The engine knows no more of a starter that retention has taken than its number. */
    bool known = instance->root == (starter->root ? starter->root : starter->id);
    if (!known && !(starter->purged && instance->root == starter->id))
        bad(record, "its family is another one");
    if (instance->depth != (born && born->value ? starter->depth + 1 : 0))
        bad(record, "it is not %u deep", entry->value);
}

/* ---- the end ---- */

/* Why the job of a child that was never started could fail. */
static bool cannot_start(const struct checker *checker, const struct model_job *job)
{
    const struct spec *spec = model_latest(checker, job->type);
    return !spec || !json_is(job->payload, JSON_OBJECT) || (!spec->flow && !spec_accepts(spec, job->payload));
}

void family_reported(struct record *record)
{
    const struct model_job *job;
    record->by_child = true;
    if (!job_of_record(record, &job)) {
        bad(record, "a child reports, and no job of one is closed");
        return;
    }
    const struct model_child *child = model_child(record->checker, record->instance->id, job->number);
    const struct model_instance *instance =
        child ? model_instance_of(record->checker, child->instance) : NULL;
    bool failed = record->history->command == COMMAND_FAIL_JOB;
    if (!instance) {
        if (!failed || !cannot_start(record->checker, job)) bad(record, "job %u has no child", job->number);
    } else if (!child->awaited) {
        if (failed) bad(record, "job %u fails with a child nobody waits for", job->number);
    } else if (!failed) {
        if (instance->status != INSTANCE_COMPLETED)
            bad(record, "child %" PRIu64 " is not complete", instance->id);
    } else if (!instance->purged && instance->status != INSTANCE_FAILED &&
               instance->status != INSTANCE_CANCELLED) {
        bad(record, "child %" PRIu64 " has not failed", instance->id);
    }
}

void family_cancelled(struct record *record)
{
    for (size_t i = 0; i < record->checker->children.count; i++) {
        const struct model_child *child = &record->checker->children.item[i];
        if (child->instance == record->instance->id && child->awaited && child->closed_commit) return;
    }
    bad(record, "it was cancelled by a parent that waits for it");
}

void family_job_closed(struct record *record, uint32_t job)
{
    struct model_child *child = model_child(record->checker, record->instance->id, job);
    if (child) child->closed_commit = record->checker->commit_count;
}

/* What follows from a command has followed when its transaction is over. */
void checker_family_committed(struct world *world)
{
    const struct checker *checker = world->checker;
    for (size_t i = 0; i < checker->children.count && !world->failed && !world_has_small_turns(world); i++) {
        const struct model_child *child = &checker->children.item[i];
        const struct model_instance *parent = model_instance_of(checker, child->parent);
        const struct model_instance *instance = model_instance_of(checker, child->instance);
        const struct model_job *job = model_job(parent, child->job);
        /* After a restart with the clock set back, a job may have to wait for its time. So it has at a node
         * that was stopped in its turn, for which the clock was read once, since before the job was opened.
         */
        bool ripe = job && model_reaches(parent, job->execution) &&
                    job->available_ms <= world_wall_ms(world) &&
                    job->available_ms <= world->server->turn_wall_ms;
        if (ripe && !child->awaited)
            violated(world, "job %" PRIu64 "/%u is open, and nobody waits for its child", parent->id,
                     child->job);
        if (ripe && !model_live(instance) && instance->ended_commit == checker->commit_count)
            violated(world, "child %" PRIu64 " has ended, and job %" PRIu64 "/%u is open", instance->id,
                     parent->id, child->job);
        if (!job && child->awaited && model_live(instance) && !instance->retried)
            violated(world, "child %" PRIu64 " lives, and job %" PRIu64 "/%u is closed", instance->id,
                     parent->id, child->job);
    }
}
