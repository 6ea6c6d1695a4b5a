/* source/source_int.h — YAML as a tree with places, for this folder only. */
#ifndef SOURCE_SOURCE_INT_H
#define SOURCE_SOURCE_INT_H

#include "source/source.h"

#include "base/limits.h"

enum source_kind { SOURCE_SCALAR, SOURCE_ARRAY, SOURCE_OBJECT, SOURCE_ALIAS };

/* A node of a YAML document. An alias stays one: it is followed when the tree is used, and
 * its anchor was complete before it, so there is no way around in a circle. The children of
 * an object are a name and its value in turn; names are scalars that hold a string. */
struct source_tree {
    enum source_kind kind;
    uint32_t line, column;
    uint32_t height; /* Containers inside each other, this one included; as if aliases were copies. */
    uint32_t nodes;  /* In it and itself; the same. */
    size_t bytes;    /* About what they will need; the same. */
    bool open;       /* A container whose end has not come. */
    union {
        const struct json *value;  /* SOURCE_SCALAR */
        struct source_tree *first; /* Child of an array or object, or what the alias repeats. */
    };
    struct source_tree *next; /* In its container. */
};

/* ---- scalar.c ---- */

/* clang-format off */
#define SCALAR_TAG_MAP(XX)         \
    XX(STRING, "str",   "string")  \
    XX(INT,    "int",   "integer") \
    XX(FLOAT,  "float", "number")  \
    XX(BOOL,   "bool",  "boolean") \
    XX(NULL,   "null",  "null")
/* clang-format on */

/* NONE: what a plain scalar looks like is what it is. */
enum scalar_tag {
    SCALAR_NONE,
#define XX(NAME, word, meaning) SCALAR_##NAME,
    SCALAR_TAG_MAP(XX)
#undef XX
};

/* False if the tag, in its long form, is none for scalars. */
bool scalar_tag_of(const char *tag, enum scalar_tag *ret_tag);

/* The value of a scalar's text by the core schema. The error has no place yet. */
enum status scalar_value(str text, enum scalar_tag tag, struct arena *arena, const struct json **ret_value,
                         struct error *err);

/* ---- tree.c ---- */

/* The names of an object are all different, or *ret_first and *ret_second are the first two
 * that are not. */
bool source_tree_find_repeat(const struct source_tree *object, struct arena *arena,
                             const struct source_tree **ret_first, const struct source_tree **ret_second);

const struct json *source_tree_json(const struct source_tree *tree, struct arena *arena);

/* The place of the pointer's target, or of the nearest thing around it. */
bool source_tree_locate(const struct source_tree *tree, str pointer, uint32_t *ret_line,
                        uint32_t *ret_column);

/* ---- yaml.c ---- */

/* `ret_mapping` is set in any case: the document is an object, or began as one. */
enum status yaml_read(str text, size_t bytes_max, struct arena *arena, const struct source_tree **ret_tree,
                      bool *ret_mapping, struct error *err);

#endif
