/* program/check/table_gap.c — inputs of a table for which no rule holds.
 *
 * One path after the other is cut into segments at which a range begins or ends. Inside a
 * segment the same rules hold as far as this path goes, and only those are looked at on the
 * next path. A segment is covered when one of them has no further tests, and is a gap when
 * none is left. Every finding comes with an example.
 */
#include "program/check/table_int.h"
#include "program/limits.h"

#include <stdlib.h>

struct gap_search {
    struct table *table;
    struct check *check;
    struct piece *piece[CHECK_TABLE_PATHS_MAX]; /* Scratch of each level. */
    int32_t *cut[CHECK_TABLE_PATHS_MAX];
    uint32_t *subset[CHECK_TABLE_PATHS_MAX + 1];
    int32_t from[CHECK_TABLE_PATHS_MAX], to[CHECK_TABLE_PATHS_MAX]; /* The segment that is looked at. */
};

/* The range of a rule on the path of a level. */
struct piece {
    int32_t low, high;
    uint32_t rule;
    const struct table_range *range; /* NULL: the rule does not test the path. */
};

enum gap_outcome { COVERED, GAP, UNKNOWN /* Too much work. */ };

static enum gap_outcome look(struct gap_search *search, size_t level, size_t count);

/* ---- segments ---- */

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *one = a, *two = b;
    if (one->low != two->low) return one->low < two->low ? -1 : 1;
    return one->rule < two->rule ? -1 : one->rule > two->rule;
}

static int compare_cuts(const void *a, const void *b)
{
    int32_t one = *(const int32_t *)a, two = *(const int32_t *)b;
    return one < two ? -1 : one > two;
}

static const struct table_range *range_on(const struct table_rule *rule, size_t path)
{
    for (size_t i = 0; i < rule->range_count; i++)
        if (rule->range[i].path == path) return &rule->range[i];
    return NULL;
}

static size_t cut_up(const struct gap_search *search, size_t level, size_t count)
{
    const struct piece *piece = search->piece[level];
    int32_t *cut = search->cut[level], end = search->table->path[level].end;
    size_t n = 0;
    cut[n++] = 0;
    cut[n++] = end;
    for (size_t i = 0; i < count; i++) {
        const struct table_range *range = piece[i].range;
        if (!range) continue;
        cut[n++] = range->low;
        if (range->high < end) cut[n++] = range->high + 1;
        for (size_t k = 0; k < range->hole_count; k++) {
            cut[n++] = range->hole[k];
            cut[n++] = range->hole[k] + 1;
        }
    }
    qsort(cut, n, sizeof *cut, compare_cuts);
    size_t kept = 1;
    for (size_t i = 1; i < n; i++)
        if (cut[i] != cut[kept - 1]) cut[kept++] = cut[i];
    return kept;
}

static bool is_hole(const struct table_range *range, int32_t at)
{
    for (size_t i = 0; range && i < range->hole_count; i++)
        if (range->hole[i] == at) return true;
    return false;
}

/* A text that is no literal differs from all of them, wherever it stands in their order: the
 * first place between literals is as good as any. */
static bool is_repeated(const struct table_path *path, int32_t from, int32_t to)
{
    return json_is(path->literal[0], JSON_STRING) && from > 0 && from % 2 == 0 && to == from + 1;
}

/* ---- the search ---- */

static void line_up(struct gap_search *search, size_t level, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t rule = search->subset[level][i];
        const struct table_range *range = range_on(&search->table->rule[rule], level);
        search->piece[level][i] = (struct piece){ .low = range ? range->low : 0,
                                                  .high = range ? range->high : INT32_MAX,
                                                  .rule = rule,
                                                  .range = range };
    }
    qsort(search->piece[level], count, sizeof *search->piece[level], compare_pieces);
}

/* The rules that hold in the segment go to the next level. Rules that ended before are dropped from the list
 * of the active ones for good. */
static size_t choose(struct gap_search *search, size_t level, struct piece *active, size_t *active_count,
                     int32_t at)
{
    size_t kept = 0, chosen = 0;
    for (size_t i = 0; i < *active_count; i++) {
        if (active[i].high < at) continue;
        active[kept++] = active[i];
        if (!is_hole(active[i].range, at)) search->subset[level + 1][chosen++] = active[i].rule;
    }
    *active_count = kept;
    return chosen;
}

static enum gap_outcome look_along(struct gap_search *search, size_t level, size_t count)
{
    line_up(search, level, count);
    size_t cuts = cut_up(search, level, count), begun = 0, active = 0;
    struct piece *piece = search->piece[level]; /* Active pieces move to the front. */
    for (size_t i = 0; i + 1 < cuts; i++) {
        int32_t from = search->cut[level][i];
        while (begun < count && piece[begun].low <= from) piece[active++] = piece[begun++];
        if (!check_work(search->check, 1 + active)) return UNKNOWN;
        size_t chosen = choose(search, level, piece, &active, from);
        search->from[level] = from;
        search->to[level] = search->cut[level][i + 1];
        if (is_repeated(&search->table->path[level], from, search->to[level])) continue;
        enum gap_outcome outcome = look(search, level + 1, chosen);
        if (outcome != COVERED) return outcome;
    }
    return COVERED;
}

/* The rules of the level's subset hold as far as the paths before it go. At most CHECK_TABLE_PATHS_MAX deep.
 */
static enum gap_outcome look(struct gap_search *search, size_t level, size_t count)
{
    if (!check_work(search->check, 1 + count)) return UNKNOWN;
    for (size_t i = 0; i < count; i++) {
        const struct table_rule *rule = &search->table->rule[search->subset[level][i]];
        if (!rule->range_count || rule->range[rule->range_count - 1].path < level) return COVERED;
    }
    if (count) return look_along(search, level, count);
    for (size_t i = level; i < search->table->path_count; i++) {
        search->from[i] = 0;
        search->to[i] = search->table->path[i].end;
    }
    return GAP;
}

/* ---- examples ---- */

static const struct json *near(struct check *check, enum json_operator op, const struct json *literal)
{
    const struct json *value;
    const struct json *one = json_of_int(check->arena, 1);
    return json_calculate(op, literal, one, check->arena, &value, NULL) == ST_OK ? value : NULL;
}

static const struct json *between(struct check *check, const struct json *low, const struct json *high)
{
    const struct json *sum, *value = near(check, JSON_PLUS, low), *two = json_of_int(check->arena, 2);
    if (value && json_number_compare(value, high) < 0) return value;
    if (json_calculate(JSON_PLUS, low, high, check->arena, &sum, NULL) != ST_OK) return NULL;
    return json_calculate(JSON_DIVIDED, sum, two, check->arena, &value, NULL) == ST_OK ? value : NULL;
}

static const struct json *other_text(struct check *check, const struct table_path *path)
{
    str text = STR("");
    for (size_t i = 0; i < path->literal_count; i++) { /* They are in order: a longer one comes later. */
        if (!str_equal(json_string(path->literal[i]), text)) continue;
        text = arena_printf(check->arena, "%.*sa", STR_ARG(text));
    }
    return json_of_string(check->arena, text);
}

/* A value in the segment, or NULL. A literal if there is one: authors know those. */
static const struct json *value_in(struct check *check, const struct table_path *path, int32_t from,
                                   int32_t to)
{
    if (json_is(path->literal[0], JSON_BOOL)) return path->literal[from];
    if (from % 2 || to - from > 1) return path->literal[from / 2];
    if (json_is(path->literal[0], JSON_STRING)) return other_text(check, path);
    size_t above = (size_t)from / 2;
    if (!above) return near(check, JSON_MINUS, path->literal[0]);
    if (above == path->literal_count) return near(check, JSON_PLUS, path->literal[above - 1]);
    return between(check, path->literal[above - 1], path->literal[above]);
}

/* "x = 1, y = 2", or nothing. */
static str example_of(const struct gap_search *search)
{
    struct buf out;
    buf_init(&out, search->check->arena);
    for (size_t i = 0; i < search->table->path_count; i++) {
        const struct table_path *path = &search->table->path[i];
        const struct json *value = value_in(search->check, path, search->from[i], search->to[i]);
        if (!value) return STR("");
        check_table_print_input(&out, path->path, value);
    }
    return buf_str(&out);
}

/* ---- the table ---- */

/* Texts have no next value, so an order among them proves nothing; and what has no kind of its
 * own has no example. */
static bool can_be_searched(const struct table *table)
{
    if (table->path_count > CHECK_TABLE_PATHS_MAX) return false;
    for (size_t i = 0; i < table->path_count; i++)
        if (table->path[i].mixed || table->path[i].text_order) return false;
    return true;
}

static size_t cuts_of(const struct table_path *path)
{
    size_t count = 2;
    for (size_t i = 0; i < path->range_count; i++) count += 2 + 2 * path->range[i].hole_count;
    return count;
}

static enum gap_outcome search_table(struct gap_search *search)
{
    const struct table *table = search->table;
    struct arena *arena = search->check->arena;
    size_t count = 0;
    for (size_t i = 0; i <= table->path_count; i++)
        search->subset[i] = arena_make_n(arena, uint32_t, table->rule_count);
    for (size_t i = 0; i < table->path_count; i++) {
        search->piece[i] = arena_make_n(arena, struct piece, table->rule_count);
        search->cut[i] = arena_make_n(arena, int32_t, cuts_of(&table->path[i]));
    }
    for (uint32_t i = 0; i < table->rule_count; i++)
        if (table_rule_counts(&table->rule[i])) search->subset[0][count++] = i;
    return look(search, 0, count);
}

static bool always_holds(const struct table_rule *rule)
{
    return table_rule_counts(rule) && !rule->test_count;
}

void check_table_gap(struct table *table)
{
    struct check *check = table->check;
    const struct program_node *node = &check->program->node[table->index];
    bool all_known = true;
    for (size_t i = 0; i < table->rule_count; i++) {
        if (always_holds(&table->rule[i])) return;
        all_known &= table->rule[i].known;
    }
    struct gap_search search = { .table = table, .check = check };
    enum gap_outcome outcome = can_be_searched(table) ? search_table(&search) : UNKNOWN;
    if (outcome == COVERED) return;
    static const char hint[] =
        "the instance fails when no rule holds; a last rule without conditions catches the rest";
    str example = outcome == GAP && all_known ? example_of(&search) : STR("");
    if (example.n)
        problem_warning(check->problems, PROBLEM_TABLE_GAP, node->pointer, hint, "%s: no rule holds for %.*s",
                        check_label(check, table->index), STR_ARG(example));
    else
        problem_warning(check->problems, PROBLEM_TABLE_GAP, node->pointer, hint,
                        "%s: there is no rule that always holds, and the others may leave gaps",
                        check_label(check, table->index));
}
