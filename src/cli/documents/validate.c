/* cli/documents/validate.c — `pawl validate`: compiles definitions, and prints their problems. */
#include "cli/documents/document.h"

#include "dialect/dialect.h"

#include "base/utf8.h"
#include "cli/output.h"

/* Counts the nodes that the author wrote. */
static size_t authored_count(const struct program *program)
{
    const struct dialect *dialect = dialect_named(program->dialect);
    size_t count = 0;
    for (size_t i = 0; i < program->node_count; i++) {
        const struct program_node *node = &program->node[i];
        count += dialect->is_own_node ? dialect->is_own_node(node) : !node->inner;
    }
    return count;
}

/* Prints a file's part of the report, for people. */
static void add_lines(const struct document *document, struct buf *out)
{
    problems_print(&document->problems, document->name, out);
    if (!document->program) return;
    size_t count = authored_count(document->program);
    buf_printf(out, "%.*s: ok: %.*s, %zu %.*s%s", STR_ARG(document->name), STR_ARG(document->program->id),
               count, STR_ARG(document->program->node_word), count == 1 ? "" : "s");
    if (document->problems.warning_count)
        buf_printf(out, ", %zu warning%s", document->problems.warning_count,
                   document->problems.warning_count == 1 ? "" : "s");
    buf_add_char(out, '\n');
}

static void add_object(const struct document *document, struct arena *arena, struct json_builder *builder)
{
    json_open_object(builder);
    json_add_name(builder, STR("file"));
    json_add_string(builder, utf8_is_valid(document->name) ? document->name : STR("?"));
    json_add_name(builder, STR("valid"));
    json_add_bool(builder, document->program != NULL);
    if (document->program) {
        json_add_name(builder, STR("id"));
        json_add_string(builder, document->program->id);
    }
    json_add_name(builder, STR("problems"));
    json_add(builder, problems_json(&document->problems, arena));
    json_close(builder);
}

/* With --strict: a field that nothing reads is a mistake, even if the document works without it. */
static size_t count_ignored(const struct document *document)
{
    size_t count = 0;
    for (size_t i = 0; i < document->problems.count; i++) {
        const struct problem *problem = &document->problems.problem[i];
        count += problem->code == PROBLEM_UNKNOWN_FIELD || problem->code == PROBLEM_IGNORED;
    }
    return count;
}

int verb_validate(const struct options *options)
{
    bool as_json = option_on(options, OPTION_JSON);
    struct json_builder builder;
    struct buf out;
    struct error err;
    int code = 0;

    buf_init(&out, options->arena);
    json_builder_init(&builder, options->arena);
    json_open_array(&builder);
    struct document *document = arena_make_n(options->arena, struct document, options->argument_count);
    size_t count = 0;
    for (size_t i = 0; i < options->argument_count; i++) {
        if (document_read(&document[count], options->argument[i].p, options->arena, &err) == ST_OK) count++;
        else code = output_fail(&err);
    }
    /* With a single file, the definitions that it starts may exist elsewhere. */
    if (count > 1) document_check_family(document, count, options->arena);
    for (size_t i = 0; i < count; i++) {
        if (as_json) add_object(&document[i], options->arena, &builder);
        else add_lines(&document[i], &out);
        bool ignores = option_on(options, OPTION_STRICT) && count_ignored(&document[i]) > 0;
        if (!document[i].program && code <= 1) code = status_exit(ST_INVALID);
        if (ignores && !code) code = 1;
        document_done(&document[i]);
    }
    json_close(&builder);
    if (as_json) {
        json_print_pretty(json_built(&builder), &out);
        buf_add_char(&out, '\n');
    }
    int write_code = output_write(buf_str(&out));
    return code ? code : write_code;
}
