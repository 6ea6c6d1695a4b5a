/* dialect/graph/read_document.c — the document as a whole: who it is, its nodes and its triggers.
 *
 * A trigger is a node of its type. An entry of `triggers` and a node with the same id are the same trigger,
 * and the entry's fields are fields of that node's config, which they replace.
 */
#include "dialect/graph/graph_int.h"

#include "base/must.h"
#include "base/utf8.h"
#include "dialect/slug.h"

static const char *const document_fields[] = {
    "dialect",
    "definitionId",
    "id",
    "name",
    "description",
    "version",
    "triggers",
    "variables",
    "settings",
    "nodes",
    "edges",
    "connections",
    "instanceMode",
    "executionTimeout",
    "maxActiveInstances",
    "overflowPolicy",
    "priority",
    "globalErrorHandler",
    "defaultRetryPolicy",
    "isRecoverable",
    "inputSchema",
    "secretRefs",
    "startableBy",
    "mcp",
    "retentionPeriod",
    "onFailure",
    "compensationOrder",
    "maxNodeVisits",
    "metadata",
    "viewport",
    "$schema",
    "tags",
    NULL,
};

static const char *const node_fields[] = {
    "id",       "nodeId",    "type",    "kind",      "label",        "name",        "config", "position",
    "parent",   "retry",     "timeout", "onFailure", "compensation", "description", "size",   "ports",
    "openFrom", "openUntil", "lock",    "lockSize",  "lockTimeout",  NULL,
};

static const char *const labels[] = { "label", "name", NULL };

/* ---- who it is ---- */

static bool read_version(struct graph *graph)
{
    str dialect = graph_text(graph, &graph->document, "dialect");
    static const char *const known[] = { "",      "graph",     "graph/1",  "graph/1.0",
                                         "wbskt", "wbskt/1.1", "wbskt/1.2" };
    for (size_t i = 0; i < COUNT(known); i++)
        if (str_equal(dialect, str_of(known[i]))) return true;
    problem_error(graph_about(graph, &graph->document), PROBLEM_UNSUPPORTED_VERSION, STR("/dialect"),
                  "write \"graph/1\"", "dialect %s is not one that is read here",
                  problem_quote(graph->scratch, dialect));
    return false;
}

static void read_identity(struct graph *graph)
{
    const struct graph_place *at = &graph->document;
    graph->name = str_trim(graph_text(graph, at, "name"));
    static const char *const ids[] = { "definitionId", "id", NULL };
    const char *field = graph_spelled(graph, at, ids);
    graph->id = graph_text(graph, at, field);
    if (graph->id.n > DEFINITION_ID_BYTES_MAX)
        problem_error(graph_about(graph, at), PROBLEM_BAD_ID, graph_pointer(graph, at, field), NULL,
                      "%s has %zu bytes; the most is %d", field, graph->id.n, DEFINITION_ID_BYTES_MAX);
    if (!graph->name.n) {
        problem_error(graph_about(graph, at), PROBLEM_NAME_REQUIRED, STR("/name"), NULL,
                      "give the workflow a name, so that people can find it");
        return;
    }
    if (graph->id.n) return;
    graph->id = str_slice(slug_of(graph->name, graph->arena), 0, DEFINITION_ID_BYTES_MAX);
    if (!graph->id.n)
        problem_error(graph_about(graph, at), PROBLEM_NAME_REQUIRED, STR("/name"),
                      "or give it a definitionId", "a name without letters and digits makes no id");
}

/* ---- ids ---- */

static void check_ids(struct graph *graph)
{
    for (size_t i = 1; i < graph->node_count; i++) {
        const struct graph_node *before = &graph->node[graph->by_id[i - 1]];
        const struct graph_node *node = &graph->node[graph->by_id[i]];
        bool is_third = i > 1 && str_equal(graph->node[graph->by_id[i - 2]].id, node->id);
        if (!node->id.n || !str_equal(before->id, node->id) || is_third) continue;
        graph->cut = true;
        problem_error(graph_about(graph, &node->at), PROBLEM_DUPLICATE_NODE_ID, node->at.pointer,
                      "give one of them another id", "%s and %s have the same id %s",
                      graph_label(graph, before), graph_label(graph, node),
                      problem_quote(graph->scratch, node->id));
    }
}

/* ---- one node ---- */

static bool is_bad_id(str id)
{
    for (size_t i = 0; i < id.n; i++)
        if ((unsigned char)id.p[i] < 0x20 || id.p[i] == 0x7f) return true;
    return id.n > NODE_NAME_BYTES_MAX;
}

static void read_id(struct graph *graph, struct graph_node *node)
{
    static const char *const ids[] = { "id", "nodeId", NULL };
    const char *field = graph_spelled(graph, &node->at, ids);
    node->id = graph_text(graph, &node->at, field);
    node->at.node = node->id;
    if (!node->id.n) {
        graph->cut = true;
        if (graph_member(&node->at, field) && !json_is(graph_member(&node->at, field), JSON_STRING)) return;
        problem_error(graph_about(graph, &node->at), PROBLEM_REQUIRED, graph_pointer(graph, &node->at, "id"),
                      NULL, "a node needs an id");
    } else if (is_bad_id(node->id)) {
        problem_error(graph_about(graph, &node->at), PROBLEM_BAD_ID, graph_pointer(graph, &node->at, field),
                      NULL, "the id of a node has at most %d bytes and no control characters",
                      NODE_NAME_BYTES_MAX);
    }
}

static void read_type(struct graph *graph, struct graph_node *node, bool is_trigger)
{
    static const char *const types[] = { "type", "kind", NULL };
    const char *field = graph_spelled(graph, &node->at, types);
    str name = graph_text(graph, &node->at, field);
    const struct graph_type *type = graph_type_find(name);
    if (type && is_trigger && type->kind != GRAPH_KIND_TRIGGER) type = NULL;
    node->type = type;
    if (type) return;
    graph->cut = true;
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (size_t i = 0; i < GRAPH_TYPE_COUNT; i++)
        nearest_offer(&nearest, graph_type((enum graph_type_id)i)->name);
    const char *hint = graph_type_instead(name);
    if (!hint) hint = nearest_hint(&nearest, graph->scratch);
    const char *label = node->label.n ? graph_label(graph, node)
                                      : arena_printf(graph->scratch, "%s %s", is_trigger ? "trigger" : "node",
                                                     problem_quote(graph->scratch, node->id))
                                            .p;
    if (!name.n)
        problem_error(graph_about(graph, &node->at), PROBLEM_UNKNOWN_NODE_TYPE,
                      graph_pointer(graph, &node->at, "type"), NULL, "%s has no type", label);
    else
        problem_error(graph_about(graph, &node->at), PROBLEM_UNKNOWN_NODE_TYPE,
                      graph_pointer(graph, &node->at, field), hint, "%s: there is no type of %s %s", label,
                      is_trigger ? "trigger" : "node", problem_quote(graph->scratch, name));
}

static bool is_object(struct graph *graph, const struct json *item, str pointer, const char *what)
{
    if (json_is(item, JSON_OBJECT)) return true;
    graph->cut = true;
    problem_error(graph_about(graph, &graph->document), PROBLEM_WRONG_TYPE, pointer, NULL,
                  "%s must be an object, not %s", what, json_kind_name(json_kind(item)));
    return false;
}

static void read_node(struct graph *graph, const struct json *item, str pointer)
{
    must(graph->node_count < DEFINITION_STEPS_MAX);
    if (!is_object(graph, item, pointer, "a node")) return;
    struct graph_node *node = &graph->node[graph->node_count++];
    *node = (struct graph_node){ .at = { .object = item, .pointer = pointer, .what = "" },
                                 .parent = NODE_NONE,
                                 .entry = NODE_NONE };
    read_id(graph, node);
    node->label = str_trim(graph_text(graph, &node->at, graph_spelled(graph, &node->at, labels)));
    read_type(graph, node, false);
    node->at.what = graph_label(graph, node);
    node->config = graph_object(graph, &node->at, "config");
    graph_only(graph, &node->at, node_fields);
}

/* ---- triggers ---- */

static struct graph_node *find_trigger_node(struct graph *graph, str id, size_t count)
{
    for (size_t i = 0; id.n && i < count; i++)
        if (str_equal(graph->node[i].id, id) && graph->node[i].type &&
            graph->node[i].type->kind == GRAPH_KIND_TRIGGER)
            return &graph->node[i];
    return NULL;
}

static void read_trigger(struct graph *graph, const struct json *item, str pointer, size_t nodes)
{
    if (!is_object(graph, item, pointer, "a trigger")) return;
    struct graph_node trigger = { .at = { .object = item, .pointer = pointer, .what = "" },
                                  .parent = NODE_NONE,
                                  .entry = NODE_NONE };
    read_id(graph, &trigger);
    struct graph_node *twin = find_trigger_node(graph, trigger.id, nodes);
    if (twin) {
        twin->config.object = json_merge(twin->config.object, item, graph->arena);
        twin->config.pointer = pointer;
        return;
    }
    trigger.label = str_trim(graph_text(graph, &trigger.at, graph_spelled(graph, &trigger.at, labels)));
    read_type(graph, &trigger, true);
    trigger.at.what = graph_label(graph, &trigger);
    trigger.config = trigger.at;
    must(graph->node_count < 2 * (size_t)DEFINITION_STEPS_MAX);
    graph->node[graph->node_count++] = trigger;
}

/* ---- the loops that nodes are in ---- */

static void read_parent(struct graph *graph, struct graph_node *node)
{
    must(node->parent == NODE_NONE && !node->says_parent);
    str parent = graph_text(graph, &node->at, "parent");
    if (!parent.n) return;
    uint32_t loop = graph_find(graph, parent);
    if (loop != NODE_NONE && graph->node[loop].type && graph->node[loop].type->kind == GRAPH_KIND_LOOP) {
        node->parent = loop;
        node->says_parent = true;
        return;
    }
    graph->cut = true;
    problem_error(graph_about(graph, &node->at), PROBLEM_SCOPE_VIOLATION,
                  graph_pointer(graph, &node->at, "parent"), NULL,
                  "%s is said to be inside %s, which is no loop", graph_label(graph, node),
                  problem_quote(graph->scratch, parent));
}

/* A loop that is inside itself, or too deep inside others. */
static void check_parents(struct graph *graph)
{
    for (size_t i = 0; i < graph->node_count; i++) {
        struct graph_node *node = &graph->node[i];
        size_t depth = 0;
        uint32_t at = node->parent;
        while (at != NODE_NONE && at != i && depth++ <= NESTING_MAX) at = graph->node[at].parent;
        if (at == NODE_NONE) continue;
        graph->cut = true;
        if (at == i)
            problem_error(graph_about(graph, &node->at), PROBLEM_SCOPE_VIOLATION,
                          graph_pointer(graph, &node->at, "parent"), NULL, "%s is inside itself",
                          graph_label(graph, node));
        else
            problem_error(graph_about(graph, &node->at), PROBLEM_TOO_LARGE,
                          graph_pointer(graph, &node->at, "parent"), NULL, "%s is inside more than %d loops",
                          graph_label(graph, node), NESTING_MAX);
        node->parent = NODE_NONE;
    }
}

/* ---- the whole ---- */

static bool fits(struct graph *graph, const char *what, size_t count)
{
    if (count <= DEFINITION_STEPS_MAX) return true;
    problem_error(graph_about(graph, &graph->document), PROBLEM_TOO_LARGE,
                  graph_pointer(graph, &graph->document, what), NULL, "%zu %s; the most is %d", count, what,
                  DEFINITION_STEPS_MAX);
    return false;
}

static bool read_nodes(struct graph *graph)
{
    const struct json *nodes = graph_list(graph, &graph->document, "nodes");
    const struct json *triggers = graph_list(graph, &graph->document, "triggers");
    size_t node_count = json_count(nodes), trigger_count = json_count(triggers);
    if (!fits(graph, "nodes", node_count) || !fits(graph, "triggers", trigger_count)) return false;
    graph->node = arena_make_n(graph->arena, struct graph_node, node_count + trigger_count);
    for (size_t i = 0; i < node_count; i++)
        read_node(graph, json_item(nodes, i), problem_pointer_index(graph->arena, STR("/nodes"), i));
    node_count = graph->node_count;
    for (size_t i = 0; i < trigger_count; i++)
        read_trigger(graph, json_item(triggers, i), problem_pointer_index(graph->arena, STR("/triggers"), i),
                     node_count);
    for (uint32_t i = 0; i < graph->node_count; i++) graph->node[i].index = i;
    graph_sort(graph);
    check_ids(graph);
    for (size_t i = 0; i < graph->node_count; i++) read_parent(graph, &graph->node[i]);
    check_parents(graph);
    if (!graph->node_count && !graph->problems->error_count)
        problem_error(graph_about(graph, &graph->document), PROBLEM_REQUIRED, STR("/nodes"), NULL,
                      "a workflow needs at least one node");
    return graph->node_count > 0;
}

bool graph_read(struct graph *graph, const struct json *document)
{
    graph->document = (struct graph_place){ .object = document, .pointer = STR(""), .what = "" };
    if (!read_version(graph)) return false;
    graph_only(graph, &graph->document, document_fields);
    graph->settings = graph_object(graph, &graph->document, "settings");
    read_identity(graph);
    if (!read_nodes(graph)) return false;
    graph_read_edges(graph);
    graph_read_settings(graph);
    return true;
}
