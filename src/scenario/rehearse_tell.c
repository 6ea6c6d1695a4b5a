/* scenario/rehearse_tell.c — a rehearsal, line by line, as it happens.
 *
 * A line is a JSON object with an `event`: start, clock, enter, leave, wait, refused, end. The lines come
 * from the histories of the instances, as everywhere; visits to nodes that a front end made for its own ends
 * are left out.
 */
#include "scenario/rehearse_int.h"

#include "base/heap.h"
#include "base/must.h"
#include "dialect/show/sentences.h"
#include "json/put.h"

/* ---- lines ---- */

/* "2 days", "1 hour and 30 minutes". True: it is one of something. */
static bool add_span(struct buf *words, int64_t ms)
{
    static const struct {
        int64_t ms;
        const char *word;
    } units[] = { { 86400000, "day" },
                  { 3600000, "hour" },
                  { 60000, "minute" },
                  { 1000, "second" },
                  { 1, "millisecond" } };
    bool one = false;
    size_t shown = 0;
    for (size_t i = 0; i < COUNT(units) && shown < 2; i++) {
        int64_t count = ms / units[i].ms;
        ms %= units[i].ms;
        if (!count) {
            if (shown) break;
            continue;
        }
        one = !shown && count == 1;
        buf_printf(words, "%s%lld %s%s", shown ? " and " : "", (long long)count, units[i].word,
                   count == 1 ? "" : "s");
        shown++;
    }
    return one && shown == 1;
}

/* "2 days pass", "1 hour passes". */
static void put_passed(struct buf *out, int64_t ms)
{
    struct buf words;
    buf_init(&words, NULL);
    bool one = add_span(&words, ms);
    buf_add_str(&words, one ? STR(" passes") : STR(" pass"));
    put_text(out, buf_str(&words));
    buf_done(&words);
}

static void send(struct rehearsing *run, struct buf *line)
{
    buf_add_char(line, '}');
    run->line_bytes += line->n;
    run->asked->line(run->asked->context, buf_str(line));
}

static void begin_line(struct rehearsing *run, struct buf *line, const char *event)
{
    buf_init(line, &run->scratch);
    buf_printf(line, "{\"event\":\"%s\",\"at\":", event);
    put_time(line, run->stage->now_ms);
}

/* Every line is behind those that tell that time has passed. */
static void open_line(struct rehearsing *run, struct buf *line, const char *event)
{
    const struct stage *stage = run->stage;
    if (!run->begun) {
        run->begun = true;
        run->told_ms = stage->start_ms;
        begin_line(run, line, "start");
        send(run, line);
    }
    if (stage->now_ms > run->told_ms) {
        begin_line(run, line, "clock");
        PUT(line, ",\"why\":");
        put_passed(line, stage->now_ms - run->told_ms);
        run->told_ms = stage->now_ms;
        send(run, line);
    }
    begin_line(run, line, event);
}

/* A value that is too large to show is left out, and the line says so. */
static void put_value(struct buf *line, const char *name, const struct json *value)
{
    if (!value) return;
    if (json_bytes(value) > REHEARSED_VALUE_BYTES_MAX) {
        buf_printf(line, ",\"cut\":true");
        return;
    }
    buf_printf(line, ",\"%s\":", name);
    json_print(value, line);
}

static void put_node(const struct rehearsing *run, struct buf *line, const struct actor *actor, str node,
                     str title)
{
    PUT(line, ",\"node\":");
    put_text(line, node);
    PUT(line, ",\"title\":");
    put_text(line, title.n ? title : node);
    if (run->stage->actor_count && actor == run->stage->actor[0]) return;
    PUT(line, ",\"instance\":");
    put_text(line, actor->name);
    PUT(line, ",\"definitionId\":");
    put_text(line, actor->definition_id);
}

/* ---- visits ---- */

static struct told_actor *find_told(struct rehearsing *run, struct actor *actor)
{
    struct told_actor **link = &run->actors;
    for (; *link; link = &(*link)->next)
        if ((*link)->actor->id.instance == actor->id.instance) return *link;
    struct told_actor *told = arena_make(run->arena, struct told_actor);
    told->actor = actor;
    told->trail = core_trail_new(actor->program, run->arena);
    map_init(&told->seen);
    map_init(&told->waits);
    *link = told;
    return told;
}

void rehearse_tell_history(void *context, struct stage *stage, struct actor *actor,
                           const struct history *history)
{
    struct rehearsing *run = context;
    struct told_actor *told = find_told(run, actor);
    struct error err;
    (void)stage;
    told->actor = actor;
    told->has_news = true;
    must(core_tell(told->trail, history, &err) == ST_OK);
}

static str visible_name(const struct actor *actor, const struct execution *visit)
{
    return dialect_node_name(actor->dialect, visit->node_name, visit->title);
}

static bool is_manner_of(const struct work_manner *manner, const struct actor *actor,
                         const struct execution *visit)
{
    if (manner->actor != actor) return false;
    if (manner->execution) return manner->execution == visit->number;
    return str_equal(manner->node, visible_name(actor, visit)) || str_equal(manner->node, visit->node_name);
}

static const struct work_manner *manner_of(const struct rehearsing *run, const struct actor *actor,
                                           const struct execution *visit)
{
    for (const struct work_manner *manner = run->manners; manner; manner = manner->next)
        if (is_manner_of(manner, actor, visit)) return manner;
    return NULL;
}

/* The outputs of a node stand in the data under its name, where the dialect has outputs. */
static const struct json *output_of(struct rehearsing *run, const struct actor *actor,
                                    const struct execution *visit)
{
    str name = arena_printf(&run->scratch, "nodes.%.*s", STR_ARG(visit->node_name));
    const struct json *output =
        visit->status == EXECUTION_COMPLETED ? json_get(actor->state->data, name) : NULL;
    return output ? output : visit->output;
}

/* The data without what the dialect keeps there for its own purposes. */
static const struct json *input_of(struct rehearsing *run, const struct execution *visit)
{
    struct json_builder out;
    if (!json_get(visit->input, STR("vars")) || !json_get(visit->input, STR("instance"))) return visit->input;
    json_builder_init(&out, &run->scratch);
    json_open_object(&out);
    struct json_each each = json_each(visit->input);
    while (json_next(&each)) {
        if (str_starts(each.name, STR("nodes.")) || str_starts(each.name, STR("triggers.")) ||
            str_equal(each.name, STR("instance")))
            continue;
        json_add_name(&out, each.name);
        json_add(&out, each.value);
    }
    json_close(&out);
    return json_built(&out);
}

/* The nodes that the token went on to; through those that no author knows. */
static size_t put_next(struct buf *line, const struct execution *visit, size_t count, uint32_t from,
                       size_t listed, size_t depth)
{
    for (size_t i = 0; i < count && depth; i++) {
        if (visit[i].from != from || visit[i].number == from) continue;
        if (visit[i].inner) {
            listed = put_next(line, visit, count, visit[i].number, listed, depth - 1);
            continue;
        }
        if (listed++) buf_add_char(line, ',');
        put_text(line, visit[i].node_name);
    }
    return listed;
}

static void tell_enter(struct rehearsing *run, const struct told_actor *told, const struct execution *visit,
                       size_t n)
{
    struct buf line;
    open_line(run, &line, "enter");
    buf_printf(&line, ",\"n\":%zu", n);
    put_node(run, &line, told->actor, visit->node_name, visit->title);
    PUT(&line, ",\"type\":");
    put_text(&line, visit->type);
    put_value(&line, "in", input_of(run, visit));
    send(run, &line);
}

/* The code beside a reason, if the engine knows the case. */
static void put_code(struct rehearsing *run, struct buf *line, str code, str reason)
{
    str shown = show_code(code, reason, &run->scratch);
    if (!shown.n) return;
    PUT(line, ",\"reasonCode\":");
    put_text(line, shown);
}

/* "no answer in 3 days": a deadline is no failure, and nobody but the engine calls it a boundary timer. */
static void put_late(struct rehearsing *run, struct buf *line, const struct told_actor *told,
                     const struct execution *visit)
{
    uint32_t at = program_find(told->actor->program, visit->node_name);
    const struct program_node *node = at == NODE_NONE ? NULL : &told->actor->program->node[at];
    bool waits = node && node->kind == NODE_WAIT;
    struct buf words;
    buf_init(&words, &run->scratch);
    buf_add_str(&words, waits && node->as.wait.what == WAIT_FOR_PERSON ? STR("no answer in ")
                        : waits                                        ? STR("nothing arrived in ")
                                                                       : STR("not done in "));
    add_span(&words, visit->ended_ms - visit->started_ms);
    put_text(line, buf_str(&words));
}

static void tell_leave(struct rehearsing *run, const struct told_actor *told, const struct execution *all,
                       size_t count, const struct execution *visit, size_t n)
{
    struct buf line;
    const struct work_manner *manner = manner_of(run, told->actor, visit);
    open_line(run, &line, "leave");
    buf_printf(&line, ",\"n\":%zu", n);
    put_node(run, &line, told->actor, visit->node_name, visit->title);
    buf_printf(&line, ",\"how\":\"%s\"",
               core_is_late(visit)                 ? "late"
               : visit->status == EXECUTION_FAILED ? "failed"
               : manner                            ? manner->how
               : visit->simulated                  ? "pretended"
                                                   : "done");
    if (manner) put_value(&line, "sent", manner->sent);
    put_value(&line, "out", output_of(run, told->actor, visit));
    if (visit->failure.n) {
        PUT(&line, ",\"reason\":");
        if (core_is_late(visit)) put_late(run, &line, told, visit);
        else {
            put_text(&line, visit->failure);
            put_code(run, &line, STR_NONE, visit->failure);
        }
    }
    PUT(&line, ",\"to\":[");
    put_next(&line, all, count, visit->number, 0, SAMPLE_DEPTH_MAX);
    buf_add_char(&line, ']');
    send(run, &line);
}

static void tell_visits(struct rehearsing *run, struct told_actor *told)
{
    struct execution *visit;
    size_t count;
    if (!told->has_news) return;
    told->has_news = false;
    core_trail_end(told->trail, &visit, &count);
    for (size_t i = 0; i < count; i++) {
        if (visit[i].inner) continue;
        uintptr_t seen = (uintptr_t)map_get(&told->seen, visit[i].number);
        if (!seen) {
            seen = 2 * ++run->visit_count;
            tell_enter(run, told, &visit[i], run->visit_count);
            map_put(&told->seen, visit[i].number, (void *)seen);
        }
        if (seen % 2 || visit[i].status == EXECUTION_RUNNING) continue;
        tell_leave(run, told, visit, count, &visit[i], seen / 2);
        map_put(&told->seen, visit[i].number, (void *)(seen + 1));
    }
}

/* ---- waits ---- */

static const char *const awaited[TOKEN_STATE_COUNT] = {
    [TOKEN_PERSON] = "person",         [TOKEN_SIGNAL] = "signal",
    [TOKEN_EVENT] = "event",           [TOKEN_TIME] = "timer",
    [TOKEN_TRANSITION] = "transition", [TOKEN_ARRIVAL] = "event",
    [TOKEN_MILESTONE] = "milestone",   [TOKEN_LOCK] = "lock",
};

static void put_wait(struct rehearsing *run, struct buf *line, const struct actor *actor,
                     const struct token *token)
{
    const struct program_node *node = core_authored_node(actor->program, actor->state, token);
    put_node(run, line, actor, node->name, node->title);
    buf_printf(line, ",\"for\":\"%s\",\"why\":", awaited[token->state]);
    put_text(line, core_explain(actor->program, actor->state, token, run->stage->now_ms, &run->scratch));
    struct saying saying =
        show_why(actor->program, actor->state, token, STR_NONE, run->stage->now_ms, &run->scratch);
    PUT(line, ",\"says\":");
    buf_add_str(line, saying_json(&saying, &run->scratch));
}

static bool is_awaited(const struct actor *actor, const struct token *token)
{
    return token->state < TOKEN_STATE_COUNT && awaited[token->state] &&
           instance_reaches(actor->state, token->execution);
}

/* The manner of one visit, or (without its number) of all visits to a node. */
static struct work_manner *manner_for(struct rehearsing *run, const struct actor *actor, str node,
                                      uint32_t execution)
{
    struct work_manner *manner = run->manners;
    while (manner &&
           !(manner->actor == actor && manner->execution == execution && str_equal(manner->node, node)))
        manner = manner->next;
    if (manner) return manner;
    manner = arena_make(run->arena, struct work_manner);
    *manner = (struct work_manner){ .actor = actor,
                                    .node = arena_str(run->arena, node),
                                    .execution = execution,
                                    .how = "done",
                                    .next = run->manners };
    return run->manners = manner;
}

/* The step sends the question of its person, with all values filled in. */
static void note_asked(struct rehearsing *run, const struct actor *actor, const struct token *token)
{
    if (!token->task) return;
    struct work_manner *manner = manner_for(run, actor, token->node_name, token->execution);
    manner->sent = json_copy(run->arena, token->task);
}

static void tell_waits(struct rehearsing *run, struct told_actor *told)
{
    const struct actor *actor = told->actor;
    if (actor->gone || instance_status_ended(actor->state->status)) return;
    for (size_t i = 0; i < actor->state->token_count; i++) {
        const struct token *token = &actor->state->token[i];
        struct buf line;
        if (!is_awaited(actor, token) || map_get(&told->waits, token->execution)) continue;
        map_put(&told->waits, token->execution, told);
        note_asked(run, actor, token);
        open_line(run, &line, "wait");
        size_t n = (uintptr_t)map_get(&told->seen, token->execution) / 2;
        if (n) buf_printf(&line, ",\"n\":%zu", n);
        put_wait(run, &line, actor, token);
        if (token->task) put_value(&line, "sent", token->task);
        send(run, &line);
    }
}

void rehearse_tell_news(struct rehearsing *run)
{
    for (struct told_actor *told = run->actors; told; told = told->next) {
        tell_visits(run, told);
        tell_waits(run, told);
        arena_reset(&run->scratch);
    }
}

/* ---- answers ---- */

static void note_manner(struct rehearsing *run, const struct work *work)
{
    bool asks = work->kind == WORK_TASK;
    struct work_manner *manner =
        manner_for(run, work->actor, asks ? work->names.node : work->names.title, asks ? work->execution : 0);
    manner->how = rehearse_manner(run, work);
    if (work->kind == WORK_JOB) manner->sent = work->input;
}

void rehearse_tell_answered(void *context, struct stage *stage, const struct work *work, const char *refusal)
{
    struct rehearsing *run = context;
    struct buf line;
    run->stage = stage;
    if (refusal) {
        open_line(run, &line, "refused");
        put_node(run, &line, work->actor, work->names.node, work->names.title);
        PUT(&line, ",\"why\":");
        put_text(&line, str_of(refusal));
        send(run, &line);
        return;
    }
    note_manner(run, work);
    if (!run->begun) run->told_ms = stage->now_ms;
    struct taken_answer *taken = arena_make(run->arena, struct taken_answer);
    *taken = (struct taken_answer){ .node = work->names.node, .result = work->result };
    if (run->last_taken) run->last_taken->next = taken;
    else run->first_taken = taken;
    run->last_taken = taken;
}

/* ---- the end ---- */

static void put_waits(struct rehearsing *run, struct buf *line)
{
    const struct stage *stage = run->stage;
    size_t count = 0;
    PUT(line, ",\"waits\":[");
    for (size_t i = 0; i < stage->actor_count; i++) {
        const struct actor *actor = stage->actor[i];
        if (actor->gone || instance_status_ended(actor->state->status)) continue;
        for (size_t k = 0; k < actor->state->token_count; k++) {
            const struct token *token = &actor->state->token[k];
            if (!is_awaited(actor, token)) continue;
            const struct program_node *node = core_authored_node(actor->program, actor->state, token);
            const struct json *form = json_get(token->task, STR("formSchema"));
            buf_add_str(line, count++ ? STR(",{\"number\":") : STR("{\"number\":"));
            put_int(line, token->execution);
            put_wait(run, line, actor, token);
            PUT(line, ",\"decisions\":[");
            for (size_t d = 0; node->kind == NODE_WAIT && d < node->as.wait.decision_count; d++) {
                if (d) buf_add_char(line, ',');
                put_text(line, node->as.wait.decision[d]);
            }
            buf_add_char(line, ']');
            put_value(line, "formSchema", form);
            buf_add_char(line, '}');
        }
    }
    buf_add_char(line, ']');
}

static const char *outcome_word(const struct rehearsing *run, const struct trial_outcome *outcome)
{
    if (run->stage->problem.n) return "stopped";
    enum instance_status status = INSTANCE_WAITING;
    if (!instance_status_parse(outcome->status, &status) && str_equal(outcome->status, STR("REFUSED")))
        status = INSTANCE_FAILED;
    /* A rehearsal ends only where nothing goes on by itself. */
    return show_status_word(instance_status_ended(status) ? show_status_of_engine(status) : SHOW_WAITING);
}

void rehearse_tell_end(struct rehearsing *run, struct trial *trial)
{
    struct trial_outcome outcome;
    struct buf line;
    trial_short_outcome(trial, &outcome);
    bool stopped = run->stage->problem.n > 0;
    str reason = stopped ? run->stage->problem : outcome.reason;
    open_line(run, &line, "end");
    buf_printf(&line, ",\"status\":\"%s\"", outcome_word(run, &outcome));
    if (outcome.own_status.n) {
        PUT(&line, ",\"statusWord\":");
        put_text(&line, outcome.own_status);
    }
    if (reason.n) {
        PUT(&line, ",\"reason\":");
        put_text(&line, reason);
        if (!stopped) put_code(run, &line, outcome.reason_code, reason);
    }
    PUT(&line, ",\"tookMs\":");
    put_int(&line, outcome.took_ms);
    put_value(&line, "result", outcome.data);
    put_waits(run, &line);
    bool cut = !stopped && heap_exceeds(REHEARSED_SCRIPT_BYTES_MAX);
    const struct json *script = stopped || cut ? NULL : script_of(run);
    if (cut) PUT(&line, ",\"cut\":true");
    if (script) {
        PUT(&line, ",\"scenario\":");
        json_print(script, &line);
    }
    send(run, &line);
}

void rehearse_tell_refused(struct rehearsing *run, const char *reason)
{
    struct buf line;
    if (!run->begun) {
        buf_init(&line, &run->scratch);
        PUT(&line, "{\"event\":\"start\",\"at\":");
        put_time(&line, run->told_ms);
        send(run, &line);
    }
    buf_init(&line, &run->scratch);
    PUT(&line, "{\"event\":\"end\",\"at\":");
    put_time(&line, run->told_ms);
    PUT(&line, ",\"status\":\"failed\",\"reason\":");
    put_text(&line, str_of(reason));
    PUT(&line, ",\"tookMs\":0,\"waits\":[]");
    send(run, &line);
}

void rehearse_tell_done(struct rehearsing *run)
{
    for (struct told_actor *told = run->actors; told; told = told->next) {
        map_done(&told->seen);
        map_done(&told->waits);
    }
}
