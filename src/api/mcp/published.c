/* api/mcp/published.c — definitions as tools: their list, and a call that starts a run.
 *
 *     GET /api/tools ──► GET /api/definitions/{id} of each ──► tools with the definition's input schema
 *
 *     tools/call ──► GET /api/tools?tool= ──► GET /api/definitions/{id} ──► its input schema
 *                      ──► POST /api/workflows/{id}/start?wait=20
 *                      ──► GET /api/instances/{id} ──► result or task
 */
#include "api/mcp/mcp_int.h"

#include "base/escape.h"
#include "schema/schema.h"

#define START_PATH "/api/workflows/x/start"

bool mcp_may_start(const struct api_request *request)
{
    const struct caller *caller = &request->caller;
    return principal_may(caller->principal, caller->tenant, MAY_INSTANCES_START, STR_NONE);
}

/* ---- the list ---- */

struct published_list {
    struct buf out;
    bool first;              /* No tool was written yet. */
    const struct json *page; /* The answer of GET /api/tools, */
    size_t next;             /* and the place of the tool whose definition comes. */
};

static void end_list(struct mcp_work *work)
{
    struct published_list *listing = work->own;
    str cursor = json_text(listing->page, STR("nextCursor"));
    buf_add_char(&listing->out, ']');
    if (cursor.n) {
        PUT(&listing->out, ",\"nextCursor\":");
        put_text(&listing->out, arena_printf(work->arena, "d%.*s", STR_ARG(cursor)));
    }
    mcp_end_result(&work->message, &listing->out);
}

static const struct json *item_of(const struct published_list *listing)
{
    return json_item(json_get(listing->page, STR("items")), listing->next);
}

static enum status ask_definition(struct mcp_work *work, const struct json *item, struct error *err)
{
    str id = json_text(item, STR("definitionId"));
    return mcp_ask(work, "GET", mcp_path(work, "/api/definitions/{}", id), NULL, false, err);
}

static enum status list_go_on(struct mcp_work *work, struct error *err)
{
    const struct json *item = item_of(work->own);
    if (item) return ask_definition(work, item, err);
    end_list(work);
    return ST_OK;
}

static void put_published(struct mcp_work *work, const struct json *item, const struct json *definition)
{
    struct published_list *listing = work->own;
    struct buf *out = &listing->out;
    const struct json *schema = json_get(definition, STR("inputSchema"));
    str told = json_text(item, STR("description")), name = json_text(definition, STR("name"));
    if (!listing->first) buf_add_char(out, ',');
    listing->first = false;
    PUT(out, "{\"name\":");
    put_text(out, json_text(item, STR("tool")));
    PUT(out, ",\"title\":");
    put_text(out, name);
    PUT(out, ",\"description\":");
    put_text(out, told.n ? told : arena_printf(work->arena, "Starts a run of \"%.*s\".", STR_ARG(name)));
    PUT(out, ",\"inputSchema\":");
    if (json_is(schema, JSON_OBJECT))
        json_print(json_set(work->arena, schema, STR("type"), json_of_string(work->arena, STR("object"))),
                   out);
    else PUT(out, "{\"type\":\"object\"}");
    PUT(out, ",\"annotations\":{\"readOnlyHint\":false,\"destructiveHint\":true,\"idempotentHint\":false,"
             "\"openWorldHint\":true}}");
}

static enum status list_next(struct mcp_work *work, struct error *err)
{
    struct published_list *listing = work->own;
    if (!listing->page) {
        listing->page = work->answer;
        return list_go_on(work, err);
    }
    if (json_flag(work->answer, STR("mayStart"))) put_published(work, item_of(listing), work->answer);
    listing->next++;
    return list_go_on(work, err);
}

/* A definition that was retired meanwhile is left out. */
static void list_refuse(struct mcp_work *work, str sentence, const struct json *details)
{
    struct published_list *listing = work->own;
    struct error err;
    (void)details;
    if (!listing->page || work->status != status_http(ST_NOT_FOUND)) {
        mcp_answer_error(&work->message, MCP_REFUSED, 400, STR_NONE, "%.*s", STR_ARG(sentence));
        return;
    }
    listing->next++;
    error_init(&err);
    if (list_go_on(work, &err) != ST_OK) mcp_fail_with(work, &err);
}

static const struct mcp_tool list_work = { .name = "tools/list", .hints = MCP_READS, .next = list_next };

static enum status ask_page(struct mcp_work *work, str cursor, struct error *err)
{
    struct buf target;
    buf_init(&target, work->arena);
    buf_printf(&target, "/api/tools?pageSize=%d", MCP_PUBLISHED_PAGE);
    if (cursor.n) PUT(&target, "&cursor=");
    escape_url(&target, cursor);
    return mcp_ask(work, "GET", buf_str(&target), NULL, false, err);
}

static enum status ask_first_page(struct mcp_work *work, struct error *err)
{
    return ask_page(work, STR_NONE, err);
}

enum status mcp_published_list(struct mcp_message *message, const struct buf *begun, bool first, str cursor,
                               struct error *err)
{
    struct mcp_work *work = mcp_new_work(message, &list_work);
    struct published_list *listing = arena_make(work->arena, struct published_list);
    *listing = (struct published_list){ .out = *begun, .first = first };
    work->own = listing;
    work->refuse = list_refuse;
    return cursor.n ? ask_page(work, cursor, err) : mcp_with_approve(work, ask_first_page, err);
}

/* ---- a call ---- */

struct starting {
    const struct json *item; /* An item of GET /api/tools. */
    str run;
    bool takes_tasks; /* The client can wait for a task. */
};

static enum status find(struct mcp_work *work, struct error *err)
{
    const struct mcp_message *message = &work->message;
    struct buf target;
    buf_init(&target, work->arena);
    PUT(&target, "/api/tools?pageSize=1&tool=");
    escape_url(&target, json_text(message->params, STR("name")));
    return mcp_ask(work, "GET", buf_str(&target), NULL, false, err);
}

static enum status begin(struct mcp_work *work, struct error *err)
{
    return mcp_with_approve(work, find, err);
}

static enum status check_input(struct mcp_work *work, const struct json *document, struct error *err)
{
    const struct schema *schema;
    const struct schema_problem *problem;
    size_t count;
    int64_t fuel = work->api->config.limits.fuel_max;
    if (!json_is(document, JSON_OBJECT)) return ST_OK;
    TRY(schema_compile(document, work->arena, &schema, err));
    TRY(schema_check(schema, work->arguments, &fuel, work->arena, &problem, &count, err));
    if (!count) return ST_OK;
    str told = schema_print_problems(problem, count, STR("arguments"), work->arena);
    return fail(err, ST_INVALID, "arguments", "%.*s", STR_ARG(told));
}

static enum status start(struct mcp_work *work, struct error *err)
{
    const struct starting *starting = work->own;
    TRY(check_input(work, json_get(work->answer, STR("inputSchema")), err));
    str path = mcp_path(work, "/api/workflows/{}/start", json_text(starting->item, STR("definitionId")));
    int64_t wait = work->api->config.limits.wait_seconds_max;
    int64_t most = starting->takes_tasks ? MCP_TASK_WAIT_SECONDS : MCP_WAIT_SECONDS_MAX;
    if (wait > most) wait = most;
    const struct json *body = json_set(work->arena, json_empty_object(), STR("input"), work->arguments);
    return mcp_ask(work, "POST", arena_printf(work->arena, "%.*s?wait=%d", STR_ARG(path), (int)wait), body,
                   true, err);
}

static enum status next(struct mcp_work *work, struct error *err)
{
    static const char *const names[] = { "instanceId", "runId", "id" };
    struct starting *starting = work->own;
    bool is_ready;
    switch (work->step) {
    case 1:
        starting->item = json_item(json_get(work->answer, STR("items")), 0);
        if (!starting->item) {
            mcp_answer_error(&work->message, MCP_INVALID_PARAMS, 400, STR_NONE, "there is no tool \"%.*s\"",
                             STR_ARG(json_text(work->message.params, STR("name"))));
            return ST_OK;
        }
        return ask_definition(work, starting->item, err);
    case 2: return start(work, err);
    case 3:
        for (size_t i = 0; i < COUNT(names) && !starting->run.n; i++)
            starting->run = json_text(work->answer, str_of(names[i]));
        if (!starting->run.n) { /* It waits for its place, and has no id yet. */
            mcp_finish(work, work->answer);
            return ST_OK;
        }
        work->kept = work->answer;
        return mcp_ask(work, "GET", mcp_path(work, "/api/instances/{}", starting->run), NULL, false, err);
    default:
        TRY(mcp_take_run(work, &is_ready, err));
        if (is_ready) mcp_give_run(work, starting->takes_tasks);
        return ST_OK;
    }
}

/* Somebody who may start runs and not look at them gets what the start has answered. */
static void call_refuse(struct mcp_work *work, str sentence, const struct json *details)
{
    if (work->step >= 4 && work->status == status_http(ST_FORBIDDEN)) mcp_finish(work, work->kept);
    else mcp_fail_tool(work, sentence, details);
}

static const struct mcp_tool call_work = {
    .name = "published", .method = "POST", .path = START_PATH, .begin = begin, .next = next
};

enum status mcp_published_call(struct mcp_message *message, const struct json *arguments, str key,
                               struct error *err)
{
    struct mcp_work *work = mcp_new_work(message, &call_work);
    struct starting *starting = arena_make(work->arena, struct starting);
    struct mcp_tool *named = arena_make(work->arena, struct mcp_tool);
    (void)err;
    /* The audit and the history name the tool, and not the way to it. */
    *named = call_work;
    named->name = arena_str(work->arena, json_text(message->params, STR("name"))).p;
    *starting = (struct starting){ .takes_tasks = mcp_takes_tasks(message) };
    work->tool = named;
    work->own = starting;
    work->arguments = arguments;
    work->key = key;
    work->refuse = call_refuse;
    mcp_begin_work(work);
    return ST_OK;
}
