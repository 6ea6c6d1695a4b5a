/* api/mcp/tools_tasks.c — tools about work that waits for people. */
#include "api/mcp/mcp_int.h"

static enum status list(struct mcp_work *work, struct error *err)
{
    str target = mcp_query(work, STR("/api/tasks"),
                           "person assignee candidate group unassigned dueBefore definitionId keyword "
                           "instanceId pageSize cursor");
    return mcp_ask(work, "GET", target, NULL, false, err);
}

const struct mcp_tool mcp_tool_list_tasks = {
    .name = "list_tasks",
    .title = "List tasks of people",
    .description =
        "Work that waits for a person: who may do it, by when, and what is asked. A person sees their "
        "own tasks and those of their groups.",
    .method = "GET",
    .path = "/api/tasks",
    .hints = MCP_READS,
    .input = "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
             "\"person\":{\"type\":\"string\"},\"assignee\":{\"type\":\"string\"},\"candidate\":{\"type\":"
             "\"string\"},"
             "\"group\":{\"type\":\"string\"},\"unassigned\":{\"type\":\"boolean\"},"
             "\"dueBefore\":{\"type\":\"string\"},\"definitionId\":{\"type\":\"string\"},"
             "\"keyword\":{\"type\":\"string\"},\"instanceId\":{\"type\":\"string\",\"description\":\"Of one "
             "run.\"},"
             "\"pageSize\":{\"type\":\"integer\",\"minimum\":1},\"cursor\":{\"type\":\"string\"}}}",
    .output = "{\"type\":\"object\",\"required\":[\"items\"],\"properties\":{\"items\":{\"type\":\"array\","
              "\"items\":"
              "{\"type\":\"object\"}},\"nextCursor\":{\"type\":\"string\"}}}",
    .begin = list,
};

static enum status complete(struct mcp_work *work, struct error *err)
{
    str path = mcp_path(work, "/api/tasks/{}/complete", mcp_text(work, "taskId"));
    return mcp_ask(work, "POST", path, mcp_pick(work, "decision answer by groups"), true, err);
}

static enum status complete_next(struct mcp_work *work, struct error *err)
{
    (void)err;
    mcp_finish(work, mcp_with(work, mcp_pick(work, "taskId"), "completed", json_of_bool(true)));
    return ST_OK;
}

const struct mcp_tool mcp_tool_complete_task = {
    .name = "complete_task",
    .title = "Answer a task",
    .description =
        "Answers a task for the person who asks. Only tasks that this person may do can be answered.",
    .method = "POST",
    .path = "/api/tasks/x/complete",
    .hints = MCP_REACHES_OUT,
    .input = "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"taskId\"],\"properties\":{"
             "\"taskId\":{\"type\":\"string\",\"minLength\":1},"
             "\"decision\":{\"type\":\"string\",\"description\":\"One of those that the task offers.\"},"
             "\"answer\":{\"type\":\"object\",\"description\":\"What the person fills in.\"},"
             "\"by\":{\"type\":\"string\",\"description\":\"The person; without it the one who asks.\"},"
             "\"groups\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}",
    .output =
        "{\"type\":\"object\",\"required\":[\"taskId\",\"completed\"],\"properties\":{\"taskId\":{\"type\":"
        "\"string\"},\"completed\":{\"type\":\"boolean\"}}}",
    .begin = complete,
    .next = complete_next,
};
