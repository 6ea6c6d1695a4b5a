/* runtime/compile.c — documents become programs, on the query thread: it delays no command.
 *
 * A DEPLOY goes on to the engine with its program; a VALIDATE only tells what is wrong with its document.
 */
#include "runtime/runtime_int.h"

#include "base/hash.h"
#include "base/must.h"
#include "dialect/dialect.h"
#include "dialect/fix/fixes.h"
#include "json/json.h"
#include "runtime/call/call.h"
#include "runtime/definitions/definitions.h"
#include "runtime/entities/entities.h"
#include "runtime/memory/memory.h"
#include "source/source.h"

/* Warns of definitions that the document starts and that do not exist, for the first few of them. They may
 * still be uploaded, and two uploads at the same time may miss each other. */
static void look_for_links(struct query *query, struct call *call, const struct program *program)
{
    struct program_link *link;
    size_t count = program_links(program, call->arena, &link);
    for (size_t i = 0; i < count && i < LINKED_DEFINITIONS_MAX; i++) {
        struct arena scratch;
        struct definition_row row;
        struct error err;
        if (str_equal(link[i].definition, program->id)) continue;
        arena_init(&scratch, 0);
        if (found_is(reader_definition(query->reader, call->ns, link[i].definition, 0, &scratch, &row,
                                       &err)) == NOT_THERE)
            program_unknown_link(program, &link[i], "that was uploaded so far",
                                 &call->value.definitions.problems);
        arena_done(&scratch);
    }
    source_place_problems(call->as.deploy.text, call->as.deploy.format, &call->value.definitions.problems);
}

static enum status compile_text(struct query *query, struct call *call, const struct json **ret_document,
                                struct error *err)
{
    struct answer_definitions *answer = &call->value.definitions;
    call->program_ = source_compile(call->as.deploy.text, call->as.deploy.format,
                                    (size_t)query->limits.body_bytes_max, &answer->problems, ret_document);
    if (call->program_) return ST_OK;
    str refusal = dialect_refusal(&answer->problems, call->arena);
    return fail(err, ST_INVALID, "definition", "%.*s", STR_ARG(refusal));
}

/* Workflows of entities are compiled twice: as their author wrote them, so that problems have their places,
 * and as a part of the model. */
static enum status compile_import(struct query *query, struct call *call, const struct json **document,
                                  struct error *err)
{
    struct answer_definitions *answer = &call->value.definitions;
    struct problems told = answer->problems;
    if (call->program_) {
        import_take_document(call, *document);
        program_unref(call->program_);
        call->program_ = NULL;
    }
    TRY(import_merge(query->reader, call, err));
    problems_init(&answer->problems, call->arena);
    TRY(compile_text(query, call, document, err));
    if (told.count) answer->problems = told;
    return ST_OK;
}

/* Compiling may take a while for a large document: here it delays no command. */
enum status compile_call(struct query *query, struct call *call, struct error *err)
{
    struct answer_definitions *answer = &call->value.definitions;
    problems_init(&answer->problems, call->arena);
    const struct json *document = NULL;
    if (!call->as.deploy.import) TRY(compile_text(query, call, &document, err));
    if (call->as.deploy.import || dialect_has_entities(call->program_->dialect))
        TRY(compile_import(query, call, &document, err));
    else look_for_links(query, call, call->program_);
    struct buf content;
    buf_init(&content, call->arena);
    dialect_print_content(document, call->arena, &content);
    call->content_ = hash_bytes(buf_str(&content));
    call->document_ = document;
    struct buf source;
    buf_init(&source, call->arena);
    json_print(document, &source);
    call->as.deploy.text = buf_str(&source);
    TRY(secret_uses_check(call, err));
    missing_find(query, call, call->program_, document);
    return ST_OK;
}

/* The stored text goes the way of one that was sent. */
enum status compile_restore(struct query *query, struct call *call, struct error *err)
{
    TRY(restore_begin(query, call, err));
    return compile_call(query, call, err);
}

/* Repairs are for the document as it was sent. */
static void add_fixes(struct query *query, struct call *call)
{
    const struct source_limits limits = { .bytes_max = (size_t)query->limits.body_bytes_max,
                                          .rest_allowed = true };
    const struct call_deploy *asked = &call->as.deploy;
    struct source source;
    struct error err;
    if (source_parse(asked->text, asked->format, &limits, call->arena, &source, &err) == ST_OK)
        dialect_add_fixes(source.document, &call->value.definitions.problems);
}

/* Tells what is wrong with a document. A document that is wrong is a good answer. */
enum status compile_validate(struct query *query, struct call *call, struct error *err)
{
    struct answer_definitions *answer = &call->value.definitions;
    const struct json *document = NULL;
    problems_init(&answer->problems, call->arena);
    (void)err;
    struct program *program =
        source_compile(call->as.deploy.text, call->as.deploy.format, (size_t)query->limits.body_bytes_max,
                       &answer->problems, &document);
    if (program) look_for_links(query, call, program);
    add_fixes(query, call);
    if (!program) return ST_OK;
    missing_find(query, call, program, document);
    answer->row = arena_make(call->arena, struct definition_row);
    answer->count = 1;
    *answer->row = (struct definition_row){ .id = arena_str(call->arena, program->id),
                                            .title = arena_str(call->arena, program->title),
                                            .dialect = arena_str(call->arena, program->dialect),
                                            .priority = program->priority };
    program_unref(program);
    return ST_OK;
}
