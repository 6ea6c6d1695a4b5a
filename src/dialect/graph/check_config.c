/* dialect/graph/check_config.c — a node's config against the table of its type. Words, numbers, flags and
 * durations are checked where they are read; this file checks the kinds of all other values. */
#include "dialect/graph/graph_int.h"

#include "dialect/template.h"

/* Fields of an entry of `triggers`, beside the fields of its type. */
static const char *const trigger_fields[] = {
    "id", "nodeId", "type", "kind", "label", "name", "description", "position", NULL,
};

static bool is_among(const char *const *names, str name)
{
    for (; *names; names++)
        if (str_equal(str_of(*names), name)) return true;
    return false;
}

static bool is_trigger_field(const struct graph_node *node, str name)
{
    return node->type->kind == GRAPH_KIND_TRIGGER && is_among(trigger_fields, name);
}

/* ---- fields beside the config ---- */

static void warn_if_given(struct graph *graph, const struct graph_node *node, const char *name)
{
    if (!graph_member(&node->at, name)) return;
    problem_warning(graph_about(graph, &node->at), PROBLEM_IGNORED, graph_pointer(graph, &node->at, name),
                    NULL, "%s: %s has no effect on %s", node->at.what, name, node->type->label);
}

void graph_check_node_fields(struct graph *graph, const struct graph_node *node)
{
    if (node->at.object == node->config.object) return; /* An entry of `triggers`, which has no config. */
    struct graph_params fields = graph_node_params();
    for (size_t i = 0; i < fields.count; i++)
        if (!graph_node_field_works(node->type, str_of(fields.param[i].name)))
            warn_if_given(graph, node, fields.param[i].name);
    if (node->type->kind == GRAPH_KIND_TRIGGER) warn_if_given(graph, node, "parent");
}

/* ---- conditions ---- */

static void check_conditions(struct graph *graph, const struct graph_place *owner, const struct json *list,
                             str pointer)
{
    for (size_t i = 0; json_is(list, JSON_ARRAY) && i < json_count(list); i++)
        graph_check_condition(graph, owner, json_item(list, i),
                              problem_pointer_index(graph->scratch, pointer, i));
}

/* Recursion goes as deep as documents can be. */
void graph_check_condition(struct graph *graph, const struct graph_place *owner, const struct json *condition,
                           str pointer)
{
    static const char *const combined[] = { "all", "any", "not", NULL };
    static const char *const compared[] = { "left", "op", "right", NULL };
    if (!json_is(condition, JSON_OBJECT)) return;
    const struct graph_place at = {
        .object = condition, .pointer = pointer, .what = owner->what, .node = owner->node
    };
    bool combines = graph_member(&at, "all") || graph_member(&at, "any") || graph_member(&at, "not");
    graph_only(graph, &at, combines ? combined : compared);
    const struct json *op = graph_member(&at, "op");
    if (json_is(op, JSON_STRING) && expr_structured_is_single(json_string(op)))
        graph_idle(graph, &at, "right", "the op looks at left alone");
    check_conditions(graph, owner, graph_member(&at, "all"), graph_pointer(graph, &at, "all"));
    check_conditions(graph, owner, graph_member(&at, "any"), graph_pointer(graph, &at, "any"));
    graph_check_condition(graph, owner, graph_member(&at, "not"), graph_pointer(graph, &at, "not"));
}

/* ---- the config ---- */

static bool fits(const struct graph_param *param, const struct json *value)
{
    enum json_kind kind = json_kind(value);
    if (graph_param_takes_template(param->kind) && graph_is_template(value)) return true;
    switch (param->kind) {
    case GRAPH_PARAM_TEXT:
    case GRAPH_PARAM_LONG_TEXT: return kind != JSON_ARRAY && kind != JSON_OBJECT;
    case GRAPH_PARAM_LIST: return kind == JSON_ARRAY;
    case GRAPH_PARAM_TEXTS: return kind == JSON_ARRAY || kind == JSON_STRING;
    case GRAPH_PARAM_MAP:
    case GRAPH_PARAM_JOIN: return kind == JSON_OBJECT;
    case GRAPH_PARAM_SCHEMA: return kind == JSON_OBJECT || kind == JSON_BOOL;
    case GRAPH_PARAM_PLAIN:
    case GRAPH_PARAM_SECRET: return kind == JSON_STRING;
    default: return true;
    }
}

/* A statement is never put together from texts: whoever sends the texts could write statements. */
static void check_plain(struct graph *graph, const struct graph_node *node, const struct graph_param *param,
                        const struct json *value)
{
    if (graph_param_takes_template(param->kind) || !graph_is_template(value)) return;
    if (node->type->kind != GRAPH_KIND_ACTION || param->kind != GRAPH_PARAM_PLAIN) return;
    problem_error(graph_about(graph, &node->at), PROBLEM_NOT_ALLOWED_HERE,
                  graph_pointer(graph, &node->config, param->name),
                  "write $1, $2, … and give the values in params", "%s: %s must not have placeholders",
                  node->at.what, param->name);
}

static void check_login(struct graph *graph, const struct graph_node *node, str name,
                        const struct json *value)
{
    if (!str_equal(name, STR("url")) || !json_is(value, JSON_STRING) ||
        !template_has_login(json_string(value)))
        return;
    problem_warning(graph_about(graph, &node->at), PROBLEM_UNUSUAL,
                    problem_pointer(graph->scratch, node->config.pointer, name),
                    "send it as a header: \"Authorization\": \"{{ secrets.NAME }}\"",
                    "%s: the address has a user or a password in it, so each call is refused", node->at.what);
}

static void unknown_member(struct graph *graph, const struct graph_node *node, str name)
{
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (size_t i = 0; i < node->type->param_count; i++)
        nearest_offer(&nearest, str_of(node->type->param[i].name));
    problem_warning(graph_about(graph, &node->at), PROBLEM_UNKNOWN_FIELD,
                    problem_pointer(graph->scratch, node->config.pointer, name),
                    nearest_hint(&nearest, graph->scratch), "%s: %s is no field of %s, and has no effect",
                    node->at.what, problem_quote(graph->scratch, name), node->type->label);
}

void graph_check_config(struct graph *graph, const struct graph_node *node)
{
    bool trigger = node->type->kind == GRAPH_KIND_TRIGGER;
    struct json_each each = json_each(node->config.object);
    while (json_next(&each)) {
        check_login(graph, node, each.name, each.value);
        if (is_trigger_field(node, each.name)) continue;
        const struct graph_param *param = graph_param_find(node->type, each.name);
        if (!param) unknown_member(graph, node, each.name);
        else if (param->kind == GRAPH_PARAM_CONDITION && trigger)
            graph_check_condition(graph, &node->at, each.value,
                                  problem_pointer(graph->scratch, node->config.pointer, each.name));
        else if (json_is(each.value, JSON_NULL) || trigger) continue;
        else if (!fits(param, each.value))
            graph_wrong_type(graph, &node->config, param->name, graph_param_what(param->kind), each.value);
        else check_plain(graph, node, param, each.value);
    }
    for (size_t i = 0; !trigger && i < node->type->param_count; i++) {
        const struct graph_param *param = &node->type->param[i];
        /* These two have errors of their own. */
        bool told = param->kind == GRAPH_PARAM_TRIGGER || node->type->id == GRAPH_FOR_LOOP;
        if (param->need == GRAPH_NEEDED && !told && !graph_member(&node->config, param->name))
            problem_warning(graph_about(graph, &node->at), PROBLEM_REQUIRED,
                            graph_pointer(graph, &node->config, param->name), NULL,
                            "%s: \"%s\" is empty, so it will fail", node->at.what, param->label);
    }
}
