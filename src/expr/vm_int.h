/* expr/vm_int.h — one evaluation: its budgets and its errors (vm_fail.c).
 *
 * Operators, functions and loops get the evaluation they belong to. They pay for work before they do it, and
 * fail with the place of the running instruction. The results they make live in the arena of the evaluation.
 */
#ifndef EXPR_VM_INT_H
#define EXPR_VM_INT_H

#include "base/limits.h"
#include "base/regex.h"
#include "expr/expr.h"

struct vm {
    str text;
    const struct expr_env *env;
    struct arena *arena;
    struct error *err;
    int64_t fuel;
    int64_t fuel_given;
    uint16_t at; /* The place of the instruction that runs. */
    bool built;  /* The expression has no places. */
    struct regex_matcher matcher;
};

/* Writes an error with the place of the running instruction. */
__attribute__((format(printf, 3, 4), cold)) enum status vm_fail(struct vm *vm, enum status status,
                                                                const char *format, ...);

/* The same for the operations that build.h lists, with "filter" as the error's `where`. */
__attribute__((format(printf, 3, 4), cold)) enum status vm_fail_filter(struct vm *vm, enum status status,
                                                                       const char *format, ...);

__attribute__((cold)) enum status vm_exhausted(struct vm *vm);
__attribute__((cold)) enum status vm_too_large(struct vm *vm);

/* Pays for work that is about to be done. */
static inline enum status vm_spend(struct vm *vm, uint64_t operations)
{
    if (vm->fuel < 0 || operations > (uint64_t)vm->fuel || arena_over(vm->arena)) return vm_exhausted(vm);
    vm->fuel -= (int64_t)operations;
    return ST_OK;
}

/* Pays for copying and for looking at bytes one by one. */
enum { COPY_BYTES_PER_FUEL = 64, SCAN_BYTES_PER_FUEL = 16 };

static inline enum status vm_spend_copy(struct vm *vm, uint64_t bytes)
{
    if (bytes > EXPRESSION_VALUE_BYTES_MAX) return vm_too_large(vm);
    return vm_spend(vm, bytes / COPY_BYTES_PER_FUEL + 1);
}
static inline enum status vm_spend_scan(struct vm *vm, uint64_t bytes)
{
    return vm_spend(vm, bytes / SCAN_BYTES_PER_FUEL + 1);
}

/* Pays for looking for one text in another, at worst. */
static inline enum status vm_spend_search(struct vm *vm, str text, str part)
{
    return vm_spend(vm, (text.n / SCAN_BYTES_PER_FUEL + 1) * (part.n / COPY_BYTES_PER_FUEL + 1));
}

/* Fails if a new list or map is nested deeper than JSON_DEPTH_MAX. */
enum status vm_check_depth(struct vm *vm, const struct json *value);

/* "a number", "null", … */
const char *vm_kind_phrase(const struct json *value);

/* Fails because an argument is of the wrong kind: "upper() needs a string, not a number". */
enum status vm_wants(struct vm *vm, const char *function, const char *wanted, const struct json *got);

#endif
