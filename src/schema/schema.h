/* schema/schema.h — JSON Schema: a document is compiled once, then checks values.
 *
 * Draft-07 and 2020-12; `$schema` of a document chooses, and a document without one is of 2020-12. Nothing is
 * ever fetched: a reference leads into the document, to a source that the caller gives, or to one of the
 * meta-schemas of both drafts, which are built in.
 *
 * A compiled schema never changes, so threads share it without a lock. It lives in the arena that it was
 * compiled in, and borrows nothing from the document.
 *
 * Numbers are exact: 0.3 is a multiple of 0.1, and integers have any number of digits. Regular expressions
 * are those of ECMAScript. `format` is a note without consequences, as both drafts have it, unless the
 * options or the vocabulary of the meta-schema ask for more.
 */
#ifndef SCHEMA_SCHEMA_H
#define SCHEMA_SCHEMA_H

#include "base/arena.h"
#include "base/status.h"
#include "json/json.h"

struct schema;

enum schema_draft { SCHEMA_2020_12, SCHEMA_DRAFT_07 };

/* A document that others may refer to by its URI. */
struct schema_source {
    str uri;
    const struct json *document;
};

struct schema_options {
    enum schema_draft draft; /* For documents that do not say it. */
    bool formats;            /* `format` is checked, and in draft-07 also the encoding and type of content. */
    const struct schema_source *source;
    size_t source_count;
};

/* Compiles a document. Fails with ST_INVALID if the document is no schema, if a reference leads nowhere or in
 * a circle, or if the draft is another one; with ST_LIMIT if it is too large or too deep. `where` is the JSON
 * Pointer of the keyword, behind the URI and a # if it is in another document. */
enum status schema_compile(const struct json *document, struct arena *arena, const struct schema **ret_schema,
                           struct error *err);

/* The same with options; NULL means the defaults. */
enum status schema_compile_with(const struct json *document, const struct schema_options *options,
                                struct arena *arena, const struct schema **ret_schema, struct error *err);

/* Something that is wrong with a value. All texts live in the arena of the check or in that of the schema. */
struct schema_problem {
    str where;   /* JSON Pointer of the part of the value. */
    str keyword; /* The keyword that it violates; empty where the schema is `false`. */
    str rule;    /* JSON Pointer of the keyword in the schema, as `where` of a compiling error. */
    str message; /* A sentence without its subject: "must be a string, and is a number". */
    const struct json *value; /* The keyword's value; NULL where the schema is `false`. */
};

/* Lists what is wrong with a value, in the order of the schema's keywords: none if it is valid. Stops at
 * SCHEMA_PROBLEMS_MAX problems. Takes fuel for all it does; fails with ST_LIMIT if the fuel, the arena's
 * budget or the stack does not suffice, and if schemas apply each other without end. `value` is at most
 * JSON_DEPTH_MAX deep. */
enum status schema_check(const struct schema *schema, const struct json *value, int64_t *fuel,
                         struct arena *arena, const struct schema_problem **ret_problem, size_t *ret_count,
                         struct error *err);

/* The object that the fields of a form stand for. `fields` has a list for each name: texts, and files as
 * objects {name, type, content}, the content in base64. Types come from the schemas, of which some may be
 * NULL: texts become numbers, booleans, items of lists and members of objects ("address.street"). A text that
 * cannot become that stays a text, for schema_check() to report. Without a schema the last text of a name
 * counts. */
const struct json *schema_coerce(const struct schema *const *schema, size_t schema_count,
                                 const struct json *fields, struct arena *arena);

/* The document that it was compiled from. */
const struct json *schema_document(const struct schema *schema);

/* All of them as one text for people: "/a must be a string, and is a number; /b …", and how many are left out
 * beyond SCHEMA_PROBLEMS_TOLD. `whole` is the name of the value itself. */
str schema_print_problems(const struct schema_problem *problem, size_t count, str whole, struct arena *arena);

#endif
