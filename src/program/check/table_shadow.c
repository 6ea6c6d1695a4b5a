/* program/check/table_shadow.c — rules that never count, because an earlier one holds whenever they do. Only
 * the first rule that holds counts in such a table. */
#include "program/check/table_int.h"
#include "program/limits.h"

enum { SHADOWS_SHOWN = 5 /* For one table. */ };

static const char hint[] = "with hit policy F the first rule that holds counts; move the rule up, narrow the "
                           "other one, or remove it";

/* Does the range leave out the position? */
static bool has_hole(const struct table_range *range, int32_t position)
{
    for (size_t i = 0; i < range->hole_count; i++)
        if (range->hole[i] == position) return true;
    return false;
}

static bool is_inside(const struct table_range *inner, const struct table_range *outer)
{
    if (inner->low < outer->low || inner->high > outer->high) return false;
    for (size_t i = 0; i < outer->hole_count; i++) {
        int32_t hole = outer->hole[i];
        if (hole >= inner->low && hole <= inner->high && !has_hole(inner, hole)) return false;
    }
    return true;
}

static const struct table_range *range_on(const struct table_rule *rule, uint32_t path)
{
    for (size_t i = 0; i < rule->range_count; i++)
        if (rule->range[i].path == path) return &rule->range[i];
    return NULL;
}

/* The earlier rule holds for everything that the later one holds for. One without tests holds for everything.
 */
static bool covers(const struct table_rule *earlier, const struct table_rule *later)
{
    if (!table_rule_counts(earlier)) return false;
    if (!earlier->range_count) return true;
    if (!table_rule_counts(later)) return false;
    for (size_t i = 0; i < earlier->range_count; i++) {
        const struct table_range *own = range_on(later, earlier->range[i].path);
        if (!own || !is_inside(own, &earlier->range[i])) return false;
    }
    return true;
}

void check_table_shadows(struct table *table)
{
    struct check *check = table->check;
    const struct program_node *node = &check->program->node[table->index];
    size_t told = 0, pairs = 0;
    for (uint32_t later = 1; later < table->rule_count && told < SHADOWS_SHOWN; later++)
        for (uint32_t earlier = 0; earlier < later; earlier++) {
            if (++pairs > CHECK_TABLE_PAIRS_MAX) return;
            if (!covers(&table->rule[earlier], &table->rule[later])) continue;
            problem_warning(check->problems, PROBLEM_TABLE_SHADOW, node->pointer, hint,
                            "%s: rules[%u] never counts: rules[%u] holds whenever it does",
                            check_label(check, table->index), later, earlier);
            told++;
            break;
        }
}
