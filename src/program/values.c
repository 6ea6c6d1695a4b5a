/* program/values.c — finds the assignments of a `set` node whose results an expression needs to see.
 *
 * The assignments of a node are computed in order, and each sees the results before it. Merging them into the
 * variables before every expression would copy the variables once per assignment, so the core merges only
 * what the next expression mentions. The words of its text tell, once, what it mentions: a word that is no
 * name costs nothing, and a name inside a literal only merges too early.
 */
#include "program/program.h"

#include "base/ascii.h"
#include "base/sort.h"

/* The assignments of one node, in order of their names. */
struct names {
    const struct program_value *value;
    uint32_t *order;
    size_t count;
};

static int compare_names(const void *a, const void *b, const void *context)
{
    const struct program_value *value = context;
    return str_compare(value[*(const uint32_t *)a].name, value[*(const uint32_t *)b].name);
}

/* 1 + the latest assignment before `limit` that has this name; 0: none. */
static uint32_t find_before(const struct names *names, str word, uint32_t limit)
{
    size_t low = 0, high = names->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (str_compare(names->value[names->order[middle]].name, word) < 0) low = middle + 1;
        else high = middle;
    }
    uint32_t found = 0;
    for (; low < names->count && str_equal(names->value[names->order[low]].name, word); low++)
        if (names->order[low] < limit) found = names->order[low] + 1;
    return found;
}

static bool is_word_char(char c)
{
    return ascii_is_alphanumeric(c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* How many of the assignments before `index` its text can see. */
static uint32_t sees(const struct names *names, uint32_t index)
{
    str text = expr_text(names->value[index].expr);
    uint32_t most = 0;
    for (size_t i = 0; i < text.n && most < index;) {
        size_t from = i;
        while (i < text.n && is_word_char(text.p[i])) i++;
        if (i == from) {
            i++;
            continue;
        }
        str word = str_slice(text, from, i);
        if (str_equal(word, STR("$env"))) return index; /* All variables, by no name. */
        uint32_t found = find_before(names, word, index);
        if (found > most) most = found;
    }
    return most;
}

void program_link_values(struct program_value *value, size_t count, struct arena *arena)
{
    struct names names = { value, arena_make_n(arena, uint32_t, count), count };
    uint32_t *scratch = arena_make_n(arena, uint32_t, count);
    for (size_t i = 0; i < count; i++) names.order[i] = (uint32_t)i;
    sort_stable(names.order, scratch, count, sizeof *scratch, compare_names, value);
    for (size_t i = 0; i < count; i++) value[i].sees = value[i].expr ? sees(&names, (uint32_t)i) : 0;
}
