/* expr/tree_int.h — expressions as trees, between text and code.
 *
 * parser.c makes a tree of text, build.c of parts. fold.c simplifies it and compile.c makes code of it.
 */
#ifndef EXPR_TREE_INT_H
#define EXPR_TREE_INT_H

#include "expr/code_int.h"

/* Chains of operators of one precedence and chains of `.b[c]` are flat, so that the depth
 * of the tree is bounded by EXPRESSION_DEPTH_MAX and not by the length of the text. */
enum tree_kind {
    TREE_LITERAL,  /* value */
    TREE_VARIABLE, /* value: its name; optional: null if there is none */
    TREE_DATA,
    TREE_ELEMENT,
    TREE_ELEMENT_INDEX,
    TREE_ACCUMULATOR, /* The result so far of the innermost reduce(). */
    TREE_LOCAL,       /* slot; definition */
    TREE_LET,         /* slot: of the first; the values of names, and last the expression. */
    TREE_PIPE,        /* A value, and calls that each take what is before them… */
    TREE_PIPED,       /* … as this, their first argument: it is on the stack already. */
    TREE_UNARY,       /* op; one child */
    TREE_BINARY,      /* Children joined from the left, each by its own `join`. */
    TREE_AND,
    TREE_OR,
    TREE_COALESCE,
    TREE_CONDITION, /* Three children. */
    TREE_PATH,      /* A value and the steps into it: the next three kinds. */
    TREE_MEMBER,    /* value: the name */
    TREE_INDEX,     /* One child. */
    TREE_SLICE,     /* bounds; a child for each. */
    TREE_LIST,
    TREE_MAP,       /* Names (literals) and values in turn. */
    TREE_CALL,      /* function */
    TREE_LOOP,      /* function: the loop; list, body, further arguments. */
    TREE_OPERATION, /* op, detail, path, pattern, predicate: children, then that one instruction. */
    TREE_NESTED,    /* nested; detail: enum nested_as. */
};

struct expr_tree {
    uint8_t kind;
    uint8_t op;
    uint8_t join;   /* The opcode between the sibling before and this one. */
    uint8_t detail; /* The detail of the instruction; SLICE_FROM, SLICE_TO. */
    bool optional;  /* A step reached by ?., a variable that may be missing. */
    bool join_not;  /* "not in", "not contains", … */
    uint8_t function;
    uint16_t at;
    uint16_t join_at;
    uint16_t slot;
    struct expr_tree *first;
    struct expr_tree *next;
    const struct json *value;
    /* The value that a name stands for. In built trees only a key that a let and its locals share, until
     * expr_of_tree() gives them slots. */
    const struct expr_tree *definition;
    const struct jsonpath *path[2];
    const struct regex *pattern;
    const struct expr *nested;
    const struct predicate_test *predicate;
    str text; /* The author's text, if this is a whole condition. */
};

/* Parses a whole text (parser.c). */
enum status parser_parse(str text, struct arena *arena, struct expr_tree **ret_root, struct error *err);

/* Replaces the parts that cannot fail and need no data by their values (fold.c). */
void fold_constants(struct expr_tree *root, str text, struct arena *arena);

/* Checks a text, copies it and parses it (compile.c). */
enum status compile_parse(str *text, struct arena *arena, struct expr_tree **ret_root, struct error *err);

/* Folds and compiles (compile.c). expr_text() will return `text`. */
enum status compile_expr(struct expr_tree *root, str text, bool built, struct arena *arena,
                         const struct expr **ret_expr, struct error *err);

/* ---- building (build.c) ---- */

struct expr_tree *tree_operation(enum opcode op, uint8_t detail, struct expr_tree *const *child, size_t count,
                                 struct arena *arena);
/* Member of member of member, flat; `of` itself if there is no name. */
struct expr_tree *tree_members(struct expr_tree *of, const str *name, size_t count, struct arena *arena);
/* `body`, in which tree_local(value) stands for value, evaluated once. */
struct expr_tree *tree_let(struct expr_tree *value, struct expr_tree *body, struct arena *arena);
struct expr_tree *tree_local(const struct expr_tree *value, struct arena *arena);
/* A step into anything, which gives null where it leads to nothing. */
enum step_kind { STEP_NAME, STEP_INDEX, STEP_LENGTH };
struct tree_step {
    enum step_kind kind;
    str name;      /* NAME */
    int64_t index; /* INDEX: from the end if negative. */
};
/* A tree of its own in any case, for its `text` to be set. */
struct expr_tree *tree_steps(struct expr_tree *of, const struct tree_step *step, size_t count,
                             struct arena *arena);
struct expr_tree *tree_as_json(struct expr_tree *value, struct arena *arena);
/* `text` is what the author wrote for the value, for messages. */
struct expr_tree *tree_escape(enum escape escape, struct expr_tree *value, str text, struct arena *arena);
/* A map, of which the tree is known, with one member more. */
struct expr_tree *tree_with_member(const struct expr_tree *map, str name, struct expr_tree *value,
                                   struct arena *arena);

/* A test of what its path leads to in a value (predicate.h). */
struct expr_tree *tree_predicate(struct expr_tree *of, const struct predicate_test *test,
                                 struct arena *arena);

/* ---- as text (build_text.c) ---- */

/* Prints the tree as text. */
void tree_print(const struct expr_tree *tree, struct buf *out);
/* Prints the path in quotes, with dots where brackets are not needed. */
void tree_print_path(const struct jsonpath *path, struct buf *out);
extern const char *const tree_path_uses[];        /* By enum path_use. */
extern const char *const tree_test_signs[];       /* By enum choice_test. */
extern const char *const tree_structured_words[]; /* By enum structured_op. */
extern const char *const tree_escape_words[];     /* By enum escape. */

#endif
