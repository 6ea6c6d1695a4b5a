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

static void say_times(uint32_t count, struct buf *out)
{
    must(count > 0);
    if (count == 1) buf_add_str(out, STR("once"));
    else if (count == 2) buf_add_str(out, STR("twice"));
    else buf_printf(out, "%u times", count);
}

static void say_job(const struct job *job, str worker, int64_t now_ms, struct buf *out)
{
    if (!job) {
        buf_add_str(out, STR("is at work"));
        return;
    }
    if (job->attempt > 1) {
        buf_add_str(out, STR("failed "));
        say_times(job->attempt - 1, out);
        if (job->available_ms > now_ms) {
            buf_add_str(out, STR(" and is tried again by itself"));
            return;
        }
        buf_add_str(out, STR(" and is being tried again: it "));
    }
    switch (job->performer) {
    case PERFORM_WORKER:
        if (worker.n) {
            buf_printf(out, "is with the worker \xe2\x80\x9c%.*s\xe2\x80\x9d", STR_ARG(worker));
            break;
        }
        buf_printf(out, "waits for a worker that does \xe2\x80\x9c%.*s\xe2\x80\x9d", STR_ARG(job->type));
        break;
    case PERFORM_HTTP: buf_add_str(out, STR("waits for the answer of a web service")); break;
    case PERFORM_EMIT: buf_add_str(out, STR("sends an event")); break;
    case PERFORM_CHILD:
        buf_printf(out, "waits for a run of \xe2\x80\x9c%.*s\xe2\x80\x9d", STR_ARG(job->type));
        break;
    case PERFORM_SQL: buf_add_str(out, STR("waits for a database")); break;
    case PERFORM_EMAIL: buf_add_str(out, STR("sends an e-mail")); break;
    case PERFORM_COMPUTE: buf_add_str(out, STR("waits for a calculation node")); break;
    default: buf_add_str(out, STR("is at work")); break;
    }
}

/* "Anna, Ben or 3 others". */
static bool say_names(const struct json *names, struct buf *out)
{
    size_t cursor = 0, count = 0, total = 0;
    for (str name; task_next_name(names, &cursor, &name);) total++;
    cursor = 0;
    for (str name; count < SHOWN_NAMES_MAX && task_next_name(names, &cursor, &name); count++) {
        bool last = count + 1 == total;
        buf_printf(out, "%s%.*s", !count ? "" : last ? " or " : ", ", STR_ARG(name));
    }
    if (total > count) buf_printf(out, " or %zu other%s", total - count, total - count > 1 ? "s" : "");
    must(count <= total);
    return total > 0;
}

static void say_person(const struct token *token, int64_t now_ms, struct buf *out)
{
    must(token->state == TOKEN_PERSON);
    struct task_details task = task_read(token->task, token->since_ms);
    size_t before = out->n;
    buf_add_str(out, STR("waits for "));
    size_t begun = out->n;
    if (task.assignee.n) {
        buf_add_str(out, task.assignee);
    } else {
        if (task.assignees) say_names(task.assignees, out);
        if (out->n == begun && task.groups) {
            buf_add_str(out, STR("somebody in "));
            if (!say_names(task.groups, out)) out->n = begun;
        }
    }
    if (out->n == begun) {
        out->n = before;
        buf_add_str(out, STR("waits for a person"));
    }
    if (task.due_ms && task.due_ms <= now_ms) buf_add_str(out, STR(" and is late"));
}

static void say_event(const struct program_node *node, const struct program *program,
                      const struct instance *instance, struct buf *out)
{
    size_t count = 0;
    buf_add_str(out, STR("waits for "));
    for (size_t i = 0; node && node->kind == NODE_WAIT && i < node->as.wait.event_case_count; i++) {
        const struct program_event_case *one = &node->as.wait.event_case[i];
        for (size_t k = 0; k < one->mentioned_count && count < 3; k++, count++)
            buf_printf(out, "%s\xe2\x80\x9c%.*s\xe2\x80\x9d", count ? " or " : "the event ",
                       STR_ARG(program->trigger[one->mentioned[k]].name));
    }
    if (!count) buf_add_str(out, STR("an event"));
    if (instance->correlation.n) buf_printf(out, " with the key %.*s", STR_ARG(instance->correlation));
}

static void say_arrival(const struct program_node *node, const struct program *program, struct buf *out)
{
    buf_add_str(out, STR("waits for something to arrive"));
    if (node && node->kind == NODE_WAIT && node->as.wait.arrival < program->rules->arrival_count)
        buf_printf(out, " at \xe2\x80\x9c%.*s\xe2\x80\x9d",
                   STR_ARG(program->rules->arrival[node->as.wait.arrival].name));
}

static void say_region(const struct instance *instance, const struct token *token, struct buf *out)
{
    must(token->state == TOKEN_REGION || token->state == TOKEN_REMAINDER);
    if (instance->undo.error && instance->undo.host == token->execution) {
        buf_add_str(out, STR("failed, and what was done before is being undone"));
        return;
    }
    for (size_t i = 0; i < instance->each_count; i++) {
        const struct each *each = &instance->each[i];
        if (each->host != token->execution) continue;
        buf_printf(out, "has done %zu of %zu items%s", each->item_count, json_count(each->items),
                   token->state == TOKEN_REMAINDER ? "; the flow went on without the others" : "");
        return;
    }
    buf_add_str(out, STR("waits for the steps inside it"));
}

static void say_transition(const struct program_node *node, struct buf *out)
{
    size_t count = 0;
    buf_add_str(out, STR("rests until somebody moves it on"));
    for (size_t i = 0; node && i < node->edge_count && count < 3; i++)
        if (node->edge[i].name.n && !node->edge[i].by_timer)
            buf_printf(out, "%s%.*s", count++ ? ", " : ": ", STR_ARG(node->edge[i].name));
}

static void say_lock(const struct instance *instance, const struct token *token, struct buf *out)
{
    for (size_t i = 0; i < instance->lock_count; i++) {
        const struct lock *lock = &instance->lock[i];
        if (lock->execution != token->execution) continue;
        buf_printf(out, "waits for the lock \xe2\x80\x9c%.*s\xe2\x80\x9d", STR_ARG(lock->name));
        return;
    }
    buf_add_str(out, STR("waits for a lock"));
}

static void say_milestone(const struct program_node *node, const struct program *program, struct buf *out)
{
    const struct program_milestone *milestone = node ? program_milestone(program, node) : NULL;
    buf_add_str(out, STR("waits until the run reaches "));
    if (milestone && milestone->from != NODE_NONE)
        buf_printf(out, "\xe2\x80\x9c%.*s\xe2\x80\x9d", STR_ARG(show_title(&program->node[milestone->from])));
    else buf_add_str(out, STR("its milestone"));
}

/* The reason as a part of a sentence: without a code before it and a dot at its end, and not too long. */
static void say_reason(str reason, struct buf *out)
{
    str line = str_trim(str_slice(reason, 0, str_find(reason, STR("\n"), 0)));
    str said = str_trim(show_uncoded(line));
    str cut = utf8_cut(said, SHOW_REASON_BYTES);
    bool whole = cut.n == said.n;
    while (cut.n && (cut.p[cut.n - 1] == '.' || cut.p[cut.n - 1] == ' ')) cut.n--;
    buf_add_str(out, cut);
    if (!whole) buf_add_str(out, STR("\xe2\x80\xa6"));
}

static void say_failed(const struct instance *instance, const struct token *token, struct buf *out)
{
    bool stuck = instance->stuck.execution == token->execution;
    buf_add_str(out, stuck ? STR("is done, but the way on could not be chosen") : STR("failed"));
    if (instance->failure.n) {
        buf_add_str(out, STR(": "));
        say_reason(instance->failure, out);
    }
}

static void say_wait(const struct program *program, const struct instance *instance,
                     const struct token *token, str worker, int64_t now_ms, struct buf *out)
{
    const struct program_node *own =
        program && token->node < program->node_count ? &program->node[token->node] : NULL;
    switch (token->state) {
    case TOKEN_READY:
        buf_add_str(out, instance->is_held ? STR("has not begun: the engine begins it later")
                                           : STR("is about to begin"));
        return;
    case TOKEN_JOB: say_job(job_of(instance, token), worker, now_ms, out); return;
    case TOKEN_SIGNAL: buf_add_str(out, STR("waits for a signal")); return;
    case TOKEN_PERSON: say_person(token, now_ms, out); return;
    case TOKEN_JOIN: buf_add_str(out, STR("waits for the other branches")); return;
    case TOKEN_RESTING: buf_add_str(out, STR("is done, and nothing follows it")); return;
    case TOKEN_FAILED: say_failed(instance, token, out); return;
    case TOKEN_EVENT: say_event(own, program, instance, out); return;
    case TOKEN_TIME: buf_add_str(out, STR("waits until its time comes")); return;
    case TOKEN_ARRIVAL: say_arrival(own, program, out); return;
    case TOKEN_REGION:
    case TOKEN_REMAINDER: say_region(instance, token, out); return;
    case TOKEN_TRANSITION: say_transition(own, out); return;
    case TOKEN_MILESTONE: say_milestone(own, program, out); return;
    case TOKEN_LOCK: say_lock(instance, token, out); return;
    case TOKEN_STATE_COUNT: break;
    }
    buf_add_str(out, STR("waits"));
}

str show_why(const struct program *program, const struct instance *instance, const struct token *token,
             int64_t now_ms, struct arena *arena)
{
    return show_why_held(program, instance, token, STR_NONE, now_ms, arena);
}

str show_why_held(const struct program *program, const struct instance *instance, const struct token *token,
                  str worker, int64_t now_ms, struct arena *arena)
{
    must(token);
    struct buf out;
    const struct program_node *node = node_of(program, instance, token);
    str title = node ? show_title(node) : token->node_name;
    buf_init(&out, arena);
    buf_printf(&out, "\xe2\x80\x9c%.*s\xe2\x80\x9d ", STR_ARG(title));
    if (instance->status == INSTANCE_FAILED && token->state != TOKEN_FAILED)
        buf_add_str(&out, STR("stands still because the run failed; it "));
    say_wait(program, instance, token, worker, now_ms, &out);
    buf_add_char(&out, '.');
    return buf_str(&out);
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

str show_summary(const struct program *program, const struct instance *instance, int64_t now_ms,
                 struct arena *arena)
{
    return show_summary_held(program, instance, STR_NONE, now_ms, arena);
}

const struct job *show_summary_job(const struct program *program, const struct instance *instance)
{
    const struct token *token = instance_status_ended(instance->status) ? NULL : told(program, instance);
    const struct job *job = token && token->state == TOKEN_JOB ? job_of(instance, token) : NULL;
    return job && job->performer == PERFORM_WORKER ? job : NULL;
}

str show_summary_held(const struct program *program, const struct instance *instance, str worker,
                      int64_t now_ms, struct arena *arena)
{
    if (instance->status == INSTANCE_COMPLETED) return STR_NONE;
    if (instance->status == INSTANCE_CANCELLED || !instance->token_count) {
        struct buf out;
        if (!instance->failure.n) return STR_NONE;
        buf_init(&out, arena);
        buf_add_str(&out, instance->status == INSTANCE_CANCELLED ? STR("Cancelled: ") : STR("Failed: "));
        say_reason(instance->failure, &out);
        buf_add_char(&out, '.');
        return buf_str(&out);
    }
    return show_why_held(program, instance, told(program, instance), worker, now_ms, arena);
}
