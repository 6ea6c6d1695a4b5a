/* dialect/show/sentences.c — how instances and tokens stand, in plain sentences for people. */
#include "dialect/show/sentences.h"

#include "base/must.h"
#include "base/utf8.h"
#include "core/task.h"
#include "dialect/limits.h"
#include "json/json.h"

str show_title(const struct program_node *node) { return node->title.n ? node->title : node->name; }

bool show_is_called(const struct program *program, str name, str words)
{
    uint32_t node = program ? program_find(program, name) : NODE_NONE;
    return str_equal(name, words) ||
           (node != NODE_NONE && str_equal_ignoring_case(show_title(&program->node[node]), words));
}

/* ---- how it stands ---- */

static const struct job *job_of(const struct instance *instance, const struct token *token)
{
    for (size_t i = 0; i < instance->job_count; i++)
        if (instance->job[i].execution == token->execution) return &instance->job[i];
    return NULL;
}

enum show_status show_status_of(const struct instance *instance)
{
    if (instance_status_ended(instance->status)) return show_status_of_engine(instance->status);
    if (instance->job_count) return SHOW_RUNNING;
    for (size_t i = 0; i < instance->token_count; i++)
        if (instance->token[i].state == TOKEN_PERSON) return SHOW_PERSON;
    return SHOW_WAITING;
}

enum show_status show_token_status(const struct instance *instance, const struct token *token)
{
    switch (token->state) {
    case TOKEN_FAILED: return SHOW_FAILED;
    case TOKEN_PERSON: return SHOW_PERSON;
    case TOKEN_JOB: return SHOW_RUNNING;
    case TOKEN_READY: return instance->is_held ? SHOW_WAITING : SHOW_RUNNING;
    default: return SHOW_WAITING;
    }
}

enum show_wait show_token_wait(const struct instance *instance, const struct token *token)
{
    const struct job *job;
    switch (token->state) {
    case TOKEN_PERSON: return SHOW_WAIT_PERSON;
    case TOKEN_TIME: return SHOW_WAIT_TIMER;
    case TOKEN_EVENT:
    case TOKEN_ARRIVAL: return SHOW_WAIT_EVENT;
    case TOKEN_SIGNAL: return SHOW_WAIT_SIGNAL;
    case TOKEN_JOB:
        job = job_of(instance, token);
        return job && performer_starts(job->performer) ? SHOW_WAIT_CHILD : SHOW_WAIT_JOB;
    default: return SHOW_WAIT_COUNT;
    }
}

int64_t show_token_until_ms(const struct instance *instance, const struct token *token, int64_t now_ms)
{
    const struct job *job = token->state == TOKEN_JOB ? job_of(instance, token) : NULL;
    if (job && job->available_ms > now_ms) return job->available_ms;
    int64_t until_ms = 0;
    for (size_t i = 0; token->state != TOKEN_JOB && i < instance->timer_count; i++) {
        const struct timer *timer = &instance->timer[i];
        if (timer->execution == token->execution && (!until_ms || timer->due_ms < until_ms))
            until_ms = timer->due_ms;
    }
    return until_ms;
}

/* ---- sentences ---- */

static const struct program_node *node_of(const struct program *program, const struct instance *instance,
                                          const struct token *token)
{
    return program && token->node < program->node_count ? core_authored_node(program, instance, token) : NULL;
}

static void say_name(struct saying *out, str name)
{
    must(out->name_count < SAYING_NAMES_MAX);
    out->name[out->name_count++] = name;
}

static void say_job(const struct job *job, str worker, int64_t now_ms, struct saying *out)
{
    out->code = SAYING_WORKS;
    if (!job) return;
    out->failed = job->attempt > 1 ? job->attempt - 1 : 0;
    if (out->failed && job->available_ms > now_ms) {
        out->code = SAYING_AGAIN;
        return;
    }
    switch (job->performer) {
    case PERFORM_WORKER:
        out->code = worker.n ? SAYING_WORKER_HAS : SAYING_WORKER;
        say_name(out, worker.n ? worker : job->type);
        break;
    case PERFORM_HTTP: out->code = SAYING_WEB_SERVICE; break;
    case PERFORM_EMIT: out->code = SAYING_SENDS_EVENT; break;
    case PERFORM_CHILD:
        out->code = SAYING_CHILD;
        say_name(out, job->type);
        break;
    case PERFORM_SQL: out->code = SAYING_DATABASE; break;
    case PERFORM_EMAIL: out->code = SAYING_SENDS_EMAIL; break;
    case PERFORM_COMPUTE: out->code = SAYING_CALCULATION; break;
    default: break;
    }
}

/* The first names of a list; the others are counted. False: there are none. */
static bool say_names(const struct json *names, struct saying *out)
{
    size_t cursor = 0, total = 0;
    for (str name; names && task_next_name(names, &cursor, &name); total++)
        if (total < SHOWN_NAMES_MAX) say_name(out, name);
    out->others = total - out->name_count;
    return total > 0;
}

static void say_person(const struct token *token, int64_t now_ms, struct saying *out)
{
    must(token->state == TOKEN_PERSON);
    struct task_details task = task_read(token->task, token->since_ms);
    out->code = SAYING_PERSON;
    if (task.assignee.n) say_name(out, task.assignee);
    else if (!say_names(task.assignees, out) && say_names(task.groups, out)) out->code = SAYING_GROUP;
    out->is_late = task.due_ms && task.due_ms <= now_ms;
}

static void say_event(const struct program_node *node, const struct program *program,
                      const struct instance *instance, struct saying *out)
{
    out->code = SAYING_EVENT;
    out->key = instance->correlation;
    for (size_t i = 0; node && node->kind == NODE_WAIT && i < node->as.wait.event_case_count; i++) {
        const struct program_event_case *one = &node->as.wait.event_case[i];
        for (size_t k = 0; k < one->mentioned_count && out->name_count < SAYING_NAMES_MAX; k++)
            say_name(out, program->trigger[one->mentioned[k]].name);
    }
}

static void say_arrival(const struct program_node *node, const struct program *program, struct saying *out)
{
    out->code = SAYING_ARRIVAL;
    if (node && node->kind == NODE_WAIT && node->as.wait.arrival < program->rules->arrival_count)
        say_name(out, program->rules->arrival[node->as.wait.arrival].name);
}

static void say_region(const struct instance *instance, const struct token *token, struct saying *out)
{
    must(token->state == TOKEN_REGION || token->state == TOKEN_REMAINDER);
    out->code = SAYING_UNDOING;
    if (instance->undo.error && instance->undo.host == token->execution) return;
    for (size_t i = 0; i < instance->each_count; i++) {
        const struct each *each = &instance->each[i];
        if (each->host != token->execution) continue;
        out->code = token->state == TOKEN_REMAINDER ? SAYING_ITEMS_LEFT : SAYING_ITEMS;
        out->done = each->item_count;
        out->total = json_count(each->items);
        return;
    }
    out->code = SAYING_INSIDE;
}

static void say_transition(const struct program_node *node, struct saying *out)
{
    out->code = SAYING_TRANSITION;
    for (size_t i = 0; node && i < node->edge_count && out->name_count < SAYING_NAMES_MAX; i++)
        if (node->edge[i].name.n && !node->edge[i].by_timer) say_name(out, node->edge[i].name);
}

static void say_lock(const struct instance *instance, const struct token *token, struct saying *out)
{
    out->code = SAYING_LOCK;
    for (size_t i = 0; i < instance->lock_count && !out->name_count; i++)
        if (instance->lock[i].execution == token->execution) say_name(out, instance->lock[i].name);
}

static void say_milestone(const struct program_node *node, const struct program *program, struct saying *out)
{
    const struct program_milestone *milestone = node ? program_milestone(program, node) : NULL;
    out->code = SAYING_MILESTONE;
    if (milestone && milestone->from != NODE_NONE) say_name(out, show_title(&program->node[milestone->from]));
}

/* The reason as a part of a sentence: without a code before it and a dot at its end, and not too long. */
static void say_reason(const struct instance *instance, struct arena *arena, struct saying *out)
{
    str reason = instance->failure;
    str line = str_trim(str_slice(reason, 0, str_find(reason, STR("\n"), 0)));
    str said = str_trim(show_uncoded(line));
    str cut = utf8_cut(said, SHOW_REASON_BYTES);
    bool whole = cut.n == said.n;
    while (cut.n && (cut.p[cut.n - 1] == '.' || cut.p[cut.n - 1] == ' ')) cut.n--;
    out->reason = whole ? cut : arena_printf(arena, "%.*s\xe2\x80\xa6", STR_ARG(cut));
    out->reason_code = show_code(instance->failure_code, reason, arena);
}

static void say_wait(const struct program *program, const struct instance *instance,
                     const struct token *token, str worker, int64_t now_ms, struct arena *arena,
                     struct saying *out)
{
    const struct program_node *own =
        program && token->node < program->node_count ? &program->node[token->node] : NULL;
    switch (token->state) {
    case TOKEN_READY: out->code = instance->is_held ? SAYING_BEGINS_LATER : SAYING_BEGINS; return;
    case TOKEN_JOB: say_job(job_of(instance, token), worker, now_ms, out); return;
    case TOKEN_SIGNAL: out->code = SAYING_SIGNAL; return;
    case TOKEN_PERSON: say_person(token, now_ms, out); return;
    case TOKEN_JOIN: out->code = SAYING_BRANCHES; return;
    case TOKEN_RESTING: out->code = SAYING_RESTS; return;
    case TOKEN_FAILED:
        out->code = instance->stuck.execution == token->execution ? SAYING_NO_WAY_ON : SAYING_FAILED;
        if (instance->failure.n) say_reason(instance, arena, out);
        return;
    case TOKEN_EVENT: say_event(own, program, instance, out); return;
    case TOKEN_TIME: out->code = SAYING_TIME; return;
    case TOKEN_ARRIVAL: say_arrival(own, program, out); return;
    case TOKEN_REGION:
    case TOKEN_REMAINDER: say_region(instance, token, out); return;
    case TOKEN_TRANSITION: say_transition(own, out); return;
    case TOKEN_MILESTONE: say_milestone(own, program, out); return;
    case TOKEN_LOCK: say_lock(instance, token, out); return;
    case TOKEN_STATE_COUNT: break;
    }
    out->code = SAYING_WAITS;
}

struct saying show_why(const struct program *program, const struct instance *instance,
                       const struct token *token, str worker, int64_t now_ms, struct arena *arena)
{
    must(token);
    const struct program_node *node = node_of(program, instance, token);
    struct saying saying = {
        .title = node ? show_title(node) : token->node_name,
        .is_stopped = instance->status == INSTANCE_FAILED && token->state != TOKEN_FAILED,
    };
    say_wait(program, instance, token, worker, now_ms, arena, &saying);
    return saying;
}

/* The token that a list tells of: the first of the highest rank. */
static const struct token *told(const struct program *program, const struct instance *instance)
{
    const struct token *first = NULL;
    int highest = -1;
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        int rank = show_status_rank(show_token_status(instance, token));
        bool inside =
            program && token->node < program->node_count && core_is_told_inside(program, instance, token);
        if (inside || rank <= highest) continue;
        first = token;
        highest = rank;
    }
    return first || !instance->token_count ? first : &instance->token[0];
}

const struct job *show_summary_job(const struct program *program, const struct instance *instance)
{
    const struct token *token = instance_status_ended(instance->status) ? NULL : told(program, instance);
    const struct job *job = token && token->state == TOKEN_JOB ? job_of(instance, token) : NULL;
    return job && job->performer == PERFORM_WORKER ? job : NULL;
}

bool show_summary(const struct program *program, const struct instance *instance, str worker, int64_t now_ms,
                  struct arena *arena, struct saying *ret)
{
    *ret = (struct saying){ .code = SAYING_RUN_FAILED };
    if (instance->status == INSTANCE_COMPLETED) return false;
    if (instance->status == INSTANCE_CANCELLED || !instance->token_count) {
        if (!instance->failure.n) return false;
        if (instance->status == INSTANCE_CANCELLED) ret->code = SAYING_CANCELLED;
        say_reason(instance, arena, ret);
        return true;
    }
    *ret = show_why(program, instance, told(program, instance), worker, now_ms, arena);
    return true;
}
