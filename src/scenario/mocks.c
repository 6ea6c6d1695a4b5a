/* scenario/mocks.c — the answers of outside work, call by call; the last answer repeats. */
#include "scenario/scenario_int.h"

#include "base/must.h"
#include "dialect/graph/node_types.h"

static const str type_words[] = { STR_INIT("job"), STR_INIT("function"), STR_INIT("processor") };

enum status mock_target(const struct json *body, struct target *ret_target, struct error *err)
{
    struct target target = { 0 };
    size_t count = 0;
    const struct json *node = json_get(body, STR("node"));
    if (node) {
        if (!json_is(node, JSON_STRING)) return fail(err, ST_INVALID, "node", "\"node\" is a step's id");
        target.node = json_string(node);
        count++;
    }
    for (size_t i = 0; i < COUNT(type_words); i++) {
        const struct json *type = json_get(body, type_words[i]);
        if (!type) continue;
        if (!json_is(type, JSON_STRING))
            return fail(err, ST_INVALID, "job", "\"%.*s\" is a name", STR_ARG(type_words[i]));
        target.type = json_string(type);
        count++;
    }
    const struct json *any = json_get(body, STR("default"));
    if (json_is(any, JSON_BOOL) && json_bool(any)) {
        target.any = true;
        count++;
    }
    if (count != 1)
        return fail(err, ST_INVALID, "target",
                    "name one of: \"node\" (a step's id, a state), \"job\" (a job type), "
                    "\"function\", \"default\": true (all that is not mocked otherwise)");
    *ret_target = target;
    return ST_OK;
}

enum status mock_check_result(const struct json *result, struct error *err)
{
    if (!json_is(result, JSON_OBJECT)) return fail(err, ST_INVALID, "results", "a result is an object");
    const struct json *failure = json_get(result, STR("fail"));
    const struct json *any = json_get(result, STR("any"));
    const struct json *delay = json_get(result, STR("delay"));
    int64_t ms;
    size_t count = (failure != NULL) + (any != NULL) + (json_get(result, STR("ok")) != NULL) +
                   (json_get(result, STR("echo")) != NULL);
    if (count != 1)
        return fail(err, ST_INVALID, "results", "a result has one of \"ok\", \"echo\", \"fail\" and \"any\"");
    if (failure && (!json_is(failure, JSON_STRING) || (!str_equal(json_string(failure), STR("transient")) &&
                                                       !str_equal(json_string(failure), STR("permanent")) &&
                                                       !str_equal(json_string(failure), STR("error")))))
        return fail(err, ST_INVALID, "results", "\"fail\" is \"transient\", \"permanent\" or \"error\"");
    if (any) TRY(generate_check(any, err));
    static const str known[] = { STR_INIT("ok"),           STR_INIT("echo"),    STR_INIT("fail"),
                                 STR_INIT("any"),          STR_INIT("delay"),   STR_INIT("code"),
                                 STR_INIT("name"),         STR_INIT("message"), STR_INIT("data"),
                                 STR_INIT("expectStatus"), STR_INIT("merge") };
    struct json_each each = json_each(result);
    while (json_next(&each)) {
        size_t i = 0;
        while (i < COUNT(known) && !str_equal(known[i], each.name)) i++;
        if (i == COUNT(known))
            return fail(err, ST_INVALID, "results", "a result has no field \"%.*s\"", STR_ARG(each.name));
    }
    return delay ? read_span(delay, &ms, err) : ST_OK;
}

static enum status read_list(const struct json *results, str value, struct arena *arena, struct mock *mock,
                             struct error *err)
{
    if (json_is(results, JSON_OBJECT)) {
        struct json_builder builder;
        json_builder_init(&builder, arena);
        json_open_array(&builder);
        json_add(&builder, results);
        json_close(&builder);
        results = json_built(&builder);
    }
    if (!json_is(results, JSON_ARRAY) || !json_count(results))
        return fail(err, ST_INVALID, "results", "\"results\" is a list with at least one result");
    for (size_t i = 0; i < json_count(results); i++) TRY(mock_check_result(json_item(results, i), err));
    struct mock_list *list = arena_make(arena, struct mock_list);
    *list = (struct mock_list){ .result = results, .value = value, .next = mock->lists };
    mock->lists = list;
    return ST_OK;
}

enum status mock_read(const struct json *body, struct arena *arena, struct mock **ret_mock, struct error *err)
{
    struct mock *mock = arena_make(arena, struct mock);
    TRY(mock_target(body, &mock->target, err));
    const struct json *results = json_get(body, STR("results"));
    const struct json *by = json_get(results, STR("by"));
    const struct json *vary = json_get(body, STR("vary"));
    mock->fixed = json_is(vary, JSON_BOOL) && !json_bool(vary);
    if (!results) return fail(err, ST_INVALID, "results", "a mock needs \"results\"");
    if (by) {
        const struct json *cases = json_get(results, STR("cases"));
        if (!json_is(by, JSON_STRING) || !json_is(cases, JSON_OBJECT))
            return fail(err, ST_INVALID, "results",
                        "\"by\" is a path, \"cases\" an object of lists by its value");
        mock->by = json_string(by);
        struct json_each each = json_each(cases);
        while (json_next(&each)) TRY(read_list(each.value, each.name, arena, mock, err));
        const struct json *other = json_get(results, STR("default"));
        if (other) TRY(read_list(other, STR_NONE, arena, mock, err));
    } else {
        TRY(read_list(results, STR_NONE, arena, mock, err));
    }
    *ret_mock = mock;
    return ST_OK;
}

static bool is_node(const struct target *target, const struct work_names *names)
{
    return target->node.n && (str_equal(target->node, names->node) || str_equal(target->node, names->title));
}

static bool is_function(const struct target *target, const struct work_names *names)
{
    return target->type.n && names->function.n && str_equal(target->type, names->function);
}

static bool is_type(const struct target *target, const struct work_names *names)
{
    return target->type.n && names->type.n && str_equal(target->type, names->type);
}

bool mock_target_fits(const struct target *target, const struct work_names *names)
{
    if (target->any) return names->type.n > 0;
    return is_node(target, names) || is_function(target, names) || is_type(target, names);
}

struct mock *mock_find(struct mock *mocks, const struct work_names *names)
{
    struct mock *by_function = NULL, *by_type = NULL, *any = NULL;
    for (struct mock *mock = mocks; mock; mock = mock->next) {
        if (is_node(&mock->target, names)) return mock;
        if (!by_function && is_function(&mock->target, names)) by_function = mock;
        if (!by_type && is_type(&mock->target, names)) by_type = mock;
        if (!any && names->type.n && mock->target.any) any = mock;
    }
    return by_function ? by_function : by_type ? by_type : any;
}

static str value_text(const struct json *value, struct arena *arena)
{
    struct buf out;
    if (!value) return STR_NONE;
    if (json_is(value, JSON_STRING)) return json_string(value);
    buf_init(&out, arena);
    json_print(value, &out);
    return buf_str(&out);
}

static const struct json *empty_ok(struct arena *arena)
{
    return json_set(arena, json_empty_object(), STR("ok"), json_empty_object());
}

const struct json *mock_next(struct mock *mock, const struct json *input, struct arena *arena)
{
    str value = mock->by.n ? value_text(path_get(input, mock->by), arena) : STR_NONE;
    struct mock_list *chosen = NULL;
    for (struct mock_list *list = mock->lists; list; list = list->next) {
        if (mock->by.n && list->value.n && str_equal(list->value, value)) {
            chosen = list;
            break;
        }
        if (!list->value.n) chosen = list;
    }
    if (!chosen) return empty_ok(arena);
    size_t count = json_count(chosen->result);
    size_t index = chosen->used < count ? chosen->used : count - 1;
    chosen->used++;
    return json_item(chosen->result, index);
}

/* ---- results that promise members ---- */

/* The usual answer: what a test run would give, of a request that succeeded. */
static const struct json *usual_result(const struct program_node *node, struct arena *arena)
{
    const struct graph_type *type = graph_type_find(node->type);
    if (node->kind != NODE_TASK || !node->as.task.result_member_count || !type) return NULL;
    const struct json *usual = graph_type_placeholder(type, arena);
    enum { OK = 200 };
    if (json_get(usual, STR("status_code")))
        usual = json_set(arena, usual, STR("status_code"), json_of_int(arena, OK));
    return usual;
}

const struct json *mock_filled(const struct program_node *node, const struct json *result,
                               struct arena *arena)
{
    const struct json *usual = usual_result(node, arena);
    const struct json *given = json_get(result, STR("ok")), *merge = json_get(result, STR("merge"));
    bool raw = json_is(merge, JSON_BOOL) && !json_bool(merge);
    if (!usual || raw || (result && !json_is(given, JSON_OBJECT))) return result;
    if (!result) return json_set(arena, json_empty_object(), STR("ok"), usual);
    return json_set(arena, result, STR("ok"), json_merge(usual, given, arena));
}

const struct json *mock_any(const struct mock *mock, struct choices *choices)
{
    size_t count = 0;
    for (const struct mock_list *list = mock->lists; list; list = list->next)
        count += json_count(list->result);
    size_t index = choices_below(choices, (uint32_t)count);
    for (const struct mock_list *list = mock->lists; list; list = list->next) {
        if (index < json_count(list->result)) return json_item(list->result, index);
        index -= json_count(list->result);
    }
    must(!"a mock without results");
    return NULL;
}
