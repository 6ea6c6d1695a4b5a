/* expr/builtins/builtins.c — the table of functions, and the name that an author may have meant. */
#include "expr/builtins/builtins_int.h"
#include "expr/loops_int.h"

const struct builtin_entry builtin_table[BUILTIN_COUNT] = {
#define XX(name, fewest, most) \
    [BUILTIN_##name] = { { #name, sizeof(#name) - 1 }, fewest, most, builtin_##name },
    BUILTIN_MAP(XX)
#undef XX
};

/* ---- "did you mean" ---- */

static const str all_names[] = {
#define XX(name, ...) { #name, sizeof(#name) - 1 },
    BUILTIN_MAP(XX) OPERATOR_FUNCTION_MAP(XX) LOOP_MAP(XX)
#undef XX
};

str builtin_like(str name)
{
    str best = STR("");
    if (name.n > BUILTIN_NAME_CHARS_MAX) return best;
    /* Short names resemble each other too easily. */
    size_t allowed = name.n < 6 ? 1 : 2;
    for (size_t i = 0; i < COUNT(all_names); i++) {
        must(all_names[i].n <= BUILTIN_NAME_CHARS_MAX);
        size_t edits = str_distance(name, all_names[i], true);
        if (edits > allowed || name.n < 2) continue;
        best = all_names[i];
        if (edits == 0) break;
        allowed = edits - 1;
    }
    return best;
}
