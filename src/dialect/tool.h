/* dialect/tool.h — `mcp` of a document: agents may start its runs by a tool of this name.
 *
 *     "mcp": { "tool": "refund_order", "description": "Pays an order back after a person has agreed." }
 */
#ifndef DIALECT_TOOL_H
#define DIALECT_TOOL_H

#include "program/problems.h"
#include "json/json.h"

/* The names of the tools that are always there. No document may take one. */
/* clang-format off */
#define TOOL_OWN_MAP(XX)                                                                        \
    XX(overview) XX(list_definitions) XX(get_definition) XX(validate_definition)                \
    XX(explain_definition) XX(test_definition) XX(simulate) XX(deploy_definition) XX(start_run) \
    XX(list_runs) XX(get_run) XX(get_visit) XX(retry_runs) XX(cancel_runs) XX(modify_run)       \
    XX(list_tasks) XX(complete_task)
/* clang-format on */

struct tool {
    str name, description; /* The description may be empty. */
};

/* The tool of a document that has none of the problems below; false: it has no tool. Borrowed from it. */
bool tool_of(const struct json *document, struct tool *ret_tool);

/* Reports what is wrong with the member. */
void tool_read(const struct json *document, struct problems *problems);

#endif
