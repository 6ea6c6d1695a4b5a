/* runtime/definitions/design.c — pictures of definitions, and of documents that are on their way to one. */
#include "runtime/definitions/design.h"

#include "dialect/show/sketch.h"
#include "json/json.h"
#include "runtime/memory/memory.h"

struct found design_row(struct query *query, const struct call *call, str id, int32_t version,
                        struct definition_row *ret_row, struct error *err)
{
    struct found found = reader_definition(query->reader, call->ns, id, version, call->arena, ret_row, err);
    if (found_is(found) != NOT_THERE) return found;
    if (version > 0)
        return found_of(fail(err, ST_NOT_FOUND, "definition", "definition \"%.*s\" version %d not found",
                             STR_ARG(id), version));
    return found_of(fail(err, ST_NOT_FOUND, "definition", "definition \"%.*s\" not found", STR_ARG(id)));
}

static void draw(struct call *call, const struct sketch *sketch)
{
    struct buf out;
    buf_init(&out, call->arena);
    draw_picture(sketch, PICTURE_JSON, &out);
    call->value.design.text = buf_str(&out);
}

static enum status draw_stored(struct query *query, struct call *call, struct error *err)
{
    const struct call_picture *asked = &call->as.picture;
    struct definition_row row;
    struct definition *definition;
    struct sketch sketch;
    TRY(found_needed(design_row(query, call, asked->id, asked->version, &row, err)));
    TRY(found_needed(catalogue_get(&query->catalogue, row.number, &definition, err)));
    const struct json *document;
    TRY(json_parse(row.source, NULL, call->arena, &document, err));
    if (!dialect_sketch(definition->program, document, asked->own_places, call->arena, &sketch))
        return fail(err, ST_STORE, "definition", "the stored document of \"%.*s\" cannot be drawn",
                    STR_ARG(asked->id));
    sketch.version = row.version;
    draw(call, &sketch);
    return ST_OK;
}

/* A document with problems is drawn, too, as far as it can be read: somebody works on it. */
static enum status draw_text(struct query *query, struct call *call, struct error *err)
{
    const struct call_picture *asked = &call->as.picture;
    struct problems *problems = &call->value.design.problems;
    const struct json *document = NULL;
    struct sketch sketch;
    struct source source;
    struct error unread;
    const struct source_limits limits = { .bytes_max = (size_t)query->limits.body_bytes_max,
                                          .rest_allowed = true };
    problems_init(problems, call->arena);
    struct program *program =
        source_compile(asked->text, asked->format, limits.bytes_max, problems, &document);
    if (!program && source_parse(asked->text, asked->format, &limits, call->arena, &source, &unread) == ST_OK)
        document = source.document;
    bool can = document && dialect_sketch(program, document, asked->own_places, call->arena, &sketch);
    if (can) draw(call, &sketch);
    program_unref(program);
    if (can) return ST_OK;
    str refusal = dialect_refusal(problems, call->arena);
    return fail(err, ST_INVALID, "document", "%.*s", STR_ARG(refusal));
}

enum status design_picture(struct query *query, struct call *call, struct error *err)
{
    return call->as.picture.id.n ? draw_stored(query, call, err) : draw_text(query, call, err);
}
