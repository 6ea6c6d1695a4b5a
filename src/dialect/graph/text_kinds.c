/* dialect/graph/text_kinds.c — what the texts of calls are for, and so how the values in them are escaped.
 *
 *     action_http   url                               a URL
 *                   body, by a literal Content-Type   a form, HTML or XML; else a value or plain text
 *     action_mcp    url                               a URL
 *     action_email  to, cc, bcc, from, replyTo        recipients
 *                   html                              HTML
 *     any           connectionRef                     the name of a connection
 *
 * Headers and `query` need no escape here: the performer encodes parameters, and refuses a header that is not
 * one line. A statement of action_db has no placeholders at all.
 */
#include "dialect/graph/graph_int.h"

#include "base/ascii.h"

/* ---- kinds ---- */

/* The literal Content-Type of a call, without its parameters; empty if there is none. */
static str content_type_of(const struct graph_node *node)
{
    const struct json *headers = graph_member(&node->config, "headers");
    struct json_each each = json_each(json_is(headers, JSON_OBJECT) ? headers : json_empty_object());
    while (json_next(&each)) {
        if (!str_equal_ignoring_case(each.name, STR("content-type"))) continue;
        if (!json_is(each.value, JSON_STRING) || graph_is_template(each.value)) return STR_NONE;
        str type = json_string(each.value);
        return str_trim(str_slice(type, 0, str_find(type, STR(";"), 0)));
    }
    return STR_NONE;
}

static bool ends_ignoring_case(str text, str end)
{
    return text.n >= end.n && str_equal_ignoring_case(str_slice(text, text.n - end.n, text.n), end);
}

static enum template_kind kind_of_body(const struct graph_node *node)
{
    str type = content_type_of(node);
    if (str_equal_ignoring_case(type, STR("application/x-www-form-urlencoded"))) return TEMPLATE_FORM;
    if (str_equal_ignoring_case(type, STR("text/html"))) return TEMPLATE_MARKUP;
    if (ends_ignoring_case(type, STR("/xml")) || ends_ignoring_case(type, STR("+xml")))
        return TEMPLATE_MARKUP;
    return TEMPLATE_PLAIN;
}

static bool is_recipients(str field)
{
    static const char *const fields[] = { "to", "cc", "bcc", "from", "replyTo" };
    for (size_t i = 0; i < COUNT(fields); i++)
        if (str_equal(field, str_of(fields[i]))) return true;
    return false;
}

enum template_kind graph_text_kind(const struct graph_node *node, str pointer)
{
    size_t slash = str_find(pointer, STR("/"), 1);
    str field = str_slice(pointer, 1, slash);
    bool inside = slash != SIZE_MAX; /* It is a part of a list or an object that is the field. */
    if (!inside && str_equal(field, STR("connectionRef"))) return TEMPLATE_REFERENCE;
    bool is_web = node->type->id == GRAPH_HTTP || node->type->id == GRAPH_MCP;
    if (is_web && !inside && str_equal(field, STR("url"))) return TEMPLATE_URL;
    if (node->type->id == GRAPH_HTTP && !inside && str_equal(field, STR("body"))) return kind_of_body(node);
    if (node->type->id == GRAPH_EMAIL) {
        if (is_recipients(field)) return TEMPLATE_RECIPIENTS;
        if (!inside && str_equal(field, STR("html"))) return TEMPLATE_HTML;
    }
    return TEMPLATE_PLAIN;
}

/* ---- variables that are constants ---- */

/* `$.a.b`, `vars.a.b` or `a.b`: the name of the variable. */
static str variable_of_key(str key)
{
    key = str_trim(key);
    if (str_starts(key, STR("$."))) key = str_slice(key, 2, key.n);
    if (str_starts(key, STR("vars."))) key = str_slice(key, 5, key.n);
    return str_slice(key, 0, str_find(key, STR("."), 0));
}

/* True if the node may give the variable another value. */
static bool changes(const struct graph_node *node, str name)
{
    if (!node->type) return false;
    if (node->type->id == GRAPH_SET_VARIABLES) {
        const struct json *values = graph_member(&node->config, "values");
        return json_is(values, JSON_OBJECT) ? json_get(values, name) != NULL : values != NULL;
    }
    if (node->type->id != GRAPH_SET_CONTEXT) return false;
    const struct json *list = graph_member(&node->config, "assignments");
    for (size_t i = 0; json_is(list, JSON_ARRAY) && i < json_count(list); i++) {
        const struct json *key = json_get(json_item(list, i), STR("key"));
        if (json_is(key, JSON_STRING) && str_equal(variable_of_key(json_string(key)), name)) return true;
    }
    return false;
}

/* True of `vars.NAME` that the document itself defines and no node changes: its author chose the value. */
static bool is_constant(const struct graph *graph, const struct template_path *path)
{
    const struct json *variables = graph_member(&graph->document, "variables");
    bool variable =
        path->count > 1 && (str_equal(path->name[0], STR("vars")) || str_equal(path->name[0], STR("$")));
    if (!variable || !json_is(variables, JSON_OBJECT) || !json_get(variables, path->name[1])) return false;
    /* `$.NAME` is the node of that name first. */
    if (path->name[0].p[0] == '$' && graph_find(graph, path->name[1]) != NODE_NONE) return false;
    for (size_t i = 0; i < graph->node_count; i++)
        if (changes(&graph->node[i], path->name[1])) return false;
    return true;
}

/* ---- warnings ---- */

static void warn_of_raw(struct graph *graph, const struct graph_node *node, str pointer,
                        enum template_kind kind, const char *path)
{
    static const char *const risks[] = {
        [TEMPLATE_URL] = "the address as it is, so the value can lead the call elsewhere",
        [TEMPLATE_FORM] = "the form as it is, so the value can add fields",
        [TEMPLATE_HTML] = "the HTML as it is, so the value can bring any markup",
        [TEMPLATE_MARKUP] = "the document as it is, so the value can bring any markup",
    };
    problem_warning(graph_about(graph, &node->at), PROBLEM_RAW_PLACEHOLDER, pointer,
                    "write {{ }} with two braces, unless the value is known to be safe",
                    "%s: %s goes into %s", node->at.what, path, risks[kind]);
}

void graph_warn_of_value(struct graph *graph, const struct graph_node *node, str pointer,
                         enum template_notice notice, enum template_kind kind,
                         const struct template_path *path)
{
    const char *quoted = problem_quote(graph->scratch, path->text);
    switch (notice) {
    case TEMPLATE_RAW:
        if (!is_constant(graph, path)) warn_of_raw(graph, node, pointer, kind, quoted);
        break;
    case TEMPLATE_RAW_IGNORED:
        problem_warning(graph_about(graph, &node->at), PROBLEM_IGNORED, pointer,
                        "give several addresses as a list",
                        "%s: three braces change nothing here: %s is one address, or a list of them",
                        node->at.what, quoted);
        break;
    case TEMPLATE_SERVER:
        if (!is_constant(graph, path))
            problem_warning(
                graph_about(graph, &node->at), PROBLEM_SERVER_FROM_DATA, pointer,
                "write the server into the workflow, or keep it in a variable that no step changes",
                "%s: %s says which server is called, and that server gets all that the call sends",
                node->at.what, quoted);
        break;
    }
}
