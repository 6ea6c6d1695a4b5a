/* dialect/fix/fixing.h — one step that mends a problem, as a JSON Patch (RFC 6902) on the document. */
#ifndef DIALECT_FIX_FIXING_H
#define DIALECT_FIX_FIXING_H

#include "json/json.h"
#include "program/problems.h"

struct fixing {
    struct arena *arena;
    const struct json *document; /* As its author wrote it: pointers of problems lead into it. */
    const struct problem *problem;
    struct json_builder patch_;
    size_t operations;
    str label; /* Says what the step does, for a button. */
};

void fixing_init(struct fixing *fixing, const struct json *document, const struct problem *problem,
                 struct arena *arena);
/* {"label", "patch"}; NULL: nothing was added. */
const struct json *fixing_done(struct fixing *fixing);

__attribute__((format(printf, 2, 3))) void fixing_label(struct fixing *fixing, const char *format, ...);
void fixing_add(struct fixing *fixing, str path, const struct json *value);
void fixing_replace(struct fixing *fixing, str path, const struct json *value);
void fixing_remove(struct fixing *fixing, str path);
void fixing_move(struct fixing *fixing, str from, str path);
/* Adds the member, whether it is there or not. */
void fixing_set_text(struct fixing *fixing, str object, const char *name, str text);

/* ---- looking at the document ---- */

/* The name that the hint suggests ("did you mean …"); empty: none. */
str fixing_meant(const struct fixing *fixing);
/* The pointer without its last reference; that reference, unescaped. */
str fixing_parent(str pointer);
str fixing_last(str pointer, struct arena *arena);
/* An id like `base` that none of the list's objects has as `id`. */
str fixing_fresh_id(const struct json *list, const char *base, struct arena *arena);
/* An object of texts: names and values in turn, NULL ends. */
const struct json *fixing_object(struct arena *arena, const char *const *pair);

#endif
