/* api/mcp/tools.c — the tools, and their list. */
#include "api/mcp/mcp_int.h"

#include "base/must.h"

const struct mcp_tool *const mcp_tools[] = {
#define XX(name) &mcp_tool_##name,
    MCP_TOOL_MAP(XX)
#undef XX
        NULL
};

const struct mcp_tool *mcp_find_tool(str name)
{
    for (size_t i = 0; mcp_tools[i]; i++)
        if (str_equal(str_of(mcp_tools[i]->name), name)) return mcp_tools[i];
    return NULL;
}

enum permission mcp_tool_needs(const struct api *api, const struct mcp_tool *tool)
{
    struct route_match match;
    struct arena scratch;
    arena_init(&scratch, 0);
    route_find(api->surfaces, str_of(tool->method), str_of(tool->path), &scratch, &match);
    arena_done(&scratch);
    must(match.route);
    return match.route->needs;
}

static bool may_call(const struct api_request *request, const struct mcp_tool *tool)
{
    const struct caller *caller = &request->caller;
    return principal_may(caller->principal, caller->tenant, mcp_tool_needs(request->api, tool), STR_NONE);
}

static void put_member(struct buf *out, const char *name, const char *text)
{
    buf_printf(out, ",\"%s\":", name);
    put_text(out, str_of(text));
}

static void put_hint(struct buf *out, const char *name, bool hint)
{
    buf_printf(out, ",\"%s\":%s", name, hint ? "true" : "false");
}

static void put_tool(struct buf *out, const struct mcp_tool *tool)
{
    PUT(out, "{\"name\":");
    put_text(out, str_of(tool->name));
    put_member(out, "title", tool->title);
    put_member(out, "description", tool->description);
    PUT(out, ",\"inputSchema\":");
    buf_add_str(out, str_of(tool->input));
    PUT(out, ",\"outputSchema\":");
    buf_add_str(out, str_of(tool->output));
    PUT(out, ",\"annotations\":{\"title\":");
    put_text(out, str_of(tool->title));
    put_hint(out, "readOnlyHint", tool->hints & MCP_READS);
    put_hint(out, "destructiveHint", tool->hints & MCP_DESTROYS);
    put_hint(out, "idempotentHint", tool->hints & (MCP_READS | MCP_REPEATS));
    put_hint(out, "openWorldHint", tool->hints & MCP_REACHES_OUT);
    PUT(out, "}}");
}

/* A cursor is the name of the last tool of its page. */
static bool find_place(const struct mcp_message *message, size_t *ret_place)
{
    const struct json *cursor = json_get(message->params, STR("cursor"));
    *ret_place = 0;
    if (!cursor) return true;
    for (size_t i = 0; mcp_tools[i]; i++)
        if (json_is(cursor, JSON_STRING) && str_equal(str_of(mcp_tools[i]->name), json_string(cursor))) {
            *ret_place = i + 1;
            return true;
        }
    mcp_answer_error(message, MCP_INVALID_PARAMS, 400, STR_NONE,
                     "cursor must be the nextCursor of an earlier page");
    return false;
}

enum status mcp_list_tools(struct mcp_message *message, struct error *err)
{
    struct buf out;
    size_t i, shown = 0;
    (void)err;
    if (!find_place(message, &i)) return ST_OK;
    mcp_begin_result(message, &out);
    if (message->is_modern)
        PUT(&out, "\"resultType\":\"complete\",\"ttlMs\":60000,\"cacheScope\":\"private\",");
    PUT(&out, "\"tools\":[");
    for (; mcp_tools[i] && shown < MCP_TOOLS_PAGE; i++) {
        if (!may_call(message->request, mcp_tools[i])) continue;
        if (shown++) buf_add_char(&out, ',');
        put_tool(&out, mcp_tools[i]);
    }
    buf_add_char(&out, ']');
    if (mcp_tools[i]) put_member(&out, "nextCursor", mcp_tools[i - 1]->name);
    mcp_end_result(message, &out);
    return ST_OK;
}
