/* expr/template/template.h — templates, and conditions as JSON documents have them.
 *
 * A template is a JSON value whose strings may hold placeholders:
 *
 *     {"url": "https://shop/{{ vars.id }}", "items": "{{ nodes.pick.rows | default([]) }}"}
 *
 * It becomes one expression that builds the value. A placeholder is a path (`name`, `.name`, `[n]`, `["any
 * name"]`, `.length`) and perhaps filters (`| default(JSON)` in place of null, `| json` for the value as JSON
 * text). A string that is one placeholder gives the value as it is; any other gives text, in which null and
 * what is missing are empty and lists and maps are compact JSON. `\{{` is the text `{{`. Names of members are
 * never templates, and the values of placeholders are never expanded again.
 *
 * In a text that is read by others as more than text (a URL, HTML, …) the value of a placeholder is escaped
 * for the place it has in that text, after its filters. `{{{ path }}}` inserts it as it is. Secrets go in as
 * they are: whoever keeps them is trusted as much as the author.
 *
 * The caller says where the first names of a path lead and what a text is for, so that this folder knows no
 * dialect.
 */
#ifndef EXPR_TEMPLATE_TEMPLATE_H
#define EXPR_TEMPLATE_TEMPLATE_H

#include "expr/build.h"

/* A path that a template or an expression reads. */
struct template_path {
    const str *name; /* Its first names: of `nodes.a.rows[0].id` nodes, a and rows. At least one. */
    size_t count;
    str text;    /* The path as it is written. */
    str pointer; /* JSON Pointer of the string it stands in, in the value that is compiled. */
};

/* Where a path begins. */
struct template_root {
    str name;    /* A local or a member of the data; empty: the path is null. */
    str member;  /* Not empty: not that itself but its member of this name. */
    size_t used; /* So many of the path's first names stand for it, at least 1. */
    bool secret; /* It is no data but a secret of this name. */
};

/* Finds the root of a path. A failure ends the compilation; a caller that gathers problems notes one, leaves
 * the name empty and returns ST_OK. */
typedef enum status template_root_fn(void *context, const struct template_path *path,
                                     struct template_root *ret_root, struct error *err);

/* The purpose of a template's text, which decides how placeholders in it are escaped. */
enum template_kind {
    TEMPLATE_PLAIN, /* Text or a value: nothing is escaped. */
    TEMPLATE_URL,   /* By the part of the URL. A placeholder that begins it is the URL, and stays as it is. */
    TEMPLATE_FORM,  /* application/x-www-form-urlencoded; one placeholder is the whole form. */
    TEMPLATE_HTML,  /* HTML. */
    TEMPLATE_MARKUP,     /* HTML or XML; one placeholder is the whole document. */
    TEMPLATE_RECIPIENTS, /* Addresses of e-mail: a placeholder is one, or a list if it is the whole text. */
    TEMPLATE_REFERENCE,  /* The name of a connection: nothing is escaped. */
};

/* Finds out what the text at a JSON Pointer into the template is for. */
typedef enum template_kind template_kind_fn(void *context, str pointer);

/* Things that a caller may want to warn of. */
enum template_notice {
    TEMPLATE_RAW,         /* A value goes in as it is, where others are escaped. */
    TEMPLATE_RAW_IGNORED, /* {{{ }}} changes nothing: an address of e-mail is always checked. */
    TEMPLATE_SERVER,      /* A value says which server is called. */
};

typedef void template_notice_fn(void *context, enum template_notice notice, enum template_kind kind,
                                const struct template_path *path);

struct template_roots {
    template_root_fn *find;
    void *context;              /* The context of all these functions. */
    template_kind_fn *kind;     /* NULL: every text is plain. */
    template_notice_fn *notice; /* Needed with `kind`; never called for secrets. */
    /* Not empty: the strings of a template that is an object may read secrets. The value has `***` in their
     * place and a member of this name that tells where they belong:
     *     [{"at": "/headers/Authorization", "parts": ["Bearer ", {"secret": "api_key"}]}]
     * Empty: a secret is an error. */
    str secrets_member;
    /* In conditions: a path that leads to nothing, or to null, is a failure, unless the condition asks just
     * that (exists, is_empty, `??`, `?.`). */
    bool needs_values;
};

/* Compiles a template. One without placeholders is a constant (expr_is_constant). Errors: ST_INVALID with the
 * JSON Pointer of the string as `where`, and what the roots' function fails with. */
enum status expr_template(const struct json *value, const struct template_roots *roots, struct arena *arena,
                          const struct expr **ret_expr, struct error *err);
/* The same as a part of a larger expression. */
enum status template_tree(const struct json *value, const struct template_roots *roots, struct arena *arena,
                          struct expr_tree **ret_tree, struct error *err);

/* Compiles a condition:
 *     {"left": template, "op": word, "right": template}   compares; nothing is coerced
 *     {"all": [conditions]}  {"any": [conditions]}  {"not": condition}
 *     "text"                                              an expression; its names go through the roots
 *     true, false
 * The words are in STRUCTURED_MAP (code_int.h). Values of different kinds are not equal; ordering what is not
 * two numbers or two texts is an error or, if not strict, false; so is an expression that fails. Errors as
 * for templates; those of an expression that is the whole condition have line and column instead. */
enum status expr_structured(const struct json *condition, bool strict, const struct template_roots *roots,
                            struct arena *arena, const struct expr **ret_expr, struct error *err);
enum status structured_tree(const struct json *condition, bool strict, const struct template_roots *roots,
                            struct arena *arena, struct expr_tree **ret_tree, struct error *err);

/* Does the word stand for an op that looks at `left` alone? */
bool expr_structured_is_single(str word);

/* Compiles a text as expr_compile() does; its names go through the roots. Roots that need values are asked
 * for them. */
enum status expr_rooting_compile(str text, const struct template_roots *roots, struct arena *arena,
                                 const struct expr **ret_expr, struct error *err);

#endif
