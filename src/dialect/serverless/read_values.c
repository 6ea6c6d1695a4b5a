/* dialect/serverless/read_values.c — paths, filters, conditions and transitions. */
#include "dialect/serverless/read_int.h"

/* ---- paths ---- */

const struct jsonpath *read_path(struct reading *reading, const struct read_place *at, const char *name,
                                 enum need need, enum path_kind kind, str *ret_text)
{
    str text = read_string(reading, at, name, need);
    if (ret_text) *ret_text = text;
    if (!text.p) return NULL;

    const struct jsonpath *path;
    struct error err = { 0 };
    enum status status = jsonpath_compile(text, JSONPATH_LENIENT, reading->arena, &path, &err);
    if (status != ST_OK) {
        problem_error(reading->problems, status == ST_LIMIT ? PROBLEM_TOO_LARGE : PROBLEM_BAD_PATH,
                      read_pointer(reading, at, name), NULL, "%s%s: %s (column %u of %s)",
                      read_prefix(reading, at), name, err.message, err.column,
                      problem_quote(reading->scratch, text));
        return NULL;
    }
    if (kind == PATH_DEFINITE && !jsonpath_is_definite(path)) {
        problem_error(
            reading->problems, PROBLEM_BAD_PATH, read_pointer(reading, at, name),
            "use member names and indices only, as in $.a.b[0]",
            "%s%s: %s can lead to several places; something is written there, so it must lead to one",
            read_prefix(reading, at), name, problem_quote(reading->scratch, text));
        return NULL;
    }
    return path;
}

void read_filter(struct reading *reading, const struct read_place *at, enum filter_of of,
                 struct filter *ret_filter)
{
    static const char *const names[] = { "inputPath", "resultPath", "outputPath", NULL };
    struct read_place place;
    *ret_filter = (struct filter){ .input = NULL };
    if (!read_place(reading, at, "filter", OPTIONAL, &place)) return;

    ret_filter->pointer = place.pointer;
    ret_filter->input = read_path(reading, &place, "inputPath", OPTIONAL, PATH_ANY, &ret_filter->input_text);
    ret_filter->result =
        read_path(reading, &place, "resultPath", OPTIONAL, PATH_DEFINITE, &ret_filter->result_text);
    ret_filter->output =
        read_path(reading, &place, "outputPath", OPTIONAL, PATH_ANY, &ret_filter->output_text);
    if (of == FILTER_OF_EVENT && ret_filter->output_text.p) {
        problem_warning(reading->problems, PROBLEM_IGNORED, read_pointer(reading, &place, "outputPath"),
                        "filter what leaves the state with the state's own filter",
                        "%s: an event's filter has no outputPath; it is ignored", place.what);
        ret_filter->output = NULL;
        ret_filter->output_text = STR_NONE;
    }
    read_only(reading, &place, names);
}

/* ---- conditions ---- */

/* All known languages select the same grammar (contract, section 1.7). */
static const char *const languages[] = { "spel", "jexl", "cel", "jsonpath", "default", NULL };

bool read_language(struct reading *reading, const struct read_place *at, bool otherwise)
{
    str language = read_string(reading, at, "expressionLanguage", OPTIONAL);
    if (!language.p) return otherwise;
    for (size_t i = 0; languages[i]; i++)
        if (str_equal_ignoring_case(language, str_of(languages[i]))) return true;
    problem_error(reading->problems, PROBLEM_UNKNOWN_LANGUAGE,
                  read_pointer(reading, at, "expressionLanguage"),
                  arena_printf(reading->scratch, "write %s: they all mean the grammar of this engine",
                               read_words(reading, languages))
                      .p,
                  "%sexpressionLanguage %s is not spoken here", read_prefix(reading, at),
                  problem_quote(reading->scratch, language));
    return false;
}

static void warn_of_quoted_template(struct reading *reading, const struct read_place *at, const char *name,
                                    const struct condition_text *condition)
{
    if (!condition->text.p || !problems_have_room(reading->problems, true)) return;
    str found = template_quoted_in(condition->text);
    if (found.n)
        template_warn_text(reading->problems, found, condition->pointer,
                           arena_printf(reading->scratch, "%s%s", read_prefix(reading, at), name).p,
                           "write the path without quotes, as in $.name eq 'x'");
}

void read_condition_text(struct reading *reading, const struct read_place *at, const char *name,
                         enum need need, struct condition_text *ret_condition)
{
    static const char *const names[] = { "expressionLanguage", "body", NULL };
    const struct json *value = read_member(at, name);
    *ret_condition = (struct condition_text){ .text = STR_NONE };
    if (!value && need == OPTIONAL) return;
    if (!value || json_is(value, JSON_STRING)) {
        str text = read_string(reading, at, name, REQUIRED);
        if (reading->understood) ret_condition->text = text;
        ret_condition->pointer = problem_pointer(reading->arena, at->pointer, str_of(name));
        warn_of_quoted_template(reading, at, name, ret_condition);
        return;
    }
    if (!json_is(value, JSON_OBJECT)) {
        read_wrong_type(reading, read_pointer(reading, at, name), at->what, name, "a string or an object",
                        value);
        return;
    }
    struct read_place place;
    read_place(reading, at, name, need, &place);
    bool understood = read_language(reading, &place, reading->understood);
    str text = read_string(reading, &place, "body", REQUIRED);
    if (understood) ret_condition->text = text;
    ret_condition->pointer = problem_pointer(reading->arena, place.pointer, STR("body"));
    warn_of_quoted_template(reading, at, name, ret_condition);
    read_only(reading, &place, names);
}

void read_condition_failed(struct reading *reading, const struct read_place *at, const char *name,
                           const struct condition_text *condition, enum problem_code code, const char *hint,
                           const struct error *err)
{
    const char *text = problem_quote(reading->scratch, condition->text);
    if (err->line > 1)
        problem_error(reading->problems, code, condition->pointer, hint,
                      "%s%s: %s (line %u, column %u of %s)", read_prefix(reading, at), name, err->message,
                      err->line, err->column, text);
    else
        problem_error(reading->problems, code, condition->pointer, hint, "%s%s: %s (column %u of %s)",
                      read_prefix(reading, at), name, err->message, err->column, text);
}

void read_condition(struct reading *reading, const struct read_place *at, const char *name, enum need need,
                    struct condition_text *ret_condition)
{
    read_condition_text(reading, at, name, need, ret_condition);
    if (!ret_condition->text.p) return;
    /* The meaning of the names does not matter yet: every name is allowed everywhere. */
    struct condition_names names = { .root = tree_data(reading->scratch) };
    struct expr_tree *tree;
    struct error err = { 0 };
    enum status status = expr_parse_condition(ret_condition->text, &names, reading->scratch, &tree, &err);
    if (status != ST_OK)
        read_condition_failed(reading, at, name, ret_condition,
                              status == ST_LIMIT ? PROBLEM_TOO_LARGE : PROBLEM_BAD_CONDITION, NULL, &err);
}

/* ---- transitions ---- */

void read_transition(struct reading *reading, const struct read_place *at, const char *name, enum need need,
                     struct state_transition *ret_transition)
{
    static const char *const names[] = { "nextState", "condition", NULL };
    const struct json *value = read_member(at, name);
    *ret_transition = (struct state_transition){ .target = STR_NONE };
    if (!value && need == OPTIONAL) return;
    if (!value || json_is(value, JSON_STRING)) {
        ret_transition->target = read_string(reading, at, name, REQUIRED);
        ret_transition->pointer = problem_pointer(reading->arena, at->pointer, str_of(name));
        return;
    }
    if (!json_is(value, JSON_OBJECT)) {
        read_wrong_type(reading, read_pointer(reading, at, name), at->what, name,
                        "a state's name or an object", value);
        return;
    }
    struct read_place place;
    read_place(reading, at, name, need, &place);
    ret_transition->target = read_string(reading, &place, "nextState", REQUIRED);
    ret_transition->pointer = problem_pointer(reading->arena, place.pointer, STR("nextState"));
    read_condition(reading, &place, "condition", OPTIONAL, &ret_transition->condition);
    read_only(reading, &place, names);
}
