/* api/mcp/tools_runs.c — tools about runs: started, listed, looked into; and the engine as a whole. */
#include "api/mcp/mcp_int.h"

#define PAGE "\"pageSize\":{\"type\":\"integer\",\"minimum\":1},\"cursor\":{\"type\":\"string\"}"
#define RUN "\"runId\":{\"type\":\"string\",\"minLength\":1,\"description\":\"The id of a run.\"}"

/* ---- the engine ---- */

static enum status overview(struct mcp_work *work, struct error *err)
{
    return mcp_ask(work, "GET", STR("/api/overview"), NULL, false, err);
}

const struct mcp_tool mcp_tool_overview = {
    .name = "overview",
    .title = "How the engine fares",
    .description =
        "How many runs there are by status, what the last hour brought, how many tasks wait for people, "
        "and the health of the engine in sentences.",
    .method = "GET",
    .path = "/api/overview",
    .hints = MCP_READS,
    .input = "{\"type\":\"object\",\"additionalProperties\":false}",
    .output =
        "{\"type\":\"object\",\"required\":[\"counts\",\"health\",\"engine\"],\"properties\":{"
        "\"counts\":{\"type\":\"object\"},\"lastHour\":{\"type\":\"object\"},\"tasks\":{\"type\":\"object\"},"
        "\"health\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}},\"engine\":{\"type\":\"object\"}}}",
    .begin = overview,
};

/* ---- started ---- */

static enum status start(struct mcp_work *work, struct error *err)
{
    struct buf target;
    const struct json *wait = json_get(work->arguments, STR("waitSeconds"));
    buf_init(&target, work->arena);
    buf_add_str(&target, mcp_path(work, "/api/workflows/{}/start", mcp_text(work, "definitionId")));
    if (wait) {
        PUT(&target, "?wait=");
        json_print(wait, &target);
    }
    return mcp_ask(work, "POST", buf_str(&target), mcp_pick(work, "input trigger isTest businessKey version"),
                   true, err);
}

/* Families name the id in words of their own. A start that waits for its place has none yet. */
static enum status start_next(struct mcp_work *work, struct error *err)
{
    static const char *const names[] = { "instanceId", "runId", "id" };
    const struct json *id = NULL;
    (void)err;
    for (size_t i = 0; i < COUNT(names) && !id; i++) id = json_get(work->answer, str_of(names[i]));
    mcp_finish(work, mcp_with(work, work->answer, "runId", id));
    return ST_OK;
}

const struct mcp_tool mcp_tool_start_run = {
    .name = "start_run",
    .title = "Start a run",
    .description = "Starts a run of a definition. With waitSeconds it waits for the end. Give the request an "
                   "idempotency key (_meta[\"pawl/idempotencyKey\"]) if it may be sent twice.",
    .method = "POST",
    .path = "/api/workflows/x/start",
    .hints = MCP_REACHES_OUT,
    .input =
        "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"definitionId\"],\"properties\":{"
        "\"definitionId\":{\"type\":\"string\",\"minLength\":1},"
        "\"input\":{\"type\":\"object\",\"description\":\"As the input schema of the definition says.\"},"
        "\"trigger\":{\"type\":\"string\",\"description\":\"The trigger of a flow graph.\"},"
        "\"businessKey\":{\"type\":\"string\"},\"version\":{\"type\":\"integer\",\"minimum\":1},"
        "\"isTest\":{\"type\":\"boolean\",\"description\":\"A rehearsal: nothing leaves the engine.\"},"
        "\"waitSeconds\":{\"type\":\"number\",\"minimum\":0,\"maximum\":20}}}",
    .output = "{\"type\":\"object\",\"properties\":{\"runId\":{\"type\":\"string\"}}}",
    .begin = start,
    .next = start_next,
};

/* ---- listed ---- */

static enum status list(struct mcp_work *work, struct error *err)
{
    str target = mcp_query(work, STR("/api/instances"),
                           "status definitionId version dialect businessKey reason failedAt waitingAt "
                           "waitingFor startedAfter startedBefore keyword pageSize cursor");
    return mcp_ask(work, "GET", target, NULL, false, err);
}

const struct mcp_tool mcp_tool_list_runs = {
    .name = "list_runs",
    .title = "List runs",
    .description = "Runs, newest first, each with its status and a sentence why it is where it is.",
    .method = "GET",
    .path = "/api/instances",
    .hints = MCP_READS,
    .input =
        "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
        "\"status\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"failed, person, "
        "waiting, running, completed, cancelled\"},"
        "\"definitionId\":{\"type\":\"string\"},\"version\":{\"type\":\"integer\"},"
        "\"dialect\":{\"type\":\"string\"},\"businessKey\":{\"type\":\"string\"},"
        "\"reason\":{\"type\":\"string\",\"description\":\"Why they failed.\"},"
        "\"failedAt\":{\"type\":\"string\",\"description\":\"The node.\"},"
        "\"waitingAt\":{\"type\":\"string\"},"
        "\"waitingFor\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
        "\"startedAfter\":{\"type\":\"string\"},\"startedBefore\":{\"type\":\"string\"},"
        "\"keyword\":{\"type\":\"string\",\"description\":\"An id, or the beginning of a business "
        "key.\"}," PAGE "}}",
    .output =
        "{\"type\":\"object\",\"required\":[\"items\",\"pageSize\"],\"properties\":{\"items\":{\"type\":"
        "\"array\",\"items\":{\"type\":\"object\"}},\"pageSize\":{\"type\":\"integer\"},"
        "\"total\":{\"type\":\"integer\"},\"nextCursor\":{\"type\":\"string\"}}}",
    .begin = list,
};

/* ---- one ---- */

static enum status get(struct mcp_work *work, struct error *err)
{
    return mcp_ask(work, "GET", mcp_path(work, "/api/instances/{}", mcp_text(work, "runId")), NULL, false,
                   err);
}

static enum status get_next(struct mcp_work *work, struct error *err)
{
    if (work->step == 1) {
        work->kept = work->answer;
        str path = mcp_path(work, "/api/instances/{}/visits", mcp_text(work, "runId"));
        return mcp_ask(work, "GET", mcp_query(work, path, "pageSize cursor"), NULL, false, err);
    }
    mcp_finish(work, mcp_with(work, work->kept, "path", work->answer));
    return ST_OK;
}

const struct mcp_tool mcp_tool_get_run = {
    .name = "get_run",
    .title = "Look into a run",
    .description =
        "One run: its status, why it waits or has failed, its data, what can be done with it, and the "
        "visits of its nodes in order (path; pages by pageSize and cursor).",
    .method = "GET",
    .path = "/api/instances/x",
    .hints = MCP_READS,
    .input =
        "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"runId\"],\"properties\":{" RUN
        "," PAGE "}}",
    .output = "{\"type\":\"object\",\"required\":[\"id\",\"status\",\"why\",\"path\"],\"properties\":{"
              "\"id\":{\"type\":\"string\"},\"status\":{\"type\":\"string\"},"
              "\"why\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}},"
              "\"path\":{\"type\":\"object\"},\"variables\":{\"type\":\"object\"}}}",
    .begin = get,
    .next = get_next,
};

static enum status get_visit(struct mcp_work *work, struct error *err)
{
    struct buf target;
    buf_init(&target, work->arena);
    buf_add_str(&target, mcp_path(work, "/api/instances/{}/visits/", mcp_text(work, "runId")));
    put_int(&target, json_integer(work->arguments, STR("visit")));
    return mcp_ask(work, "GET", buf_str(&target), NULL, false, err);
}

const struct mcp_tool mcp_tool_get_visit = {
    .name = "get_visit",
    .title = "Look into a visit",
    .description =
        "One stay of a run at a node: what went in, what came out, what it changed, and its attempts.",
    .method = "GET",
    .path = "/api/instances/x/visits/1",
    .hints = MCP_READS,
    .input = "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"runId\",\"visit\"],"
             "\"properties\":{" RUN
             ",\"visit\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"Its number, from the path of "
             "get_run.\"}}}",
    .output = "{\"type\":\"object\"}",
    .begin = get_visit,
};
