/* jsonpath/condition.c — whether a filter's condition holds for a node. */
#include "jsonpath/run_int.h"

#include "base/utf8.h"

enum { COMPARE_BYTES_PER_FUEL = 32 };

static const struct json *start_of(const struct jsonpath_run *run, const struct jsonpath_query *query,
                                   const struct json *node)
{
    return query->relative ? node : run->root;
}

static bool exists(struct jsonpath_run *run, const struct jsonpath_query *query, const struct json *node)
{
    node = start_of(run, query, node);
    if (query->definite) return jsonpath_follow(run, query, node) != NULL;
    struct jsonpath_walk walk = { .run = run, .query = query, .count_enough = 1 };
    jsonpath_walk(&walk, node);
    return walk.count > 0;
}

/* ---- functions ---- */

static const struct json *evaluate(struct jsonpath_run *run, const struct jsonpath_operand *operand,
                                   const struct json *node);

/* Characters of a string, children of an array or object; nothing else has a length. */
static const struct json *length_of(struct jsonpath_run *run, const struct json *value)
{
    if (!value || json_kind(value) < JSON_STRING) return NULL;
    size_t length = json_count(value);
    if (json_kind(value) == JSON_STRING) {
        str text = json_string(value);
        if (!jsonpath_spend(run, text.n / COMPARE_BYTES_PER_FUEL)) return NULL;
        length = utf8_count(text);
    }
    return json_of_int(run->arena, (int64_t)length);
}

static const struct json *count_of(struct jsonpath_run *run, const struct jsonpath_query *query,
                                   const struct json *node)
{
    struct jsonpath_walk walk = { .run = run, .query = query, .count_enough = SIZE_MAX };
    jsonpath_walk(&walk, start_of(run, query, node));
    return json_of_int(run->arena, (int64_t)walk.count);
}

/* The value of the only node; nothing if there are none or several. */
static const struct json *value_of(struct jsonpath_run *run, const struct jsonpath_query *query,
                                   const struct json *node)
{
    struct jsonpath_walk walk = { .run = run, .query = query, .count_enough = 2 };
    jsonpath_walk(&walk, start_of(run, query, node));
    return walk.count == 1 ? walk.first : NULL;
}

/* The pattern, if it is one. */
static const struct regex *pattern_of(struct jsonpath_run *run, const struct jsonpath_call *call,
                                      const struct json *node)
{
    if (call->pattern_is_literal) return call->pattern;
    bool whole = call->function == FUNCTION_MATCH;
    const struct json *text = evaluate(run, &call->argument[1], node);
    if (!json_is(text, JSON_STRING)) return NULL;
    if (text == run->pattern_text && whole == run->pattern_whole) return run->pattern;
    if (!jsonpath_spend(run, regex_compile_cost(json_string(text)))) return NULL;
    run->pattern_text = text;
    run->pattern_whole = whole;
    return run->pattern = jsonpath_regex(json_string(text), whole, run->arena);
}

static bool matches(struct jsonpath_run *run, const struct jsonpath_call *call, const struct json *node)
{
    const struct json *text = evaluate(run, &call->argument[0], node);
    if (!json_is(text, JSON_STRING)) return false;
    const struct regex *pattern = pattern_of(run, call, node);
    if (!pattern || run->status != ST_OK) return false;
    bool found = false;
    enum status status = regex_match(&run->matcher, pattern, json_string(text), &run->fuel, &found, run->err);
    if (status == ST_OK) return found;
    if (run->fuel == 0 || arena_over(run->arena)) return jsonpath_exhausted(run);
    run->status = status;
    return false;
}

static const struct json *call_value(struct jsonpath_run *run, const struct jsonpath_call *call,
                                     const struct json *node)
{
    switch (call->function) {
    case FUNCTION_LENGTH: return length_of(run, evaluate(run, &call->argument[0], node));
    case FUNCTION_COUNT: return count_of(run, call->argument[0].query, node);
    case FUNCTION_VALUE: return value_of(run, call->argument[0].query, node);
    default: return NULL; /* Logical: the parser lets them stand only as conditions. */
    }
}

/* ---- comparisons ---- */

/* The operand's value, or NULL for nothing. */
static const struct json *evaluate(struct jsonpath_run *run, const struct jsonpath_operand *operand,
                                   const struct json *node)
{
    switch (operand->kind) {
    case OPERAND_LITERAL: return operand->literal;
    case OPERAND_QUERY: return jsonpath_follow(run, operand->query, start_of(run, operand->query, node));
    case OPERAND_CALL: return call_value(run, operand->call, node);
    }
    return NULL;
}

/* Nothing equals only nothing. */
static bool equal(struct jsonpath_run *run, const struct json *a, const struct json *b)
{
    if (!a || !b) return a == b;
    if (json_kind(a) != json_kind(b)) return false;
    size_t bytes = json_bytes(a) < json_bytes(b) ? json_bytes(a) : json_bytes(b);
    return jsonpath_spend(run, bytes / COMPARE_BYTES_PER_FUEL) && json_equal(a, b);
}

/* Only numbers and strings have an order. The order of UTF-8 bytes is the order of characters. */
static bool less(struct jsonpath_run *run, const struct json *a, const struct json *b)
{
    if (!a || !b || json_kind(a) != json_kind(b)) return false;
    if (json_kind(a) == JSON_NUMBER) return json_number_compare(a, b) < 0;
    if (json_kind(a) != JSON_STRING) return false;
    str x = json_string(a), y = json_string(b);
    return jsonpath_spend(run, (x.n < y.n ? x.n : y.n) / COMPARE_BYTES_PER_FUEL) && str_compare(x, y) < 0;
}

static bool compare(struct jsonpath_run *run, const struct jsonpath_condition *condition,
                    const struct json *node)
{
    const struct json *a = evaluate(run, &condition->left, node);
    const struct json *b = evaluate(run, &condition->right, node);
    if (run->status != ST_OK) return false;
    switch (condition->comparison) {
    case COMPARE_EQUAL: return equal(run, a, b);
    case COMPARE_NOT_EQUAL: return !equal(run, a, b);
    case COMPARE_LESS: return less(run, a, b);
    case COMPARE_GREATER: return less(run, b, a);
    case COMPARE_LESS_EQUAL: return less(run, a, b) || equal(run, a, b);
    case COMPARE_GREATER_EQUAL: return less(run, b, a) || equal(run, a, b);
    case COMPARISON_COUNT: break;
    }
    return false;
}

/* ---- conditions ---- */

/* Recursion is as deep as the filter's text, which PATH_DEPTH_MAX bounds. */
bool jsonpath_test(struct jsonpath_run *run, const struct jsonpath_condition *condition,
                   const struct json *node)
{
    switch (condition->kind) {
    case CONDITION_OR:
    case CONDITION_AND:
        for (const struct jsonpath_condition *child = condition->first; child; child = child->next) {
            bool holds = jsonpath_test(run, child, node);
            if (run->status != ST_OK || holds == (condition->kind == CONDITION_OR)) return holds;
        }
        return condition->kind == CONDITION_AND;
    case CONDITION_NOT: return !jsonpath_test(run, condition->first, node);
    case CONDITION_EXISTS: return exists(run, condition->query, node);
    case CONDITION_COMPARE: return compare(run, condition, node);
    case CONDITION_CALL: return matches(run, condition->call, node);
    }
    return false;
}
