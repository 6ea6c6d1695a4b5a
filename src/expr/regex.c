/* expr/regex.c — regular expressions through PCRE2.
 *
 * UTF-8, no JIT, no \C, all memory from an arena. A match is tried with few steps first,
 * which almost every match needs; only if these do not suffice is it paid for in fuel and
 * tried with EXPRESSION_REGEX_MATCH_MAX. So a thousand cheap matches fit into a budget
 * that a handful of expensive ones use up, and nothing runs away.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>

#include "expr/expr_int.h"

enum {
    MATCH_STEPS_CHEAP = 2000,
    MATCH_FUEL_CHEAP = 20,
    MATCH_FUEL_FULL = EXPRESSION_REGEX_MATCH_MAX / 10,
};

static void *take_memory(size_t bytes, void *arena) { return arena_alloc(arena, bytes); }

static void leave_memory(void *memory, void *arena)
{
    (void)memory;
    (void)arena;
}

const struct pcre2_real_code_8 *regex_compile(str pattern, struct arena *arena,
                                              char message[REGEX_MESSAGE_BYTES])
{
    pcre2_general_context *general = pcre2_general_context_create(take_memory, leave_memory, arena);
    pcre2_compile_context *context = pcre2_compile_context_create(general);
    pcre2_set_max_pattern_length(context, EXPRESSION_BYTES_MAX);
    int error;
    size_t place;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)(pattern.p ? pattern.p : ""), pattern.n,
                                     PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C, &error, &place, context);
    if (code) return code;
    char reason[REGEX_MESSAGE_BYTES / 2];
    pcre2_get_error_message(error, (PCRE2_UCHAR *)reason, sizeof reason);
    snprintf(message, REGEX_MESSAGE_BYTES, "bad regular expression: %s after %zu characters", reason,
             chars_count(str_slice(pattern, 0, place)));
    return NULL;
}

/* Made once per evaluation, so that a loop of matches shares PCRE2's own stack. */
static void prepare(struct vm *vm)
{
    if (vm->match_context) return;
    pcre2_general_context *general = pcre2_general_context_create(take_memory, leave_memory, vm->arena);
    vm->match_context = pcre2_match_context_create(general);
    vm->match_data = pcre2_match_data_create(1, general);
    pcre2_set_heap_limit(vm->match_context, EXPRESSION_REGEX_KIB_MAX);
    pcre2_set_depth_limit(vm->match_context, EXPRESSION_REGEX_MATCH_MAX);
}

static int match(struct vm *vm, const pcre2_code *pattern, str text, uint32_t steps)
{
    pcre2_set_match_limit(vm->match_context, steps);
    return pcre2_match(pattern, (PCRE2_SPTR)(text.p ? text.p : ""), text.n, 0, 0, vm->match_data,
                       vm->match_context);
}

enum status regex_match(struct vm *vm, const struct pcre2_real_code_8 *pattern, str text, bool *ret_found)
{
    TRY(vm_spend_scan(vm, text.n));
    TRY(vm_spend(vm, MATCH_FUEL_CHEAP));
    prepare(vm);
    int found = match(vm, pattern, text, MATCH_STEPS_CHEAP);
    if (found == PCRE2_ERROR_MATCHLIMIT) {
        TRY(vm_spend(vm, MATCH_FUEL_FULL));
        found = match(vm, pattern, text, EXPRESSION_REGEX_MATCH_MAX);
    }
    if (found == PCRE2_ERROR_MATCHLIMIT || found == PCRE2_ERROR_DEPTHLIMIT || found == PCRE2_ERROR_HEAPLIMIT)
        return vm_fail(vm, ST_LIMIT, "the regular expression takes too many steps on this text");
    if (found < 0 && found != PCRE2_ERROR_NOMATCH) {
        char reason[REGEX_MESSAGE_BYTES];
        pcre2_get_error_message(found, (PCRE2_UCHAR *)reason, sizeof reason);
        return vm_fail(vm, ST_INVALID, "cannot match: %s", reason);
    }
    *ret_found = found >= 0;
    return ST_OK;
}

enum status regex_match_text(struct vm *vm, str pattern, str text, bool *ret_found)
{
    char message[REGEX_MESSAGE_BYTES];
    TRY(vm_spend(vm, MATCH_FUEL_CHEAP + pattern.n));
    const struct pcre2_real_code_8 *code = regex_compile(pattern, vm->arena, message);
    if (!code) return vm_fail(vm, ST_INVALID, "%s", message);
    return regex_match(vm, code, text, ret_found);
}
