/* dialect/serverless/serverless.c — from a Serverless Workflow document to a program. */
#include "dialect/serverless/serverless.h"

#include "dialect/refusal.h"
#include "dialect/serverless/serverless_int.h"
#include "dialect/serverless/view.h"

static const struct json *normal(const struct json *document, struct arena *arena)
{
    (void)arena;
    return document; /* As its author wrote it: readers accept every spelling. */
}

/* Nothing to print: members that are tried in order are in arrays, whose order counts anyway. */
static void print_order(const struct json *document, struct buf *out)
{
    (void)document;
    (void)out;
}

static struct program *compile(const struct json *document, struct problems *problems)
{
    struct program *program = program_new_for(document, 24);
    size_t errors = problems->error_count;
    struct workflow *workflow = serverless_read(document, program_arena(program), problems);
    if (workflow) {
        serverless_lower(workflow, program, problems);
        if (problems->error_count == errors) program_check(program, problems);
        if (problems->error_count == errors) return program;
    }
    program_unref(program);
    return NULL;
}

const struct dialect dialect_serverless = {
    .name = STR_INIT("serverless"),
    .body_name = STR_INIT("states"),
    .recognises = version_recognises,
    .normal = normal,
    .print_order = print_order,
    .compile = compile,
    .fix = serverless_fix,
    .sketch = serverless_sketch,
    .sketch_kind = serverless_sketch_kind,
    .version_is_content = true,
    .refusal = refusal_text,
    .nodes_by_title = true,
    .path_is_top_level = true,
    .status_word = serverless_status_word,
    .data_word = serverless_data_word,
    .put_instance = serverless_put_instance,
    .put_visit = serverless_put_visit,
    .put_history_end = serverless_put_path,
    .add_run = serverless_add_run,
};
