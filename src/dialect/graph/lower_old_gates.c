/* dialect/graph/lower_old_gates.c — gates of the older format: their conditions are in the config, and each
 * rule or case has a label, which is a port.
 *
 *     LogicGate    CHOOSE (Exclusive) or a FORK that chooses (Parallel), an edge for each rule
 *     SwitchGate   CHOOSE, an edge for each case
 *     FanInGate    JOIN
 */
#include "dialect/graph/graph_int.h"

#include "base/must.h"
#include "base/regex.h"

/* ---- lists of rules and cases ---- */

/* One entry of the list. */
struct gate_entry {
    struct graph_place at;
    str label;
};

static void bad_entry(struct graph *graph, const struct graph_node *node, enum problem_code code, str pointer,
                      const char *message)
{
    problem_error(graph_about(graph, &node->at), code, pointer, NULL, "%s: %s", node->at.what, message);
}

/* Two entries may have one label: either leads there. Where all that hold are taken, they may not. */
static bool is_taken(const struct gate_entry *entry, size_t count, str label)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(entry[i].label, label)) return true;
    return false;
}

static bool read_entry(struct graph *graph, const struct graph_node *node, const struct json *value,
                       str pointer, struct gate_entry *ret_entry)
{
    if (!json_is(value, JSON_OBJECT)) {
        bad_entry(graph, node, PROBLEM_WRONG_TYPE, pointer, "a rule or case is an object with a label");
        return false;
    }
    ret_entry->at =
        (struct graph_place){ .object = value, .pointer = pointer, .what = node->at.what, .node = node->id };
    ret_entry->label = graph_text(graph, &ret_entry->at, "label");
    if (!ret_entry->label.n)
        bad_entry(graph, node, PROBLEM_REQUIRED, pointer, "a rule or case needs a label, which is its port");
    else if (graph_port_is(node->type, ret_entry->label))
        bad_entry(graph, node, PROBLEM_BAD_VALUE, pointer,
                  "\"default\" and \"onError\" are ports already: give the rule or case another label");
    else return true;
    return false;
}

static const char *const rule_fields[] = { "condition", "label", NULL };
static const char *const case_fields[] = { "value", "label", NULL };

static size_t read_entries(struct graph *graph, const struct graph_node *node, const char *name, bool unique,
                           struct gate_entry **ret_entry)
{
    bool rules = node->type->id == GRAPH_LOGIC_GATE;
    const struct json *list = graph_list(graph, &node->config, name);
    size_t given = json_count(list), count = 0;
    str pointer = graph_pointer(graph, &node->config, name);
    *ret_entry = arena_make_n(graph->scratch, struct gate_entry, given < GRAPH_RULES_MAX ? given : 0);
    if (given > GRAPH_RULES_MAX) {
        problem_error(graph_about(graph, &node->at), PROBLEM_TOO_LARGE, pointer, NULL,
                      "%s: %zu %s; the most is %d", node->at.what, given, name, GRAPH_RULES_MAX);
        return 0;
    }
    *ret_entry = arena_make_n(graph->scratch, struct gate_entry, given);
    for (size_t i = 0; i < given; i++) {
        struct gate_entry entry;
        str at = problem_pointer_index(graph->arena, pointer, i);
        if (!read_entry(graph, node, json_item(list, i), at, &entry)) continue;
        graph_only(graph, &entry.at, rules ? rule_fields : case_fields);
        if (unique && is_taken(*ret_entry, count, entry.label))
            bad_entry(graph, node, PROBLEM_DUPLICATE_NAME, at,
                      "two rules have this label, and both may hold: write one rule for it");
        else (*ret_entry)[count++] = entry;
    }
    must(count <= given);
    return count;
}

/* ---- ways ---- */

struct gate_ways {
    struct program_edge *edge;
    size_t count;
};

static struct gate_ways begin_ways(struct graph *graph, size_t count)
{
    return (struct gate_ways){ .edge = arena_make_n(graph->arena, struct program_edge, count + 1) };
}

static void add_way(struct graph *graph, const struct graph_node *node, struct gate_ways *ways, str port,
                    const struct expr *when)
{
    struct program_edge *edge = &ways->edge[ways->count++];
    *edge = graph_port_way(graph, node, port);
    edge->when = when;
    if (!edge->label.n) edge->label = arena_str(graph->arena, port);
}

/* The last way is that of no other, and errors go to their port. */
static void end_ways(struct graph *graph, const struct graph_node *node, struct gate_ways *ways)
{
    must(!graph_lowered(graph, node)->edge_count);
    struct program_node *lowered = graph_lowered(graph, node);
    add_way(graph, node, ways, STR("default"), NULL);
    ways->edge[ways->count - 1].otherwise = true;
    lowered->edge = ways->edge;
    lowered->edge_count = ways->count;
    graph_set_error_port(graph, node, lowered);
}

/* ---- rules ---- */

void graph_lower_logic_gate(struct graph *graph, const struct graph_node *node)
{
    struct program_node *lowered = graph_lowered(graph, node);
    bool all = graph_word(graph, &node->config, "logicMode", "Exclusive|Parallel", PROBLEM_BAD_VALUE, 0) == 1;
    bool strict = graph_flag(graph, &node->config, "strictMode", true);
    struct gate_entry *rule;
    size_t count = read_entries(graph, node, "rules", all, &rule);
    struct gate_ways ways = begin_ways(graph, count);
    for (size_t i = 0; i < count; i++) {
        const struct json *condition = graph_member(&rule[i].at, "condition");
        str pointer = graph_pointer(graph, &rule[i].at, "condition");
        if (!condition) bad_entry(graph, node, PROBLEM_REQUIRED, pointer, "a rule needs a condition");
        else add_way(graph, node, &ways, rule[i].label, graph_rule(graph, node, condition, pointer, strict));
    }
    lowered->kind = all ? NODE_FORK : NODE_CHOOSE;
    if (all) {
        lowered->as.fork.join = NODE_NONE;
        lowered->as.fork.chooses = true;
    }
    end_ways(graph, node, &ways);
}

/* ---- cases ---- */

/* "0-100", "-5--1", "10-" (no upper bound), "-" is none. The numbers are in *ret_…; NULL: no bound. */
static bool read_range_text(str text, struct arena *arena, const struct json **ret_least,
                            const struct json **ret_most)
{
    text = str_trim(text);
    size_t dash = str_find(text, STR("-"), 1); /* One at the beginning is a sign. */
    if (dash == SIZE_MAX) {
        *ret_least = *ret_most = json_number_parse(text, arena);
        return *ret_least != NULL;
    }
    str low = str_trim(str_slice(text, 0, dash)), high = str_trim(str_slice(text, dash + 1, text.n));
    *ret_least = low.n ? json_number_parse(low, arena) : NULL;
    *ret_most = high.n ? json_number_parse(high, arena) : NULL;
    return *ret_least && (*ret_most || !high.n);
}

static bool read_bound(const struct json *value, const struct json **ret_bound)
{
    *ret_bound = json_is(value, JSON_NUMBER) ? value : NULL;
    return !value || json_is(value, JSON_NULL) || *ret_bound;
}

/* A text, a number, [least, most] or {min, max}. */
static bool read_range(const struct json *value, struct arena *arena, const struct json **ret_least,
                       const struct json **ret_most)
{
    *ret_least = *ret_most = NULL;
    switch (json_kind(value)) {
    case JSON_NUMBER: *ret_least = *ret_most = value; return true;
    case JSON_STRING: return read_range_text(json_string(value), arena, ret_least, ret_most);
    case JSON_ARRAY:
        return json_count(value) == 2 && read_bound(json_item(value, 0), ret_least) &&
               read_bound(json_item(value, 1), ret_most) && (*ret_least || *ret_most);
    case JSON_OBJECT:
        return read_bound(json_get(value, STR("min")), ret_least) &&
               read_bound(json_get(value, STR("max")), ret_most) && (*ret_least || *ret_most);
    default: return false;
    }
}

static struct expr_tree *lower_range_case(struct graph *graph, const struct graph_node *node,
                                          const struct gate_entry *entry, const struct json *value,
                                          struct expr_tree *asked)
{
    const struct json *least, *most;
    if (read_range(value, graph->arena, &least, &most) &&
        (!least || !most || json_number_compare(least, most) <= 0))
        return tree_between(asked, least, most, graph->arena);
    problem_error(graph_about(graph, &node->at), PROBLEM_BAD_VALUE, graph_pointer(graph, &entry->at, "value"),
                  "write \"0-100\", \"100-\" or {\"min\": 0}", "%s: %s is no range of numbers", node->at.what,
                  graph_shown(graph, value));
    return NULL;
}

static struct expr_tree *lower_pattern_case(struct graph *graph, const struct graph_node *node,
                                            const struct gate_entry *entry, const struct json *value,
                                            struct expr_tree *asked)
{
    char why[REGEX_MESSAGE_BYTES] = "";
    str pattern = json_is(value, JSON_STRING) ? json_string(value) : STR_NONE;
    if (pattern.n && regex_compile(pattern, 0, graph->scratch, why))
        return tree_matches(tree_text(&asked, 1, graph->arena), pattern, graph->arena);
    problem_error(graph_about(graph, &node->at), PROBLEM_BAD_VALUE, graph_pointer(graph, &entry->at, "value"),
                  NULL, "%s: %s is no regular expression%s%s", node->at.what, graph_shown(graph, value),
                  why[0] ? ": " : "", why);
    return NULL;
}

static struct expr_tree *lower_case(struct graph *graph, const struct graph_node *node, size_t mode,
                                    const struct gate_entry *entry, struct expr_tree *asked)
{
    enum { EXACT, REGEX, NUMERIC_RANGE };
    const struct json *value = graph_member(&entry->at, "value");
    if (!value) {
        bad_entry(graph, node, PROBLEM_REQUIRED, graph_pointer(graph, &entry->at, "value"),
                  "a case needs a value");
        return NULL;
    }
    switch (mode) {
    case REGEX: return lower_pattern_case(graph, node, entry, value, asked);
    case NUMERIC_RANGE: return lower_range_case(graph, node, entry, value, asked);
    default: return tree_equal(asked, tree_literal(value, graph->arena), graph->arena);
    }
}

void graph_lower_switch_gate(struct graph *graph, const struct graph_node *node)
{
    const struct json *expression = graph_member(&node->config, "expression");
    str pointer = graph_pointer(graph, &node->config, "expression");
    size_t mode =
        graph_word(graph, &node->config, "matchMode", "Exact|Regex|NumericRange", PROBLEM_BAD_VALUE, 0);
    struct gate_entry *entry;
    size_t count = read_entries(graph, node, "cases", false, &entry);
    struct gate_ways ways = begin_ways(graph, count);
    str shown = json_is(expression, JSON_STRING) ? json_string(expression) : STR("expression");
    struct expr_tree *asked =
        tree_needed(graph_older_value(graph, node, expression ? expression : json_null(), pointer, true),
                    shown, graph->arena);
    for (size_t i = 0; i < count; i++) {
        struct expr_tree *when = lower_case(graph, node, mode, &entry[i], asked);
        if (when) add_way(graph, node, &ways, entry[i].label, expr_of_tree(when, graph->arena));
    }
    graph_lowered(graph, node)->kind = NODE_CHOOSE;
    end_ways(graph, node, &ways);
}

/* ---- branches that meet ---- */

/* How many branches the gate waits for. A loop that feeds it is one, whose iterations are counted by the
 * loop itself. */
struct fan_in {
    enum { FAN_IN_ALL, FAN_IN_ANY, FAN_IN_QUORUM } mode;
    uint32_t count;
    uint32_t loop; /* NODE_NONE: no loop feeds it. */
};

/* The loop whose iterations meet at the gate. */
static uint32_t feeding_loop(const struct graph *graph, const struct graph_node *node)
{
    for (size_t i = 0; i < node->in_count; i++) {
        const struct graph_node *from = &graph->node[graph->edge[node->in[i]].from];
        bool loop = from->type && from->type->id == GRAPH_FOR_LOOP;
        for (size_t k = 0; loop && k < graph->node_count; k++)
            if (graph->node[k].parent == from->index && graph->node[k].feeds) return from->index;
    }
    return NODE_NONE;
}

static void check_count(struct graph *graph, const struct graph_node *node, const struct fan_in *gate)
{
    must(gate->loop == NODE_NONE || gate->loop < graph->node_count);
    str pointer = graph_pointer(graph, &node->config, "expectedCount");
    uint32_t most = node->arrivals > 1 ? node->arrivals : 1;
    if (gate->loop != NODE_NONE) {
        uint32_t iterations = graph_range_count(&graph->node[gate->loop]);
        if (gate->mode != FAN_IN_ALL || (gate->count && gate->count != iterations))
            problem_error(graph_about(graph, &node->at), PROBLEM_UNSUPPORTED, pointer,
                          "let it wait for all iterations: mode All, expectedCount auto",
                          "%s: the engine cannot wait for some iterations of a loop only", node->at.what);
    } else if (gate->count > most) {
        problem_error(graph_about(graph, &node->at), PROBLEM_BAD_VALUE, pointer, NULL,
                      "%s waits for %u of its ways in, and has %u", node->at.what, gate->count, most);
    }
}

static struct fan_in read_fan_in(struct graph *graph, const struct graph_node *node)
{
    const struct json *given = graph_member(&node->config, "expectedCount");
    bool automatic =
        !given || (json_is(given, JSON_STRING) && str_equal_ignoring_case(json_string(given), STR("auto")));
    struct fan_in gate = {
        .mode = graph_word(graph, &node->config, "mode", "All|Any|Quorum", PROBLEM_BAD_VALUE, FAN_IN_ALL),
        .count = automatic
                     ? 0
                     : (uint32_t)graph_integer(graph, &node->config, "expectedCount", 1, GRAPH_ITEMS_MAX, 1),
        .loop = feeding_loop(graph, node),
    };
    if (gate.mode == FAN_IN_QUORUM && automatic)
        problem_error(graph_about(graph, &node->at), PROBLEM_REQUIRED,
                      graph_pointer(graph, &node->config, "expectedCount"), NULL,
                      "%s waits for a quorum and does not say how many", node->at.what);
    check_count(graph, node, &gate);
    if (gate.loop != NODE_NONE) gate.count = 0;
    if (gate.mode == FAN_IN_ANY) gate.count = 1;
    return gate;
}

/* {"iteration": nil, "nodeId": "a", "data": nodes["a"]} */
static void add_branch(struct graph *graph, uint32_t from, struct buf *out)
{
    buf_add_str(out, STR("{\"iteration\": nil, \"nodeId\": "));
    json_print_string(graph->node[from].id, out);
    buf_add_str(out, STR(", \"data\": nodes["));
    json_print_string(graph->node[from].id, out);
    buf_add_str(out, STR("]}"));
}

/* The same for each iteration of the loop, as a list. */
static void add_iterations(struct graph *graph, uint32_t loop, struct buf *out)
{
    uint32_t last = 0;
    while (graph->node[last].parent != loop || !graph->node[last].feeds) last++;
    buf_add_str(out, STR("map((nodes["));
    json_print_string(graph->node[loop].id, out);
    buf_add_str(out, STR("].results) ?? [], {\"iteration\": #index, \"nodeId\": "));
    json_print_string(graph->node[last].id, out);
    buf_add_str(out, STR(", \"data\": #})"));
}

/* Adds the values that came by each edge, as one list. */
static void add_found(struct graph *graph, const struct graph_node *node, uint32_t loop, struct buf *out)
{
    size_t count = 0;
    buf_add_str(out, loop == NODE_NONE ? STR("[") : STR("concat(["));
    for (size_t i = 0; i < node->in_count; i++) {
        uint32_t from = graph->edge[node->in[i]].from;
        if (from == loop) continue;
        if (count++) buf_add_str(out, STR(", "));
        add_branch(graph, from, out);
    }
    buf_add_char(out, ']');
    if (loop == NODE_NONE) return;
    buf_add_str(out, STR(", "));
    add_iterations(graph, loop, out);
    buf_add_char(out, ')');
}

/* {summary, results}. `arrived` 0: as many as have given something. */
static void set_results(struct graph *graph, const struct graph_node *node, struct program_node *lowered,
                        const struct fan_in *gate, uint32_t arrived, const char *status)
{
    bool collects = graph_flag(graph, &node->config, "collectResults", true);
    bool all = arrived && (node->arrivals < 2 || arrived == node->arrivals);
    bool counted = arrived && gate->loop == NODE_NONE;
    struct buf text;
    buf_init(&text, graph->scratch);
    if (collects || !counted) {
        buf_add_str(&text, STR("let found = "));
        add_found(graph, node, gate->loop, &text);
        buf_printf(&text, "; let given = %s; ", all ? "found" : "filter(found, #.data != nil)");
    }
    buf_add_str(&text, STR("{\"summary\": {\"totalArrived\": "));
    if (counted) buf_printf(&text, "%u", arrived);
    else buf_add_str(&text, STR("len(given)"));
    buf_printf(&text, ", \"status\": \"%s\"}, \"results\": %s}", status, collects ? "given" : "[]");
    if (text.n > EXPRESSION_BYTES_MAX) {
        problem_error(graph_about(graph, &node->at), PROBLEM_TOO_LARGE, node->at.pointer,
                      "set collectResults to false and waitTimeoutMs to 0, or let fewer branches meet",
                      "%s collects the results of too many branches", node->at.what);
        return;
    }
    const struct json *expression = json_of_string(graph->arena, buf_str(&text));
    graph_set_output(graph, node, lowered,
                     graph_older_value(graph, node, expression, node->at.pointer, true));
}

/* They do not come in time: an inner node tells so, and leads to the port. */
static void set_timeout(struct graph *graph, const struct graph_node *node, const struct fan_in *gate)
{
    struct program_node *lowered = graph_lowered(graph, node);
    int64_t wait_ms = graph_integer(graph, &node->config, "waitTimeoutMs", 0, DURATION_SECONDS_MAX * 1000, 0);
    if (!wait_ms || node->arrivals < 2) return;
    uint32_t late = graph_add_inner(graph, node, "/timeout", NODE_CHOOSE);
    const struct program_edge way = graph_port_way(graph, node, STR("onTimeout"));
    graph_set_edges(graph, &graph->lowered[late], &way, 1);
    set_results(graph, node, &graph->lowered[late], gate, 0, "Timeout");
    struct program_timer *timer = arena_make(graph->arena, struct program_timer);
    *timer = (struct program_timer){
        .delay_ms = wait_ms, .does = TIMER_GO_TO, .interrupting = true, .target = late
    };
    lowered->timer = timer;
    lowered->timer_count = 1;
}

void graph_lower_fan_in(struct graph *graph, const struct graph_node *node)
{
    struct program_node *lowered = graph_lowered(graph, node);
    const struct fan_in gate = read_fan_in(graph, node);
    uint32_t wanted = gate.count ? gate.count : node->arrivals > 1 ? node->arrivals : 1;
    const struct program_edge way = graph_port_way(graph, node, STR("onComplete"));
    lowered->kind = NODE_CHOOSE;
    if (node->arrivals > 1) {
        lowered->kind = NODE_JOIN;
        lowered->as.join.mode = wanted == node->arrivals ? JOIN_ALL : JOIN_COUNT;
        lowered->as.join.count = wanted;
        lowered->as.join.arrivals = node->arrivals;
    }
    graph_set_edges(graph, lowered, &way, 1);
    set_results(graph, node, lowered, &gate, wanted, "Complete");
    set_timeout(graph, node, &gate);
}
