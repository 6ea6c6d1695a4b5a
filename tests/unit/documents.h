/* tests/unit/documents.h — the documents of a test, kept in a .json file beside it.
 *
 * tests/unit/core/documents/joins.json holds the documents of tests/unit/core/test_joins.c: one object with a
 * member per document. A test names the file by folder and test:
 *
 *     const char *text = document("core/joins", "fork");
 *
 * Tests run from the root of the repository. A file or a name that is not there ends the test program with a
 * message. Documents live as long as the process. Include this header before cmocka.h.
 */
#ifndef TESTS_UNIT_DOCUMENTS_H
#define TESTS_UNIT_DOCUMENTS_H

#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>

struct document_file {
    const char *name;
    const struct json *content;
    struct document_file *next;
};

struct document_files {
    struct arena arena;
    struct document_file *first;
};

static inline _Noreturn void document_lost(const char *path, const char *why)
{
    fprintf(stderr, "documents: %s: %s\n", path, why);
    abort();
}

static inline const struct json *document_file_read(const char *file, struct arena *arena)
{
    const char *slash = strrchr(file, '/');
    if (!slash) document_lost(file, "the name of a file is folder/test");
    str path = arena_printf(arena, "tests/unit/%.*s/documents/%s.json", (int)(slash - file), file, slash + 1);
    FILE *in = fopen(path.p, "rb");
    if (!in) document_lost(path.p, "cannot be opened; tests run from the root of the repository");
    struct buf text;
    buf_init(&text, arena);
    for (size_t n = 1; n; text.n += n) n = fread(buf_reserve(&text, 1 << 14), 1, 1 << 14, in);
    fclose(in);
    const struct json *content;
    struct error err = { 0 };
    if (json_parse(buf_str(&text), NULL, arena, &content, &err) != ST_OK)
        document_lost(arena_printf(arena, "%s:%u:%u", path.p, err.line, err.column).p, err.message);
    return content;
}

static inline struct document_files *document_files(void)
{
    static struct document_files files;
    return &files;
}

/* The document as a value. */
static inline const struct json *document_value(const char *file, const char *name)
{
    struct document_files *files = document_files();
    struct document_file *at = files->first;
    while (at && strcmp(at->name, file) != 0) at = at->next;
    if (!at) {
        at = arena_make(&files->arena, struct document_file);
        *at = (struct document_file){ arena_str(&files->arena, str_of(file)).p,
                                      document_file_read(file, &files->arena), files->first };
        files->first = at;
    }
    const struct json *value = json_get(at->content, str_of(name));
    if (!value) document_lost(file, arena_printf(&files->arena, "has no document \"%s\"", name).p);
    return value;
}

/* The value as compact JSON text, which ends with a NUL. Of a string the text is the string itself: so a
 * document can be something that is not JSON. */
static inline const char *document_text(const struct json *value)
{
    struct arena *arena = &document_files()->arena;
    if (json_is(value, JSON_STRING)) return arena_str(arena, json_string(value)).p;
    struct buf out;
    buf_init(&out, arena);
    json_print(value, &out);
    buf_add_char(&out, '\0');
    return out.p;
}

static inline const char *document(const char *file, const char *name)
{
    return document_text(document_value(file, name));
}

/* The text of a member of a document that is a table: one object per row. */
static inline const char *document_member(const struct json *row, const char *name)
{
    const struct json *value = json_get(row, str_of(name));
    if (!value) document_lost(name, "a row of the table does not have it");
    return document_text(value);
}

#endif
