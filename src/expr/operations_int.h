/* expr/operations_int.h — the operations behind instructions, by the file that has them.
 */
#ifndef EXPR_OPERATIONS_INT_H
#define EXPR_OPERATIONS_INT_H

#include "expr/code_int.h"
#include "expr/vm_int.h"

/* ---- operators.c: coercing operators ---- */

enum status op_unary(struct vm *vm, enum opcode op, const struct json *a, const struct json **ret_value);
enum status op_binary(struct vm *vm, enum opcode op, const struct json *a, const struct json *b,
                      const struct json **ret_value);
enum status op_calculate(struct vm *vm, enum json_operator op, const struct json *a, const struct json *b,
                         const struct json **ret_value);
/* A number as it is, numeric text as a number; else an error. */
enum status op_number(struct vm *vm, const struct json *value, const struct json **ret_number);
/* A boolean, or the text true or false in any case; else an error. */
enum status op_boolean(struct vm *vm, const struct json *value, bool *ret_value);
/* A boolean and nothing else. */
enum status op_strict_boolean(struct vm *vm, const struct json *value, bool *ret_value);
/* Tells whether the pattern is found in the text. */
enum status op_matches(struct vm *vm, const struct regex *pattern, str text, bool *ret_found);

/* ---- access.c: reaching into values ---- */

enum status access_member(struct vm *vm, const struct json *value, str name, const struct json **ret_value);
enum status access_index(struct vm *vm, const struct json *value, const struct json *index,
                         const struct json **ret_value);
/* NULL bounds are the ends. */
enum status access_slice(struct vm *vm, const struct json *value, const struct json *from,
                         const struct json *to, const struct json **ret_value);

/* ---- paths.c: by a path ---- */

enum status op_path(struct vm *vm, enum path_use use, const struct jsonpath *path, const struct json *value,
                    const struct json **ret_value);
enum status op_place(struct vm *vm, const struct json *base, const struct jsonpath *path,
                     const struct json *value, const struct json **ret_value);
enum status op_collect(struct vm *vm, const struct json *base, const struct jsonpath *path,
                       const struct json *list, const struct json **ret_value);
enum status op_events(struct vm *vm, const struct json *base, const struct jsonpath *take,
                      const struct jsonpath *put, const struct json *events, const struct json **ret_value);

/* ---- op_merge.c: merging ---- */

enum status op_combine(struct vm *vm, const struct json *a, const struct json *b,
                       const struct json **ret_value);
enum status op_wrapped(struct vm *vm, const struct json *outputs, const struct json **ret_value);
enum status op_fold(struct vm *vm, const struct json *base, const struct json *list,
                    const struct json **ret_value);

/* ---- condition/compare.c: tests without coercion ---- */

/* `text` is what a string is compared with, `value` what anything else is. */
enum status op_choice(struct vm *vm, enum choice_test test, const struct json *nodes, const struct json *text,
                      const struct json *value, bool *ret_value);
/* `test` with its TEST_… bits. */
enum status op_holds(struct vm *vm, uint8_t test, const struct json *a, const struct json *b,
                     bool *ret_value);
/* `pattern` NULL: it is in b. */
enum status op_finds(struct vm *vm, uint8_t test, const struct json *a, const struct regex *pattern,
                     const struct json *b, bool *ret_value);
bool op_truth(uint8_t test, const struct json *value);

/* ---- op_render.c: templates and structured conditions ---- */

/* Adds a value to a text: null is nothing, lists and maps are compact JSON. */
void op_add_text(struct buf *out, const struct json *value);
enum status op_text(struct vm *vm, const struct json *const *value, size_t count,
                    const struct json **ret_value);
enum status op_as_json(struct vm *vm, const struct json *value, const struct json **ret_value);
const struct json *op_item(const struct json *list, const struct json *index);
enum status op_length(struct vm *vm, const struct json *value, const struct json **ret_value);
/* `test` is an enum structured_op with perhaps STRUCTURED_LENIENT; b is NULL if it looks at a alone. */
enum status op_structured(struct vm *vm, uint8_t test, const struct json *a, const struct json *b,
                          bool *ret_value);
/* Fails if the value is null; `what` is the text that the author wrote for it. */
enum status op_needed(struct vm *vm, const struct json *value, const struct json *what);

/* ---- op_escape.c ---- */

/* The value as a text that is safe in its place; null stays null. Fails if no escape makes it safe; `what` is
 * the text that the author wrote for the value. */
enum status op_escape(struct vm *vm, enum escape escape, const struct json *value, const struct json *what,
                      const struct json **ret_value);

/* ---- op_assign.c ---- */

/* `names` is the list of names that lead from the base to what is assigned to. */
enum status op_assign(struct vm *vm, enum assign_op op, const struct json *base, const struct json *names,
                      const struct json *value, const struct json **ret_value);

/* ---- predicate/test.c: conditions on entities ---- */

enum status op_predicate(struct vm *vm, const struct predicate_test *test, const struct json *root,
                         bool *ret_value);

#endif
