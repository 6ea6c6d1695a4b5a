/* Conditions on entities: what one says about a document. */
#ifndef TESTS_UNIT_EXPR_PREDICATES_H
#define TESTS_UNIT_EXPR_PREDICATES_H

#include "expr/built.h"
#include "expr/predicate/predicate.h"

#define PREDICATES_LIFECYCLE                                                                                 \
    "{\"id\":\"e1\",\"state\":\"NEW\",\"creationDate\":\"2026-11-15T03:50:11.250Z\",\"previousTransition\":" \
    "\"loopback\",\"lastUpdateTime\":null,\"transactionId\":\"t9\",\"workflow\":\"w\"}"

static const struct predicate_options predicates_options = { .lifecycle_name = { "carried", 7 } };

static inline enum status predicates_compile(struct built *built, const char *text,
                                             const struct expr **ret_expr)
{
    return expr_predicate(cases_data(text, &built->arena), &predicates_options, &built->arena, ret_expr,
                          &built->err);
}

static inline enum status predicates_judge(struct built *built, const char *condition, const char *data)
{
    const struct expr *expr;
    built_begin(built, data);
    struct expr_local local = { STR("carried"), cases_data(PREDICATES_LIFECYCLE, &built->arena) };
    built->env.local = &local;
    built->env.local_count = 1;
    TRY(predicates_compile(built, condition, &expr));
    return expr_eval(expr, &built->env, &built->fuel, &built->arena, &built->value, &built->err);
}

static inline void predicates_expect(const char *condition, const char *data, bool want)
{
    struct built built;
    if (predicates_judge(&built, condition, data) != ST_OK)
        fail_msg("%s on %s: %s %s", condition, data, built.err.where, built.err.message);
    if (json_bool(built.value) != want) fail_msg("%s on %s: %s", condition, data, built_printed(&built));
    built_end(&built);
}

#endif
