/* expr/template/template_int.h — what the files of templates and structured conditions share.
 *
 *     template.c        a string with placeholders → parts
 *     escape_place.c    what each placeholder of a text is escaped for
 *     value.c           a JSON value → tree
 *     rooting.c         names of expressions → roots
 *     structured.c      conditions
 */
#ifndef EXPR_TEMPLATE_TEMPLATE_INT_H
#define EXPR_TEMPLATE_TEMPLATE_INT_H

#include "expr/template/template.h"
#include "expr/tree_int.h"

/* A piece of a string: text as it is, a placeholder, or a secret. */
struct template_part {
    struct expr_tree *tree; /* A literal text, or what the placeholder gives; for a secret NULL. */
    str secret;
    bool placeholder;
    bool raw; /* Written with three braces. */
    const struct template_path
        *path; /* The path of a placeholder that may be escaped: not NULL if the roots have `kind`. */
};

struct template_parts {
    struct template_part *part;
    size_t count;
    bool secrets; /* A part is one. */
};

/* Splits a string at `pointer`. A string without placeholders is one text, which may be empty. */
enum status template_split(str text, str pointer, const struct template_roots *roots, struct arena *arena,
                           struct template_parts *ret_parts, struct error *err);
/* Wraps the placeholders of a text of that kind into their escapes (template/escape_place.c). */
void template_escape(struct template_parts *parts, enum template_kind kind,
                     const struct template_roots *roots, struct arena *arena);
/* The value of the string, with `***` for secrets. */
struct expr_tree *template_joined(const struct template_parts *parts, struct arena *arena);

/* Parses a text and maps its names; compile_expr() makes code of the tree (rooting.c). `text` becomes a copy.
 */
enum status rooting_parse(str *text, str pointer, const struct template_roots *roots, struct arena *arena,
                          struct expr_tree **ret_root, struct error *err);

#endif
