/* dialect/serverless/read_functions.c — functions: the performers of actions.
 *
 *     resource           type                      done by
 *     http(s)://…        absent, http, rest        the engine: POST
 *     http(s)://…        GET, http:GET, …          the engine, with that method
 *     http(s)://…        cloudevent[:structured]   the engine: an event there, the answer back
 *     http(s)://…        emit                      the engine: an event there, until it is accepted
 *     local:x, a word    any                       workers that poll for x, for the word
 *     any other          worker                    workers that poll for the function's name
 *     none               any                       workers that poll for the function's name
 *
 * The type of a function that the engine calls is kept in one spelling: a method in upper case,
 * or cloudevent, cloudevent:structured, emit.
 */
#include "dialect/serverless/read_int.h"

#include "base/ascii.h"
#include "dialect/template.h"

static const char *const called_types[] = {
    "http",
    "rest",
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "OPTIONS",
    "http:METHOD",
    "rest:METHOD",
    "cloudevent",
    "cloudevent:binary",
    "cloudevent:structured",
    "emit",
    "worker",
    NULL,
};

/* The one spelling of a type, or NULL. */
static const char *spelling(str type)
{
    static const char *const methods[] = { "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS" };
    static const struct {
        const char *type, *as;
    } words[] = {
        { "", "POST" },
        { "http", "POST" },
        { "rest", "POST" },
        { "cloudevent", "cloudevent" },
        { "cloudevent:binary", "cloudevent" },
        { "cloudevent:structured", "cloudevent:structured" },
        { "emit", "emit" },
    };
    for (size_t i = 0; i < COUNT(words); i++)
        if (str_equal_ignoring_case(type, str_of(words[i].type))) return words[i].as;
    str prefix = str_slice(type, 0, 5);
    if (str_equal_ignoring_case(prefix, STR("http:")) || str_equal_ignoring_case(prefix, STR("rest:")))
        type = str_slice(type, prefix.n, type.n);
    for (size_t i = 0; i < COUNT(methods); i++)
        if (str_equal_ignoring_case(type, str_of(methods[i]))) return methods[i];
    return NULL;
}

/* ---- resources ---- */

/* Returns the text before the first colon, if it has the form of a URI's scheme. */
static str scheme_of(str resource)
{
    for (size_t i = 0; i < resource.n; i++) {
        char c = resource.p[i];
        if (c == ':') return str_slice(resource, 0, i);
        bool fits = ascii_is_letter(c) || (i && (ascii_is_digit(c) || c == '+' || c == '-' || c == '.'));
        if (!fits) break;
    }
    return STR_NONE;
}

static bool is_address(str resource)
{
    size_t from = str_find(resource, STR("://"), 0);
    if (from == SIZE_MAX) return false;
    str host = str_slice(resource, from + 3, resource.n);
    for (size_t i = 0; i < host.n; i++)
        if ((unsigned char)host.p[i] <= ' ' || host.p[i] == 0x7f) return false;
    return host.n && host.p[0] != '/' && host.p[0] != ':' && host.p[0] != '?' && host.p[0] != '#';
}

/* A stored document may have such an address, and its calls fail. */
static bool refuse_template(struct reading *reading, const struct read_place *at, str resource)
{
    if (str_find(resource, STR("{{"), 0) == SIZE_MAX || reading->problems->stored_id.n) return false;
    problem_error(reading->problems, PROBLEM_BAD_VALUE, read_pointer(reading, at, "resource"),
                  "{name} is filled from the parameters; secrets go into query or headers of metadata",
                  "%sresource has a {{, which is not filled in here", read_prefix(reading, at));
    return true;
}

static void read_called(struct reading *reading, const struct read_place *at, struct function *function)
{
    if (!refuse_template(reading, at, function->resource) && !is_address(function->resource))
        problem_error(reading->problems, PROBLEM_BAD_VALUE, read_pointer(reading, at, "resource"), NULL,
                      "%sresource %s is not an address", read_prefix(reading, at),
                      problem_quote(reading->scratch, function->resource));
    if (template_has_login(function->resource))
        problem_warning(reading->problems, PROBLEM_UNUSUAL, read_pointer(reading, at, "resource"),
                        "send it as a header of metadata: \"Authorization\": \"{{ secrets.NAME }}\"",
                        "%sresource has a user or a password in it, so each call is refused",
                        read_prefix(reading, at));
    const char *type = spelling(function->type);
    if (!type) {
        problem_error(reading->problems, PROBLEM_BAD_VALUE, read_pointer(reading, at, "type"),
                      arena_printf(reading->scratch, "types of a function with an address are %s",
                                   read_words(reading, called_types))
                          .p,
                      "%stype %s is not a way to call an address", read_prefix(reading, at),
                      problem_quote(reading->scratch, function->type));
        return;
    }
    function->type = str_of(type);
    function->performer = str_equal(function->type, STR("emit")) ? PERFORM_EMIT : PERFORM_HTTP;
}

static void read_handler_name(struct reading *reading, const struct read_place *at, str scheme,
                              struct function *function)
{
    function->performer = PERFORM_WORKER;
    function->handler = function->name;
    if (str_equal_ignoring_case(scheme, STR("local"))) {
        function->handler = str_slice(function->resource, scheme.n + 1, function->resource.n);
        if (!function->handler.n)
            problem_error(reading->problems, PROBLEM_BAD_VALUE, read_pointer(reading, at, "resource"),
                          "write local: and the job type that workers poll for",
                          "%sresource names nobody behind local:", read_prefix(reading, at));
    } else if (function->resource.n && !scheme.p) {
        function->handler = function->resource;
    }
    if (function->resource.n) read_limit_name(reading, at, "resource", function->handler, JOB_TYPE_BYTES_MAX);
}

static void read_performer(struct reading *reading, const struct read_place *at, struct function *function)
{
    bool worker = str_equal_ignoring_case(function->type, STR("worker"));
    str scheme = scheme_of(function->resource);
    bool called =
        str_equal_ignoring_case(scheme, STR("http")) || str_equal_ignoring_case(scheme, STR("https"));
    if (called && !worker) read_called(reading, at, function);
    else if (worker || !scheme.p || str_equal_ignoring_case(scheme, STR("local")))
        read_handler_name(reading, at, scheme, function);
    else
        problem_error(reading->problems, PROBLEM_BAD_VALUE, read_pointer(reading, at, "resource"),
                      "use http:, https:, local: and a job type, or a job type alone; with type worker any "
                      "resource does",
                      "%sresource: nobody here can call %s", read_prefix(reading, at),
                      problem_quote(reading->scratch, function->resource));
}

/* ---- functions ---- */

void read_functions(struct reading *reading, const struct read_place *at)
{
    static const char *const names[] = { "name", "resource", "type", "metadata", NULL };
    const struct json *list = read_list(reading, at, "functions", OPTIONAL);
    struct workflow *workflow = reading->workflow;
    size_t count = json_count(list);
    if (count > DEFINITION_STEPS_MAX) {
        problem_error(reading->problems, PROBLEM_TOO_LARGE, read_pointer(reading, at, "functions"), NULL,
                      "at most %d functions, got %zu", DEFINITION_STEPS_MAX, count);
        return;
    }
    workflow->function_count = count;
    workflow->function = arena_make_n(reading->arena, struct function, count);
    for (size_t i = 0; i < count; i++) {
        struct function *function = &workflow->function[i];
        struct read_place place;
        if (!read_item(reading, at, "functions", i, json_item(list, i), &place)) continue;
        function->pointer = place.pointer;
        function->name = read_name(reading, &place, "name", REQUIRED);
        function->resource = read_string(reading, &place, "resource", OPTIONAL);
        function->type = read_string(reading, &place, "type", OPTIONAL);
        read_performer(reading, &place, function);
        read_metadata(reading, &place, function);
        read_only(reading, &place, names);
        for (size_t k = 0; function->name.n && k < i; k++) {
            if (!str_equal(workflow->function[k].name, function->name)) continue;
            problem_error(reading->problems, PROBLEM_DUPLICATE_NAME, read_pointer(reading, &place, "name"),
                          NULL, "two functions are called %s",
                          problem_quote(reading->scratch, function->name));
            break;
        }
    }
}

static const char *nearest_function(struct reading *reading, str name)
{
    struct nearest nearest;
    if (!problems_have_room(reading->problems, false)) return NULL;
    nearest_init(&nearest, name);
    for (size_t i = 0; i < reading->workflow->function_count; i++)
        nearest_offer(&nearest, reading->workflow->function[i].name);
    return nearest_hint(&nearest, reading->scratch);
}

const struct function *read_function_by_name(struct reading *reading, const struct read_place *at,
                                             const char *field, str name)
{
    for (size_t i = 0; i < reading->workflow->function_count; i++) {
        struct function *function = &reading->workflow->function[i];
        if (!str_equal(function->name, name)) continue;
        function->used = true;
        return function;
    }
    const char *hint = nearest_function(reading, name);
    problem_error(reading->problems, PROBLEM_UNRESOLVED, read_pointer(reading, at, field),
                  hint ? hint : "every function that actions use is listed under functions",
                  "%sno function is called %s", read_prefix(reading, at),
                  problem_quote(reading->scratch, name));
    return NULL;
}
