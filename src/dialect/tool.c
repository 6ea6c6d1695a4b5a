/* dialect/tool.c — reads the tool by which agents start the runs of a document. */
#include "dialect/tool.h"

#include "base/ascii.h"
#include "dialect/limits.h"

static bool is_name(str name)
{
    if (!name.n || name.n > TOOL_NAME_BYTES_MAX) return false;
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                    c == '-' || c == '.';
        if (!good) return false;
    }
    return true;
}

static bool is_own(str name)
{
    static const str own[] = {
#define XX(name) STR_INIT(#name),
        TOOL_OWN_MAP(XX)
#undef XX
    };
    for (size_t i = 0; i < COUNT(own); i++)
        if (str_equal(own[i], name)) return true;
    return false;
}

static void read_members(const struct json *mcp, struct problems *problems)
{
    struct json_each each = json_each(mcp);
    while (json_next(&each)) {
        if (str_equal(each.name, STR("tool"))) continue;
        if (!str_equal(each.name, STR("description")))
            problem_error(problems, PROBLEM_BAD_VALUE,
                          problem_pointer(problems->arena, STR("/mcp"), each.name), NULL,
                          "mcp has tool and description, and no other member");
        else if (!json_is(each.value, JSON_STRING) || json_string(each.value).n > TOOL_DESCRIPTION_BYTES_MAX)
            problem_error(problems, PROBLEM_BAD_VALUE, STR("/mcp/description"), NULL,
                          "description must be a text of at most %d bytes", TOOL_DESCRIPTION_BYTES_MAX);
    }
}

void tool_read(const struct json *document, struct problems *problems)
{
    const struct json *mcp = json_get(document, STR("mcp"));
    if (!mcp || json_is(mcp, JSON_NULL)) return;
    if (!json_is(mcp, JSON_OBJECT)) {
        problem_error(problems, PROBLEM_BAD_VALUE, STR("/mcp"), NULL,
                      "mcp must be an object with a tool, the name by which agents start this definition");
        return;
    }
    read_members(mcp, problems);
    str name = json_text(mcp, STR("tool"));
    if (!is_name(name))
        problem_error(problems, PROBLEM_BAD_VALUE, STR("/mcp/tool"), NULL,
                      "tool must be a name of 1 to %d letters, digits, _, - and .", TOOL_NAME_BYTES_MAX);
    else if (is_own(name))
        problem_error(problems, PROBLEM_BAD_VALUE, STR("/mcp/tool"), NULL,
                      "the engine has a tool of this name itself; choose another");
}

bool tool_of(const struct json *document, struct tool *ret_tool)
{
    const struct json *mcp = json_get(document, STR("mcp"));
    *ret_tool = (struct tool){ json_text(mcp, STR("tool")), json_text(mcp, STR("description")) };
    return is_name(ret_tool->name);
}
