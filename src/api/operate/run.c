/* api/operate/run.c — one run, its visits, and what went in and out of a visit. */
#include "api/operate/operate_int.h"

#include "core/trace.h"

#include "dialect/dialect.h"
#include "dialect/show/sentences.h"

/* ---- parts of a run ---- */

static void put_whys(struct buf *out, const struct answer_run *answer)
{
    PUT(out, ",\"why\":[");
    for (size_t i = 0; i < answer->why_count; i++) {
        const struct operate_why *why = &answer->why[i];
        if (i) buf_add_char(out, ',');
        PUT(out, "{\"text\":");
        put_text(out, why->text);
        PUT(out, ",\"says\":");
        buf_add_str(out, why->says);
        PUT(out, ",\"nodeId\":");
        put_text(out, why->node);
        PUT(out, ",\"state\":");
        put_text(out, str_of(show_status_word(why->state)));
        PUT(out, ",\"since\":");
        put_time(out, why->since_ms);
        if (why->until_ms) {
            PUT(out, ",\"until\":");
            put_time(out, why->until_ms);
        }
        if (why->worker.n) {
            PUT(out, ",\"worker\":");
            put_text(out, why->worker);
        }
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
}

static void put_nodes(struct buf *out, const struct answer_run *answer)
{
    PUT(out, ",\"nodes\":{");
    for (size_t i = 0; i < answer->node_count; i++) {
        const struct operate_visited *node = &answer->node[i];
        if (i) buf_add_char(out, ',');
        put_text(out, node->id);
        PUT(out, ":{\"title\":");
        put_text(out, node->title);
        PUT(out, ",\"visits\":");
        put_int(out, node->visits);
        PUT(out, ",\"lastVisit\":");
        put_int(out, node->last);
        PUT(out, ",\"state\":");
        put_text(out, node->state == SHOW_COMPLETED ? STR("done") : str_of(show_status_word(node->state)));
        if (node->since_ms) {
            PUT(out, ",\"since\":");
            put_time(out, node->since_ms);
        }
        if (node->took_ms >= 0) {
            PUT(out, ",\"durationMs\":");
            put_int(out, node->took_ms);
        }
        if (node->badge.n) {
            PUT(out, ",\"badge\":");
            put_text(out, node->badge);
        }
        buf_add_char(out, '}');
    }
    buf_add_char(out, '}');
}

static void put_ways(struct buf *out, const struct answer_run *answer)
{
    PUT(out, ",\"edges\":[");
    for (size_t i = 0; i < answer->way_count; i++) {
        if (i) buf_add_char(out, ',');
        PUT(out, "{\"from\":");
        put_text(out, answer->way[i].from);
        PUT(out, ",\"to\":");
        put_text(out, answer->way[i].to);
        PUT(out, ",\"count\":");
        put_int(out, answer->way[i].count);
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
}

static void put_actions(struct buf *out, const struct answer_run *answer)
{
    PUT(out, ",\"actions\":[");
    for (size_t i = 0; i < answer->action_count; i++) {
        const struct operate_action *action = &answer->action[i];
        struct buf text;
        char id[ID_CHARS + 1];
        buf_init(&text, NULL);
        if (i) buf_add_char(out, ',');
        buf_add_str(&text, str_of(action->word));
        if (action->node.n) buf_printf(&text, ":%.*s", STR_ARG(action->node));
        if (action->task.instance) {
            id_print(action->task, id);
            buf_printf(&text, ":%s", id);
        }
        put_text(out, buf_str(&text));
        buf_done(&text);
    }
    buf_add_char(out, ']');
}

static void put_relative(struct buf *out, const struct child_view *child)
{
    PUT(out, "{\"id\":");
    put_id(out, child_view_id(child));
    PUT(out, ",\"definitionId\":");
    put_text(out, child->definition_id);
    PUT(out, ",\"definitionVersion\":");
    put_int(out, child->definition_version);
    PUT(out, ",\"status\":");
    put_text(out, str_of(show_status_word(show_status_of_engine(child->status))));
    buf_add_char(out, '}');
}

static void put_relatives(struct buf *out, const struct instance_view *view)
{
    if (view->parent && view->parent_created_ms) {
        PUT(out, ",\"parent\":{\"id\":");
        put_id(out, (struct id){ .ms = view->parent_created_ms, .instance = view->parent });
        if (view->parent_node.n) {
            PUT(out, ",\"nodeId\":");
            put_text(out, view->parent_node);
        }
        buf_add_char(out, '}');
    }
    PUT(out, ",\"children\":[");
    for (size_t i = 0; i < view->child_count; i++) {
        if (i) buf_add_char(out, ',');
        put_relative(out, &view->child[i]);
    }
    buf_add_char(out, ']');
    if (view->child_total > (int64_t)view->child_count) {
        PUT(out, ",\"childrenTotal\":");
        put_int(out, view->child_total);
    }
    if (view->chained_from && view->chained_from_created_ms) {
        PUT(out, ",\"chainedFrom\":");
        put_id(out, (struct id){ .ms = view->chained_from_created_ms, .instance = view->chained_from });
    }
    if (view->chained_to) {
        PUT(out, ",\"chainedTo\":");
        put_relative(out, view->chained_to);
    }
}

/* A value, or nothing if it does not fit into `bytes_max` more bytes. */
static bool put_bounded(struct buf *out, const char *name, const struct json *value, size_t bytes_max)
{
    size_t before = out->n;
    int64_t end = (int64_t)(before + bytes_max);
    if (!put_may_fit(out, value, end)) return false;
    buf_printf(out, ",\"%s\":", name);
    json_print(value, out);
    if (!put_is_beyond(out, end)) return true;
    out->n = before;
    return false;
}

/* The template with the trace's id in its place. */
static void put_trace_url(struct buf *out, const struct call *call)
{
    const struct api_request *request = call->user;
    const struct instance_view *view = call->value.instances.view;
    str url = request->api->config.trace_url;
    size_t place = str_find(url, STR("{trace}"), 0);
    if (place == SIZE_MAX) return;
    str trace = trace_id(view->id, view->created_ms, call->arena);
    PUT(out, ",\"traceUrl\":");
    put_text(out, arena_printf(call->arena, "%.*s%.*s%.*s", STR_ARG(str_slice(url, 0, place)), STR_ARG(trace),
                               STR_ARG(str_slice(url, place + sizeof "{trace}" - 1, url.n))));
}

static void render_run(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct instance_view *view = call->value.instances.view;
    const struct answer_run *answer = call->value.instances.run;
    *ret_http_status = 200;
    operate_put_run(out, &answer->run, true);
    PUT(out, ",\"newestVersion\":");
    put_int(out, answer->newest_version);
    put_trace_url(out, call);
    PUT(out, ",\"tookMs\":");
    put_int(out, answer->took_ms);
    PUT(out, ",\"revision\":");
    put_int(out, view->revision);
    put_whys(out, answer);
    put_nodes(out, answer);
    put_ways(out, answer);
    put_relatives(out, view);
    put_actions(out, answer);
    view_put_acts(out, &answer->acts, "nodeId", call->answer_max);
    if (answer->cut) PUT(out, ",\"cut\":true");
    if (!put_bounded(out, "variables", view->data, RUN_VARIABLES_BYTES_MAX))
        PUT(out, ",\"variables\":{},\"variablesOmitted\":true");
    buf_add_char(out, '}');
}

enum status operate_run(struct api_request *request, struct error *err)
{
    struct call_run asked = { .max = 0 };
    TRY(param_instance(request, &asked.id, err));
    return request_submit(request, call_get_run(request_origin(request), &asked), render_run, err);
}

/* ---- visits ---- */

/* The history has no codes; the words of the engine's own failures tell them. */
static void put_code(struct buf *out, str reason, struct arena *arena)
{
    str code = show_code(STR_NONE, reason, arena);
    if (!code.n) return;
    PUT(out, ",\"reasonCode\":");
    put_text(out, code);
}

static void put_try(struct buf *out, const struct job_attempt *attempt, struct arena *arena)
{
    PUT(out, "{\"number\":");
    put_int(out, attempt->number);
    PUT(out, ",\"at\":");
    put_time(out, attempt->available_ms > attempt->opened_ms ? attempt->available_ms : attempt->opened_ms);
    PUT(out, ",\"outcome\":");
    put_text(out, str_of(execution_outcome_word(attempt->outcome)));
    if (attempt->ended_ms) {
        int64_t began =
            attempt->available_ms > attempt->opened_ms ? attempt->available_ms : attempt->opened_ms;
        PUT(out, ",\"tookMs\":");
        put_int(out, attempt->ended_ms > began ? attempt->ended_ms - began : 0);
    }
    if (attempt->error.n) put_code(out, attempt->error, arena);
    view_end_attempt(out, attempt);
}

static bool is_wait(const char *kind)
{
    static const char *const waits[] = { "person", "wait", "event", "signal", "state", "child", "join" };
    for (size_t i = 0; i < COUNT(waits); i++)
        if (strcmp(kind, waits[i]) == 0) return true;
    return false;
}

static str visit_word(const struct execution *visit)
{
    if (visit->status == EXECUTION_RUNNING) return STR("running");
    if (visit->status == EXECUTION_COMPLETED) return STR("done");
    return visit->raised ? STR("failed") : STR("interrupted");
}

/* Without the closing brace. */
static void put_visit(struct buf *out, const struct operate_visit *shown, struct arena *arena)
{
    const struct execution *visit = shown->visit;
    PUT(out, "{\"number\":");
    put_int(out, visit->number);
    PUT(out, ",\"nodeId\":");
    put_text(out, visit->node_name);
    PUT(out, ",\"title\":");
    put_text(out, visit->title);
    PUT(out, ",\"kind\":");
    put_text(out, str_of(shown->kind));
    PUT(out, ",\"type\":");
    put_text(out, visit->type);
    PUT(out, ",\"startedAt\":");
    put_time(out, visit->started_ms);
    if (visit->ended_ms) {
        PUT(out, ",\"endedAt\":");
        put_time(out, visit->ended_ms);
        if (is_wait(shown->kind)) {
            PUT(out, ",\"waitedMs\":");
            put_int(out, visit->ended_ms - visit->started_ms);
        }
    }
    PUT(out, ",\"status\":");
    put_text(out, visit_word(visit));
    if (visit->failure.n) {
        PUT(out, ",\"reason\":");
        put_text(out, visit->failure);
        put_code(out, visit->failure, arena);
    }
    if (visit->by.n) {
        PUT(out, ",\"by\":");
        put_text(out, visit->by);
    }
    if (visit->simulated) PUT(out, ",\"simulated\":true");
    PUT(out, ",\"tries\":[");
    for (size_t i = 0; i < visit->tried_count; i++) {
        if (i) buf_add_char(out, ',');
        put_try(out, &visit->tried[i], arena);
    }
    buf_add_char(out, ']');
    if (visit->tried_total > visit->tried_count) {
        PUT(out, ",\"triesTotal\":");
        put_int(out, (int64_t)visit->tried_total);
    }
}

static void render_visits(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_run *answer = call->value.instances.run;
    size_t shown = 0;
    bool more = answer->more;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (; shown < answer->visit_count; shown++) {
        size_t before = out->n;
        if (shown) buf_add_char(out, ',');
        put_visit(out, &answer->visit[shown], call->arena);
        buf_add_char(out, '}');
        if (!shown || !put_is_beyond(out, call->answer_max)) continue;
        out->n = before;
        more = true;
        break;
    }
    PUT(out, "],\"pageSize\":");
    put_int(out, (int64_t)call->as.run.max);
    if (more && shown) {
        PUT(out, ",\"nextCursor\":\"");
        put_int(out, answer->visit[shown - 1].visit->number);
        buf_add_char(out, '"');
    }
    if (answer->cut) PUT(out, ",\"cut\":true");
    buf_add_char(out, '}');
}

static bool read_number(str text, uint32_t *ret_number)
{
    int64_t number;
    if (!str_to_int64(text, &number) || number < 1 || number > UINT32_MAX) return false;
    *ret_number = (uint32_t)number;
    return true;
}

enum status operate_visits(struct api_request *request, struct error *err)
{
    struct call_run asked = { .max = 0 };
    int64_t skip;
    str cursor = query_text(request, STR("cursor")), order = query_text(request, STR("order"));
    TRY(param_instance(request, &asked.id, err));
    TRY(query_page(request, &skip, &asked.max, err));
    if (order.n && !str_equal(order, STR("oldest")) && !str_equal(order, STR("newest")))
        return fail(err, ST_INVALID, "order", "order must be oldest or newest");
    asked.newest = str_equal(order, STR("newest"));
    if (cursor.n && !read_number(cursor, &asked.after))
        return fail(err, ST_INVALID, "cursor", "cursor must be the nextCursor of an earlier page");
    return request_submit(request, call_list_visits(request_origin(request), &asked), render_visits, err);
}

/* ---- one visit ---- */

static bool put_value(struct buf *out, const char *name, const struct json *value, const struct call *call)
{
    size_t room = call->answer_max > 0 && (size_t)call->answer_max > out->n
                      ? ((size_t)call->answer_max - out->n) / 2
                      : VISIT_VALUE_BYTES_MAX;
    if (room > VISIT_VALUE_BYTES_MAX) room = VISIT_VALUE_BYTES_MAX;
    return !value || put_bounded(out, name, value, room);
}

static bool put_change(struct buf *out, const struct operate_change *change)
{
    size_t max = VISIT_CHANGE_BYTES_MAX;
    buf_printf(out, "{\"op\":\"%c\",\"path\":", change->op);
    put_text(out, change->path);
    bool whole = !change->before || put_bounded(out, "before", change->before, max);
    whole = (!change->after || put_bounded(out, "after", change->after, max)) && whole;
    buf_add_char(out, '}');
    return whole;
}

static void render_visit(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_run *answer = call->value.instances.run;
    *ret_http_status = 200;
    put_visit(out, answer->visit, call->arena);
    bool whole = put_value(out, "in", answer->in, call);
    whole = put_value(out, "out", answer->out, call) && whole;
    PUT(out, ",\"changes\":[");
    for (size_t i = 0; i < answer->change_count; i++) {
        if (i) buf_add_char(out, ',');
        whole = put_change(out, &answer->change[i]) && whole;
    }
    buf_add_char(out, ']');
    if (!whole || answer->cut) PUT(out, ",\"cut\":true");
    buf_add_char(out, '}');
}

enum status operate_visit(struct api_request *request, struct error *err)
{
    struct call_run asked = { .max = 1 };
    TRY(param_instance(request, &asked.id, err));
    if (!read_number(request->param[1], &asked.number))
        return fail(err, ST_NOT_FOUND, "visit", "the run has no visit \"%.*s\"", STR_ARG(request->param[1]));
    return request_submit(request, call_get_visit(request_origin(request), &asked), render_visit, err);
}
