/* cli/folder/body.c — the request that a folder makes. */
#include "cli/folder/folder.h"
#include "cli/limits.h"
#include "json/put.h"
#include "source/source.h"

/* A file that is sent as a value. */
static enum status parse(const struct folder *folder, const struct folder_file *file,
                         const struct json **ret_value, struct error *err)
{
    struct source source;
    struct error why;
    if (source_parse(file->text, source_format_of(file->path), NULL, folder->arena, &source, &why) != ST_OK)
        return fail(err, why.status, "DIR", "%.*s:%u:%u: %s", STR_ARG(file->path), why.line, why.column,
                    why.message);
    if (!json_is(source.document, JSON_OBJECT))
        return fail(err, ST_INVALID, "DIR", "%.*s:1:1: it must be an object", STR_ARG(file->path));
    *ret_value = source.document;
    return ST_OK;
}

static void put_documents(const struct folder *folder, struct buf *out)
{
    PUT(out, "{\"documents\":[");
    for (size_t i = 0; i < folder->count; i++) {
        const struct folder_file *file = &folder->file[i];
        if (i) buf_add_char(out, ',');
        PUT(out, "{\"file\":");
        put_text(out, file->path);
        PUT(out, ",\"text\":");
        put_text(out, file->text);
        if (source_format_of(file->path) == SOURCE_YAML) PUT(out, ",\"format\":\"yaml\"");
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
}

static enum status put_triggers(const struct folder *folder, struct buf *out, struct error *err)
{
    const struct json *file;
    if (!folder->triggers.path.n) return ST_OK;
    TRY(parse(folder, &folder->triggers, &file, err));
    const struct json *list = json_get(file, STR("triggers"));
    if (!json_is(list, JSON_ARRAY) || json_count(file) != 1)
        return fail(err, ST_INVALID, "DIR", "%.*s:1:1: it has one member: triggers, a list",
                    STR_ARG(folder->triggers.path));
    PUT(out, ",\"triggers\":[");
    struct json_each each = json_each(list);
    for (size_t i = 0; json_next(&each); i++) {
        if (!json_is(each.value, JSON_OBJECT))
            return fail(err, ST_INVALID, "DIR", "%.*s: /triggers/%zu is no object",
                        STR_ARG(folder->triggers.path), i);
        if (i) buf_add_char(out, ',');
        json_print(json_set(folder->arena, each.value, STR("file"),
                            json_of_string(folder->arena, folder->triggers.path)),
                   out);
    }
    buf_add_char(out, ']');
    return ST_OK;
}

static enum status put_access(const struct folder *folder, struct buf *out, struct error *err)
{
    const struct json *file;
    if (!folder->access.path.n) return ST_OK;
    TRY(parse(folder, &folder->access, &file, err));
    PUT(out, ",\"access\":{\"file\":");
    json_print(file, out);
    buf_add_char(out, '}');
    return ST_OK;
}

enum status folder_body(const struct folder *folder, const struct json *prune, const struct json *expected,
                        str *ret_body, struct error *err)
{
    struct buf out;
    buf_init(&out, folder->arena);
    put_documents(folder, &out);
    if (prune && json_count(prune)) {
        PUT(&out, ",\"prune\":");
        json_print(prune, &out);
    }
    TRY(put_triggers(folder, &out, err));
    TRY(put_access(folder, &out, err));
    if (expected) {
        PUT(&out, ",\"expected\":");
        json_print(expected, &out);
    }
    buf_add_char(&out, '}');
    *ret_body = buf_str(&out);
    return ST_OK;
}
