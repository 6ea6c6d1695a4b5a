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

/* The first page has the tools that are always there, and the first definitions. A cursor is that of the list
 * of definitions, behind a letter. */
enum status mcp_list_tools(struct mcp_message *message, struct error *err)
{
    struct buf out;
    const struct json *cursor = json_get(message->params, STR("cursor"));
    str place = json_is(cursor, JSON_STRING) ? json_string(cursor) : STR_NONE;
    bool first = true;
    if (cursor && !(place.n > 1 && place.p[0] == 'd' && mcp_may_start(message->request))) {
        mcp_answer_error(message, MCP_INVALID_PARAMS, 400, STR_NONE,
                         "cursor must be the nextCursor of an earlier page");
        return ST_OK;
    }
    mcp_begin_result(message, &out);
    if (message->is_modern)
        PUT(&out, "\"resultType\":\"complete\",\"ttlMs\":60000,\"cacheScope\":\"private\",");
    PUT(&out, "\"tools\":[");
    for (size_t i = 0; !cursor && mcp_tools[i]; i++) {
        if (!may_call(message->request, mcp_tools[i])) continue;
        if (!first) buf_add_char(&out, ',');
        first = false;
        put_tool(&out, mcp_tools[i]);
    }
    if (mcp_may_start(message->request))
        return mcp_published_list(message, &out, first, cursor ? str_slice(place, 1, place.n) : STR_NONE,
                                  err);
    buf_add_char(&out, ']');
    mcp_end_result(message, &out);
    return ST_OK;
}
