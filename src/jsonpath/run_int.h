/* jsonpath/run_int.h — one run of a path: its budgets, and walks along queries.
 *
 *     walk.c       along the segments of a query
 *     condition.c  whether a filter's condition holds
 *     select.c     jsonpath_select() and jsonpath_value()
 */
#ifndef JSONPATH_RUN_INT_H
#define JSONPATH_RUN_INT_H

#include "jsonpath/jsonpath_int.h"

struct jsonpath_run;
typedef bool jsonpath_test_fn(struct jsonpath_run *run, const struct jsonpath_condition *condition,
                              const struct json *node);

struct jsonpath_run {
    const struct json *root;
    struct arena *arena;
    struct error *err;
    enum status status; /* The status of the first failure. */
    int64_t fuel;
    int64_t fuel_given;
    uint32_t depth;
    jsonpath_test_fn *test; /* jsonpath_test(): a walk meets conditions, and conditions walk again. */
    struct regex_matcher matcher;
    /* The latest pattern that came from data: mostly it is the same for all nodes. */
    const struct json *pattern_text;
    bool pattern_whole;
    const struct regex *pattern;
};

/* Notes a failure; the first one counts. */
#define jsonpath_run_fail(run, ...) \
    ((run)->status == ST_OK ? (void)((run)->status = fail((run)->err, ST_LIMIT, NULL, __VA_ARGS__)) : (void)0)

/* Notes that fuel or memory ran out, and returns false. */
__attribute__((cold)) bool jsonpath_exhausted(struct jsonpath_run *run);

/* Pays for work that is about to be done. False: the fuel does not suffice. */
static inline bool jsonpath_spend(struct jsonpath_run *run, uint64_t operations)
{
    if (run->fuel < 0 || operations > (uint64_t)run->fuel || arena_over(run->arena))
        return jsonpath_exhausted(run);
    run->fuel -= (int64_t)operations;
    return true;
}

/* One walk along a query's segments. */
struct jsonpath_walk {
    struct jsonpath_run *run;
    const struct jsonpath_query *query;
    size_t count_enough; /* Stops when it has so many nodes. */
    size_t count;
    const struct json *first; /* Node. */
    struct buf *list;         /* Takes all nodes; NULL: they are only counted. */
};

/* False if it stopped early: because it has enough, or because run->status says so. */
bool jsonpath_walk(struct jsonpath_walk *walk, const struct json *node);

/* The node of a definite query, or NULL if there is none or the fuel is out. */
const struct json *jsonpath_follow(struct jsonpath_run *run, const struct jsonpath_query *query,
                                   const struct json *node);

/* Tells whether the condition holds for a node. Check run->status too: after a failure the result means
 * nothing. */
jsonpath_test_fn jsonpath_test;

#endif
