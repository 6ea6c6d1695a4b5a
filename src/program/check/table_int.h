/* program/check/table_int.h — the rules of a decision table as boxes of whole numbers.
 *
 * A rule whose cells are nothing but `path op literal` tests is a set of points. Only the
 * order of the literals matters to it, so each path becomes an axis with a *position* for
 * every literal and one for whatever lies between two of them:
 *
 *     x < 10, x == 20, x > 20      position   0     1     2     3     4
 *                                  stands for <10   10    …     20    >20
 *
 * Literals of different kinds never hold together, so each kind has a stretch of the axis
 * for itself; booleans have two positions and nothing between. A rule is then a range of
 * positions per path, with holes where it says `!=`, and comparing rules is comparing
 * integers.
 *
 * Rules with other cells are left alone: nothing is said about them, in either direction.
 */
#ifndef PROGRAM_CHECK_TABLE_INT_H
#define PROGRAM_CHECK_TABLE_INT_H

#include "program/check/check_int.h"

struct table_path {
    str path;
    const struct json **literal; /* In order, by kind first. */
    size_t literal_count;
    int32_t end;                     /* Positions are 0 .. end-1. */
    bool mixed;                      /* Literals of several kinds. */
    bool text_order;                 /* Texts are compared by order, not only for equality. */
    const struct table_range *range; /* Ranges of the rules that test it. */
    size_t range_count;
};

struct table_range {
    uint32_t path;
    uint32_t rule;
    int32_t low, high; /* Both included. Empty if low is above high: the rule never holds. */
    const int32_t *hole;
    size_t hole_count;
};

struct table_rule {
    const struct expr_test *test;
    size_t test_count;
    bool known;                /* The tests are all there is to the rule. */
    bool never;                /* It cannot hold. */
    struct table_range *range; /* By path. */
    size_t range_count;
};

struct table {
    struct check *check;
    uint32_t index; /* The table's node. */
    struct table_rule *rule;
    size_t rule_count;
    struct table_path *path; /* In the order the document names them. */
    size_t path_count;
};

static inline bool table_rule_counts(const struct table_rule *rule) { return rule->known && !rule->never; }

/* check/table_read.c */
void check_table_read(struct table *table, struct check *check, uint32_t index);
int check_table_compare(const struct json *a, const struct json *b); /* Both are of one kind. */
/* "x = 1, y = 2" */
void check_table_print_input(struct buf *out, str path, const struct json *value);

/* check/table_overlap.c: pairs of rules that can hold at once. */
void check_table_overlaps(struct table *table);

/* check/table_shadow.c: rules that never count, because an earlier one holds whenever they do. */
void check_table_shadows(struct table *table);

/* check/table_gap.c: inputs for which no rule holds. */
void check_table_gap(struct table *table);

#endif
