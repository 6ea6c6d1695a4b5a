/* expr/build.h — expressions that a front end makes of parts instead of text.
 *
 * A part is a tree. Trees are made bottom up in an arena, and expr_of_tree() compiles one to
 * the same bytecode that text becomes; its expr_text() is the tree written down as text, for
 * `pawl explain` and messages. A tree may be used in several places, and is evaluated in each.
 * Names and literals are copied; paths are borrowed and must live as long as the expression.
 * Trees nest at most 1024 levels deep; a deeper one aborts the process.
 *
 * Failures of the functions that look into or write to data by a path (filter with
 * env.strict, items, place, fold, collect, events) have "filter" as the error's `where`; all
 * other failures of an evaluation leave it empty. None of them has a line and column.
 */
#ifndef EXPR_BUILD_H
#define EXPR_BUILD_H

#include "expr/expr.h"
#include "jsonpath/jsonpath.h"

struct expr_tree;

const struct expr *expr_of_tree(struct expr_tree *tree, struct arena *arena);

struct expr_tree *tree_literal(const struct json *value, struct arena *arena);
struct expr_tree *tree_data(struct arena *arena); /* All the data, whatever it is. */
/* A local of the environment or, if there is none of that name, a member of the data; a
 * failure if that is not there either. */
struct expr_tree *tree_variable(str name, struct arena *arena);
struct expr_tree *tree_variable_or_null(str name, struct arena *arena);             /* The same, or null. */
struct expr_tree *tree_member(struct expr_tree *of, str name, struct arena *arena); /* Or null. */
struct expr_tree *tree_list(struct expr_tree *const *item, size_t count, struct arena *arena);
struct expr_tree *tree_map(const str *name, struct expr_tree *const *value, size_t count,
                           struct arena *arena);
struct expr_tree *tree_and(struct expr_tree *const *part, size_t count, struct arena *arena);
struct expr_tree *tree_or(struct expr_tree *const *part, size_t count, struct arena *arena);
struct expr_tree *tree_not(struct expr_tree *part, struct arena *arena);
/* a < b of two numbers; a + b; length of a list; the item of a list. */
struct expr_tree *tree_less(struct expr_tree *a, struct expr_tree *b, struct arena *arena);
struct expr_tree *tree_plus(struct expr_tree *a, struct expr_tree *b, struct arena *arena);
struct expr_tree *tree_length(struct expr_tree *list, struct arena *arena);
struct expr_tree *tree_item(struct expr_tree *list, struct expr_tree *index, struct arena *arena);
struct expr_tree *tree_equal(struct expr_tree *a, struct expr_tree *b, struct arena *arena);
/* condition ? then : otherwise */
struct expr_tree *tree_if(struct expr_tree *condition, struct expr_tree *then, struct expr_tree *otherwise,
                          struct arena *arena);
/* a or, if that is null, b. */
struct expr_tree *tree_coalesce(struct expr_tree *a, struct expr_tree *b, struct arena *arena);
/* A value that must not be null; `text` is what the author wrote for it, for the message. */
struct expr_tree *tree_needed(struct expr_tree *value, str text, struct arena *arena);
/* True if the number is one of those from `least` to `most` (either NULL: no bound). A failure if it is no
 * number. */
struct expr_tree *tree_between(struct expr_tree *value, const struct json *least, const struct json *most,
                               struct arena *arena);
/* True if the pattern, which must compile, is found in the text. */
struct expr_tree *tree_matches(struct expr_tree *text, str pattern, struct arena *arena);
/* Another expression as a part: its value, or a boolean that it must give, or a boolean that is false if it
 * fails. */
enum nested_as { NESTED_BOOLEAN, NESTED_OR_FALSE, NESTED_VALUE };
struct expr_tree *tree_nested(const struct expr *expr, enum nested_as as, struct arena *arena);

/* `base` (a map, or null for one that is not there) in which the names lead to what is assigned to; at most
 * 16 (ASSIGN_STEPS_MAX). Maps on the way are made. Without names the base itself is assigned to. A missing
 * value counts as 0, {} or []; a value of the wrong kind is a failure. CLEAR takes the member away. */
enum assign_op { ASSIGN_SET, ASSIGN_MERGE, ASSIGN_INCREMENT, ASSIGN_APPEND, ASSIGN_CLEAR };
struct expr_tree *tree_assign(enum assign_op op, struct expr_tree *base, const str *name, size_t count,
                              struct expr_tree *value, struct arena *arena);
struct expr_tree *tree_is_object(struct expr_tree *value, struct arena *arena);
/* The parts as one text, as templates have it: null is empty, lists and maps are compact JSON. */
struct expr_tree *tree_text(struct expr_tree *const *part, size_t count, struct arena *arena);

/* ---- paths ----
 * select(path, data): a definite path gives the node or nothing, any other a list of nodes. */
enum path_use {
    PATH_FILTER, /* Nothing selected: the data as it was (with env.strict: a failure). */
    PATH_PICK,   /* Nothing selected: null. */
    PATH_NODES,  /* The nodes as a list, also those of a definite path. */
    PATH_ITEMS,  /* A definite path must lead to an array, which it is; else the list of nodes. */
};
struct expr_tree *tree_path(enum path_use use, const struct jsonpath *path, struct expr_tree *value,
                            struct arena *arena);
/* A copy of base with the node of a definite path set (jsonpath_place). */
struct expr_tree *tree_place(struct expr_tree *base, const struct jsonpath *path, struct expr_tree *value,
                             struct arena *arena);

/* ---- merging ---- */

/* Both objects: merged deeply, b wins. Else b. */
struct expr_tree *tree_combine(struct expr_tree *a, struct expr_tree *b, struct arena *arena);
/* base with every item of the list merged in, in order; a member that equals the base's is no
 * change and does not undo an earlier item's. An item that is not an object is a failure. */
struct expr_tree *tree_fold(struct expr_tree *base, struct expr_tree *list, struct arena *arena);
/* A list with an entry for each member of the object, in order: objects as they are, anything
 * else as {name: value}. */
struct expr_tree *tree_wrapped(struct expr_tree *outputs, struct arena *arena);
/* base with the list's items behind those of the array at the path, which is made if nothing is
 * there; a failure if something else is. */
struct expr_tree *tree_collect(struct expr_tree *base, const struct jsonpath *path, struct expr_tree *list,
                               struct arena *arena);
/* base with the data of events merged in. `events` is a list of {"trigger": name, "event":
 * CloudEvent} in order of arrival; with "envelope", {data, context}, in place of "event" all of that counts
 * as the data, and nothing else is read. `take` is read against the event's data and, if that selects
 * nothing, against the whole event; if that selects nothing either it is all the data (with
 * env.strict: a failure), as it is without `take`. Without data there is nothing to merge. With
 * `put` the selection is placed there; else an object is merged deeply and anything else set as
 * member `trigger`. */
struct expr_tree *tree_events(struct expr_tree *base, struct expr_tree *events, const struct jsonpath *take,
                              const struct jsonpath *put, struct arena *arena);

/* ---- structured tests: a node against a value, by the node's type ---- */

enum choice_test { CHOICE_EQUALS, CHOICE_LESS, CHOICE_LESS_EQUALS, CHOICE_GREATER, CHOICE_GREATER_EQUALS };
/* True if it holds for any of the nodes (a list). Text as value is read as the type of the node:
 * contracts/serverless.md 1.6. */
struct expr_tree *tree_choice(enum choice_test test, struct expr_tree *nodes, const struct json *value,
                              struct arena *arena);

/* ---- conditions of words and paths ----
 * `$.exception.name matches '^\w+Exception$' and not (count gt 3)`: the grammar and meaning of
 * contracts/serverless.md 1.7. The result is a boolean (truth is made of anything else). */
struct condition_name {
    str name;
    struct expr_tree *tree;
};
struct condition_names {
    struct expr_tree *root;            /* The value of `$` and of `stateOutputData`. */
    const struct condition_name *name; /* Further bare names; others are members of `$`, or null. */
    size_t count;
};
/* Errors: ST_INVALID or ST_LIMIT with line and column. The root is evaluated once. */
enum status expr_parse_condition(str text, const struct condition_names *names, struct arena *arena,
                                 struct expr_tree **ret_tree, struct error *err);

/* ---- event conditions ----
 * `(e1 or e2) and not e3`, `name eq 'e1'`, `type eq 't'`, `source eq '/s'`. */
struct event_name {
    str name, type, source;
};
struct event_operands {
    bool *mentioned; /* [count] of the names: occurs at all… */
    bool *positive;  /* … and under an even number of nots. */
};
/* The tree reads one boolean variable per mentioned name: has such an event been received? A
 * name, type or source that nothing has is ST_NOT_FOUND with the place. */
enum status expr_parse_event_condition(str text, const struct event_name *name, size_t count,
                                       struct arena *arena, struct expr_tree **ret_tree,
                                       struct event_operands *ret_operands, struct error *err);

#endif
