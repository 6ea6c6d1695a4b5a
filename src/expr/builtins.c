#include "expr/builtins_int.h"
#include "expr/loops_int.h"

#include "base/ascii.h"

const struct builtin_entry builtin_table[BUILTIN_COUNT] = {
#define XX(name, fewest, most) \
    [BUILTIN_##name] = { { #name, sizeof(#name) - 1 }, fewest, most, builtin_##name },
    BUILTIN_MAP(XX)
#undef XX
};

/* ---- "did you mean" ---- */

/* Edits that turn one name into the other, letters' case not counted. */
static size_t distance(str a, str b)
{
    size_t row[BUILTIN_NAME_CHARS_MAX + 1];
    for (size_t j = 0; j <= b.n; j++) row[j] = j;
    for (size_t i = 0; i < a.n; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b.n; j++) {
            size_t change = diagonal + (ascii_lower(a.p[i]) != ascii_lower(b.p[j]));
            size_t add = row[j] + 1;
            size_t drop = row[j + 1] + 1;
            diagonal = row[j + 1];
            size_t least = change < add ? change : add;
            row[j + 1] = least < drop ? least : drop;
        }
    }
    return row[b.n];
}

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
        size_t edits = distance(name, all_names[i]);
        if (edits > allowed || name.n < 2) continue;
        best = all_names[i];
        if (edits == 0) break;
        allowed = edits - 1;
    }
    return best;
}
