/* dialect/dialect.c — lists all dialects, finds the one of a document, and compiles with it. */
#include "dialect/dialect.h"

#include "base/must.h"
#include "dialect/entity/entity.h"
#include "dialect/graph/graph.h"
#include "dialect/serverless/serverless.h"
#include "dialect/startable.h"
#include "dialect/tool.h"
#include "dialect/steps/steps.h"

/* In the order in which they are asked to recognise a document. The last one takes every object, so that
 * the problems of a document that no dialect recognises are told in some dialect's words; its views show
 * instances of unknown definitions. */
static const struct dialect *const dialects[] = { &dialect_entity, &dialect_graph, &dialect_serverless,
                                                  &dialect_steps };

const struct dialect *dialect_of(const struct json *document)
{
    if (!json_is(document, JSON_OBJECT)) return NULL;
    for (size_t i = 0; i < COUNT(dialects); i++)
        if (dialects[i]->recognises(document)) return dialects[i];
    return dialects[COUNT(dialects) - 1];
}

const struct dialect *dialect_named(str name)
{
    for (size_t i = 0; i < COUNT(dialects); i++)
        if (str_equal(dialects[i]->name, name)) return dialects[i];
    return dialects[COUNT(dialects) - 1];
}

str dialect_of_entities(void)
{
    for (size_t i = 0; i < COUNT(dialects); i++)
        if (dialects[i]->has_entities) return dialects[i]->name;
    return STR_NONE;
}

bool dialect_has_body(const struct json *document)
{
    for (size_t i = 0; i < COUNT(dialects); i++)
        if (json_get(document, dialects[i]->body_name)) return true;
    return false;
}

/* Scenario files look like definitions to people, and are easily mistaken for them. */
static bool is_scenario(const struct json *document)
{
    return json_is(json_get(document, STR("cases")), JSON_ARRAY) && !dialect_has_body(document);
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
    problems->dialect = dialect->name;
    struct program *program = dialect->compile(document, problems);
    must(program || problems->error_count);
    size_t errors = problems->error_count;
    if (program && !dialect->has_entities) {
        startable_read(document, program, problems);
        tool_read(document, problems);
    }
    if (problems->error_count > errors) {
        program_unref(program);
        return NULL;
    }
    must(!program || (program->node_count && program->id.n && str_equal(program->dialect, dialect->name)));
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

str dialect_refusal(const struct problems *problems, struct arena *arena)
{
    return problems->error_count ? dialect_named(problems->dialect)->refusal(problems, arena) : STR_NONE;
}
