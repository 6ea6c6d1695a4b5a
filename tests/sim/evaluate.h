/* tests/sim/evaluate.h — expressions, data and tables, computed a second time.
 *
 * Written from the contract, not from src/expr: just the forms that generate.c makes. Where
 * the contract leaves something open the result is UNSURE, and the checker accepts anything.
 */
#ifndef SIM_EVALUATE_H
#define SIM_EVALUATE_H

#include "world.h"

enum certainty { GOT, WRONG, UNSURE };

struct result {
    enum certainty is;
    const struct json *value; /* GOT */
};

struct result evaluate(str text, const struct json *data, struct arena *arena);

/* The value of a transformation or an output: an expression in ${…}, or itself. */
struct result evaluate_value(const struct json *value, const struct json *data, struct arena *arena);

/* The object that a TRANSFORMATION merges into the variables. */
struct result evaluate_assignments(const struct json *assignments, const struct json *data,
                                   struct arena *arena);

/* The object that a DECISION_TABLE merges into the variables. */
struct result evaluate_table(const struct json *rules, str policy, const struct json *data,
                             struct arena *arena);

/* `more` over `data`; deep: objects into objects. */
const struct json *evaluate_merge(const struct json *data, const struct json *more, bool deep,
                                  struct arena *arena);

#endif
