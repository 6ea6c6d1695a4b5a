/* runtime/jobs/explain.c — why an instance does not move: its tokens, and the workers that hold its jobs. */
#include "runtime/jobs/jobs_int.h"

#include "core/trail.h"
#include "dialect/show/sentences.h"
#include "json/put.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/transact.h"

/* Names the awaited child behind the sentence, ": instance 01…"; empty if it was not started yet. */
static str name_child(struct turn *turn, const struct instance *parent, const struct job *job,
                      struct arena *arena)
{
    struct child_row row;
    const struct instance *child;
    struct definition *definition;
    struct error err;
    if (!found_hint(store_find_child(turn->engine->store, parent->id, job->number, &row, &err)) ||
        !found_hint(transact_load(turn, row.instance, &child, &definition, &err)))
        return STR_NONE;
    char id[ID_CHARS + 1];
    id_print((struct id){ .ms = child->created_ms, .instance = child->id }, id);
    return arena_printf(arena, ": instance %s, %s", id, instance_status_word(child->status));
}

/* Names those who hold the lock that the token waits for, behind the sentence. */
static str name_lock(struct turn *turn, const struct call *call, int32_t ns, const struct instance *instance,
                     uint32_t execution, str why)
{
    for (size_t i = 0; i < instance->lock_count; i++) {
        const struct lock *lock = &instance->lock[i];
        if (lock->execution != execution || lock->is_held || instance_status_ended(instance->status))
            continue;
        str who = locks_explain(turn, call, ns, instance, lock);
        bool dotted = why.n && why.p[why.n - 1] == '.';
        return arena_printf(call->arena, "%.*s%.*s%s", (int)(why.n - dotted), why.p, STR_ARG(who),
                            dotted ? "." : "");
    }
    return why;
}

static void explain_token(struct turn *turn, const struct call *call, const struct definition *definition,
                          const struct instance *instance, const struct token *token,
                          const struct listed_rows *rows, struct token_view *ret_view)
{
    struct arena *arena = call->arena;
    const struct program *program = definition->program;
    const struct program_node *node = core_authored_node(program, instance, token);
    *ret_view = (struct token_view){
        .execution = token->execution,
        .node = arena_str(arena, node->name),
        .title = arena_str(arena, node->title),
        .type = arena_str(arena, node->type),
        .state = token->state,
        .since_ms = token->since_ms,
        .why = core_explain(program, instance, token, turn->now_ms, arena),
    };
    for (size_t i = 0; i < instance->job_count; i++) {
        if (instance->job[i].execution != token->execution) continue;
        if (performer_place(instance->job[i].performer) == PERFORMED_INSIDE) {
            /* Nobody can poll for this job: the child that does it explains the wait. */
            str who =
                i < CHILDREN_SHOWN_MAX ? name_child(turn, instance, &instance->job[i], arena) : STR_NONE;
            ret_view->why = arena_printf(arena, "%.*s%.*s", STR_ARG(ret_view->why), STR_ARG(who));
            continue;
        }
        struct job_view *job = arena_make(arena, struct job_view);
        list_view_job(turn->engine, program, instance, &instance->job[i], rows, arena, job);
        ret_view->job = job;
        if (job->state == JOB_LOCKED && !instance_status_ended(instance->status))
            ret_view->why = core_explain_held(program, instance, token, job->worker, turn->now_ms, arena);
    }
    ret_view->why = name_lock(turn, call, definition->ns, instance, token->execution, ret_view->why);
    int64_t *due = arena_make_n(arena, int64_t, instance->timer_count);
    for (size_t i = 0; i < instance->timer_count; i++)
        if (instance->timer[i].execution == token->execution)
            due[ret_view->timer_count++] = instance->timer[i].due_ms;
    ret_view->timer_due_ms = due;
}

void explain_tokens(struct turn *turn, const struct call *call, const struct definition *definition,
                    const struct instance *instance, size_t max, struct token_view **ret_token,
                    size_t *ret_count)
{
    size_t first = instance->token_count > max ? instance->token_count - max : 0, count = 0;
    struct token_view *view = arena_make_n(call->arena, struct token_view, instance->token_count - first);
    struct listed_rows rows;
    struct error err;
    /* Without them it shows the jobs, and not who has them. */
    if (!instance->job_count || list_find_rows(turn, &instance->id, 1, &rows, &err) != ST_OK)
        rows = (struct listed_rows){ 0 };
    for (size_t i = first; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if (core_is_told_inside(definition->program, instance, token)) continue;
        explain_token(turn, call, definition, instance, token, &rows, &view[count++]);
    }
    *ret_token = view;
    *ret_count = count;
}

void explain_instance(struct turn *turn, struct call *call)
{
    struct answer_instances *answer = &call->value.instances;
    const struct instance *instance;
    struct definition *definition;
    bool is_there;
    call->status = found_asked(
        transact_load_for(turn, call, call->as.read.id.instance, &instance, &definition, &call->error),
        &is_there);
    if (call->status == ST_OK && (!is_there || instance->created_ms != call->as.read.id.ms))
        call->status = fail(&call->error, ST_NOT_FOUND, "instance", "instance not found");
    if (call->status != ST_OK) return;
    answer->view = arena_make(call->arena, struct instance_view);
    answer->count = 1;
    view_instance(definition->program, instance, definition->id, definition->version, turn->now_ms,
                  call->arena, answer->view);
    answer->callback_count =
        callbacks_of(&turn->engine->memory.callbacks, instance->id, call->arena, &answer->callback);
    explain_tokens(turn, call, definition, instance, TOKENS_MAX, &answer->token, &answer->token_count);
}

/* Tells of one token again if a worker has its job. */
static void name_worker(struct turn *turn, const struct program *program, const struct instance *instance,
                        struct operate_why *why, const struct listed_rows *rows, struct arena *arena)
{
    const struct token *token = instance_find_token(instance, why->execution);
    for (size_t i = 0; token && i < instance->job_count; i++) {
        struct job_view job;
        if (instance->job[i].execution != why->execution || instance->job[i].performer != PERFORM_WORKER)
            continue;
        list_view_job(turn->engine, program, instance, &instance->job[i], rows, arena, &job);
        if (job.state != JOB_LOCKED || !job.worker.n) continue;
        why->worker = job.worker;
        struct saying saying = show_why(program, instance, token, job.worker, turn->now_ms, arena);
        why->text = saying_text(&saying, arena);
        why->says = saying_json(&saying, arena);
    }
}

void explain_run(struct turn *turn, struct call *call)
{
    struct answer_run *run = call->value.instances.run;
    const struct instance *instance;
    struct definition *definition;
    struct listed_rows rows;
    struct error err;
    /* Without the instance, which may be gone by now, the run is told as the store had it. */
    if (!found_hint(transact_load_for(turn, call, call->as.run.id.instance, &instance, &definition, &err)))
        return;
    if (list_find_rows(turn, &instance->id, 1, &rows, &err) != ST_OK) rows = (struct listed_rows){ 0 };
    for (size_t i = 0; i < run->why_count; i++) {
        struct operate_why *why = &run->why[i];
        name_worker(turn, definition->program, instance, why, &rows, call->arena);
        why->text = name_lock(turn, call, definition->ns, instance, why->execution, why->text);
    }
}

/* The text with the name at its place; as it is if it has no such place. */
static str put_in(str text, str place, str name, struct arena *arena)
{
    size_t at = str_find(text, place, 0);
    if (at == SIZE_MAX) return text;
    str before = str_slice(text, 0, at), after = str_slice(text, at + place.n, SIZE_MAX);
    return arena_printf(arena, "%.*s%.*s%.*s", STR_ARG(before), STR_ARG(name), STR_ARG(after));
}

/* The sentence with the name of the worker; as it was if nobody holds the job. If the query has seen the job
 * wait for a retry, its sentence has no place for a worker that has come meanwhile. */
static void name_holder(struct turn *turn, const struct listed_rows *rows, struct operate_run *run,
                        struct arena *arena)
{
    const struct open_job *open = jobs_find(&turn->engine->memory.jobs, run->id.instance, run->job);
    const struct job_row *row = open ? NULL : list_find_row(rows, run->id.instance, run->job);
    struct open_job elsewhere;
    if (row) lease_news_show(row, turn->now_ms, &elsewhere);
    if (row) open = &elsewhere;
    if (!open || open->state != JOB_LOCKED || !open->worker.n) return;
    struct buf name;
    buf_init(&name, arena);
    put_text(&name, open->worker);
    run->why = put_in(run->why_held, STR(WORKER_HERE), open->worker, arena);
    run->says = put_in(run->says_held, STR(WORKER_HERE_JSON), buf_str(&name), arena);
}

void explain_runs(struct turn *turn, struct call *call)
{
    struct answer_runs *answer = &call->value.runs;
    struct listed_rows rows;
    struct error err;
    uint64_t *id = arena_make_n(&turn->arena, uint64_t, answer->count);
    for (size_t i = 0; i < answer->count; i++) id[i] = answer->run[i].id.instance;
    if (list_find_rows(turn, id, answer->count, &rows, &err) != ST_OK) rows = (struct listed_rows){ 0 };
    for (size_t i = 0; i < answer->count; i++)
        if (answer->run[i].why_held.n) name_holder(turn, &rows, &answer->run[i], call->arena);
}
