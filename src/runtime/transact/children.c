/* runtime/transact/children.c — jobs that are done by instances of other definitions.
 *
 *     a parent opens such a job ──► its child is started
 *     it was not to be awaited  ──► the job is completed at once
 *     an awaited child ends     ──► the job is completed, or failed with the child's error
 *     the job is closed before  ──► the child is cancelled, and so are its own
 *
 * One function does all four, `settle`: it looks at the job and at its child as they are now, and does what
 * is missing. It may run any number of times, so code that notices a change of either just names the job.
 *
 * The children that a command concerns are settled in its own transaction. A family may be without
 * end (a definition that starts itself), so a transaction settles only so many jobs; the rest
 * is put off as rows of the store, for the next turn. At the start of the engine every open
 * job of a child is looked at once more.
 *
 * The input of a task is that of its child. A task with a configuration says more: its input is a request
 * {definition, version, businessKey, input}, and its result {instance_id, result}.
 *
 * A child does not end with a parent that fails: the parent's job is kept for a retry, and so
 * is the child.
 */
#include "runtime/transact/transact_int.h"

#include "base/id.h"
#include "base/log.h"
#include "base/must.h"
#include "dialect/dialect.h"
#include "json/json.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"

enum { RIPE_LEASE_MS = 1000, CANCELLING_MS = 60000 };

/* A row of a chained start has data; ours have none, so a definition of this name does no harm. */
const str children_put_off_target = STR_INIT("\1child");

/* A parent that waits at a job of its own. */
struct child_work {
    const struct instance *parent;
    struct definition *definition;
    const struct job *job;
};

/* ---- the parent's job ---- */

static enum status step(struct turn *turn, struct definition *definition, const struct instance *instance,
                        const struct command *command, struct error *err)
{
    struct transition *transition;
    TRY(transact_step(turn, definition, instance, command, &transition, err));
    return transition ? start_chained(turn, transition, definition->ns, err) : ST_OK;
}

static void add_text(struct json_builder *builder, const char *name, str text)
{
    if (!text.n) return;
    json_add_name(builder, str_of(name));
    json_add_string(builder, text);
}

static const struct program_node *task_of(const struct child_work *work)
{
    const struct token *token = instance_find_token(work->parent, work->job->execution);
    return &work->definition->program->node[token->node];
}

/* Is the input of the task a request, and its result an answer to it? */
static bool is_request(const struct child_work *work) { return task_of(work)->as.task.config != NULL; }

/* `child` has failed and has brought it about; NULL: none has. */
static enum status fail_work(struct turn *turn, const struct child_work *work, const struct instance *child,
                             str message, struct error *err)
{
    str name = child ? json_text(child->error, STR("name")) : STR_NONE;
    const struct json *data = child ? json_get(child->error, STR("data")) : NULL;
    struct json_builder builder;
    json_builder_init(&builder, &turn->arena);
    json_open_object(&builder);
    add_text(&builder, "name", name.n ? name : work->definition->program->error_names.child);
    add_text(&builder, "message", message);
    if (child) add_text(&builder, "code", child->failure_code);
    if (data) {
        json_add_name(&builder, STR("data"));
        json_add(&builder, data);
    }
    json_close(&builder);
    struct command command = command_fail_job(
        turn->now_ms, STR("child"), NULL,
        (struct command_job){
            .number = work->job->number, .text = message, .error = json_built(&builder), .retryable = true });
    return step(turn, work->definition, work->parent, &command, err);
}

/* The result of the task. `child` may be NULL: it was removed. `waited`: the task waited for its end. */
static const struct json *result_of(struct turn *turn, const struct child_work *work,
                                    const struct instance *child, const struct definition *definition,
                                    bool waited)
{
    const struct json *result = NULL;
    if (waited) result = dialect_output(dialect_named(definition->program->dialect), child->data);
    if (!is_request(work)) return result;
    char id[ID_CHARS + 1];
    struct json_builder builder;
    json_builder_init(&builder, &turn->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("instance_id"));
    if (child) id_print((struct id){ .ms = child->created_ms, .instance = child->id }, id);
    if (child) json_add_string(&builder, str_of(id));
    else json_add_null(&builder);
    json_add_name(&builder, STR("result"));
    json_add(&builder, result ? result : json_null());
    json_close(&builder);
    return json_built(&builder);
}

static enum status complete_work(struct turn *turn, const struct child_work *work, const struct json *data,
                                 struct error *err)
{
    if (data && work->definition->program->data_shape == DATA_OBJECT && !json_is(data, JSON_OBJECT))
        return fail_work(turn, work, NULL, STR("the child's output is not an object"), err);
    struct command command = command_complete_job(turn->now_ms, STR("child"), data,
                                                  (struct command_job){ .number = work->job->number });
    enum status status = step(turn, work->definition, work->parent, &command, err);
    if (status == ST_OK || transact_is_lost(turn, status)) return status;
    /* The parent cannot take the result: it is too large, or does not have the form that the task asks for.
     */
    str message = arena_str(&turn->arena, str_of(err->message));
    return fail_work(turn, work, NULL, message, err);
}

/* ---- the child ---- */

static enum status fail_request(struct error *err, const char *name, const char *must_be)
{
    return fail(err, ST_INVALID, name, "the %s of the flow must be %s", name, must_be);
}

/* The key as a text: data has numbers, too. */
static enum status read_key(struct turn *turn, const struct json *value, str *ret_key, struct error *err)
{
    bool is_plain = json_is(value, JSON_STRING) || json_is(value, JSON_NUMBER) || json_is(value, JSON_BOOL);
    *ret_key = STR_NONE;
    if (!value || json_is(value, JSON_NULL)) return ST_OK;
    if (!is_plain) return fail_request(err, "businessKey", "a text");
    struct buf text;
    buf_init(&text, &turn->arena);
    if (!json_is(value, JSON_STRING)) json_print(value, &text);
    *ret_key = json_is(value, JSON_STRING) ? json_string(value) : buf_str(&text);
    if (ret_key->n > BUSINESS_KEY_BYTES_MAX)
        return fail(err, ST_LIMIT, "businessKey",
                    "the business key has %zu bytes; the most is %d (BUSINESS_KEY_BYTES_MAX)", ret_key->n,
                    BUSINESS_KEY_BYTES_MAX);
    return ST_OK;
}

/* Takes the request apart. */
static enum status read_request(struct turn *turn, const struct child_work *work, struct start *start,
                                struct error *err)
{
    const struct json *asked = start->data;
    if (is_request(work)) {
        const struct json *input = json_get(asked, STR("input"));
        start->data = input ? input : json_empty_object();
        TRY(read_key(turn, json_get(asked, STR("businessKey")), &start->business_key, err));
        if (!program_version_of(json_get(asked, STR("version")), &start->version))
            return fail_request(err, "version", "latest, or a whole number from 1 on");
    }
    if (json_is(start->data, JSON_OBJECT)) return ST_OK;
    return fail(err, ST_INVALID, "input", "the child's input is not an object");
}

/* Refuses a child that would exceed the depth or the number of starts of its family. */
static enum status check_family(struct turn *turn, const struct child_work *work, bool awaited,
                                struct error *err)
{
    int64_t max = turn->engine->limits.family_depth_max;
    if (awaited && work->parent->depth >= (uint64_t)max)
        return fail(err, ST_LIMIT, "family",
                    "%lld instances wait for each other, the most allowed (family_depth_max)",
                    (long long)max);
    return start_count_family(turn, work->definition->ns, family_root(work->parent), work->parent->is_test,
                              err);
}

static enum status start_child(struct turn *turn, const struct child_work *work, struct error *err)
{
    if (!room_for(turn->engine, CALL_START)) return ST_OVERLOAD;
    bool awaited = !task_of(work)->as.task.detached;
    struct start start = { .ns = work->definition->ns,
                           .definition_id = work->job->type,
                           .data = instance_job_payload(work->parent, work->job),
                           .actor = STR("parent"),
                           .parent = work->parent->id,
                           .parent_job = work->job->number,
                           .parent_waits = awaited,
                           .is_test = work->parent->is_test,
                           .root = family_root(work->parent),
                           .depth = awaited ? work->parent->depth + 1 : 0 };
    struct transition *transition;
    struct definition *definition;
    enum status status = read_request(turn, work, &start, err);
    if (status == ST_OK) status = check_family(turn, work, awaited, err);
    if (status == ST_OK) status = start_step(turn, &start, &transition, &definition, err);
    if (transact_is_lost(turn, status)) return status;
    if (status != ST_OK) {
        str message = arena_str(&turn->arena, str_of(err->message));
        return fail_work(turn, work, NULL, message, err);
    }
    /* Nobody awaits the child: starting it was the whole job. */
    if (awaited) return ST_OK;
    return complete_work(turn, work, result_of(turn, work, transition->after, definition, false), err);
}

static str text_of(const struct json *object, const char *name, str otherwise)
{
    const struct json *value = json_get(object, str_of(name));
    return json_is(value, JSON_STRING) && json_string(value).n ? json_string(value) : otherwise;
}

/* Completes or fails the job if the child has ended. */
static enum status finish_work(struct turn *turn, const struct child_work *work, uint64_t id,
                               struct error *err)
{
    const struct instance *child;
    struct definition *definition;
    bool is_there;
    TRY(found_asked(transact_load(turn, id, &child, &definition, err), &is_there));
    if (!is_there) /* It ended long ago, while its parent had failed. */
        return fail_work(turn, work, NULL, STR("the child was removed"), err);
    switch (child->status) {
    case INSTANCE_COMPLETED:
        return complete_work(turn, work, result_of(turn, work, child, definition, true), err);
    case INSTANCE_FAILED:
        return fail_work(turn, work, child, text_of(child->error, "message", child->failure), err);
    case INSTANCE_CANCELLED: return fail_work(turn, work, NULL, STR("cancelled"), err);
    default: return ST_OK;
    }
}

/* Completes the job of a child that nobody awaits. */
static enum status finish_detached(struct turn *turn, const struct child_work *work, uint64_t id,
                                   struct error *err)
{
    const struct instance *child;
    struct definition *definition;
    bool is_there;
    if (!is_request(work)) return complete_work(turn, work, NULL, err);
    TRY(found_asked(transact_load(turn, id, &child, &definition, err), &is_there));
    return complete_work(turn, work, result_of(turn, work, is_there ? child : NULL, definition, false), err);
}

static enum status cancel_child(struct turn *turn, uint64_t id, struct error *err)
{
    const struct instance *child;
    struct definition *definition;
    bool is_there;
    TRY(found_asked(transact_load(turn, id, &child, &definition, err), &is_there));
    if (!is_there || instance_status_ended(child->status)) return ST_OK;
    struct command command =
        command_cancel(turn->now_ms, STR("parent"), NULL,
                       (struct command_cancel){ .reason = STR("its parent no longer waits for it") });
    return step(turn, definition, child, &command, err);
}

/* Has an ancestor that waits for this instance been cancelled lately? Then the cancellation of this instance
 * is on its way down, from parent to child, and a family that grows meanwhile must not outrun it. An instance
 * that still lives a minute later had failed when the cancellation passed and has been retried since: it may
 * have children. An ended instance with detached work is not looked at. */
static enum status find_cancelled(struct turn *turn, const struct instance *instance, bool *ret_cancelled,
                                  struct error *err)
{
    *ret_cancelled = false;
    while (instance->parent_waits && !instance_status_ended(instance->status)) {
        struct definition *definition;
        bool is_there;
        TRY(found_asked(transact_load(turn, instance->parent, &instance, &definition, err), &is_there));
        if (!is_there) return ST_OK;
        *ret_cancelled |=
            instance->status == INSTANCE_CANCELLED && instance->ended_ms + CANCELLING_MS > turn->now_ms;
    }
    return ST_OK;
}

/* Looks at the job again when the cancellation must have arrived. */
static enum status hold_back(struct turn *turn, const struct child_work *work)
{
    struct child_job *held = arena_make(&turn->arena, struct child_job);
    *held = (struct child_job){ .parent = work->parent->id,
                                .number = work->job->number,
                                .next = turn->held_back };
    turn->held_back = held;
    return ST_OK;
}

/* On a shared store any node may settle a job that was put off, by its row. */
static bool others_may_settle(const struct turn *turn) { return turn->engine->nodes.shared; }

/* ST_OVERLOAD if the start has to wait for space on the disk or for a cancellation, or the end for its time.
 */
static enum status settle(struct turn *turn, uint64_t parent, uint32_t number, struct error *err)
{
    struct child_work work;
    bool is_there;
    TRY(found_asked(transact_load(turn, parent, &work.parent, &work.definition, err), &is_there));
    if (!is_there) return ST_OK;
    struct child_row row;
    TRY(found_asked(store_find_child(turn->engine->store, parent, number, &row, err), &is_there));
    work.job = instance_find_job(work.parent, number);
    turn->settling = (struct child_job){ .parent = parent, .number = number };
    if (!work.job) return is_there && row.awaited ? cancel_child(turn, row.instance, err) : ST_OK;
    if (!reaches(work.parent, work.job->execution)) return ST_OK;
    /* Its time comes once more if the clock was set back, or at the node whose turn began later. The job is
     * in no memory of several nodes. */
    if (work.job->available_ms > turn->now_ms) return others_may_settle(turn) ? ST_OVERLOAD : ST_OK;
    if (!is_there) {
        bool cancelled;
        TRY(find_cancelled(turn, work.parent, &cancelled, err));
        if (!cancelled) return start_child(turn, &work, err);
        /* After a crash the others would know nothing of what only our memory has. */
        return others_may_settle(turn) ? ST_OVERLOAD : hold_back(turn, &work);
    }
    return row.awaited ? finish_work(turn, &work, row.instance, err)
                       : finish_detached(turn, &work, row.instance, err);
}

/* ---- noticing ---- */

static void push(struct turn *turn, uint64_t parent, uint32_t number)
{
    struct child_job *job = arena_make(&turn->arena, struct child_job);
    *job = (struct child_job){ .parent = parent, .number = number };
    if (turn->last_child) turn->last_child->next = job;
    else turn->first_child = job;
    turn->last_child = job;
}

/* Ends go before beginnings, so that a family that grows for ever can be cancelled. */
static void push_front(struct turn *turn, uint64_t parent, uint32_t number)
{
    struct child_job *job = arena_make(&turn->arena, struct child_job);
    *job = (struct child_job){ .parent = parent, .number = number, .next = turn->first_child };
    if (!turn->last_child) turn->last_child = job;
    turn->first_child = job;
}

/* True while this job is being settled: the settling code knows itself that the job is closed. */
static bool is_settling(const struct turn *turn, uint64_t parent, uint32_t number)
{
    return turn->settling.parent == parent && turn->settling.number == number;
}

static bool is_open(const struct instance *instance, const struct job *job)
{
    return instance && instance_find_job(instance, job->number) && reaches(instance, job->execution);
}

/* Returns the first job that can have become open. While an instance lives only new jobs do, and those come
 * last. */
static size_t first_opened(const struct instance *a, const struct instance *b)
{
    bool lives = a && !instance_status_ended(a->status) && !instance_status_ended(b->status);
    size_t i = lives ? b->job_count : 0;
    while (lives && i > 0 && b->job[i - 1].number >= a->next_number) i--;
    return i;
}

/* With several nodes a job that waits for its time is held or offered (shared_jobs_decide()). */
static bool waits_elsewhere(const struct turn *turn, const struct job *job)
{
    return others_may_settle(turn) && job->available_ms > turn->now_ms;
}

static void notice(struct turn *turn, const struct transition *transition)
{
    const struct instance *a = transition->before, *b = transition->after;
    for (size_t i = first_opened(a, b); i < b->job_count; i++)
        if (b->job[i].performer == PERFORM_CHILD && reaches(b, b->job[i].execution) &&
            !is_open(a, &b->job[i]) && !waits_elsewhere(turn, &b->job[i]))
            push(turn, b->id, b->job[i].number);
    for (size_t i = 0; a && i < transition->history->entry_count; i++) {
        const struct entry *entry = &transition->history->entry[i];
        const struct job *closed =
            entry->kind == ENTRY_KIND_JOB_CLOSE ? instance_find_job(a, entry->job) : NULL;
        if (closed && closed->performer == PERFORM_CHILD && !is_settling(turn, b->id, closed->number))
            push_front(turn, b->id, closed->number);
    }
    if (b->parent_waits && instance_status_ended(b->status) && !(a && instance_status_ended(a->status)))
        push(turn, b->parent, b->parent_job);
}

static void notice_new(struct turn *turn)
{
    for (; turn->first_unnoticed; turn->first_unnoticed = turn->first_unnoticed->next)
        notice(turn, turn->first_unnoticed);
}

/* ---- following ---- */

/* Replaces the row that an earlier turn may have left. */
static enum status put_off(struct turn *turn, const struct child_job *job, struct error *err)
{
    struct pending_row row = { .parent = job->parent,
                               .number = job->number,
                               .ns = NAMESPACE_DEFAULT,
                               .target = children_put_off_target,
                               .created_ms = turn->now_ms };
    struct changeset changeset = { .pending_remove = &row, .pending_add = &row };
    return transact_rows(turn, &changeset, err);
}

/* False if it could not be done yet. */
static bool settle_one(struct turn *turn, const struct child_job *job)
{
    struct error err;
    enum status status = settle(turn, job->parent, job->number, &err);
    notice_new(turn);
    turn->settling = (struct child_job){ 0 };
    if (status == ST_OVERLOAD) return false;
    if (status == ST_OK || turn->failed != ST_OK) return true;
    if (transact_is_lost(turn, status)) transact_failed(turn, &err);
    else log_write(LOG_ERROR, "a child's job cannot be settled", "reason", err.message, NULL);
    return true;
}

enum status children_follow(struct turn *turn, struct error *err)
{
    struct backlog *backlog = &turn->engine->transact.backlog[BACKLOG_CHILDREN];
    notice_new(turn);
    for (struct child_job *job; (job = turn->first_child) != NULL && turn->failed == ST_OK;) {
        turn->first_child = job->next;
        if (!job->next) turn->last_child = NULL;
        bool due = turn->settled_count++ >= CHILDREN_SETTLED_PER_TURN_MAX ||
                   (turn->settled_count > 1 && slice_is_over(turn));
        if (!due && settle_one(turn, job)) continue;
        backlog->due |= due;
        backlog->left |= !due;
        TRY(put_off(turn, job, err));
    }
    must(turn->failed != ST_OK || !turn->first_unnoticed);
    if (turn->failed != ST_OK) *err = turn->failure;
    return turn->failed;
}

/* Settles jobs whose delay is over, and after the start of the engine all jobs of children. If the
 * transaction fails they are offered again when their lease is over. */
static void settle_ripe(struct turn *turn)
{
    const str type = performer_queue(PERFORM_CHILD, STR_NONE);
    struct error err;
    struct open_job *open;
    for (int i = 0; i < CHILDREN_RIPE_PER_TURN_MAX && turn->failed == ST_OK && (!i || !slice_is_over(turn));
         i++) {
        if (!(open = jobs_best(&turn->engine->memory.jobs, &type, 1))) return;
        jobs_lease(&turn->engine->memory.jobs, open, STR("engine"), turn->now_ms, RIPE_LEASE_MS);
        struct child_job *ripe = arena_make(&turn->arena, struct child_job);
        *ripe = (struct child_job){ .parent = open->instance, .number = open->number, .next = turn->ripe };
        turn->ripe = ripe;
        push(turn, open->instance, open->number);
        children_follow(turn, &err);
    }
}

static enum status read_put_off(struct backlog_run *run, str after, size_t max, struct backlog_row **ret_row,
                                size_t *ret_count, struct error *err)
{
    struct arena *arena = &run->turn->arena;
    struct pending_row *row = arena_make_n(arena, struct pending_row, max), last = backlog_row_at(after);
    TRY(store_pending(run->turn->engine->store, NAMESPACE_DEFAULT, children_put_off_target, &last, arena, row,
                      max, ret_count, err));
    run->has_all = *ret_count < max;
    *ret_row = backlog_rows_of(row, *ret_count, arena);
    return ST_OK;
}

/* Settles the row and removes it. Jobs that cannot be settled yet keep their rows. */
static enum status settle_row(struct backlog_run *run, const struct backlog_row *of,
                              enum backlog_outcome *ret_outcome, struct error *err)
{
    const struct pending_row *row = of->of;
    struct changeset changeset = { .pending_remove = row };
    if (row->data.n) *ret_outcome = BACKLOG_KEPT;
    else if (settle_one(run->turn, &(struct child_job){ .parent = row->parent, .number = row->number }))
        return run->turn->failed == ST_OK ? transact_rows(run->turn, &changeset, err) : ST_OK;
    else *ret_outcome = BACKLOG_LEFT;
    return ST_OK;
}

static void settle_put_off(struct turn *turn)
{
    static const struct backlog_user user = { .max = CHILDREN_PUT_OFF_PER_TURN_MAX,
                                              .blames_writes = true,
                                              .unread = "the job of a child cannot be read and waits",
                                              .read = read_put_off,
                                              .row = settle_row };
    struct error err;
    backlog_run(turn, &turn->engine->transact.backlog[BACKLOG_CHILDREN], &user, NULL);
    children_follow(turn, &err);
}

void children_go_on(struct turn *turn)
{
    turn->settled_count = 0;
    settle_ripe(turn);
    if (turn->engine->transact.backlog[BACKLOG_CHILDREN].due && turn->failed == ST_OK) settle_put_off(turn);
}

int64_t children_next_ms(const struct engine *engine)
{
    const str type = performer_queue(PERFORM_CHILD, STR_NONE);
    bool waits = engine->transact.backlog[BACKLOG_CHILDREN].due || jobs_best(&engine->memory.jobs, &type, 1);
    return waits ? engine->turn.now_ms : INT64_MAX;
}

void children_end(struct turn *turn, bool committed)
{
    for (const struct child_job *job = turn->ripe; job && committed; job = job->next)
        jobs_remove(&turn->engine->memory.jobs, job->parent, job->number);
    for (const struct child_job *held = turn->held_back; held && committed; held = held->next) {
        struct job job = { .number = held->number,
                           .performer = PERFORM_CHILD,
                           .available_ms = turn->now_ms + CANCELLING_MS };
        jobs_add(&turn->engine->memory.jobs, TENANT_DEFAULT, held->parent, &job, 0, turn->now_ms);
    }
    turn->ripe = turn->held_back = turn->first_child = turn->last_child = NULL;
    turn->settled_count = 0;
}
