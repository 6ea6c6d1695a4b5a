/* dialect/serverless/lower_actions.c — actions: one, in sequence, or all at once.
 *
 *     A = filter(inputPath, D)      request = parameters over A, or A itself
 *     O = filter(outputPath, resultPath ? place(M, resultPath, result) : result)
 *
 * In sequence M collects the outputs of the actions, and D is the input of the next action; both are S
 * for the first. `combine` gives its second argument unless both are objects. So D, and the value of a
 * state without resultPath, is combine(M, O) whatever O is.
 */
#include "dialect/serverless/lower_int.h"

#include "base/must.h"

static str name_of(const struct action *action)
{
    return action->name.n ? action->name : action->function->name;
}

/* The name of the node and region of an action: with its number, if another one of the list
 * has the same name. */
static str label_of(const struct actions *actions, size_t index, struct arena *arena)
{
    must(index < actions->count);
    str name = name_of(&actions->action[index]);
    for (size_t i = 0; i < actions->count; i++)
        if (i != index && str_equal(name_of(&actions->action[i]), name))
            return arena_printf(arena, "%.*s#%zu", STR_ARG(name), index + 1);
    return name;
}

/* ---- what is sent ---- */

static bool is_path(str text)
{
    return str_equal(text, STR("$")) || str_starts(text, STR("$.")) || str_starts(text, STR("$["));
}

static struct expr_tree *lower_text_parameter(struct lowering *lowering, const struct json *value,
                                              str pointer, struct expr_tree *data)
{
    struct arena *arena = lowering->arena;
    str text = json_string(value);
    if (str_starts(text, STR("$$")))
        return tree_literal(json_of_string(arena, str_slice(text, 1, text.n)), arena);
    const struct jsonpath *path = NULL;
    struct error err = { 0 };
    if (jsonpath_compile(text, JSONPATH_LENIENT, arena, &path, &err) == ST_OK)
        return tree_path(PATH_PICK, path, data, arena);
    problem_error(lowering->problems, PROBLEM_BAD_EXPRESSION, pointer,
                  "a text that begins with $ is written $$", "%s: %s", problem_quote(arena, text),
                  err.message);
    return tree_literal(json_null(), arena);
}

/* Is the value constant: does nothing in it have to be looked up or unescaped? */
static bool is_constant(const struct json *value)
{
    if (json_is(value, JSON_STRING))
        return !is_path(json_string(value)) && !str_starts(json_string(value), STR("$$"));
    struct json_each each = json_each(value);
    while (json_next(&each))
        if (!is_constant(each.value)) return false;
    return true;
}

/* Counts the members and items of the parts that are not constant. */
static size_t parameter_count(const struct json *value)
{
    size_t count = 1;
    struct json_each each = json_each(value);
    while (!is_constant(value) && json_next(&each)) count += parameter_count(each.value);
    return count;
}

/* As deep as JSON may be. */
static struct expr_tree *lower_parameters(struct lowering *lowering, const struct json *value, str pointer,
                                          struct expr_tree *data)
{
    struct arena *arena = lowering->arena;
    if (is_constant(value)) return tree_literal(value, arena);
    if (json_is(value, JSON_STRING)) return lower_text_parameter(lowering, value, pointer, data);
    size_t count = json_count(value), i = 0;
    struct expr_tree **part = arena_make_n(arena, struct expr_tree *, count);
    str *name = arena_make_n(arena, str, count);
    struct json_each each = json_each(value);
    for (; json_next(&each); i++) {
        name[i] = arena_str(arena, each.name);
        part[i] = lower_parameters(lowering, each.value, pointer, data);
    }
    return json_is(value, JSON_ARRAY) ? tree_list(part, count, arena) : tree_map(name, part, count, arena);
}

static struct expr_tree *lower_request(const struct state_body *body, const struct action *action,
                                       struct expr_tree *data)
{
    struct lowering *lowering = body->lowering;
    data = lower_filtered(lowering, action->filter.input, action->filter.input_text, data);
    if (!action->parameters) return data;
    size_t count = parameter_count(action->parameters);
    if (count <= PARAMETERS_MAX) return lower_parameters(lowering, action->parameters, action->pointer, data);
    problem_error(lowering->problems, PROBLEM_TOO_LARGE, action->pointer, "send a whole object by one path",
                  "at most %d parameters in one action, got %zu", PARAMETERS_MAX, count);
    return data;
}

/* O, of what came back as `result`. */
static struct expr_tree *lower_response(const struct state_body *body, const struct action *action,
                                        struct expr_tree *merged)
{
    struct lowering *lowering = body->lowering;
    const struct filter *filter = &action->filter;
    struct expr_tree *value = tree_variable(STR("result"), lowering->arena);
    /* A sent event has no answer, so nothing is merged; null must not become the data. */
    if (action->function->performer == PERFORM_EMIT)
        value = tree_literal(json_empty_object(), lowering->arena);
    if (filter->result) value = tree_place(merged, filter->result, value, lowering->arena);
    return lower_filtered(lowering, filter->output, filter->output_text, value);
}

/* ---- retries ---- */

/* `$` is the result or, after a failure, the error under both its names. */
static const struct expr *lower_retry_condition(struct lowering *lowering,
                                                const struct condition_text *condition)
{
    struct arena *arena = lowering->arena;
    struct expr_tree *error = tree_variable(STR("error"), arena);
    struct expr_tree *went_well = tree_equal(error, tree_literal(json_null(), arena), arena);
    const struct condition_names names = {
        .root = tree_if(went_well, tree_variable(STR("result"), arena), lower_error_members(lowering), arena),
    };
    return lower_expr(lowering, lower_condition(lowering, condition, &names));
}

static struct program_delay delay_of(int64_t interval_ms)
{
    return (struct program_delay){ .first_ms = interval_ms, .factor = 1, .max_ms = interval_ms };
}

/* `value` is the value of the state if this action is the last. */
static struct program_retry lower_retry(const struct state_body *body, const struct retry *retry,
                                        struct expr_tree *value)
{
    struct lowering *lowering = body->lowering;
    struct arena *arena = lowering->arena;
    struct program_retry rule = {
        .when = lower_retry_condition(lowering, &retry->condition),
        .unlimited = retry->unlimited,
        .count = retry->count,
        .delay = delay_of(retry->interval_ms),
        .exit = { .target = NODE_NONE },
    };
    if (!retry->exit.state) return rule;
    struct expr_tree *error = tree_variable(STR("error"), arena);
    rule.exit = lower_way(lowering, &retry->exit);
    rule.exit_levels = body->levels;
    rule.exit_error = lower_expr(lowering, tree_place(body->whole, lowering->exception, error, arena));
    rule.exit_result = lower_expr(lowering, lower_left_with(body, value));
    return rule;
}

enum { EMIT_INTERVAL_MS = 10 * 1000 };

/* An event is sent until it is accepted, unless the author's own rules say otherwise. */
static struct program_retry rule_until_accepted(struct lowering *lowering)
{
    struct arena *arena = lowering->arena;
    struct expr_tree *error = tree_variable(STR("error"), arena);
    return (struct program_retry){
        .when =
            lower_expr(lowering, tree_not(tree_equal(error, tree_literal(json_null(), arena), arena), arena)),
        .unlimited = true,
        .delay = delay_of(EMIT_INTERVAL_MS),
        .exit = { .target = NODE_NONE },
    };
}

/* ---- one ---- */

/* The configuration of the function's performer: {function}, for HTTP and EMIT {function, type, resource} and
 * the members of its metadata.
 * perform/http_function.h says what these are. */
static const struct json *make_config(const struct function *function, struct arena *arena)
{
    const struct {
        str name, value;
    } members[] = {
        { STR("function"), function->name },
        { STR("type"), function->type },
        { STR("resource"), function->resource },
    };
    size_t count = performer_place(function->performer) == PERFORMED_OUTSIDE ? 1 : COUNT(members);
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    for (size_t i = 0; i < count; i++) {
        json_add_name(&builder, members[i].name);
        json_add_string(&builder, members[i].value);
    }
    struct json_each each = json_each(function->call ? function->call : json_empty_object());
    while (json_next(&each)) {
        json_add_name(&builder, each.name);
        json_add(&builder, each.value);
    }
    json_close(&builder);
    return json_built(&builder);
}

/* Makes the node the action's task. The caller adds its output. */
static void make_task(const struct state_body *body, const struct action *action, uint32_t index,
                      struct expr_tree *data, struct expr_tree *value)
{
    must(action->function && performer_place(action->function->performer) != PERFORMED_INSIDE);
    struct lowering *lowering = body->lowering;
    const struct function *function = action->function;
    bool emits = function->performer == PERFORM_EMIT;
    size_t rule_count = action->retry_count + emits;
    struct program_retry *rule = arena_make_n(lowering->arena, struct program_retry, rule_count);
    for (size_t i = 0; i < action->retry_count; i++) rule[i] = lower_retry(body, &action->retry[i], value);
    if (emits) rule[action->retry_count] = rule_until_accepted(lowering);

    struct program_node *node = lower_node(lowering, index);
    node->kind = NODE_TASK;
    node->as.task.job_type = function->handler.n ? function->handler : function->name;
    node->as.task.performer = function->performer;
    node->as.task.config = make_config(function, lowering->arena);
    node->as.task.input = lower_expr(lowering, lower_request(body, action, data));
    node->as.task.result_is_local = true;
    node->as.task.retry = rule;
    node->as.task.retry_count = rule_count;
    if (action->timeout_ms >= 0)
        lower_timer(lowering, index,
                    (struct program_timer){
                        .delay_ms = action->timeout_ms,
                        .does = TIMER_RAISE,
                        .per_attempt = true,
                    });
}

static void lower_only_action(const struct state_body *body, const struct actions *actions, uint32_t node)
{
    must(actions->count == 1);
    struct arena *arena = body->lowering->arena;
    const struct action *action = &actions->action[0];
    struct expr_tree *result = lower_response(body, action, body->subject), *merged;
    if (actions->parallel) {
        result = tree_list(&result, 1, arena);
        merged = tree_fold(body->subject, result, arena);
    } else {
        merged = tree_combine(body->subject, result, arena);
    }
    make_task(body, action, node, body->subject, lower_value(body, result, merged));
    lower_finish(body, node, result, merged);
}

/* ---- in sequence ---- */

static uint32_t lower_sequence(const struct state_body *body, const struct actions *actions, str word,
                               uint32_t next)
{
    must(actions->count > 1 && !actions->parallel);
    struct lowering *lowering = body->lowering;
    struct arena *arena = lowering->arena;
    struct expr_tree *so_far = body->subject, *data = body->subject;
    uint32_t first = NODE_NONE, before = NODE_NONE;
    for (size_t i = 0; i < actions->count; i++) {
        const struct action *action = &actions->action[i];
        str name = arena_printf(arena, "%.*s%.*s", STR_ARG(word), STR_ARG(label_of(actions, i, arena)));
        uint32_t node = lower_inner(lowering, NODE_TASK, body->state, name, action->pointer);
        struct expr_tree *result = lower_response(body, action, so_far);
        struct expr_tree *merged = tree_combine(so_far, result, arena);
        make_task(body, action, node, data, lower_value(body, result, merged));
        if (i + 1 == actions->count) {
            lower_finish(body, node, result, merged);
        } else {
            lower_output(lowering, node, STR("M"),
                         tree_if(tree_is_object(result, arena), merged, so_far, arena));
            lower_output(lowering, node, STR("D"), merged);
        }
        if (i) lower_edge_to(lowering, before, NULL, node);
        else first = node;
        before = node;
        so_far = lower_register(lowering, STR("M"));
        data = lower_register(lowering, STR("D"));
    }
    must(first != NODE_NONE && before != NODE_NONE);
    lower_edge_to(lowering, before, NULL, next);
    return first;
}

/* ---- all at once ---- */

static bool any_exit(const struct actions *actions)
{
    for (size_t i = 0; i < actions->count; i++)
        for (size_t k = 0; k < actions->action[i].retry_count; k++)
            if (actions->action[i].retry[k].exit.state) return true;
    return false;
}

/* The data with which an action's own region begins: S, and in a loop the frame if there is a way out
 * that needs it. */
static const struct expr *region_data(const struct state_body *body, bool with_frame)
{
    static const str names[] = { STR_INIT("S"), STR_INIT("frame") };
    struct arena *arena = body->lowering->arena;
    struct expr_tree *values[] = { body->subject, tree_data(arena) };
    return lower_expr(body->lowering, tree_map(names, values, with_frame ? 2 : 1, arena));
}

static struct state_body region_body(const struct state_body *body)
{
    struct lowering *lowering = body->lowering;
    struct state_body inside = *body;
    inside.levels++;
    inside.subject = inside.whole = lower_register(lowering, STR("S"));
    if (!body->loop) return inside;
    struct expr_tree *frame = lower_register(lowering, STR("frame"));
    inside.whole = tree_member(frame, STR("S"), lowering->arena);
    if (body->out) inside.out = tree_member(frame, STR("out"), lowering->arena);
    return inside;
}

static struct program_region lower_region(const struct state_body *inside, const struct action *action,
                                          str word, str name)
{
    must(inside->levels > 0);
    struct lowering *lowering = inside->lowering;
    struct arena *arena = lowering->arena;
    struct expr_tree *result = lower_response(inside, action, inside->subject);
    struct expr_tree *list = tree_list(&result, 1, arena);
    str node_name = arena_printf(arena, "%.*s%.*s", STR_ARG(word), STR_ARG(name));
    uint32_t node = lower_inner(lowering, NODE_TASK, inside->state, node_name, action->pointer);
    make_task(inside, action, node, inside->subject,
              lower_value(inside, list, tree_fold(inside->subject, list, arena)));
    lower_output(lowering, node, STR("R"), result);
    lower_edge_to(lowering, node, NULL, lowering->end);
    return (struct program_region){ .name = name, .start = node, .awaited = true };
}

static void lower_at_once(const struct state_body *body, const struct actions *actions, str word,
                          uint32_t index)
{
    must(actions->count > 1 && actions->parallel);
    struct lowering *lowering = body->lowering;
    struct arena *arena = lowering->arena;
    const struct state_body inside = region_body(body);
    struct program_region *region = arena_make_n(arena, struct program_region, actions->count);
    struct expr_tree **output = arena_make_n(arena, struct expr_tree *, actions->count);
    struct expr_tree *outputs = tree_variable(STR("outputs"), arena);
    for (size_t i = 0; i < actions->count; i++) {
        str name = lower_region_name(region, i, label_of(actions, i, arena), arena);
        region[i] = lower_region(&inside, &actions->action[i], word, name);
        output[i] = tree_member(tree_member(outputs, name, arena), STR("R"), arena);
    }
    struct program_node *node = lower_node(lowering, index);
    node->kind = NODE_SCOPE;
    node->as.scope.region = region;
    node->as.scope.region_count = actions->count;
    node->as.scope.data = region_data(body, body->loop && any_exit(actions));
    struct expr_tree *result = tree_list(output, actions->count, arena);
    lower_finish(body, index, result, tree_fold(body->subject, result, arena));
}

/* ---- any ---- */

bool lower_actions_fit_one_node(const struct actions *actions)
{
    return actions->count == 1 || (actions->parallel && actions->count > 1);
}

void lower_actions_into(const struct state_body *body, const struct actions *actions, str word, uint32_t node)
{
    must(lower_actions_fit_one_node(actions));
    if (actions->count == 1) lower_only_action(body, actions, node);
    else lower_at_once(body, actions, word, node);
}

uint32_t lower_actions(const struct state_body *body, const struct actions *actions, str word, uint32_t next)
{
    must(actions->count);
    if (!lower_actions_fit_one_node(actions)) return lower_sequence(body, actions, word, next);
    struct lowering *lowering = body->lowering;
    str name = actions->count == 1 ? name_of(&actions->action[0]) : STR("actions");
    name = arena_printf(lowering->arena, "%.*s%.*s", STR_ARG(word), STR_ARG(name));
    uint32_t node = lower_inner(lowering, NODE_SCOPE, body->state, name, actions->action[0].pointer);
    lower_actions_into(body, actions, word, node);
    lower_edge_to(lowering, node, NULL, next);
    return node;
}
