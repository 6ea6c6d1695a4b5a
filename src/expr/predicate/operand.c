/* expr/predicate/operand.c — operators of conditions on entities, and their operands in every form that a
 * comparison may ask for. */
#include "expr/predicate/predicate_int.h"

#include "base/datetime.h"
#include "base/utf8.h"
#include "expr/chars_int.h"
#include "expr/case_folding_int.h"

/* ---- operators ---- */

static const struct {
    str name;
    enum predicate_op basis;
    bool negated, folded;
} ops[] = {
#define XX(NAME, basis, negated, folded) { STR_INIT(#NAME), PREDICATE_##basis, negated, folded },
    PREDICATE_MAP(XX)
#undef XX
};

str predicate_op_name(enum predicate_op op) { return ops[op].name; }

static enum status refuse_op(str name, struct error *err)
{
    str shown = utf8_cut(name, SHOWN_BYTES_MAX);
    if (str_equal(name, STR("IS_CHANGED")) || str_equal(name, STR("IS_UNCHANGED")))
        return fail(err, ST_INVALID, "",
                    "%.*s is not supported: a condition sees one state of the entity only", STR_ARG(shown));
    size_t nearest = 0, least = SIZE_MAX;
    for (size_t i = 0; i < COUNT(ops); i++) {
        size_t distance = str_distance(name, ops[i].name, true);
        if (distance >= least) continue;
        least = distance;
        nearest = i;
    }
    if (least <= ops[nearest].name.n / 2)
        return fail(err, ST_INVALID, "", "there is no operator \"%.*s\"; did you mean %.*s?", STR_ARG(shown),
                    STR_ARG(ops[nearest].name));
    return fail(err, ST_INVALID, "", "there is no operator \"%.*s\"", STR_ARG(shown));
}

enum status predicate_find_op(str name, enum predicate_op *ret_op, struct error *err)
{
    for (size_t i = 0; i < COUNT(ops); i++)
        if (str_equal(ops[i].name, name)) {
            *ret_op = (enum predicate_op)i;
            return ST_OK;
        }
    return refuse_op(name, err);
}

/* ---- operands ---- */

static bool is_scalar(const struct json *value)
{
    return json_is(value, JSON_STRING) || json_is(value, JSON_NUMBER) || json_is(value, JSON_BOOL);
}

static enum status refuse_range(enum predicate_op op, struct error *err)
{
    str name = ops[op].name;
    return fail(err, ST_INVALID, "",
                "%.*s needs two bounds: a list of two texts, numbers or booleans, or a text like \"1,5\"",
                STR_ARG(name));
}

enum status predicate_range(enum predicate_op op, const struct json *operand, struct arena *arena,
                            const struct json *ret_bound[2], struct error *err)
{
    if (json_is(operand, JSON_ARRAY) && json_count(operand) == 2) {
        const struct json *low = json_item(operand, 0), *high = json_item(operand, 1);
        if (!is_scalar(low) || !is_scalar(high)) return refuse_range(op, err);
        ret_bound[0] = low;
        ret_bound[1] = high;
        return ST_OK;
    }
    if (!json_is(operand, JSON_STRING)) return refuse_range(op, err);
    str text = json_string(operand);
    size_t comma = str_find(text, STR(","), 0);
    if (comma == SIZE_MAX || str_find(text, STR(","), comma + 1) != SIZE_MAX) return refuse_range(op, err);
    ret_bound[0] = json_of_string(arena, str_trim(str_slice(text, 0, comma)));
    ret_bound[1] = json_of_string(arena, str_trim(str_slice(text, comma + 1, text.n)));
    return ST_OK;
}

/* A date and time of RFC 3339; what it lacks at the end is the beginning of the year, month or day, in UTC.
 */
static bool read_instant(str text, struct arena *arena, int64_t *ret_ms)
{
    static const char *const completions[] = { "", "Z", "T00:00:00Z", "-01T00:00:00Z", "-01-01T00:00:00Z" };
    for (size_t i = 0; i < COUNT(completions) && text.n < DATETIME_CHARS * 2; i++) {
        struct buf whole;
        buf_init(&whole, arena);
        buf_add_str(&whole, text);
        buf_add_str(&whole, str_of(completions[i]));
        if (datetime_parse(buf_str(&whole), ret_ms)) return true;
    }
    return false;
}

static enum status read_operand(const struct predicate_test *test, const struct json *value,
                                struct arena *arena, struct predicate_operand *ret_operand, struct error *err)
{
    str text = arena_str(arena, chars_of(value, arena));
    struct predicate_operand operand = { .text = text };
    operand.number = json_is(value, JSON_STRING) ? json_number_parse(text, arena) : NULL;
    if (json_is(value, JSON_NUMBER)) operand.number = json_copy(arena, value);
    operand.boolean = str_equal(text, STR("true"));
    operand.is_boolean = operand.boolean || str_equal(text, STR("false"));
    if (test->folded) operand.text = case_folding_of(text, arena);
    str shown = utf8_cut(text, SHOWN_BYTES_MAX);
    if (test->instant && !read_instant(text, arena, &operand.instant_ms))
        return fail(err, ST_INVALID, "", "\"%.*s\" is no date and time like 2026-11-15T03:50:11Z",
                    STR_ARG(shown));
    *ret_operand = operand;
    return ST_OK;
}

static enum status compile_pattern(struct predicate_test *test, struct arena *arena, struct error *err)
{
    char message[REGEX_MESSAGE_BYTES];
    test->pattern = regex_compile(test->bound[0].text, REGEX_WHOLE, arena, message);
    if (!test->pattern) return fail(err, ST_INVALID, "", "%s", message);
    if (arena_over(arena)) return fail(err, ST_LIMIT, "", "the regular expression is too large");
    return ST_OK;
}

/* Operators that compare the order or equality of values other than texts, too. */
static bool is_comparison(const struct predicate_test *test)
{
    return !test->folded && test->basis <= PREDICATE_BETWEEN_INCLUSIVE;
}

enum status predicate_compile(const struct predicate_leaf *leaf, bool instant, struct arena *arena,
                              const struct predicate_test **ret_test, struct error *err)
{
    struct predicate_test *test = arena_make(arena, struct predicate_test);
    const struct json *bound[2] = { leaf->operand, NULL };
    str name = ops[leaf->op].name;
    *test = (struct predicate_test){
        .path = leaf->path,
        .element = leaf->element,
        .op = leaf->op,
        .basis = ops[leaf->op].basis,
        .negated = ops[leaf->op].negated,
        .folded = ops[leaf->op].folded,
        .operand = json_copy(arena, leaf->operand),
    };
    bool range = test->basis == PREDICATE_BETWEEN || test->basis == PREDICATE_BETWEEN_INCLUSIVE;
    *ret_test = test;
    if (test->basis == PREDICATE_IS_NULL) return ST_OK;
    test->instant = instant && is_comparison(test);
    /* The dates of the lifecycle are no texts. */
    test->never = (instant && !test->instant) || (!range && json_is(leaf->operand, JSON_NULL));
    if (test->never) return ST_OK;
    if (range) TRY(predicate_range(leaf->op, leaf->operand, arena, bound, err));
    else if (!is_scalar(leaf->operand))
        return fail(err, ST_INVALID, "", "%.*s needs a text, a number or a boolean", STR_ARG(name));
    for (size_t i = 0; i < 2 && bound[i]; i++) TRY(read_operand(test, bound[i], arena, &test->bound[i], err));
    return test->basis == PREDICATE_MATCHES_PATTERN ? compile_pattern(test, arena, err) : ST_OK;
}

void predicate_print(const struct predicate_test *test, struct buf *out)
{
    struct buf path;
    buf_init(&path, out->arena);
    predicate_path_print(&test->path, &path);
    buf_add_str(out, str_slice(buf_str(&path), 1, path.n));
    buf_done(&path);
    if (test->element >= 0) buf_printf(out, " element %lld", (long long)test->element);
    buf_printf(out, " %.*s", STR_ARG(ops[test->op].name));
    if (test->basis == PREDICATE_IS_NULL) return;
    buf_add_char(out, ' ');
    json_print(test->operand, out);
}
