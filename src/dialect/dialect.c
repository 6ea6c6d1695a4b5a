#include "dialect/dialect.h"

#include "dialect/serverless/serverless.h"
#include "dialect/steps/steps.h"

/* In the order they are asked. The last one takes every object, so that what is wrong with
 * a document that nobody recognises is said in somebody's terms. */
static const struct dialect *const dialects[] = { &dialect_serverless, &dialect_steps };

const struct dialect *dialect_of(const struct json *document)
{
    if (!json_is(document, JSON_OBJECT)) return NULL;
    for (size_t i = 0; i < COUNT(dialects); i++)
        if (dialects[i]->recognises(document)) return dialects[i];
    return dialects[COUNT(dialects) - 1];
}

/* Tests of definitions look like definitions to people, and are easily mistaken for them. */
static bool is_scenario(const struct json *document)
{
    return json_is(json_get(document, STR("cases")), JSON_ARRAY) && !json_get(document, STR("steps")) &&
           !json_get(document, STR("states"));
}

struct program *dialect_compile(const struct json *document, struct problems *problems,
                                const struct json **ret_document)
{
    if (ret_document) *ret_document = NULL;
    const struct dialect *dialect = dialect_of(document);
    if (!dialect) {
        problem_error(problems, PROBLEM_UNKNOWN_DIALECT, STR(""), NULL,
                      "%s: a definition is an object, not %s", problems_format(problems),
                      json_kind_name(json_kind(document)));
        return NULL;
    }
    if (is_scenario(document)) {
        problem_error(problems, PROBLEM_UNKNOWN_DIALECT, STR(""), "run it with pawl test",
                      "json: this is a scenario file, which tests definitions, and no definition itself");
        return NULL;
    }
    struct program *program = dialect->compile(document, problems);
    if (program && ret_document) *ret_document = dialect->normal(document, problems->arena);
    return program;
}

void dialect_print_content(const struct json *document, struct arena *arena, struct buf *out)
{
    const struct dialect *dialect = dialect_of(document);
    bool whole = dialect && dialect->version_is_content;
    json_print_canonical(whole ? document : json_without(arena, document, STR("version")), out);
    if (dialect) dialect->print_order(document, out);
}

/* ---- the refusal as one text ---- */

/* Found while the document was read, before anything could be said about its meaning. */
static bool is_about_reading(const struct problem *problem)
{
    switch (problem->code) {
    case PROBLEM_SYNTAX:
    case PROBLEM_UNKNOWN_DIALECT:
    case PROBLEM_UNKNOWN_FIELD:
    case PROBLEM_WRONG_TYPE:
    case PROBLEM_REMOVED_FIELD: return !problem->warning;
    case PROBLEM_TOO_LARGE: return !problem->warning && !problem->pointer.n; /* The text itself. */
    default: return false;
    }
}

static bool unreadable(const struct problems *problems)
{
    for (size_t i = 0; i < problems->count; i++)
        if (is_about_reading(&problems->problem[i])) return true;
    return false;
}

str dialect_refusal(const struct problems *problems, struct arena *arena)
{
    if (!problems->error_count) return STR("");
    struct buf out;
    buf_init(&out, arena);
    bool reading = unreadable(problems);
    buf_add_str(&out, reading ? STR("parse error: parse: ") : STR("validation error: validation errors:"));
    size_t shown = 0;
    for (size_t i = 0; i < problems->count; i++) {
        const struct problem *problem = &problems->problem[i];
        if (problem->warning || (reading && !is_about_reading(problem))) continue;
        if (reading && shown) buf_add_str(&out, STR("; "));
        if (!reading) buf_add_str(&out, STR("\n  "));
        buf_add_str(&out, problem->message);
        shown++;
    }
    if (!reading && shown < problems->error_count)
        buf_printf(&out, "\n  … and %zu more", problems->error_count - shown);
    return buf_str(&out);
}
