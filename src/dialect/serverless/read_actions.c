/* dialect/serverless/read_actions.c — the actions of a state, how often it tries, and what it does
 * about errors. */
#include "dialect/serverless/read_int.h"

/* ---- parameters ---- */

/* Is a text in parameters a path? `$$x` is the text `$x`. */
static bool is_path(str text)
{
    return str_equal(text, STR("$")) || str_starts(text, STR("$.")) || str_starts(text, STR("$["));
}

static void check_parameter(struct reading *reading, const struct read_place *at, const struct json *value,
                            str pointer)
{
    if (json_is(value, JSON_STRING) && is_path(json_string(value))) {
        const struct jsonpath *path;
        struct error err = { 0 };
        enum status status =
            jsonpath_compile(json_string(value), JSONPATH_LENIENT, reading->scratch, &path, &err);
        if (status != ST_OK)
            problem_error(reading->problems, status == ST_LIMIT ? PROBLEM_TOO_LARGE : PROBLEM_BAD_PATH,
                          pointer, "a text that is no path but begins with $ is written with $$",
                          "%s: %s (column %u of %s)", at->what, err.message, err.column,
                          problem_quote(reading->scratch, json_string(value)));
        return;
    }
    /* The value is no deeper than PARAMETERS_DEPTH_MAX, which the caller has checked. */
    struct json_each each = json_each(value);
    for (size_t i = 0; json_next(&each); i++) {
        bool nested = json_count(each.value) || json_is(each.value, JSON_STRING);
        if (!nested) continue;
        check_parameter(reading, at, each.value,
                        json_is(value, JSON_ARRAY) ? problem_pointer_index(reading->scratch, pointer, i)
                                                   : problem_pointer(reading->scratch, pointer, each.name));
    }
}

static const struct json *read_parameters(struct reading *reading, const struct read_place *at)
{
    struct read_place place;
    if (!read_place(reading, at, "parameters", OPTIONAL, &place)) return NULL;
    if (json_depth(place.object) > PARAMETERS_DEPTH_MAX) {
        problem_error(reading->problems, PROBLEM_TOO_LARGE, place.pointer, NULL,
                      "%s: nested more than %d deep", place.what, PARAMETERS_DEPTH_MAX);
        return NULL;
    }
    check_parameter(reading, &place, place.object, place.pointer);
    template_warn(reading->problems, place.object, place.pointer, place.what,
                  "a text is a path if it begins with $. or $[, else it is as written; a function can put "
                  "texts together");
    return place.object;
}

/* ---- the function ---- */

/* Takes both spellings of the member, because the draft's own examples and its successors differ. */
static void read_functionref(struct reading *reading, const struct read_place *at, struct action *action)
{
    static const char *const names[] = { "refname", "refName", "name", "parameters", NULL };
    const char *member =
        read_member(at, "functionref") || !read_member(at, "functionRef") ? "functionref" : "functionRef";
    struct read_place place;
    if (!read_place(reading, at, member, REQUIRED, &place)) return;
    const char *field = read_member(&place, "refname")   ? "refname"
                        : read_member(&place, "refName") ? "refName"
                        : read_member(&place, "name")    ? "name"
                                                         : "refname";
    str name = read_string(reading, &place, field, REQUIRED);
    if (name.p) action->function = read_function_by_name(reading, &place, field, name);
    if (name.p && strcmp(field, "name") == 0)
        problem_warning(reading->problems, PROBLEM_UNUSUAL, read_pointer(reading, &place, field),
                        "write refname", "%s: name is taken for refname", place.what);
    action->parameters = read_parameters(reading, &place);
    read_only(reading, &place, names);
}

/* ---- retries ---- */

static void read_retry(struct reading *reading, const struct read_place *at, struct retry *retry)
{
    static const char *const names[] = { "condition", "interval", "max", "transition", NULL };
    retry->pointer = at->pointer;
    read_condition(reading, at, "condition", REQUIRED, &retry->condition);
    read_repeats(reading, at, retry);
    read_transition(reading, at, "transition", OPTIONAL, &retry->exit);
    read_only(reading, at, names);
}

static void read_retries(struct reading *reading, const struct read_place *at, struct action *action)
{
    const struct json *list = read_list(reading, at, "retry", OPTIONAL);
    if (!list) return;
    action->retry_count = json_count(list);
    action->retry = arena_make_n(reading->arena, struct retry, action->retry_count);
    for (size_t i = 0; i < action->retry_count; i++) {
        struct read_place place;
        if (read_item(reading, at, "retry", i, json_item(list, i), &place))
            read_retry(reading, &place, &action->retry[i]);
    }
}

/* ---- actions ---- */

static void read_action(struct reading *reading, const struct read_place *at, struct action *action)
{
    static const char *const names[] = { "name",  "functionref", "functionRef", "timeout",
                                         "retry", "filter",      NULL };
    action->pointer = at->pointer;
    action->name = read_name(reading, at, "name", OPTIONAL);
    read_functionref(reading, at, action);
    action->timeout_ms = read_duration(reading, at, "timeout", OPTIONAL, -1);
    read_retries(reading, at, action);
    read_filter(reading, at, FILTER_OF_ACTION, &action->filter);
    read_only(reading, at, names);
}

static bool read_mode(struct reading *reading, const struct read_place *at)
{
    str mode = read_string(reading, at, "actionMode", OPTIONAL);
    if (!mode.p || str_equal_ignoring_case(mode, STR("SEQUENTIAL"))) return false;
    if (str_equal_ignoring_case(mode, STR("PARALLEL"))) return true;
    problem_error(reading->problems, PROBLEM_BAD_VALUE, read_pointer(reading, at, "actionMode"), NULL,
                  "%sactionMode must be SEQUENTIAL or PARALLEL, not %s", read_prefix(reading, at),
                  problem_quote(reading->scratch, mode));
    return false;
}

void read_actions(struct reading *reading, const struct read_place *at, struct actions *ret_actions)
{
    *ret_actions = (struct actions){ .parallel = read_mode(reading, at) };
    const struct json *list = read_list(reading, at, "actions", REQUIRED);
    if (!list) return;
    size_t count = json_count(list);
    bool fitted = reading->action_count <= ACTIONS_MAX;
    reading->action_count += count;
    if (reading->action_count > ACTIONS_MAX) {
        if (fitted)
            problem_error(reading->problems, PROBLEM_TOO_LARGE, read_pointer(reading, at, "actions"),
                          "let a SUBFLOW do a part of it", "%smore than %d actions in one workflow",
                          read_prefix(reading, at), ACTIONS_MAX);
        return;
    }
    ret_actions->count = count;
    ret_actions->action = arena_make_n(reading->arena, struct action, count);
    for (size_t i = 0; i < count; i++) {
        struct read_place place;
        if (read_item(reading, at, "actions", i, json_item(list, i), &place))
            read_action(reading, &place, &ret_actions->action[i]);
    }
}

/* ---- errors ---- */

void read_handlers(struct reading *reading, const struct read_place *at, struct handler **ret_handler,
                   size_t *ret_count)
{
    static const char *const names[] = { "condition", "filter", "transition", NULL };
    const struct json *list = read_list(reading, at, "onError", OPTIONAL);
    if (!list) return;
    size_t count = json_count(list);
    struct handler *handler = arena_make_n(reading->arena, struct handler, count);
    for (size_t i = 0; i < count; i++) {
        struct read_place place;
        if (!read_item(reading, at, "onError", i, json_item(list, i), &place)) continue;
        handler[i].pointer = place.pointer;
        read_condition(reading, &place, "condition", REQUIRED, &handler[i].condition);
        read_filter(reading, &place, FILTER_OF_ERROR, &handler[i].filter);
        read_transition(reading, &place, "transition", REQUIRED, &handler[i].transition);
        read_only(reading, &place, names);
    }
    *ret_handler = handler;
    *ret_count = count;
}
