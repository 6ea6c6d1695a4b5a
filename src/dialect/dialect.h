/* dialect/dialect.h — front ends: documents in, programs out.
 *
 * A dialect recognises its documents, reads them with every problem reported at once, and
 * lowers them to the one kind of program. A new dialect is a folder and a line in the list
 * in dialect.c.
 */
#ifndef DIALECT_DIALECT_H
#define DIALECT_DIALECT_H

#include "program/program.h"

struct dialect {
    const char *name;
    /* Cheap and certain: is this one of ours? */
    bool (*recognises)(const struct json *document);
    /* The same document in one spelling, as it is kept and shown. */
    const struct json *(*normal)(const struct json *document, struct arena *arena);
    /* Adds the order of those members whose order has a meaning. */
    void (*print_order)(const struct json *document, struct buf *out);
    /* The program, or NULL if there are errors among the problems. */
    struct program *(*compile)(const struct json *document, struct problems *problems);
    /* Is "version" the author's, and part of what makes a definition? Else it is ours, and ignored. */
    bool version_is_content;
};

/* From a document to a program with one reference, or NULL and at least one error. Problems
 * have pointers; source_compile() knows their places. `ret_document` (may be NULL) gets the
 * document in its normal form if it compiled; it lives in the problems' arena. */
struct program *dialect_compile(const struct json *document, struct problems *problems,
                                const struct json **ret_document);

/* The dialect of a parsed document, or NULL. */
const struct dialect *dialect_of(const struct json *document);

/* What makes two normal documents the same definition, as a text: the canonical JSON, without
 * "version" unless the dialect counts it, and the order of what is tried in order. */
void dialect_print_content(const struct json *document, struct arena *arena, struct buf *out);

/* The list of problems as one text in the form the steps API promises:
 * "validation error: validation errors:\n  …" or "parse error: …". Lives in the arena. */
str dialect_refusal(const struct problems *problems, struct arena *arena);

#endif
