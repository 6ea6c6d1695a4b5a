/* dialect/serverless/read_fields.c — members of an object, by name and JSON type. */
#include "dialect/serverless/read_int.h"

const struct json *read_member(const struct read_place *at, const char *name)
{
    const struct json *value = json_get(at->object, str_of(name));
    return json_is(value, JSON_NULL) ? NULL : value;
}

str read_pointer(struct reading *reading, const struct read_place *at, const char *name)
{
    return problem_pointer(reading->scratch, at->pointer, str_of(name));
}

const char *read_prefix(struct reading *reading, const struct read_place *at)
{
    return *at->what ? arena_printf(reading->scratch, "%s: ", at->what).p : "";
}

const char *read_words(struct reading *reading, const char *const *words)
{
    struct buf out;
    buf_init(&out, reading->scratch);
    for (size_t i = 0; words[i]; i++)
        buf_printf(&out, "%s%s", !i ? "" : words[i + 1] ? ", " : " or ", words[i]);
    buf_add_char(&out, '\0');
    return out.p;
}

/* ---- problems ---- */

void read_missing(struct reading *reading, const struct read_place *at, const char *name, const char *hint)
{
    problem_error(reading->problems, PROBLEM_REQUIRED, read_pointer(reading, at, name), hint,
                  "%s%s is required", read_prefix(reading, at), name);
}

void read_wrong_type(struct reading *reading, str pointer, const char *what, const char *name,
                     const char *expected, const struct json *value)
{
    problem_error(reading->problems, PROBLEM_WRONG_TYPE, pointer, NULL, "%s%s%s must be %s, not %s", what,
                  *what ? ": " : "", name, expected, json_kind_phrase(json_kind(value)));
}

static void member_has_wrong_type(struct reading *reading, const struct read_place *at, const char *name,
                                  const char *expected, const struct json *value)
{
    read_wrong_type(reading, read_pointer(reading, at, name), at->what, name, expected, value);
}

/* ---- members ---- */

str read_string(struct reading *reading, const struct read_place *at, const char *name, enum need need)
{
    const struct json *value = read_member(at, name);
    if (value && !json_is(value, JSON_STRING)) {
        member_has_wrong_type(reading, at, name, "a string", value);
        return STR_NONE;
    }
    if (need != OPTIONAL && (!value || !json_string(value).n)) {
        read_missing(reading, at, name, NULL);
        return STR_NONE;
    }
    return value ? json_string(value) : STR_NONE;
}

bool read_flag(struct reading *reading, const struct read_place *at, const char *name, bool otherwise)
{
    const struct json *value = read_member(at, name);
    if (!value) return otherwise;
    if (json_is(value, JSON_BOOL)) return json_bool(value);
    member_has_wrong_type(reading, at, name, "true or false", value);
    return otherwise;
}

const struct json *read_list(struct reading *reading, const struct read_place *at, const char *name,
                             enum need need)
{
    const struct json *value = read_member(at, name);
    if (value && !json_is(value, JSON_ARRAY)) {
        member_has_wrong_type(reading, at, name, "an array", value);
        return NULL;
    }
    if (!value && need != OPTIONAL) read_missing(reading, at, name, NULL);
    else if (need == FILLED && !json_count(value))
        problem_error(reading->problems, PROBLEM_REQUIRED, read_pointer(reading, at, name), NULL,
                      "%s%s must not be empty", read_prefix(reading, at), name);
    return value;
}

bool read_place(struct reading *reading, const struct read_place *at, const char *name, enum need need,
                struct read_place *ret_place)
{
    const struct json *value = read_member(at, name);
    if (!value) {
        if (need != OPTIONAL) read_missing(reading, at, name, NULL);
        return false;
    }
    if (!json_is(value, JSON_OBJECT)) {
        member_has_wrong_type(reading, at, name, "an object", value);
        return false;
    }
    *ret_place = (struct read_place){
        .object = value,
        .pointer = problem_pointer(reading->arena, at->pointer, str_of(name)),
        .what = arena_printf(reading->scratch, "%s%s", read_prefix(reading, at), name).p,
    };
    return true;
}

bool read_item(struct reading *reading, const struct read_place *at, const char *name, size_t index,
               const struct json *item, struct read_place *ret_place)
{
    *ret_place = (struct read_place){
        .object = item,
        .pointer = problem_pointer_index(reading->arena, read_pointer(reading, at, name), index),
        .what = arena_printf(reading->scratch, "%s%s[%zu]", read_prefix(reading, at), name, index).p,
    };
    if (json_is(item, JSON_OBJECT)) return true;
    problem_error(reading->problems, PROBLEM_WRONG_TYPE, ret_place->pointer, NULL,
                  "%s must be an object, not %s", ret_place->what, json_kind_phrase(json_kind(item)));
    return false;
}

/* ---- names ---- */

void read_limit_name(struct reading *reading, const struct read_place *at, const char *name, str text,
                     size_t bytes_max)
{
    if (text.n > bytes_max)
        problem_error(reading->problems, PROBLEM_TOO_LARGE, read_pointer(reading, at, name), NULL,
                      "%s%s must have at most %zu bytes, got %zu", read_prefix(reading, at), name, bytes_max,
                      text.n);
    for (size_t i = 0; i < text.n; i++) {
        if ((unsigned char)text.p[i] >= 0x20 && text.p[i] != 0x7f) continue;
        problem_error(reading->problems, PROBLEM_BAD_ID, read_pointer(reading, at, name), NULL,
                      "%s%s must not have control characters", read_prefix(reading, at), name);
        return;
    }
}

str read_name(struct reading *reading, const struct read_place *at, const char *name, enum need need)
{
    str text = read_string(reading, at, name, need);
    read_limit_name(reading, at, name, text, NODE_NAME_BYTES_MAX);
    return text;
}

/* ---- members that nobody knows ---- */

static bool is_among(const char *const *names, str name)
{
    for (size_t i = 0; names[i]; i++)
        if (str_equal(str_of(names[i]), name)) return true;
    return false;
}

/* Hints about an absent field, where its absence is easily overlooked. */
static const struct {
    const char *name, *without;
} absences[] = {
    { "correlationToken", "every instance takes every event of this source and type" },
    { "timeout", "nothing limits the time" },
    { "retry", "a failed attempt is not repeated" },
    { "onError", "an error ends the workflow" },
    { "transition", "the flow does not go on from here" },
    { "filter", "the data is not filtered" },
    { "inputPath", "all the data goes in" },
    { "resultPath", "results are merged into the data" },
    { "outputPath", "all the data goes on" },
    { "waitForCompletion", "nobody waits for it" },
    { "actionMode", "actions are done one after the other" },
    { "loop", "the state is done once" },
    { "default", "the state fails if no choice holds" },
    { "completionCondition", "the loop goes through all items" },
    { "outputCollection", "the values of the rounds are dropped" },
    { "timeDelay", "nothing is waited for" },
    { "inject", "no data is added" },
    { "condition", "it always holds" },
    { "triggers", "no event is taken" },
    { "functions", "there is no function to call" },
};

static const char *unknown_hint(struct reading *reading, const struct nearest *nearest, bool absent)
{
    const char *hint = nearest_hint(nearest, reading->scratch);
    for (size_t i = 0; hint && absent && i < COUNT(absences); i++)
        if (str_equal(nearest->best, str_of(absences[i].name)))
            return arena_printf(reading->scratch, "%s without it %s", hint, absences[i].without).p;
    return hint;
}

static void report_unknown(struct reading *reading, const struct read_place *at, const char *const *names,
                           str name)
{
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (size_t i = 0; names[i]; i++) nearest_offer(&nearest, str_of(names[i]));
    bool absent = nearest.best.n && !json_get(at->object, nearest.best);
    const char *later = version_instead(CONSTRUCT_FIELD, name, reading->scratch);
    const char *hint = unknown_hint(reading, &nearest, absent);
    str pointer = problem_pointer(reading->scratch, at->pointer, name);
    const char *prefix = read_prefix(reading, at), *quoted = problem_quote(reading->scratch, name);
    if (absent && !later && nearest_is_plain(&nearest))
        problem_error(reading->problems, PROBLEM_UNKNOWN_FIELD, pointer, hint,
                      "%sunknown field %s, and no %s", prefix, quoted,
                      problem_quote(reading->scratch, nearest.best));
    else
        problem_warning(reading->problems, PROBLEM_UNKNOWN_FIELD, pointer, later ? later : hint,
                        "%sunknown field %s, which is ignored", prefix, quoted);
}

void read_only(struct reading *reading, const struct read_place *at, const char *const *names)
{
    struct json_each each = json_each(at->object);
    while (json_next(&each))
        if (!is_among(names, each.name)) report_unknown(reading, at, names, each.name);
}
