/* runtime/operate/operate_run.c — one run with its visits, on the query thread.
 *
 * All of it comes from the instance's state and from its history, which is told piece by piece. A history of
 * more than HISTORY_BYTES_MAX is told from its beginning up to there, and the answer says so.
 */
#include "runtime/operate/operate_int.h"

#include "base/must.h"
#include "dialect/dialect.h"
#include "json/json.h"
#include "program/draw/sketch.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"

enum {
    TOLD_BYTES = 4 << 20, /* Data of visits, where only attempts and their errors are shown. */
};

/* A run that is being looked at. */
struct looked {
    struct query *query;
    struct call *call;
    struct instance_row row;
    const struct program *program;   /* NULL: the definition cannot be had. */
    const struct instance *instance; /* NULL: it cannot be read. */
    struct arena told;               /* Holds the trail and all visits until the answer is made. */
    struct trail *trail;
    struct execution *visit; /* The visits that an author knows. */
    size_t visit_count;
    int64_t now_ms;
};

/* Everything that stays is copied to the call's arena: a run may have a hundred thousand visits, and the
 * answers that wait for their clients share one budget. */
typedef enum status look_fn(struct looked *looked, struct error *err);

static enum status look(struct query *query, struct call *call, look_fn *how, struct error *err)
{
    struct looked looked = { .query = query, .call = call };
    arena_init(&looked.told, 0);
    enum status status = how(&looked, err);
    arena_done(&looked.told);
    return status;
}

/* ---- the history ---- */

/* Keeps the visits to nodes that an author knows. */
static void keep_visits(struct looked *looked)
{
    size_t kept = 0;
    for (size_t i = 0; i < looked->visit_count; i++)
        if (!looked->visit[i].inner) looked->visit[kept++] = looked->visit[i];
    must(kept <= looked->visit_count);
    looked->visit_count = kept;
}

static const struct json *copied(const struct json *value, struct arena *arena)
{
    return value ? json_copy(arena, value) : NULL;
}

static str title_of(const struct execution *visit)
{
    return visit->title.n ? visit->title : visit->node_name;
}

/* A visit that lives as long as the call. */
static const struct execution *copy_visit(const struct looked *looked, const struct execution *visit,
                                          bool with_data)
{
    struct arena *arena = looked->call->arena;
    struct execution *copy = arena_make(arena, struct execution);
    struct job_attempt *tried = arena_make_n(arena, struct job_attempt, visit->tried_count);
    for (size_t i = 0; i < visit->tried_count; i++) {
        tried[i] = visit->tried[i];
        tried[i].type = arena_str(arena, tried[i].type);
        tried[i].actor = arena_str(arena, tried[i].actor);
        tried[i].error = arena_str(arena, tried[i].error);
    }
    *copy = *visit;
    copy->tried = tried;
    copy->region = arena_str(arena, visit->region);
    copy->title = arena_str(arena, title_of(visit));
    copy->node_name = arena_str(arena, visit->node_name);
    copy->type = arena_str(arena, visit->type);
    copy->by = arena_str(arena, visit->by);
    copy->failure = arena_str(arena, visit->failure);
    copy->warning = arena_str(arena, visit->warning);
    copy->input = with_data ? copied(visit->input, arena) : NULL;
    copy->output = with_data ? copied(visit->output, arena) : NULL;
    copy->sent = with_data ? copied(visit->sent, arena) : NULL;
    copy->put = with_data ? copied(visit->put, arena) : NULL;
    copy->before = with_data ? copied(visit->before, arena) : NULL;
    copy->after = with_data ? copied(visit->after, arena) : NULL;
    return copy;
}

static struct trail_acts copy_acts(const struct looked *looked)
{
    struct trail_acts acts = core_trail_acts(looked->trail);
    struct arena *arena = looked->call->arena;
    must(acts.count <= acts.total);
    struct act *act = arena_make_n(arena, struct act, acts.count);
    for (size_t i = 0; i < acts.count; i++) {
        act[i] = acts.act[i];
        act[i].by = arena_str(arena, act[i].by);
        act[i].node = arena_str(arena, act[i].node);
        act[i].comment = arena_str(arena, act[i].comment);
    }
    acts.act = act;
    return acts;
}

static enum status tell_visits(struct looked *looked, size_t data_bytes, struct error *err)
{
    must(!looked->trail && !looked->visit_count);
    struct arena *arena = &looked->told;
    size_t budget = arena->budget;
    arena->budget = arena->used + data_bytes;
    looked->trail = core_trail_new(looked->program, arena);
    enum status status = history_reads_tell(looked->query, looked->row.id, looked->trail,
                                            &looked->call->value.instances.run->cut, err);
    arena->budget = budget;
    if (status == ST_OK) core_trail_end(looked->trail, &looked->visit, &looked->visit_count);
    if (status == ST_OK) keep_visits(looked);
    return status;
}

/* ---- the run ---- */

static enum status look_at(struct looked *ret, bool with_children, struct error *err)
{
    struct query *query = ret->query;
    struct call *call = ret->call;
    struct definition *definition;
    ret->now_ms = query->clock.now_ms ? clock_now_ms(&query->clock) : 0;
    TRY(found_needed(instance_reads_find(query, call, call->as.run.id, call->arena, &ret->row, err)));
    TRY(instance_reads_show(query, call, call->as.run.id, with_children, err));
    call->value.instances.run = arena_make(call->arena, struct answer_run);
    bool is_intact;
    TRY(found_intact(catalogue_get(&query->catalogue, ret->row.definition, &definition, err), &is_intact));
    if (is_intact) ret->program = definition->program;
    return operate_list_run(query, &ret->row, call->arena, call->arena, &ret->instance,
                            &call->value.instances.run->run, err);
}

/* Does a token that stands still count? The tokens of an instance that has ended were left behind. */
static bool stands(const struct looked *looked, const struct token *token)
{
    enum instance_status status = looked->instance->status;
    bool counts = status == INSTANCE_FAILED || !instance_status_ended(status);
    return counts && looked->program && token->node < looked->program->node_count &&
           !core_is_told_inside(looked->program, looked->instance, token);
}

static void explain(struct looked *looked, struct answer_run *run)
{
    const struct instance *instance = looked->instance;
    struct arena *arena = looked->call->arena;
    size_t max = instance->token_count < TOKENS_TOLD_MAX ? instance->token_count : TOKENS_TOLD_MAX;
    run->why = arena_make_n(arena, struct operate_why, max);
    for (size_t i = 0; i < instance->token_count && run->why_count < max; i++) {
        const struct token *token = &instance->token[i];
        if (!stands(looked, token)) continue;
        struct saying saying = show_why(looked->program, instance, token, STR_NONE, looked->now_ms, arena);
        run->why[run->why_count++] = (struct operate_why){
            .text = saying_text(&saying, arena),
            .says = saying_json(&saying, arena),
            .node = arena_str(arena, core_authored_node(looked->program, instance, token)->name),
            .execution = token->execution,
            .state = show_token_status(instance, token),
            .since_ms = token->since_ms,
            .until_ms = show_token_until_ms(instance, token, looked->now_ms),
        };
        bool is_held_up = token->state == TOKEN_JOB || token->state == TOKEN_LOCK;
        run->has_workers |= is_held_up && !instance_status_ended(instance->status);
    }
}

/* ---- nodes ---- */

static str badge_of(const struct looked *looked, const struct operate_visited *node,
                    const struct execution *last)
{
    struct arena *arena = looked->call->arena;
    str since = show_duration(looked->now_ms - node->since_ms, arena);
    switch (node->state) {
    case SHOW_FAILED:
        if (last->tried_total < 2) return STR("Failed");
        return arena_printf(arena, "Failed, %zu tries", last->tried_total);
    case SHOW_RUNNING:
        if (last->tried_total < 2) return STR_NONE;
        return arena_printf(arena, "Try %zu", last->tried_total);
    case SHOW_PERSON:
    case SHOW_WAITING: return arena_printf(arena, "Waits %.*s", STR_ARG(since));
    default: return STR_NONE;
    }
}

static void place_tokens(const struct looked *looked, struct operate_visited *const *of_node)
{
    const struct instance *instance = looked->instance;
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if (!stands(looked, token)) continue;
        const struct program_node *at = core_authored_node(looked->program, instance, token);
        struct operate_visited *node = of_node[at - looked->program->node];
        enum show_status state = show_token_status(instance, token);
        if (!node || show_status_rank(state) <= show_status_rank(node->state)) continue;
        node->state = state;
        node->since_ms = token->since_ms;
    }
}

/* Tells the visits of each node, in the order in which they were first visited. */
static void tell_nodes(struct looked *looked, struct answer_run *run)
{
    const struct program *program = looked->program;
    struct arena *arena = looked->call->arena;
    struct operate_visited **of_node = arena_make_n(arena, struct operate_visited *, program->node_count);
    const struct execution **last = arena_make_n(arena, const struct execution *, program->node_count);
    run->node = arena_make_n(arena, struct operate_visited, program->node_count);
    for (size_t i = 0; i < looked->visit_count; i++) {
        const struct execution *visit = &looked->visit[i];
        uint32_t at = program_find(program, visit->node_name);
        if (at == NODE_NONE) continue;
        if (!of_node[at]) {
            of_node[at] = &run->node[run->node_count++];
            *of_node[at] = (struct operate_visited){ .id = arena_str(arena, visit->node_name),
                                                     .title = arena_str(arena, title_of(visit)),
                                                     .state = SHOW_COMPLETED,
                                                     .took_ms = -1 };
        }
        of_node[at]->visits++;
        of_node[at]->last = visit->number;
        if (visit->ended_ms) of_node[at]->took_ms = visit->ended_ms - visit->started_ms;
        of_node[at]->state = visit->raised ? SHOW_FAILED : SHOW_COMPLETED;
        last[at] = visit;
    }
    place_tokens(looked, of_node);
    for (uint32_t i = 0; i < program->node_count; i++)
        if (of_node[i]) of_node[i]->badge = badge_of(looked, of_node[i], last[i]);
}

/* ---- what may be done ---- */

static void add_action(struct answer_run *run, struct operate_action action)
{
    run->action[run->action_count++] = action;
}

static void tell_actions(struct looked *looked, struct answer_run *run)
{
    enum { OTHERS = 3 };
    const struct instance *instance = looked->instance;
    bool failed = instance->status == INSTANCE_FAILED, lives = !instance_status_ended(instance->status);
    run->action = arena_make_n(looked->call->arena, struct operate_action, instance->token_count + OTHERS);
    if (!failed && !lives) return;
    if (dialect_has_entities(run->run.dialect)) return; /* Its transitions move it. */
    /* An instance whose visits were undone cannot go on. */
    if (failed && !instance->undo.error) add_action(run, (struct operate_action){ .word = "retry" });
    for (size_t i = 0; lives && i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if (token->state == TOKEN_SIGNAL)
            add_action(run, (struct operate_action){
                                .word = "signal", .node = arena_str(looked->call->arena, token->node_name) });
        if (token->state == TOKEN_PERSON)
            add_action(run, (struct operate_action){ .word = "complete",
                                                     .task = { .ms = token->since_ms,
                                                               .instance = instance->id,
                                                               .number = token->execution } });
    }
    add_action(run, (struct operate_action){ .word = "cancel" });
    if (!instance->undo.error) add_action(run, (struct operate_action){ .word = "modify" });
}

/* ---- answers ---- */

static enum status get_run(struct looked *looked, struct error *err)
{
    struct query *query = looked->query;
    struct call *call = looked->call;
    struct definition_row latest;
    TRY(look_at(looked, true, err));
    struct answer_run *run = call->value.instances.run;
    run->newest_version = looked->row.definition_version;
    bool is_there;
    TRY(found_asked(
        reader_definition(query->reader, call->ns, looked->row.definition_id, 0, call->arena, &latest, err),
        &is_there));
    if (is_there) run->newest_version = latest.version;
    run->took_ms = (run->run.ended_ms ? run->run.ended_ms : looked->now_ms) - looked->row.created_ms;
    if (!looked->program || !looked->instance) return ST_OK;
    TRY(tell_visits(looked, TOLD_BYTES, err));
    run->run.visits = (int64_t)looked->visit_count;
    run->way_count = core_trail_ways(looked->trail, call->arena, &run->way);
    run->acts = copy_acts(looked);
    explain(looked, run);
    tell_nodes(looked, run);
    tell_actions(looked, run);
    return ST_OK;
}

enum status operate_run_get(struct query *query, struct call *call, struct error *err)
{
    return look(query, call, get_run, err);
}

static const char *kind_of(const struct looked *looked, const struct execution *visit)
{
    uint32_t at = looked->program ? program_find(looked->program, visit->node_name) : NODE_NONE;
    return at == NODE_NONE ? "" : sketch_kind_word(program_sketch_kind(looked->program, at));
}

static enum status list_visits(struct looked *looked, struct error *err)
{
    struct call *call = looked->call;
    TRY(look_at(looked, false, err));
    struct answer_run *run = call->value.instances.run;
    TRY(tell_visits(looked, TOLD_BYTES, err));
    run->visit = arena_make_n(call->arena, struct operate_visit, call->as.run.max);
    const struct call_run *asked = &call->as.run;
    for (size_t i = 0; i < looked->visit_count; i++) {
        const struct execution *visit = &looked->visit[asked->newest ? looked->visit_count - 1 - i : i];
        bool is_before = asked->newest ? visit->number >= asked->after : visit->number <= asked->after;
        if (asked->after && is_before) continue;
        run->more = run->visit_count == call->as.run.max;
        if (run->more) break;
        run->visit[run->visit_count++] =
            (struct operate_visit){ copy_visit(looked, visit, false), kind_of(looked, visit) };
    }
    return ST_OK;
}

enum status operate_run_visits(struct query *query, struct call *call, struct error *err)
{
    return look(query, call, list_visits, err);
}

/* ---- one visit ---- */

/* "/order/total" becomes "order.total". */
static str path_of(str pointer, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    for (size_t i = 1; i < pointer.n; i++) {
        char c = pointer.p[i];
        if (c == '~' && i + 1 < pointer.n) c = pointer.p[++i] == '1' ? '/' : '~';
        else if (c == '/') c = '.';
        buf_add_char(&out, c);
    }
    return buf_str(&out);
}

static void tell_changes(const struct execution *visit, struct arena *arena, struct answer_run *run)
{
    if (!visit->before || !visit->after) return;
    struct json_each each = json_each(json_diff(visit->before, visit->after, arena));
    run->change = arena_make_n(arena, struct operate_change, RUN_CHANGES_MAX);
    while (json_next(&each)) {
        if (run->change_count == RUN_CHANGES_MAX) {
            run->cut = true;
            return;
        }
        str pointer = json_string(json_item(each.value, 0));
        const struct json *before = json_pointer(visit->before, pointer), *after = json_item(each.value, 1);
        run->change[run->change_count++] = (struct operate_change){
            .op = !before  ? '+'
                  : !after ? '-'
                           : '~',
            .path = path_of(pointer, arena),
            .before = before,
            .after = after,
        };
    }
}

/* Flow graphs put what a node brings under the node's own name, which says nothing here. */
static const struct json *unwrapped(const struct json *put, str node)
{
    if (!json_is(put, JSON_OBJECT)) return put;
    struct json_each each = json_each(put);
    while (json_next(&each))
        if (each.name.n > node.n && str_ends(each.name, node) && each.name.p[each.name.n - node.n - 1] == '.')
            return each.value;
    return put;
}

static enum status get_visit(struct looked *looked, struct error *err)
{
    struct call *call = looked->call;
    TRY(look_at(looked, false, err));
    struct answer_run *run = call->value.instances.run;
    TRY(tell_visits(looked, (size_t)looked->query->limits.answer_bytes_max * TOLD_PART, err));
    for (size_t i = 0; i < looked->visit_count; i++) {
        if (looked->visit[i].number != call->as.run.number) continue;
        const struct execution *visit = copy_visit(looked, &looked->visit[i], true);
        run->visit = arena_make(call->arena, struct operate_visit);
        run->visit_count = 1;
        *run->visit = (struct operate_visit){ visit, kind_of(looked, visit) };
        run->in = visit->sent ? visit->sent : visit->input;
        run->out = visit->put ? unwrapped(visit->put, visit->node_name) : visit->output;
        run->cut = run->cut || visit->omitted;
        tell_changes(visit, call->arena, run);
        return ST_OK;
    }
    return fail(err, ST_NOT_FOUND, "visit", "the run has no visit %u", call->as.run.number);
}

enum status operate_run_visit(struct query *query, struct call *call, struct error *err)
{
    return look(query, call, get_visit, err);
}
