/* api/mcp/tools_repair.c — tools that repair runs. Each of them is called twice, see confirm.c. */
#include "api/mcp/mcp_int.h"

#define CONFIRM "\"confirm\":{\"type\":\"string\",\"description\":\"The word that the dry run gave.\"}"
#define CONFIRMED                                                                                     \
    "{\"type\":\"object\",\"required\":[\"dryRun\",\"result\"],\"properties\":{\"dryRun\":{\"type\":" \
    "\"boolean\"},"                                                                                   \
    "\"confirm\":{\"type\":\"string\"},\"result\":{\"type\":\"object\"}}}"
#define FILTER(more)                                                                                       \
    "\"filter\":{\"type\":\"object\",\"minProperties\":1,\"additionalProperties\":false,\"properties\":{"  \
    "\"definitionId\":{\"type\":\"string\"},\"definitionVersion\":{\"type\":\"integer\",\"minimum\":1},"   \
    "\"businessKey\":{\"type\":\"string\"},\"businessKeyPrefix\":{\"type\":\"string\"},"                   \
    "\"step\":{\"type\":\"string\"},\"startedBefore\":{\"type\":\"string\"},\"startedAfter\":{\"type\":"   \
    "\"string\"},"                                                                                         \
    "\"ids\":{\"type\":\"array\",\"minItems\":1,\"items\":{\"type\":\"string\"},\"description\":\"Ids of " \
    "runs.\"}" more                                                                                        \
    "}},\"all\":{\"type\":\"boolean\",\"description\":\"true instead of a filter: all of them.\"}"
#define ONE_FILTER "\"oneOf\":[{\"required\":[\"filter\"]},{\"required\":[\"all\"]}]"

/* ---- many runs ---- */

/* `expected` < 0: a dry run. */
static enum status ask_bulk(struct mcp_work *work, str action, int64_t expected, struct error *err)
{
    const struct json *body = mcp_pick(work, "filter all variables reason");
    body = mcp_with(work, body, "action", json_of_string(work->arena, action));
    if (expected < 0) body = mcp_with(work, body, "dryRun", json_of_bool(true));
    else body = mcp_with(work, body, "expectFound", json_of_int(work->arena, expected));
    return mcp_ask(work, "POST", STR("/v1/bulk"), body, expected >= 0, err);
}

/* A person agrees to a number of runs, and to kinds of them. Times are no part of that. */
static const struct json *summary_of(struct mcp_work *work)
{
    static const char *const members[] = { "status", "reason", "count", "examples" };
    struct json_builder summary;
    json_builder_init(&summary, work->arena);
    json_open_array(&summary);
    json_add_int(&summary, json_integer(work->answer, STR("found")));
    const struct json *groups = json_get(work->answer, STR("groups"));
    struct json_each each = json_each(groups ? groups : json_empty_array());
    while (json_next(&each))
        for (size_t i = 0; i < COUNT(members); i++)
            json_add(&summary, json_get(each.value, str_of(members[i])));
    json_close(&summary);
    return json_built(&summary);
}

static enum status bulk_next(struct mcp_work *work, str action, struct error *err)
{
    bool go;
    if (work->step > 1) {
        mcp_finish(work, mcp_done(work, work->answer));
        return ST_OK;
    }
    mcp_confirm(work, summary_of(work), &go);
    /* The engine compares the number once more, in the transaction that begins it. */
    return go ? ask_bulk(work, action, json_integer(work->answer, STR("found")), err) : ST_OK;
}

static enum status retry(struct mcp_work *work, struct error *err)
{
    return ask_bulk(work, STR("retry"), -1, err);
}

static enum status retry_next(struct mcp_work *work, struct error *err)
{
    return bulk_next(work, STR("retry"), err);
}

const struct mcp_tool mcp_tool_retry_runs = {
    .name = "retry_runs",
    .title = "Retry failed runs",
    .description =
        "Retries failed runs where they failed. The first call is a dry run: how many there are, by "
        "reason, with examples, and a word for confirm. A call with that word begins; it is refused if "
        "other runs would be retried by now.",
    .method = "POST",
    .path = "/v1/bulk",
    .hints = MCP_REACHES_OUT,
    .input = "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{" FILTER(
        ",\"reason\":{\"type\":\"string\",\"description\":\"Why they failed.\"},\"reasonContains\":{\"type\":"
        "\"string\"}") ",\"variables\":{\"type\":\"object\",\"description\":\"Merged into the data of "
                       "each.\"}," CONFIRM "}," ONE_FILTER "}",
    .output = CONFIRMED,
    .begin = retry,
    .next = retry_next,
};

static enum status cancel(struct mcp_work *work, struct error *err)
{
    return ask_bulk(work, STR("cancel"), -1, err);
}

static enum status cancel_next(struct mcp_work *work, struct error *err)
{
    return bulk_next(work, STR("cancel"), err);
}

const struct mcp_tool mcp_tool_cancel_runs = {
    .name = "cancel_runs",
    .title = "Cancel runs",
    .description =
        "Cancels runs that live, with all that they wait for. The first call is a dry run with a count, "
        "groups and a word for confirm; a call with that word cancels them, and is refused if it would "
        "be others by now.",
    .method = "POST",
    .path = "/v1/bulk",
    .hints = MCP_DESTROYS,
    .input = "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{" FILTER(
        "") ",\"reason\":{\"type\":\"string\",\"minLength\":1,\"description\":\"Why, for the "
            "history.\"}," CONFIRM "}," ONE_FILTER "}",
    .output = CONFIRMED,
    .begin = cancel,
    .next = cancel_next,
};

/* ---- one run ---- */

#define REPAIRS "set unset move add cancel reason"

static enum status modify(struct mcp_work *work, struct error *err)
{
    return mcp_ask(work, "GET", mcp_path(work, "/api/instances/{}", mcp_text(work, "runId")), NULL, false,
                   err);
}

/* The engine compares the revision in both, so they are about the same state. */
static enum status ask_repair(struct mcp_work *work, const char *path, bool changes, struct error *err)
{
    const struct json *body = mcp_with(work, mcp_pick(work, REPAIRS), "ifRevision", work->kept);
    return mcp_ask(work, "POST", mcp_path(work, path, mcp_text(work, "runId")), body, changes, err);
}

/* The revision, a dry run, and what was confirmed. */
static enum status modify_next(struct mcp_work *work, struct error *err)
{
    bool go;
    switch (work->step) {
    case 1:
        work->kept = json_get(work->answer, STR("revision"));
        return ask_repair(work, "/v1/instances/{}/modify?dryRun=true", false, err);
    case 2:
        mcp_confirm(work, work->kept, &go);
        return go ? ask_repair(work, "/v1/instances/{}/modify", true, err) : ST_OK;
    default: mcp_finish(work, mcp_done(work, work->answer)); return ST_OK;
    }
}

const struct mcp_tool mcp_tool_modify_run = {
    .name = "modify_run",
    .title = "Repair a run by hand",
    .description =
        "Changes the data of a run, and moves, adds or cancels where it stands. The first call is a dry "
        "run: the run as it would be, and a word for confirm. A call with that word does it, and is "
        "refused if the run has changed.",
    .method = "POST",
    .path = "/v1/instances/x/modify",
    .hints = MCP_DESTROYS,
    .input = "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"runId\"],\"properties\":{"
             "\"runId\":{\"type\":\"string\",\"minLength\":1},"
             "\"set\":{\"type\":\"object\",\"description\":\"Data, by name.\"},"
             "\"unset\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
             "\"move\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"description\":\"{from, to}\"}},"
             "\"add\":{\"type\":\"array\",\"items\":{\"type\":[\"object\",\"string\"]}},"
             "\"cancel\":{\"type\":\"array\",\"items\":{\"type\":[\"object\",\"string\"]}},"
             "\"reason\":{\"type\":\"string\",\"description\":\"Why, for the history.\"}," CONFIRM "}}",
    .output = CONFIRMED,
    .begin = modify,
    .next = modify_next,
};
