/* dialect/graph/fixes.c — problems of flow graphs that one step mends.
 *
 * Everything is looked up in the document itself, which has problems: nothing is where it should be for
 * certain.
 */
#include "dialect/fix/fixing.h"
#include "dialect/graph/graph_int.h"
#include "dialect/graph/view.h"

/* ---- the document ---- */

static const struct json *list_of(const struct json *document, const char *name)
{
    const struct json *list = json_get(document, str_of(name));
    return json_is(list, JSON_ARRAY) ? list : json_empty_array();
}

static str edges_name(const struct json *document)
{
    return json_get(document, STR("connections")) && !json_get(document, STR("edges")) ? STR("connections")
                                                                                       : STR("edges");
}

static const struct json *edges_of(const struct json *document)
{
    return list_of(document, edges_name(document).p);
}

/* The id of the node at an end of an edge, in any of the three spellings. */
static str end_of(const struct json *edge, bool from)
{
    static const char *const names[2][3] = { { "to", "targetNodeId", "target" },
                                             { "from", "sourceNodeId", "source" } };
    for (size_t i = 0; i < 3; i++) {
        const struct json *end = json_get(edge, str_of(names[from][i]));
        if (json_is(end, JSON_ARRAY)) end = json_item(end, 0);
        if (json_is(end, JSON_STRING)) return json_string(end);
    }
    return STR_NONE;
}

static str id_of(const struct json *node)
{
    str id = json_text(node, STR("id"));
    return id.n ? id : json_text(node, STR("nodeId"));
}

static const struct graph_type *type_of(const struct json *node)
{
    str type = json_text(node, STR("type"));
    return graph_type_find(type.n ? type : json_text(node, STR("kind")));
}

static str title_of(const struct json *node)
{
    str label = json_text(node, STR("label"));
    if (!label.n) label = json_text(node, STR("name"));
    if (label.n) return label;
    const struct graph_type *type = type_of(node);
    return type ? str_of(type->label) : id_of(node);
}

static const struct json *node_of(const struct json *document, str id)
{
    static const char *const lists[] = { "nodes", "triggers" };
    for (size_t i = 0; id.n && i < COUNT(lists); i++) {
        struct json_each each = json_each(list_of(document, lists[i]));
        while (json_next(&each))
            if (str_equal(id_of(each.value), id)) return each.value;
    }
    return NULL;
}

static bool has_edge(const struct json *document, str id, bool from)
{
    struct json_each each = json_each(edges_of(document));
    while (json_next(&each))
        if (str_equal(end_of(each.value, from), id)) return true;
    return false;
}

static bool is_kind(const struct json *node, enum graph_kind kind)
{
    const struct graph_type *type = type_of(node);
    return type && type->kind == kind;
}

/* ---- new parts ---- */

static void add_edge(struct fixing *fixing, str from, str port, str to)
{
    struct json_builder builder;
    str edges = edges_name(fixing->document);
    json_builder_init(&builder, fixing->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("from"));
    json_add_string(&builder, from);
    if (port.n) {
        json_add_name(&builder, STR("fromPort"));
        json_add_string(&builder, port);
    }
    json_add_name(&builder, STR("to"));
    json_add_string(&builder, to);
    json_close(&builder);
    if (!json_is(json_get(fixing->document, edges), JSON_ARRAY))
        fixing_add(fixing, problem_pointer(fixing->arena, STR(""), edges), json_empty_array());
    fixing_add(fixing, arena_printf(fixing->arena, "/%.*s/-", STR_ARG(edges)), json_built(&builder));
}

/* An end beside the node: in the same loop, or in none. Its id; a new one is added if there is none. */
static str end_beside(struct fixing *fixing, const struct json *node)
{
    const struct json *nodes = list_of(fixing->document, "nodes");
    str parent = json_text(node, STR("parent"));
    struct json_each each = json_each(nodes);
    while (json_next(&each))
        if (is_kind(each.value, GRAPH_KIND_END) && str_equal(json_text(each.value, STR("parent")), parent))
            return id_of(each.value);
    str id = fixing_fresh_id(nodes, "end", fixing->arena);
    const char *pairs[] = { "id", arena_str(fixing->arena, id).p, "type", "end", "label", "End", NULL, NULL,
                            NULL };
    if (parent.n) {
        pairs[6] = "parent";
        pairs[7] = arena_str(fixing->arena, parent).p;
    }
    fixing_add(fixing, STR("/nodes/-"), fixing_object(fixing->arena, pairs));
    return id;
}

/* ---- edges ---- */

static str edge_pointer(const struct fixing *fixing)
{
    str pointer = fixing->problem->pointer;
    size_t first = str_find(pointer, STR("/"), 1);
    size_t end = first == SIZE_MAX ? SIZE_MAX : str_find(pointer, STR("/"), first + 1);
    return str_slice(pointer, 0, end == SIZE_MAX ? pointer.n : end);
}

static void remove_edge(struct fixing *fixing)
{
    str pointer = edge_pointer(fixing);
    if (!json_pointer(fixing->document, pointer)) return;
    fixing_label(fixing, "Remove the line");
    fixing_remove(fixing, pointer);
}

static void redirect(struct fixing *fixing)
{
    const struct json *target = node_of(fixing->document, fixing_meant(fixing));
    const struct json *value = json_pointer(fixing->document, fixing->problem->pointer);
    if (!target || !value) {
        remove_edge(fixing);
        return;
    }
    bool is_list = json_is(value, JSON_ARRAY),
         from = !str_find(fixing->problem->message, STR("an edge leads from"), 0);
    str pointer = is_list ? arena_printf(fixing->arena, "%.*s/0", STR_ARG(fixing->problem->pointer))
                          : fixing->problem->pointer;
    fixing_label(fixing, from ? "Let it come from %.*s" : "Send it to %.*s", STR_ARG(title_of(target)));
    fixing_replace(fixing, pointer, json_of_string(fixing->arena, id_of(target)));
}

static void make_default(struct fixing *fixing, str pointer)
{
    const struct json *edge = json_pointer(fixing->document, pointer);
    const struct json *target = node_of(fixing->document, end_of(edge, false));
    if (!edge) return;
    fixing_label(fixing, "Go to %.*s if nothing else fits", STR_ARG(target ? title_of(target) : STR("it")));
    fixing_add(fixing, problem_pointer(fixing->arena, pointer, STR("default")), json_of_bool(true));
    if (json_get(edge, STR("condition")))
        fixing_remove(fixing, problem_pointer(fixing->arena, pointer, STR("condition")));
}

static bool is_default(const struct json *edge) { return json_flag(edge, STR("default")); }

/* The way without a condition becomes the default one, else the last. */
static void choose_default(struct fixing *fixing)
{
    str base = arena_printf(fixing->arena, "/%.*s", STR_ARG(edges_name(fixing->document))), chosen = STR_NONE;
    const struct json *node = json_pointer(fixing->document, fixing->problem->pointer);
    struct json_each each = json_each(edges_of(fixing->document));
    bool plain = false;
    for (size_t i = 0; node && json_next(&each); i++) {
        if (!str_equal(end_of(each.value, true), id_of(node)) || plain) continue;
        chosen = problem_pointer_index(fixing->arena, base, i);
        plain = !json_get(each.value, STR("condition"));
    }
    if (chosen.n) {
        make_default(fixing, chosen);
        return;
    }
    if (!node) return;
    fixing_label(fixing, "Lead on to the end if nothing else fits");
    str end = end_beside(fixing, node);
    add_edge(fixing, id_of(node), STR_NONE, end);
}

/* If a decision has a default already, another way needs a condition, which nobody can guess. */
static void default_if_none(struct fixing *fixing)
{
    const struct json *edge = json_pointer(fixing->document, fixing->problem->pointer);
    struct json_each each = json_each(edges_of(fixing->document));
    while (json_next(&each))
        if (is_default(each.value) && str_equal(end_of(each.value, true), end_of(edge, true))) return;
    make_default(fixing, fixing->problem->pointer);
}

static void drop_condition(struct fixing *fixing)
{
    if (!json_pointer(fixing->document, fixing->problem->pointer)) return;
    fixing_label(fixing, "Remove the condition");
    fixing_remove(fixing, fixing->problem->pointer);
}

static void drop_default(struct fixing *fixing)
{
    str pointer = problem_pointer(fixing->arena, edge_pointer(fixing), STR("default"));
    if (!json_pointer(fixing->document, pointer)) return;
    fixing_label(fixing, "Keep only the first default");
    fixing_remove(fixing, pointer);
}

/* "did you mean": a way out; "write": the usual way in. */
static void rename_port(struct fixing *fixing)
{
    static const char *const names[] = { "fromPort", "sourcePort", "sourceHandle" };
    str pointer = edge_pointer(fixing), meant = fixing_meant(fixing);
    const struct json *edge = json_pointer(fixing->document, pointer);
    for (size_t i = 0; meant.n && i < COUNT(names); i++) {
        if (!json_get(edge, str_of(names[i]))) continue;
        fixing_label(fixing, "Leave by \"%.*s\"", STR_ARG(meant));
        fixing_set_text(fixing, pointer, names[i], meant);
        return;
    }
}

/* ---- nodes ---- */

/* A node that nothing leads to is reached from the one before it that leads nowhere; failing that, from the
 * one before that has a free way, and failing that the node goes. */
static void connect(struct fixing *fixing)
{
    const struct json *node = json_pointer(fixing->document, fixing->problem->pointer), *before = NULL;
    str parent = json_text(node, STR("parent"));
    struct json_each each = json_each(list_of(fixing->document, "nodes"));
    if (!node) return;
    while (json_next(&each)) {
        if (str_equal(id_of(each.value), id_of(node))) {
            if (before) break;
            continue;
        }
        if (!type_of(each.value) || is_kind(each.value, GRAPH_KIND_END) ||
            is_kind(each.value, GRAPH_KIND_LOOP) ||
            !str_equal(json_text(each.value, STR("parent")), parent) ||
            has_edge(fixing->document, id_of(each.value), true))
            continue;
        before = each.value;
    }
    if (before) {
        fixing_label(fixing, "Lead from %.*s to it", STR_ARG(title_of(before)));
        add_edge(fixing, id_of(before), STR_NONE, id_of(node));
    } else if (!has_edge(fixing->document, id_of(node), true)) {
        fixing_label(fixing, "Remove %.*s", STR_ARG(title_of(node)));
        fixing_remove(fixing, fixing->problem->pointer);
    }
}

/* The port whose label the message names: `nothing follows "X" at "When all are done": …`. */
static str open_port(const struct fixing *fixing, const struct json *node)
{
    str message = fixing->problem->message, mark = STR(" at \"");
    const struct graph_type *type = type_of(node);
    size_t at = str_find(message, mark, 0), end = str_find(message, STR("\": the branch ends there"), 0);
    if (!type || at == SIZE_MAX || end == SIZE_MAX || end < at + mark.n) return STR_NONE;
    str label = str_slice(message, at + mark.n, end);
    for (size_t i = 0; i < type->port_count; i++)
        if (str_equal(label, str_of(type->port[i].label))) return type->port[i].name;
    return str_equal(label, STR("Next")) ? STR("out") : label;
}

static void lead_to_end(struct fixing *fixing)
{
    const struct json *node = json_pointer(fixing->document, fixing->problem->pointer);
    str port = node ? open_port(fixing, node) : STR_NONE;
    if (!port.n || str_equal(port, STR("body")) || str_equal(port, STR("onIteration"))) return;
    fixing_label(fixing, "Lead on to the end");
    str end = end_beside(fixing, node);
    add_edge(fixing, id_of(node), str_equal(port, STR("out")) ? STR_NONE : port, end);
}

/* The pointer leads to the answer; nobody but the author knows where it should go, so it ends. If only a run
 * knows the answers, the pointer leads to their field, and there is none that could end. */
static void end_after_answer(struct fixing *fixing)
{
    str list = fixing_parent(fixing->problem->pointer);
    const struct json *answer = json_pointer(fixing->document, fixing->problem->pointer);
    const struct json *node = json_pointer(fixing->document, fixing_parent(fixing_parent(list)));
    const struct graph_type *type = type_of(node);
    if (!json_is(answer, JSON_STRING) || !json_is(json_pointer(fixing->document, list), JSON_ARRAY) || !type)
        return;
    if (graph_port_is(type, json_string(answer))) return;
    fixing_label(fixing, "End after \"%.*s\"", STR_ARG(json_string(answer)));
    str end = end_beside(fixing, node);
    add_edge(fixing, id_of(node), json_string(answer), end);
}

static void add_trigger(struct fixing *fixing)
{
    const struct json *nodes = list_of(fixing->document, "nodes"), *first = NULL;
    struct json_each each = json_each(nodes);
    while (json_next(&each) && !first)
        if (!has_edge(fixing->document, id_of(each.value), false) && !json_text(each.value, STR("parent")).n)
            first = each.value;
    if (!first) return;
    str id = arena_str(fixing->arena, fixing_fresh_id(nodes, "start", fixing->arena));
    const char *const pairs[] = { "id", id.p, "type", "trigger_manual", "label", "Start", NULL };
    fixing_label(fixing, "Add a start before %.*s", STR_ARG(title_of(first)));
    fixing_add(fixing, STR("/nodes/-"), fixing_object(fixing->arena, pairs));
    add_edge(fixing, id, STR_NONE, id_of(first));
}

static void rename_node(struct fixing *fixing)
{
    str pointer = fixing->problem->pointer;
    const struct json *node = json_pointer(fixing->document, pointer);
    const char *field = json_get(node, STR("id")) ? "id" : "nodeId";
    if (!id_of(node).n) return;
    str id = fixing_fresh_id(list_of(fixing->document, "nodes"), arena_str(fixing->arena, id_of(node)).p,
                             fixing->arena);
    fixing_label(fixing, "Call the second one \"%.*s\"", STR_ARG(id));
    fixing_set_text(fixing, pointer, field, id);
}

/* ---- fields ---- */

/* A value that a node cannot do without: what the table says, or what its kind suggests. */
static const struct json *obvious_value(const struct json *node, const struct graph_param *param,
                                        struct arena *arena)
{
    const struct json *value;
    struct error err;
    if (param->fallback && json_parse(str_of(param->fallback), NULL, arena, &value, &err) == ST_OK)
        return value;
    if (str_equal(str_of(param->name), STR("title"))) return json_of_string(arena, title_of(node));
    if (str_equal(str_of(param->name), STR("subject"))) return json_of_string(arena, title_of(node));
    if (param->kind == GRAPH_PARAM_DURATION) return json_of_string(arena, STR("1d"));
    if (param->kind == GRAPH_PARAM_CRON) return json_of_string(arena, STR("0 9 * * 1-5"));
    if (param->kind == GRAPH_PARAM_CHOICE && param->words) {
        str words = str_of(param->words);
        return json_of_string(arena, str_slice(words, 0, str_find(words, STR("|"), 0)));
    }
    return NULL;
}

static void fill_in(struct fixing *fixing)
{
    str pointer = fixing->problem->pointer, field = fixing_last(pointer, fixing->arena);
    str config = fixing_parent(pointer), at = fixing_parent(config);
    const struct json *node = json_pointer(fixing->document, at);
    if (str_equal(field, STR("id"))) {
        str id = fixing_fresh_id(list_of(fixing->document, "nodes"), "node", fixing->arena);
        fixing_label(fixing, "Give it the id \"%.*s\"", STR_ARG(id));
        fixing_set_text(fixing, config, "id", id);
        return;
    }
    if (!str_ends(config, STR("/config")))
        node = json_pointer(fixing->document, config); /* A trigger of the list. */
    const struct graph_type *type = type_of(node);
    const struct graph_param *param = type ? graph_param_find(type, field) : NULL;
    const struct json *value = param ? obvious_value(node, param, fixing->arena) : NULL;
    if (!value) return;
    struct buf shown;
    buf_init(&shown, fixing->arena);
    json_print(value, &shown);
    fixing_label(fixing, "Fill in %s: %.*s", param->label, STR_ARG(buf_str(&shown)));
    if (!json_pointer(fixing->document, config)) fixing_add(fixing, config, json_empty_object());
    fixing_add(fixing, pointer, value);
}

static void give_name(struct fixing *fixing)
{
    fixing_label(fixing, "Call it \"New workflow\"");
    fixing_add(fixing, STR("/name"), json_of_string(fixing->arena, STR("New workflow")));
}

static void wait_a_day(struct fixing *fixing)
{
    str config = fixing->problem->pointer;
    if (!str_ends(config, STR("/config")) || json_get(json_pointer(fixing->document, config), STR("until")))
        return;
    fixing_label(fixing, "Wait 1 day");
    if (!json_pointer(fixing->document, config)) fixing_add(fixing, config, json_empty_object());
    fixing_set_text(fixing, config, "duration", STR("1d"));
}

static void list_secret(struct fixing *fixing)
{
    str hint = fixing->problem->hint, begins = STR("add ");
    const struct json *name;
    struct error err;
    size_t end = str_find(hint, STR(" to secretRefs"), 0);
    if (!str_starts(hint, begins) || end == SIZE_MAX ||
        json_parse(str_slice(hint, begins.n, end), NULL, fixing->arena, &name, &err) != ST_OK)
        return;
    fixing_label(fixing, "List the secret");
    if (!json_is(json_get(fixing->document, STR("secretRefs")), JSON_ARRAY))
        fixing_add(fixing, STR("/secretRefs"), json_empty_array());
    fixing_add(fixing, STR("/secretRefs/-"), name);
}

static void remove_member(struct fixing *fixing, const char *label)
{
    if (!json_pointer(fixing->document, fixing->problem->pointer)) return;
    fixing_label(fixing, "%s", label);
    fixing_remove(fixing, fixing->problem->pointer);
}

void graph_fix(struct fixing *fixing)
{
    str last = fixing_last(fixing->problem->pointer, fixing->arena);
    switch (fixing->problem->code) {
    case PROBLEM_NAME_REQUIRED: give_name(fixing); break;
    case PROBLEM_EDGE_UNKNOWN_NODE: redirect(fixing); break;
    case PROBLEM_EDGE_INTO_TRIGGER:
    case PROBLEM_EDGE_FROM_END:
    case PROBLEM_DUPLICATE_PORT_EDGE: remove_edge(fixing); break;
    case PROBLEM_GATEWAY_DEFAULT_REQUIRED: choose_default(fixing); break;
    case PROBLEM_CONDITION_REQUIRED: default_if_none(fixing); break;
    case PROBLEM_CONDITION_ON_DEFAULT:
    case PROBLEM_CONDITION_ON_PARALLEL:
    case PROBLEM_CONDITION_NOT_ALLOWED: drop_condition(fixing); break;
    case PROBLEM_GATEWAY_MULTIPLE_DEFAULTS: drop_default(fixing); break;
    case PROBLEM_UNKNOWN_PORT: rename_port(fixing); break;
    case PROBLEM_UNREACHABLE: connect(fixing); break;
    case PROBLEM_UNWIRED_PORT: lead_to_end(fixing); break;
    case PROBLEM_DECISION_NOT_WIRED: end_after_answer(fixing); break;
    case PROBLEM_NO_TRIGGER: add_trigger(fixing); break;
    case PROBLEM_DUPLICATE_NODE_ID: rename_node(fixing); break;
    case PROBLEM_REQUIRED: fill_in(fixing); break;
    case PROBLEM_INVALID_DURATION: wait_a_day(fixing); break;
    case PROBLEM_SECRET_NOT_DECLARED: list_secret(fixing); break;
    case PROBLEM_COMPENSATION_TARGET_NOT_FOUND: remove_member(fixing, "Undo nothing"); break;
    case PROBLEM_ERROR_HANDLER_NOT_FOUND: remove_member(fixing, "Handle errors nowhere"); break;
    case PROBLEM_SCOPE_VIOLATION:
        if (str_equal(last, STR("parent"))) remove_member(fixing, "Take it out of the loop");
        break;
    default: break;
    }
}
