/* dialect/graph/values.c — templates and conditions: where their names lead.
 *
 *     nodes.a.body         the data `nodes.a`, its member body
 *     triggers.t.payload   the data `triggers.t`
 *     vars, trigger, instance, and the item and index of the loops around: the data of that name
 *     __resume             the value that the token carries
 *     secrets.K            a secret, only in calls
 *     self, error          only in what undoes a node
 *     loop                 only where a loop asks whether to stop
 *     result               only where a call says what it keeps
 *     $.ID.…, $.NAME       the older format: the event of a trigger, the outputs of a node, or a variable
 *
 * A name that is none of these is null, with a warning; in an expression it is a variable.
 */
#include "dialect/graph/graph_int.h"

#include "base/array.h"
#include "base/must.h"
#include "schema/schema.h"

/* One value that is being compiled. */
struct roots_context {
    struct graph *graph;
    const struct graph_node *node;
    str pointer;
    unsigned sees;
    bool is_text; /* An expression: other names are variables. */
};

str graph_name_of_output(struct graph *graph, str id)
{
    return arena_printf(graph->arena, "nodes.%.*s", STR_ARG(id));
}

static str place_of(const struct roots_context *context, const struct template_path *path)
{
    return arena_printf(context->graph->scratch, "%.*s%.*s", STR_ARG(context->pointer),
                        STR_ARG(path->pointer));
}

/* ---- nodes and triggers ---- */

static void note_read(const struct roots_context *context, uint32_t target, const struct template_path *path)
{
    must(target < context->graph->node_count && context->node->index < context->graph->node_count);
    struct graph *graph = context->graph;
    array_reserve_in(graph->scratch, graph->read, graph->read_count, graph->read_cap);
    graph->read[graph->read_count++] = (struct graph_read){ .reader = context->node->index,
                                                            .target = target,
                                                            .pointer = place_of(context, path) };
}

static void unknown_node(const struct roots_context *context, const struct template_path *path)
{
    struct graph *graph = context->graph;
    bool trigger = str_equal(path->name[0], STR("triggers"));
    if (path->count < 2) {
        problem_error(graph_about(graph, &context->node->at), PROBLEM_TEMPLATE_UNKNOWN_NODE,
                      place_of(context, path), trigger ? "write triggers.ID" : "write nodes.ID.OUTPUT",
                      "%s: %s does not say which one", context->node->at.what,
                      problem_quote(graph->scratch, path->text));
        return;
    }
    struct nearest nearest;
    nearest_init(&nearest, path->name[1]);
    for (size_t i = 0; i < graph->node_count; i++) nearest_offer(&nearest, graph->node[i].id);
    problem_error(graph_about(graph, &context->node->at), PROBLEM_TEMPLATE_UNKNOWN_NODE,
                  place_of(context, path), nearest_hint(&nearest, graph->scratch),
                  "%s reads %s, and there is no %s %s", context->node->at.what,
                  problem_quote(graph->scratch, path->text), trigger ? "trigger" : "node",
                  problem_quote(graph->scratch, path->name[1]));
}

static void find_node(const struct roots_context *context, const struct template_path *path,
                      struct template_root *ret_root)
{
    must(path->count > 0);
    struct graph *graph = context->graph;
    bool trigger = str_equal(path->name[0], STR("triggers"));
    uint32_t target = path->count > 1 ? graph_find(graph, path->name[1]) : NODE_NONE;
    bool fits =
        target != NODE_NONE &&
        (!trigger || (graph->node[target].type && graph->node[target].type->kind == GRAPH_KIND_TRIGGER));
    *ret_root = (struct template_root){ .used = path->count > 1 ? 2 : 1 };
    if (!fits) {
        unknown_node(context, path);
        return;
    }
    if (!trigger) note_read(context, target, path);
    ret_root->name = arena_printf(graph->arena, "%.*s.%.*s", STR_ARG(path->name[0]), STR_ARG(path->name[1]));
}

/* ---- secrets ---- */

static bool is_declared(const struct graph *graph, str name)
{
    for (size_t i = 0; i < graph->secret_count; i++)
        if (str_equal(graph->secret[i], name)) return true;
    return false;
}

static void find_secret(const struct roots_context *context, const struct template_path *path,
                        struct template_root *ret_root)
{
    struct graph *graph = context->graph;
    const struct graph_node *node = context->node;
    *ret_root = (struct template_root){ .used = path->count > 1 ? 2 : 1 };
    if (!(context->sees & GRAPH_SEES_SECRETS)) {
        problem_error(graph_about(graph, &node->at), PROBLEM_NOT_ALLOWED_HERE, place_of(context, path),
                      "use the secret in the call that needs it",
                      "%s: a secret may only go into a call: elsewhere it would be stored", node->at.what);
    } else if (path->count < 2 || !is_declared(graph, path->name[1])) {
        str name = path->count < 2 ? path->text : path->name[1];
        problem_error(graph_about(graph, &node->at), PROBLEM_SECRET_NOT_DECLARED, place_of(context, path),
                      arena_printf(graph->scratch, "add %s to secretRefs of the workflow",
                                   problem_quote(graph->scratch, name))
                          .p,
                      "%s uses the secret %s, which the workflow does not list", node->at.what,
                      problem_quote(graph->scratch, name));
    } else {
        ret_root->name = arena_str(graph->arena, path->name[1]);
        ret_root->secret = true;
    }
}

/* ---- loops ---- */

static bool is_loop_name(const struct graph_node *loop, str name)
{
    if (loop->type && loop->type->id == GRAPH_FOR_LOOP) return str_equal(name, STR("index"));
    const struct json *item = graph_member(&loop->config, "itemVar"),
                      *index = graph_member(&loop->config, "indexVar");
    return str_equal(name, json_is(item, JSON_STRING) ? json_string(item) : STR("item")) ||
           str_equal(name, json_is(index, JSON_STRING) ? json_string(index) : STR("index"));
}

/* Is it the item or the index of a loop around the node? Its own, if it asks about its items. */
static bool is_item(const struct roots_context *context, str name)
{
    const struct graph *graph = context->graph;
    uint32_t loop = context->sees & GRAPH_SEES_LOOP ? context->node->index : context->node->parent;
    for (; loop != NODE_NONE; loop = graph->node[loop].parent)
        if (is_loop_name(&graph->node[loop], name)) return true;
    return false;
}

/* ---- what undoes a node ---- */

static void find_error(const struct roots_context *context, const struct template_path *path,
                       struct template_root *ret_root)
{
    (void)context;
    static const struct {
        str said, is;
    } members[] = { { STR_INIT("code"), STR_INIT("name") }, { STR_INIT("nodeId"), STR_INIT("node") } };
    *ret_root = (struct template_root){ .name = STR("error"), .used = 1 };
    for (size_t i = 0; path->count > 1 && i < COUNT(members); i++)
        if (str_equal(path->name[1], members[i].said))
            *ret_root = (struct template_root){ .name = STR("error"), .member = members[i].is, .used = 2 };
}

/* ---- the older format ---- */

/* Members of an event have other names there. */
static size_t older_member(const struct template_path *path, str *ret_member)
{
    must(path->count > 1);
    static const struct {
        str said, is;
    } members[] = { { STR_INIT("body"), STR_INIT("payload") },
                    { STR_INIT("input"), STR_INIT("payload") },
                    { STR_INIT("timestamp"), STR_INIT("triggered_at") },
                    { STR_INIT("iso"), STR_INIT("triggered_at") } };
    size_t at = 2;
    if (path->count > 3 && str_equal(path->name[at], STR("metadata"))) at++;
    if (path->count <= at) return 2;
    for (size_t i = 0; i < COUNT(members); i++)
        if (str_equal(path->name[at], members[i].said)) {
            *ret_member = members[i].is;
            return at + 1;
        }
    if (at > 2) *ret_member = path->name[at];
    return at > 2 ? at + 1 : 2;
}

/* `$.a`: what the trigger or the node of that id has brought, or the variable of that name. */
static void find_older(const struct roots_context *context, const struct template_path *path,
                       struct template_root *ret_root)
{
    must(path->count > 0);
    struct graph *graph = context->graph;
    if (path->count < 2) {
        *ret_root = (struct template_root){ .name = STR("vars"), .used = 1 };
        return;
    }
    uint32_t target = graph_find(graph, path->name[1]);
    if (target == NODE_NONE) {
        *ret_root = (struct template_root){ .name = STR("vars"),
                                            .member = arena_str(graph->arena, path->name[1]),
                                            .used = 2 };
        return;
    }
    bool trigger = graph->node[target].type && graph->node[target].type->kind == GRAPH_KIND_TRIGGER;
    *ret_root = (struct template_root){ .name = graph_name_of_output(graph, path->name[1]), .used = 2 };
    if (trigger) ret_root->used = older_member(path, &ret_root->member);
    else note_read(context, target, path);
}

/* ---- any name ---- */

static void unknown_name(const struct roots_context *context, const struct template_path *path,
                         struct template_root *ret_root)
{
    static const char *const known[] = { "nodes",    "vars",     "trigger", "triggers",
                                         "__resume", "instance", "secrets" };
    struct graph *graph = context->graph;
    if (context->is_text) { /* An expression's own names are variables. */
        *ret_root = (struct template_root){ .name = STR("vars"), .member = path->name[0], .used = 1 };
        return;
    }
    *ret_root = (struct template_root){ .used = 1 };
    struct nearest nearest;
    nearest_init(&nearest, path->name[0]);
    for (size_t i = 0; i < COUNT(known); i++) nearest_offer(&nearest, str_of(known[i]));
    bool item = str_equal(path->name[0], STR("item")) || str_equal(path->name[0], STR("index"));
    problem_warning(graph_about(graph, &context->node->at), PROBLEM_UNKNOWN_VARIABLE, place_of(context, path),
                    item ? NULL : nearest_hint(&nearest, graph->scratch),
                    item ? "%s reads %s, and is not inside a For each: it is empty"
                         : "%s reads %s, which does not exist: it is empty",
                    context->node->at.what, problem_quote(graph->scratch, path->text));
}

/* A member that `loop` does not have would be null for ever. */
static void check_loop(const struct roots_context *context, const struct template_path *path)
{
    static const char *const known[] = {
        "index", "item", "result", "count", "succeeded", "failed", "results"
    };
    struct graph *graph = context->graph;
    if (path->count < 2) return;
    struct nearest nearest;
    nearest_init(&nearest, path->name[1]);
    for (size_t i = 0; i < COUNT(known); i++) {
        if (str_equal(path->name[1], str_of(known[i]))) return;
        nearest_offer(&nearest, str_of(known[i]));
    }
    problem_warning(graph_about(graph, &context->node->at), PROBLEM_UNKNOWN_VARIABLE, place_of(context, path),
                    nearest_hint(&nearest, graph->scratch), "%s reads %s, which does not exist: it is empty",
                    context->node->at.what, problem_quote(graph->scratch, path->text));
}

/* The call brings exactly the outputs of its type. */
static void check_result(const struct roots_context *context, const struct template_path *path)
{
    const struct graph_type *type = context->node->type;
    struct graph *graph = context->graph;
    if (path->count < 2) return;
    struct nearest nearest;
    nearest_init(&nearest, path->name[1]);
    for (size_t i = 0; i < type->output_count; i++) {
        if (str_equal(path->name[1], type->output[i].name)) return;
        nearest_offer(&nearest, type->output[i].name);
    }
    problem_warning(graph_about(graph, &context->node->at), PROBLEM_UNKNOWN_VARIABLE, place_of(context, path),
                    nearest_hint(&nearest, graph->scratch), "%s reads %s, which does not exist: it is empty",
                    context->node->at.what, problem_quote(graph->scratch, path->text));
}

static enum status find_root(void *user, const struct template_path *path, struct template_root *ret_root,
                             struct error *err)
{
    must(path->count > 0);
    (void)err;
    const struct roots_context *context = user;
    str name = path->name[0];
    static const char *const plain[] = { "vars", "trigger", "instance" };
    *ret_root = (struct template_root){ .name = arena_str(context->graph->arena, name), .used = 1 };
    for (size_t i = 0; i < COUNT(plain); i++)
        if (str_equal(name, str_of(plain[i]))) return ST_OK;
    if ((context->sees & GRAPH_SEES_RESULT) && str_equal(name, STR("result"))) {
        check_result(context, path);
        return ST_OK;
    }
    if (is_item(context, name)) return ST_OK;
    bool undo = context->sees & GRAPH_SEES_UNDO;
    if (str_equal(name, STR("$"))) find_older(context, path, ret_root);
    else if (str_equal(name, STR("nodes")) || str_equal(name, STR("triggers")))
        find_node(context, path, ret_root);
    else if (str_equal(name, STR("__resume")))
        *ret_root = (struct template_root){ .name = STR("carried"), .member = STR("resume"), .used = 1 };
    else if (str_equal(name, STR("secrets"))) find_secret(context, path, ret_root);
    else if (str_equal(name, STR("loop")) && (context->sees & GRAPH_SEES_LOOP)) check_loop(context, path);
    else if (str_equal(name, STR("self")) && undo) return ST_OK;
    else if (str_equal(name, STR("error")) && undo) find_error(context, path, ret_root);
    else unknown_name(context, path, ret_root);
    return ST_OK;
}

/* ---- escaping ---- */

static enum template_kind kind_of(void *user, str pointer)
{
    const struct roots_context *context = user;
    return graph_text_kind(context->node, pointer);
}

static void take_notice(void *user, enum template_notice notice, enum template_kind kind,
                        const struct template_path *path)
{
    const struct roots_context *context = user;
    graph_warn_of_value(context->graph, context->node, place_of(context, path), notice, kind, path);
}

/* ---- compiling ---- */

static void report(struct graph *graph, const struct graph_node *node, enum problem_code code, str pointer,
                   const struct error *err)
{
    str where = arena_printf(graph->scratch, "%.*s%s", STR_ARG(pointer), err->where);
    problem_error(graph_about(graph, &node->at), err->status == ST_LIMIT ? PROBLEM_TOO_LARGE : code, where,
                  NULL, "%s: %s", node->at.what, err->message);
}

struct expr_tree *graph_value(struct graph *graph, const struct graph_node *node, const struct json *value,
                              str pointer, unsigned sees)
{
    struct roots_context context = { .graph = graph, .node = node, .pointer = pointer, .sees = sees };
    bool is_call = sees & GRAPH_SEES_SECRETS;
    const struct template_roots roots = { .find = find_root,
                                          .context = &context,
                                          .kind = is_call ? kind_of : NULL,
                                          .notice = take_notice,
                                          .secrets_member =
                                              is_call ? STR(PERFORMER_SECRETS_MEMBER) : STR_NONE };
    struct expr_tree *tree;
    struct error err = { 0 };
    if (template_tree(value, &roots, graph->arena, &tree, &err) == ST_OK) return tree;
    report(graph, node, PROBLEM_TEMPLATE_SYNTAX, pointer, &err);
    return tree_literal(json_null(), graph->arena);
}

const struct expr *graph_expr(struct graph *graph, const struct graph_node *node, const struct json *value,
                              str pointer, unsigned sees)
{
    return expr_of_tree(graph_value(graph, node, value, pointer, sees), graph->arena);
}

const struct expr *graph_condition(struct graph *graph, const struct graph_node *node,
                                   const struct json *condition, str pointer, bool strict, unsigned sees)
{
    struct roots_context context = { .graph = graph,
                                     .node = node,
                                     .pointer = pointer,
                                     .sees = sees,
                                     .is_text = json_is(condition, JSON_STRING) };
    const struct template_roots roots = { .find = find_root, .context = &context };
    const struct expr *expr;
    struct error err = { 0 };
    graph_check_condition(graph, &node->at, condition, pointer);
    /* A condition that is one placeholder is what people write for a yes or no. */
    if (graph_is_template(condition)) return graph_expr(graph, node, condition, pointer, sees);
    if (expr_structured(condition, strict, &roots, graph->arena, &expr, &err) == ST_OK) return expr;
    bool in_template = str_find(str_of(err.where), STR("/left"), 0) != SIZE_MAX ||
                       str_find(str_of(err.where), STR("/right"), 0) != SIZE_MAX;
    report(graph, node, in_template ? PROBLEM_TEMPLATE_SYNTAX : PROBLEM_BAD_CONDITION, pointer, &err);
    return NULL;
}

const struct expr *graph_rule(struct graph *graph, const struct graph_node *node,
                              const struct json *condition, str pointer, bool strict)
{
    struct roots_context context = {
        .graph = graph, .node = node, .pointer = pointer, .is_text = json_is(condition, JSON_STRING)
    };
    const struct template_roots roots = { .find = find_root, .context = &context, .needs_values = true };
    const struct expr *expr = NULL;
    struct error err = { 0 };
    graph_check_condition(graph, &node->at, condition, pointer);
    if (graph_is_template(condition)) expr = graph_expr(graph, node, condition, pointer, GRAPH_SEES_DATA);
    else if (expr_structured(condition, true, &roots, graph->arena, &expr, &err) != ST_OK) {
        report(graph, node, PROBLEM_BAD_CONDITION, pointer, &err);
        return NULL;
    }
    return strict ? expr : expr_of_tree(tree_nested(expr, NESTED_OR_FALSE, graph->arena), graph->arena);
}

struct expr_tree *graph_older_value(struct graph *graph, const struct graph_node *node,
                                    const struct json *value, str pointer, bool is_text)
{
    str text = json_is(value, JSON_STRING) ? str_trim(json_string(value)) : STR_NONE;
    bool expression = str_starts(text, STR("$.")) || str_starts(text, STR("$[")) || is_text;
    if (!text.n || !expression || graph_is_template(value))
        return graph_value(graph, node, value, pointer, GRAPH_SEES_DATA);
    struct roots_context context = { .graph = graph, .node = node, .pointer = pointer, .is_text = true };
    const struct template_roots roots = { .find = find_root, .context = &context };
    const struct expr *expr;
    struct error err = { 0 };
    if (expr_rooting_compile(text, &roots, graph->arena, &expr, &err) == ST_OK)
        return tree_nested(expr, NESTED_VALUE, graph->arena);
    report(graph, node, PROBLEM_BAD_EXPRESSION, pointer, &err);
    return tree_literal(json_null(), graph->arena);
}

struct expr_tree *graph_error_value(struct graph *graph)
{
    static const str names[] = { STR_INIT("code"), STR_INIT("message"), STR_INIT("nodeId") };
    struct arena *arena = graph->arena;
    struct expr_tree *error = tree_variable(STR("error"), arena);
    struct expr_tree *values[] = { tree_member(error, STR("name"), arena),
                                   tree_member(error, STR("message"), arena),
                                   tree_member(error, STR("node"), arena) };
    return tree_map(names, values, COUNT(names), arena);
}

const struct expr *graph_own_expr(struct graph *graph, const char *text)
{
    const struct expr *expr;
    struct error err;
    must(expr_compile(str_of(text), graph->arena, &expr, &err) == ST_OK);
    return expr;
}

const struct schema *graph_schema(struct graph *graph, const struct graph_place *at, const char *name)
{
    const struct json *document = graph_member(at, name);
    const struct schema *schema;
    struct error err = { 0 };
    if (!document) return NULL;
    if (schema_compile(document, graph->arena, &schema, &err) == ST_OK) return schema;
    problem_error(graph_about(graph, at), PROBLEM_BAD_SCHEMA,
                  arena_printf(graph->scratch, "%.*s/%s%s", STR_ARG(at->pointer), name, err.where), NULL,
                  "%s%s%s is no JSON Schema: %s", at->what, at->what[0] ? ": " : "", name, err.message);
    return NULL;
}
