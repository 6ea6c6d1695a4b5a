/* api/trials/transcript.c — the scenario of a run: what the outside did to an instance, as a test.
 *
 *     the instance ──► its definition ──► its history, in rounds ──► the instances that it started, likewise
 *
 * The reads go one after the other. A thread of its own then looks for the answers and tries the scenario
 * (scenario/transcript.c), because that may take a while.
 */
#include "api/trials/trials_int.h"

#include "base/array.h"
#include "base/uuid.h"

#include <stdlib.h>

/* An instance whose story is read. */
struct part_reading {
    struct id id;
    str definition_id;
    int32_t version;
    uint32_t seen; /* The revision up to which its history is read. */
    struct history *history;
    size_t count, cap;
};

struct collecting {
    struct trial_job *job;
    struct part_reading part[TRANSCRIPT_PARTS_MAX];
    size_t part_count, at;
    struct transcript_part *done;
};

static void give_up(struct trial_job *job, enum status status, struct error *err)
{
    err->status = status;
    answer_error(job->request, err);
    trials_drop(job);
}

static struct call_origin origin_of(struct collecting *all, call_fn *done)
{
    return (struct call_origin){ &all->job->arena, done, all, &all->job->request->caller };
}

static void submit(struct collecting *all, struct call *call)
{
    struct error err;
    enum status status = runtime_submit(all->job->api->config.client, call);
    if (status == ST_OK) return;
    fail(&err, status, "", "%s", status_meaning(status));
    give_up(all->job, status, &err);
}

/* False: the request was answered. */
static bool is_fine(struct collecting *all, struct call *call)
{
    struct error err;
    if (call->status != ST_OK) {
        give_up(all->job, call->status, &call->error);
        return false;
    }
    if (arena_bytes(&all->job->arena) <= TRANSCRIPT_BYTES_MAX) return true;
    fail(&err, ST_LIMIT, "", "the history takes more than %d bytes (TRANSCRIPT_BYTES_MAX)",
         TRANSCRIPT_BYTES_MAX);
    give_up(all->job, ST_LIMIT, &err);
    return false;
}

static void read_next(struct collecting *all);

/* ---- the history ---- */

static void watched(struct call *call);

static void ask_history(struct collecting *all)
{
    const struct part_reading *part = &all->part[all->at];
    const struct call_watch asked = { .id = part->id, .after = part->seen };
    submit(all, call_watch(origin_of(all, watched), &asked));
}

static void watched(struct call *call)
{
    struct collecting *all = call->user;
    struct part_reading *part = &all->part[all->at];
    if (!is_fine(all, call)) return;
    const struct answer_instances *answer = &call->value.instances;
    for (size_t i = 0; i < answer->history_count; i++) {
        array_reserve_in(&all->job->arena, part->history, part->count, part->cap);
        part->history[part->count++] = answer->history[i];
        part->seen = answer->history[i].revision;
    }
    if (answer->history_count) {
        ask_history(all);
        return;
    }
    all->done[all->at].history = part->history;
    all->done[all->at].history_count = part->count;
    all->at++;
    read_next(all);
}

/* ---- the definition ---- */

static void got_definition(struct call *call)
{
    struct collecting *all = call->user;
    if (!is_fine(all, call)) return;
    all->done[all->at].definition = call->value.definitions.row->source;
    all->done[all->at].definition_number = call->value.definitions.row->number;
    ask_history(all);
}

/* ---- the instance ---- */

static void add_part(struct collecting *all, const struct child_view *child)
{
    if (!child || all->part_count == TRANSCRIPT_PARTS_MAX) return;
    all->part[all->part_count++] = (struct part_reading){ .id = child_view_id(child) };
}

static void got_instance(struct call *call)
{
    struct collecting *all = call->user;
    struct part_reading *part = &all->part[all->at];
    if (!is_fine(all, call)) return;
    const struct instance_view *view = call->value.instances.view;
    all->done[all->at] = (struct transcript_part){ .id = part->id, .business_key = view->business_key };
    for (size_t i = view->child_count; i-- > 0;) add_part(all, &view->child[i]);
    add_part(all, view->chained_to);
    const struct call_definition asked = { .id = view->definition_id, .version = view->definition_version };
    submit(all, call_get_definition(origin_of(all, got_definition), &asked));
}

static void read_next(struct collecting *all)
{
    struct trial_job *job = all->job;
    struct error err;
    if (all->at < all->part_count) {
        const struct call_read asked = { .id = all->part[all->at].id, .with_children = true };
        submit(all, call_get_instance(origin_of(all, got_instance), &asked));
        return;
    }
    job->part = all->done;
    job->part_count = all->part_count;
    enum status status = trials_launch(job, &err);
    if (status != ST_OK) give_up(job, status, &err);
}

enum status trials_scenario(struct api_request *request, struct error *err)
{
    struct id id = { 0 };
    struct uuid uuid; /* The id of an entity. */
    struct trial_job *job;
    if (!uuid_parse(request->param[0], &uuid) || !uuid_instance(uuid, &id.ms, &id.instance))
        TRY(param_instance(request, &id, err));
    TRY(trials_new(request, &job, err));
    struct collecting *all = arena_make(&job->arena, struct collecting);
    all->job = job;
    all->done = arena_make_n(&job->arena, struct transcript_part, TRANSCRIPT_PARTS_MAX);
    all->part[all->part_count++] = (struct part_reading){ .id = id };
    read_next(all);
    return ST_OK;
}
