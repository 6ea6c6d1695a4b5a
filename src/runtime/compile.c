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

/* The program of a document of the same request; NULL: there is none of that definition. */
static struct program *find_beside(const struct call_apply *beside, str id)
{
    for (size_t i = 0; beside && i < beside->definition_count; i++) {
        struct program *program = beside->item[i].call->program_;
        if (program && str_equal(program->id, id)) return program;
    }
    return NULL;
}

/* ---- definitions that it starts ---- */

/* Is that version of the definition in the store? 0: any. Yes, if the store cannot tell now. */
static bool is_stored(struct query *query, const struct call *call, str id, int32_t version)
{
    struct arena scratch;
    struct definition_row row;
    struct error err;
    arena_init(&scratch, 0);
    enum found_answer found =
        found_is(reader_definition(query->reader, call->ns, id, version, &scratch, &row, &err));
    arena_done(&scratch);
    return found != NOT_THERE;
}

static void look_for_link(struct query *query, struct call *call, const struct program *program,
                          const struct program_link *link, const struct call_apply *beside)
{
    struct problems *problems = &call->value.definitions.problems;
    bool is_own = str_equal(link->definition, program->id);
    if (find_beside(beside, link->definition)) return; /* It brings a version whose number nobody knows. */
    if (!is_stored(query, call, link->definition, 0)) {
        if (!is_own) program_unknown_link(program, link, "that was uploaded so far", problems);
    } else if (link->version && !is_stored(query, call, link->definition, link->version)) {
        program_unknown_version(program, link, problems);
    }
}

/* The program of the latest version, as it is or will be with the documents `beside`; or NULL. */
static struct program *load_program(struct query *query, const struct call *call, str id,
                                    const struct call_apply *beside, struct arena *arena)
{
    struct program *program = find_beside(beside, id);
    struct definition_row row;
    struct error err;
    if (program) return program_ref(program);
    if (found_is(reader_definition(query->reader, call->ns, id, 0, arena, &row, &err)) != FOUND) return NULL;
    struct problems problems;
    problems_init(&problems, arena);
    problems.errors_only = true;
    problems.stored_id = row.id;
    return source_compile(row.source, SOURCE_JSON, row.source.n + 1, &problems, NULL);
}

/* Warns of a circle over definitions that are stored or come `beside` it, as far as the first few of them
 * lead. */
static void look_for_circle(struct query *query, struct call *call, const struct program *program,
                            const struct call_apply *beside)
{
    struct program *family[LINKED_DEFINITIONS_MAX];
    const struct program *member[LINKED_DEFINITIONS_MAX + 1] = { program };
    size_t count = 1;
    struct arena scratch;
    arena_init(&scratch, 0);
    for (size_t at = 0; at < count; at++) {
        struct program_link *link;
        size_t links = program_links(member[at], &scratch, &link);
        for (size_t i = 0; i < links && count <= LINKED_DEFINITIONS_MAX; i++) {
            size_t known = 0;
            while (known < count && !str_equal(member[known]->id, link[i].definition)) known++;
            if (known < count || !link[i].at_once) continue;
            struct program *found = load_program(query, call, link[i].definition, beside, &scratch);
            if (found) family[count - 1] = found, member[count++] = found;
        }
    }
    if (count > 1) program_check_circle(member, count, &call->value.definitions.problems, call->arena);
    for (size_t i = 1; i < count; i++) program_unref(family[i - 1]);
    arena_done(&scratch);
}

/* Warns of definitions that the document starts and that do not exist, for the first few of them: neither in
 * the store nor in documents that come `beside` it. They may still be uploaded, and two uploads at the same
 * time may miss each other. A version that its definition lacks is an error: ST_INVALID. */
static enum status look_for_links(struct query *query, struct call *call, const struct program *program,
                                  str text, const struct call_apply *beside, struct error *err)
{
    struct problems *problems = &call->value.definitions.problems;
    struct program_link *link;
    size_t count = program_links(program, call->arena, &link);
    for (size_t i = 0; i < count && i < LINKED_DEFINITIONS_MAX; i++)
        look_for_link(query, call, program, &link[i], beside);
    if (count) look_for_circle(query, call, program, beside);
    source_place_problems(text, call->as.deploy.format, problems);
    if (!problems->error_count) return ST_OK;
    str refusal = dialect_refusal(problems, call->arena);
    return fail(err, ST_INVALID, "definition", "%.*s", STR_ARG(refusal));
}

/* ---- one document ---- */

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

/* Compiling may take a while for a large document: here it delays no command. Documents that come together
 * look for links when all of them are known. */
static enum status compile_document(struct query *query, struct call *call, bool is_alone, struct error *err)
{
    struct answer_definitions *answer = &call->value.definitions;
    problems_init(&answer->problems, call->arena);
    const struct json *document = NULL;
    if (!call->as.deploy.import) TRY(compile_text(query, call, &document, err));
    if (call->as.deploy.import || dialect_has_entities(call->program_->dialect))
        TRY(compile_import(query, call, &document, err));
    else if (is_alone) TRY(look_for_links(query, call, call->program_, call->as.deploy.text, NULL, err));
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

enum status compile_call(struct query *query, struct call *call, struct error *err)
{
    return compile_document(query, call, true, err);
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
    struct program *program =
        source_compile(call->as.deploy.text, call->as.deploy.format, (size_t)query->limits.body_bytes_max,
                       &answer->problems, &document);
    bool is_good = program && look_for_links(query, call, program, call->as.deploy.text, NULL, err) == ST_OK;
    add_fixes(query, call);
    if (!is_good) {
        program_unref(program);
        return ST_OK;
    }
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

/* ---- several documents ---- */

/* Keeps what the answer tells of the program. */
static void note_program(struct apply_item *item)
{
    struct program_link *link;
    const struct program *program = item->call->program_;
    item->id = arena_str(item->call->arena, program->id);
    item->title = arena_str(item->call->arena, program->title);
    item->dialect = arena_str(item->call->arena, program->dialect);
    size_t count = program_links(program, item->call->arena, &link);
    item->uses = arena_make_n(item->call->arena, str, count);
    for (size_t i = 0; i < count; i++)
        if (!str_equal(link[i].definition, program->id) &&
            (!i || !str_equal(link[i - 1].definition, link[i].definition)))
            item->uses[item->use_count++] = arena_str(item->call->arena, link[i].definition);
}

static enum status compile_item(struct query *query, struct call_apply *asked, struct apply_item *item,
                                struct error *err)
{
    struct call *part = item->call;
    if (part->kind != CALL_DEPLOY) {
        if (part->kind == CALL_RETIRE) item->id = part->as.definition.id;
        return ST_OK;
    }
    part->as.deploy.author = asked->author;
    part->as.deploy.revision = asked->revision;
    if (compile_document(query, part, false, err) == ST_OK) note_program(item);
    else if (part->value.definitions.problems.error_count) asked->refused++;
    else return err->status;
    return ST_OK;
}

/* With two documents for one definition the order would decide. So none is taken. */
static enum status check_alone(const struct call_apply *asked, size_t at, struct error *err)
{
    const struct apply_item *item = &asked->item[at];
    for (size_t i = 0; i < at; i++) {
        const struct apply_item *other = &asked->item[i];
        str id = item->id;
        if (!str_equal(other->id, id)) continue;
        if (item->call->kind == other->call->kind && item->call->kind == CALL_DEPLOY)
            return fail(err, ST_INVALID, "documents",
                        "\"%.*s\" and \"%.*s\" are both of the definition \"%.*s\"", STR_ARG(other->file),
                        STR_ARG(item->file), STR_ARG(id));
        return fail(err, ST_INVALID, "prune",
                    "the definition \"%.*s\" is named twice: a request publishes or retires it once",
                    STR_ARG(id));
    }
    return ST_OK;
}

/* May the caller do it? It is said before anything is done. */
static enum status check_caller(const struct apply_item *item, struct error *err)
{
    const struct call *part = item->call;
    if (!part->caller) return ST_OK;
    if (part->kind == CALL_PAUSE_TRIGGER)
        return caller_check_for(part->caller, MAY_TRIGGERS_OPERATE, part->as.trigger.definition_id, err);
    if (part->kind == CALL_CHANGE_ACCESS)
        return caller_check_for(part->caller, MAY_ACCESS_ADMIN, STR_NONE, err);
    return caller_check_for(part->caller, MAY_DEFINITIONS_WRITE, item->id, err);
}

static enum status judge_item(struct query *query, struct call_apply *asked, size_t at, struct error *err)
{
    struct apply_item *item = &asked->item[at];
    struct call *part = item->call;
    TRY(check_caller(item, err));
    if (at >= asked->definition_count) return ST_OK;
    TRY(check_alone(asked, at, err));
    if (part->kind == CALL_DEPLOY && !dialect_has_entities(part->program_->dialect) &&
        look_for_links(query, part, part->program_, item->text, asked, err) != ST_OK) {
        asked->refused++;
        return ST_OK;
    }
    return asked->dry_run ? apply_judge(query, asked, item, err) : ST_OK;
}

/* First all of them are compiled, then all of them are judged. */
enum status compile_apply(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    struct call_apply *asked = &call->as.apply;
    size_t part = asked->looked++;
    bool compiles = part < asked->count;
    must(asked->count && part < 2 * asked->count);
    struct apply_item *item = &asked->item[part % asked->count];
    enum status status =
        compiles ? compile_item(query, asked, item, err) : judge_item(query, asked, part - asked->count, err);
    if (status != ST_OK) apply_name_file(item, err);
    *ret_more = asked->looked < 2 * asked->count;
    bool is_told = asked->looked == asked->count || asked->looked == 2 * asked->count;
    if (status != ST_OK || !asked->refused || !is_told) return status;
    *ret_more = false;
    return fail_code(err, ST_INVALID, "VALIDATION_FAILED",
                     "%zu of %zu documents have errors; nothing was applied", asked->refused, asked->count);
}

void compile_release(struct call *call)
{
    for (size_t i = 0; call->kind == CALL_APPLY && i < call->as.apply.count; i++)
        compile_release(call->as.apply.item[i].call);
    program_unref(call->program_);
    call->program_ = NULL;
}
