/* core/table_policy.c — makes one object of the rules that matched, by the table's hit policy. */

#include "core/core_int.h"

enum { VALUE_BYTES_SHOWN = 80 };

struct collapse {
    const struct table_hits *hits;
    enum hit_policy policy;
    str where;
    struct arena *arena;
    str reason;
};

static const struct json *cell_of(const struct collapse *collapse, size_t column, size_t hit)
{
    return collapse->hits->cell[column * collapse->hits->rule_count + hit];
}

static void unique_violated(struct collapse *collapse)
{
    struct buf text;
    buf_init(&text, collapse->arena);
    buf_printf(&text, "DecisionTableUniqueViolation: %.*s, matching rule indices [",
               STR_ARG(collapse->where));
    for (size_t i = 0; i < collapse->hits->rule_count; i++)
        buf_printf(&text, "%s%u", i ? " " : "", collapse->hits->rule[i]);
    buf_add_char(&text, ']');
    collapse->reason = buf_str(&text);
}

static str value_text(const struct collapse *collapse, const struct json *value)
{
    if (!value) return STR("nothing");
    struct buf text;
    buf_init(&text, collapse->arena);
    json_print(value, &text);
    if (text.n <= VALUE_BYTES_SHOWN) return buf_str(&text);
    return arena_printf(collapse->arena, "a long %s", json_kind_name(json_kind(value)));
}

/* All rules must agree, also on whether there is such a column at all. */
static const struct json *any_value(struct collapse *collapse, size_t column)
{
    const struct json *first = cell_of(collapse, column, 0);
    for (size_t hit = 1; hit < collapse->hits->rule_count; hit++) {
        const struct json *other = cell_of(collapse, column, hit);
        if (first && other && json_equal(first, other)) continue;
        str one = value_text(collapse, first), two = value_text(collapse, other),
            name = collapse->hits->column[column];
        collapse->reason = arena_printf(
            collapse->arena,
            "DecisionTableAnyConflict: %.*s, column=\"%.*s\": rule %u gives %.*s, rule %u gives %.*s",
            STR_ARG(collapse->where), STR_ARG(name), collapse->hits->rule[0], STR_ARG(one),
            collapse->hits->rule[hit], STR_ARG(two));
        return NULL;
    }
    return first;
}

static const struct json *list_value(const struct collapse *collapse, size_t column)
{
    struct json_builder builder;
    json_builder_init(&builder, collapse->arena);
    json_open_array(&builder);
    for (size_t hit = 0; hit < collapse->hits->rule_count; hit++)
        json_add(&builder, cell_of(collapse, column, hit));
    json_close(&builder);
    return json_built(&builder);
}

static const struct json *aggregate_failed(struct collapse *collapse, size_t column, size_t hit,
                                           const char *why)
{
    str name = collapse->hits->column[column];
    collapse->reason =
        arena_printf(collapse->arena, "DecisionTableAggregatorTypeError: %.*s, column=\"%.*s\": rule %u %s",
                     STR_ARG(collapse->where), STR_ARG(name), collapse->hits->rule[hit], why);
    return NULL;
}

static const struct json *aggregate_value(struct collapse *collapse, size_t column)
{
    const struct json *total = NULL;
    for (size_t hit = 0; hit < collapse->hits->rule_count; hit++) {
        const struct json *value = cell_of(collapse, column, hit);
        struct error err;
        if (!value) return aggregate_failed(collapse, column, hit, "gives nothing, not a number");
        if (!json_is(value, JSON_NUMBER)) {
            str why =
                arena_printf(collapse->arena, "gives %s, not a number", json_kind_name(json_kind(value)));
            return aggregate_failed(collapse, column, hit, why.p);
        }
        if (!total) {
            total = value;
        } else if (collapse->policy == HIT_SUM) {
            if (json_calculate(JSON_PLUS, total, value, collapse->arena, &total, &err) != ST_OK)
                return aggregate_failed(collapse, column, hit, err.message);
        } else {
            int order = json_number_compare(value, total);
            if (collapse->policy == HIT_MAXIMUM ? order > 0 : order < 0) total = value;
        }
    }
    return total;
}

static const struct json *column_value(struct collapse *collapse, size_t column)
{
    switch (collapse->policy) {
    case HIT_UNIQUE:
    case HIT_FIRST: return cell_of(collapse, column, 0);
    case HIT_ANY: return any_value(collapse, column);
    case HIT_RULE_ORDER:
    case HIT_COLLECT: return list_value(collapse, column);
    case HIT_NUMBER_OF: return json_of_int(collapse->arena, (int64_t)collapse->hits->rule_count);
    case HIT_SUM:
    case HIT_MAXIMUM:
    case HIT_MINIMUM: return aggregate_value(collapse, column);
    case HIT_POLICY_COUNT: break;
    }
    must(!"a hit policy");
}

str table_collapse(const struct table_hits *hits, enum hit_policy policy, str where, struct arena *arena,
                   const struct json **ret_result)
{
    struct collapse collapse = { .hits = hits, .policy = policy, .where = where, .arena = arena };
    if (policy == HIT_UNIQUE && hits->rule_count > 1) {
        unique_violated(&collapse);
        return collapse.reason;
    }
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    for (size_t column = 0; column < hits->column_count; column++) {
        const struct json *value = column_value(&collapse, column);
        if (collapse.reason.n) return collapse.reason;
        if (!value) continue; /* A column that only rules after the first have. */
        json_add_name(&builder, hits->column[column]);
        json_add(&builder, value);
    }
    json_close(&builder);
    *ret_result = json_built(&builder);
    return STR_NONE;
}
