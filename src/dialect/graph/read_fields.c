/* dialect/graph/read_fields.c — members of an object, by name and type. */
#include "dialect/graph/graph_int.h"

#include "base/duration.h"

struct problems *graph_about(struct graph *graph, const struct graph_place *at)
{
    graph->problems->node = at->node;
    return graph->problems;
}

const struct json *graph_member(const struct graph_place *at, const char *name)
{
    const struct json *value = json_get(at->object, str_of(name));
    return value && !json_is(value, JSON_NULL) ? value : NULL;
}

str graph_pointer(struct graph *graph, const struct graph_place *at, const char *name)
{
    return problem_pointer(graph->scratch, at->pointer, str_of(name));
}

/* "`"Charge card": `", or "" for the document. */
static const char *prefix(struct graph *graph, const struct graph_place *at)
{
    return at->what[0] ? arena_printf(graph->scratch, "%s: ", at->what).p : "";
}

void graph_wrong_type(struct graph *graph, const struct graph_place *at, const char *name,
                      const char *expected, const struct json *value)
{
    problem_error(graph_about(graph, at), PROBLEM_WRONG_TYPE, graph_pointer(graph, at, name), NULL,
                  "%s%s must be %s, not %s", prefix(graph, at), name, expected,
                  json_kind_name(json_kind(value)));
}

const char *graph_shown(struct graph *graph, const struct json *value)
{
    if (json_is(value, JSON_STRING)) return problem_quote(graph->scratch, json_string(value));
    if (json_is(value, JSON_ARRAY)) return "a list";
    if (json_is(value, JSON_OBJECT)) return "an object";
    struct buf out;
    buf_init(&out, graph->scratch);
    json_print(value, &out);
    buf_add_char(&out, '\0');
    return out.p;
}

str graph_text(struct graph *graph, const struct graph_place *at, const char *name)
{
    const struct json *value = graph_member(at, name);
    if (!value) return STR_NONE;
    if (json_is(value, JSON_STRING)) return arena_str(graph->arena, json_string(value));
    graph_wrong_type(graph, at, name, "a text", value);
    return STR_NONE;
}

bool graph_flag(struct graph *graph, const struct graph_place *at, const char *name, bool otherwise)
{
    const struct json *value = graph_member(at, name);
    if (!value) return otherwise;
    if (json_is(value, JSON_BOOL)) return json_bool(value);
    graph_wrong_type(graph, at, name, "true or false", value);
    return otherwise;
}

const struct json *graph_list(struct graph *graph, const struct graph_place *at, const char *name)
{
    const struct json *value = graph_member(at, name);
    if (!value || json_is(value, JSON_ARRAY)) return value;
    graph_wrong_type(graph, at, name, "a list", value);
    return NULL;
}

int64_t graph_integer(struct graph *graph, const struct graph_place *at, const char *name, int64_t least,
                      int64_t most, int64_t otherwise)
{
    const struct json *value = graph_member(at, name);
    if (!value) return otherwise;
    int64_t number;
    if (!json_is(value, JSON_NUMBER)) {
        graph_wrong_type(graph, at, name, "a whole number", value);
    } else if (!json_int64(value, &number) || number < least || number > most) {
        problem_error(graph_about(graph, at), PROBLEM_BAD_VALUE, graph_pointer(graph, at, name), NULL,
                      "%s%s must be a whole number from %lld to %lld", prefix(graph, at), name,
                      (long long)least, (long long)most);
    } else {
        return number;
    }
    return otherwise;
}

/* ---- words ---- */

/* Takes the next of the words. False: there is none. */
static bool next_word(str *words, str *ret_word)
{
    if (!words->p) return false;
    size_t end = str_find(*words, STR("|"), 0);
    *ret_word = str_slice(*words, 0, end == SIZE_MAX ? words->n : end);
    *words = end == SIZE_MAX ? STR_NONE : str_slice(*words, end + 1, words->n);
    return true;
}

const char *graph_words(struct graph *graph, const char *words)
{
    struct buf out;
    buf_init(&out, graph->scratch);
    str left = str_of(words), word;
    for (bool first = true; next_word(&left, &word); first = false) {
        if (!first) buf_add_str(&out, left.p ? STR(", ") : STR(" or "));
        buf_printf(&out, "\"%.*s\"", STR_ARG(word));
    }
    buf_add_char(&out, '\0');
    return out.p;
}

size_t graph_word(struct graph *graph, const struct graph_place *at, const char *name, const char *words,
                  enum problem_code code, size_t otherwise)
{
    const struct json *value = graph_member(at, name);
    if (!value) return otherwise;
    str left = str_of(words), word, given = json_is(value, JSON_STRING) ? json_string(value) : STR_NONE;
    struct nearest nearest;
    nearest_init(&nearest, given);
    for (size_t i = 0; next_word(&left, &word); i++) {
        if (given.n && str_equal_ignoring_case(word, given)) return i;
        nearest_offer(&nearest, word);
    }
    problem_error(graph_about(graph, at), code, graph_pointer(graph, at, name),
                  nearest_hint(&nearest, graph->scratch), "%s%s is %s; it must be %s", prefix(graph, at),
                  name, graph_shown(graph, value), graph_words(graph, words));
    return otherwise;
}

/* ---- objects ---- */

struct graph_place graph_object(struct graph *graph, const struct graph_place *at, const char *name)
{
    const struct json *value = graph_member(at, name);
    if (value && !json_is(value, JSON_OBJECT)) {
        graph_wrong_type(graph, at, name, "an object", value);
        value = NULL;
    }
    return (struct graph_place){ .object = value ? value : json_empty_object(),
                                 .pointer = graph_pointer(graph, at, name),
                                 .what = at->what,
                                 .node = at->node };
}

void graph_only(struct graph *graph, const struct graph_place *at, const char *const *names)
{
    struct json_each each = json_each(at->object);
    while (json_next(&each)) {
        struct nearest nearest;
        nearest_init(&nearest, each.name);
        size_t i = 0;
        for (; names[i] && !str_equal(str_of(names[i]), each.name); i++)
            nearest_offer(&nearest, str_of(names[i]));
        if (names[i]) continue;
        problem_warning(graph_about(graph, at), PROBLEM_UNKNOWN_FIELD,
                        problem_pointer(graph->scratch, at->pointer, each.name),
                        nearest_hint(&nearest, graph->scratch), "%s%s is no field here, and has no effect",
                        prefix(graph, at), problem_quote(graph->scratch, each.name));
    }
}

void graph_only_params(struct graph *graph, const struct graph_place *at, struct graph_params params)
{
    const char **names = arena_make_n(graph->scratch, const char *, params.count + 1);
    for (size_t i = 0; i < params.count; i++) names[i] = params.param[i].name;
    names[params.count] = NULL;
    graph_only(graph, at, names);
}

void graph_idle(struct graph *graph, const struct graph_place *at, const char *name, const char *why)
{
    if (!graph_member(at, name)) return;
    problem_warning(graph_about(graph, at), PROBLEM_IGNORED, graph_pointer(graph, at, name), NULL,
                    "%s%s has no effect: %s", prefix(graph, at), name, why);
}

const char *graph_spelled(struct graph *graph, const struct graph_place *at, const char *const *spelling)
{
    const char *used = NULL;
    for (size_t i = 0; spelling[i]; i++) {
        if (!graph_member(at, spelling[i])) continue;
        if (!used) used = spelling[i];
        else if (!json_equal(graph_member(at, used), graph_member(at, spelling[i])))
            graph_idle(graph, at, spelling[i],
                       arena_printf(graph->scratch, "it means the same as %s, which comes first", used).p);
    }
    return used ? used : spelling[0];
}

/* ---- durations ---- */

bool graph_is_template(const struct json *value)
{
    return json_is(value, JSON_STRING) && str_find(json_string(value), STR("{{"), 0) != SIZE_MAX;
}

int64_t graph_duration(struct graph *graph, const struct graph_place *at, const char *name, int64_t otherwise)
{
    const struct json *value = graph_member(at, name);
    if (!value) return otherwise;
    int64_t ms;
    struct error err = { 0 };
    const char *reason = "it is a text, such as 10m";
    if (json_is(value, JSON_NUMBER)) {
        if (json_int64(value, &ms) && ms >= 0 && ms <= DURATION_MS_MAX) return ms;
        reason = "a number of milliseconds is whole and not negative";
    } else if (json_is(value, JSON_STRING)) {
        if (duration_parse_any(json_string(value), &ms, &err) == ST_OK) return ms;
        reason = err.message;
    }
    problem_error(graph_about(graph, at), PROBLEM_INVALID_DURATION, graph_pointer(graph, at, name),
                  "write 30s, 10m, 2h, 1h30m or 7d", "%s%s %s is not a duration: %s", prefix(graph, at), name,
                  graph_shown(graph, value), reason);
    return otherwise;
}
