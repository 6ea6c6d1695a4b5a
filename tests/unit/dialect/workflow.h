/* tests/unit/dialect/workflow.h — Serverless Workflow documents in, workflows and problems out.
 *
 * Documents are written as in compile.h: ' for ", and ` for '.
 */
#ifndef TESTS_DIALECT_WORKFLOW_H
#define TESTS_DIALECT_WORKFLOW_H

#include "dialect/compile.h"
#include "dialect/serverless/serverless_int.h"

struct read_result {
    struct arena arena;
    struct arena program; /* What the workflow lives in. */
    struct problems problems;
    struct workflow *workflow; /* NULL: refused. */
};

static inline void read_json(struct read_result *result, const struct json *document)
{
    problems_init(&result->problems, &result->arena);
    result->workflow = serverless_read(document, &result->program, &result->problems);
    assert_int_equal(result->workflow == NULL, result->problems.error_count > 0);
}

static inline void read_workflow(struct read_result *result, const char *text)
{
    arena_init(&result->arena, 0);
    arena_init(&result->program, 0);
    const struct json *document;
    struct error err = { 0 };
    if (json_parse(compile_unquote(&result->arena, text), NULL, &result->arena, &document, &err) != ST_OK)
        fail_msg("%s at %u: %s", err.message, err.column, text);
    read_json(result, document);
}

static inline void read_done(struct read_result *result)
{
    arena_done(&result->arena);
    arena_done(&result->program);
}

/* "E CODE /pointer, W CODE /pointer" in order. */
static inline const char *read_problems(struct read_result *result)
{
    struct buf out;
    buf_init(&out, &result->arena);
    for (size_t i = 0; i < result->problems.count; i++) {
        const struct problem *problem = &result->problems.problem[i];
        buf_printf(&out, "%s%c %s %.*s", i ? ", " : "", problem->warning ? 'W' : 'E',
                   problem_code_name(problem->code), STR_ARG(problem->pointer));
    }
    buf_add_char(&out, '\0');
    return out.p;
}

struct read_case {
    const char *document;
    const char *problems;
};

static inline void expect_problems(const struct read_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct read_result result;
        read_workflow(&result, cases[i].document);
        const char *problems = read_problems(&result);
        if (strcmp(problems, cases[i].problems) != 0)
            fail_msg("%s\nwant %s\ngot  %s", cases[i].document, cases[i].problems, problems);
        for (size_t k = 0; k < result.problems.count; k++)
            assert_true(result.problems.problem[k].message.n > 0);
        read_done(&result);
    }
}

/* A workflow around states, which start at "A". */
#define WORKFLOW(more, states) "{'id':'w','name':'W','startsAt':'A'" more ",'states':[" states "]}"
/* One that has triggers e and f, functions f and g, and a state B to go to, which ends. */
#define FULL(states)                                                                                    \
    WORKFLOW(",'triggers':[{'name':'e','source':'s','type':'t'},{'name':'f','source':'s','type':'u'}]," \
             "'functions':[{'name':'f'},{'name':'g'}]",                                                 \
             states "," RELAY("B"))
#define RELAY(name) "{'name':'" name "','type':'RELAY','end':true}"
#define OPERATION(more) "{'name':'A','type':'OPERATION','transition':'B'," more "}"
#define ACTION(more) "{'functionref':{'refname':'f'}" more "}"

#endif
