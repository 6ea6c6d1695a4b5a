/* dialect/serverless/read_metadata.c — `metadata` of a function that the engine calls.
 *
 *     "metadata": { "headers": {"Authorization": "Bearer {{ secrets.api_key }}"}, "query": {"page": 1} }
 *
 * These values are the same in every call, so they become constants of the performer's configuration. A
 * secret stays out of it: the constant has `***` there and a list of places, as vault/resolve.h says.
 */
#include "dialect/serverless/read_int.h"

#include "base/ascii.h"
#include "expr/template/template.h"
#include "program/performer.h"

enum { METADATA_FUEL = 1000 * 1000 };

/* ---- names and values ---- */

static bool is_token(str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!ascii_is_alphanumeric(name.p[i]) && !memchr("!#$%&'*+-.^_`|~", name.p[i], 15)) return false;
    return name.n > 0;
}

/* The connection's own headers, and the key that differs in every visit. */
static bool is_engines(str name)
{
    static const char *const names[] = { "host",       "content-length", "transfer-encoding",
                                         "connection", "upgrade",        "te",
                                         "trailer",    "expect",         "idempotency-key",
                                         "traceparent" };
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_equal_ignoring_case(name, str_of(names[i]))) return true;
    return false;
}

/* The headers that make a request a CloudEvent. */
static bool is_events(str name)
{
    return str_equal_ignoring_case(name, STR("content-type")) ||
           str_equal_ignoring_case(str_slice(name, 0, 3), STR("ce-"));
}

static void check_header(struct reading *reading, const struct read_place *at,
                         const struct function *function, str name)
{
    bool event = function->performer == PERFORM_EMIT || str_starts(function->type, STR("cloudevent"));
    const char *why = !is_token(name)            ? "is no name of a header"
                      : is_engines(name)         ? "is a header that the engine sets"
                      : event && is_events(name) ? "is a header of the event, which the engine makes"
                                                 : NULL;
    if (why)
        problem_error(reading->problems, PROBLEM_BAD_VALUE,
                      problem_pointer(reading->scratch, at->pointer, name), NULL, "%s%s %s",
                      read_prefix(reading, at), problem_quote(reading->scratch, name), why);
}

static bool is_path(str text) { return str_starts(text, STR("$.")) || str_starts(text, STR("$[")); }

static void check_value(struct reading *reading, const struct read_place *at, str name,
                        const struct json *value)
{
    str pointer = problem_pointer(reading->scratch, at->pointer, name);
    if (json_is(value, JSON_ARRAY) || json_is(value, JSON_OBJECT))
        read_wrong_type(reading, pointer, at->what, problem_quote(reading->scratch, name),
                        "a text, a number, true or false", value);
    else if (json_is(value, JSON_STRING) && is_path(json_string(value)))
        problem_error(reading->problems, PROBLEM_NOT_ALLOWED_HERE, pointer,
                      "send data as parameters of the action", "%s%s: a path reads no data here",
                      read_prefix(reading, at), problem_quote(reading->scratch, name));
}

static void read_values(struct reading *reading, const struct read_place *at, const char *name, bool headers,
                        struct function *function)
{
    struct read_place values;
    if (!read_place(reading, at, name, OPTIONAL, &values)) return;
    struct json_each each = json_each(values.object);
    while (json_next(&each)) {
        if (headers) check_header(reading, &values, function, each.name);
        check_value(reading, &values, each.name, each.value);
    }
    function->call = json_set(reading->arena, function->call ? function->call : json_empty_object(),
                              str_of(name), values.object);
}

/* ---- secrets ---- */

static enum status find_secret(void *context, const struct template_path *path,
                               struct template_root *ret_root, struct error *err)
{
    struct arena *arena = context;
    if (path->count != 2 || !str_equal(path->name[0], STR("secrets")))
        return fail(err, ST_INVALID, arena_str(arena, path->pointer).p,
                    "only {{ secrets.NAME }} is filled in here, not {{ %.*s }}", STR_ARG(path->text));
    *ret_root = (struct template_root){ .name = arena_str(arena, path->name[1]), .used = 2, .secret = true };
    return ST_OK;
}

/* Replaces the templates by the masked texts and the list of places. */
static void mask_secrets(struct reading *reading, const struct read_place *at, struct function *function)
{
    const struct template_roots roots = { .find = find_secret,
                                          .context = reading->arena,
                                          .secrets_member = STR(PERFORMER_SECRETS_MEMBER) };
    const struct expr_env nothing = { .data = json_empty_object() };
    const struct expr *expr = NULL;
    int64_t fuel = METADATA_FUEL;
    struct error err = { 0 };
    if (expr_template(function->call, &roots, reading->arena, &expr, &err) == ST_OK &&
        expr_eval(expr, &nothing, &fuel, reading->arena, &function->call, &err) == ST_OK)
        return;
    problem_error(reading->problems, err.status == ST_LIMIT ? PROBLEM_TOO_LARGE : PROBLEM_TEMPLATE_SYNTAX,
                  arena_printf(reading->scratch, "%.*s%s", STR_ARG(at->pointer), err.where), NULL, "%s%s",
                  read_prefix(reading, at), err.message);
}

/* ---- metadata ---- */

/* A worker gets the parameters alone. */
static void warn_of_worker(struct reading *reading, const struct read_place *at)
{
    static const char *const names[] = { "headers", "query" };
    for (size_t i = 0; i < COUNT(names); i++)
        if (read_member(at, names[i]))
            problem_warning(reading->problems, PROBLEM_UNKNOWN_FIELD, read_pointer(reading, at, names[i]),
                            "only functions with an http or https address have them",
                            "%s%s is ignored, because workers do this function", read_prefix(reading, at),
                            names[i]);
}

void read_metadata(struct reading *reading, const struct read_place *at, struct function *function)
{
    static const char *const names[] = { "headers", "query", NULL };
    struct read_place place;
    if (!read_place(reading, at, "metadata", OPTIONAL, &place)) return;
    read_only(reading, &place, names);
    if (performer_place(function->performer) == PERFORMED_OUTSIDE) {
        warn_of_worker(reading, &place);
        return;
    }
    read_values(reading, &place, "headers", true, function);
    read_values(reading, &place, "query", false, function);
    if (function->call) mask_secrets(reading, &place, function);
}
