#include "evaluate.h"

struct parser {
    const char *p, *end;
    const struct json *data;
    struct arena *arena;
};

static struct result either(struct parser *parser);

static struct result got(const struct json *value) { return (struct result){ GOT, value }; }
static struct result wrong(void) { return (struct result){ WRONG, NULL }; }
static struct result unsure(void) { return (struct result){ UNSURE, NULL }; }

static bool eat(struct parser *parser, const char *symbol)
{
    while (parser->p < parser->end && *parser->p == ' ') parser->p++;
    size_t n = strlen(symbol);
    if ((size_t)(parser->end - parser->p) < n || memcmp(parser->p, symbol, n) != 0) return false;
    parser->p += n;
    return true;
}

static bool is_name_char(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

static str word(struct parser *parser)
{
    eat(parser, "");
    const char *start = parser->p;
    while (parser->p < parser->end && is_name_char(*parser->p)) parser->p++;
    return (str){ start, (size_t)(parser->p - start) };
}

static struct result variable(struct parser *parser, str name)
{
    const struct json *value = json_get(parser->data, name);
    bool absent = !value, odd = false;
    while (parser->p < parser->end && *parser->p == '.') {
        parser->p++;
        str member = word(parser);
        if (absent || odd) continue;
        if (!json_is(value, JSON_OBJECT)) odd = true;
        else value = json_get(value, member) ? json_get(value, member) : json_null();
    }
    return absent ? wrong() : odd ? unsure() : got(value);
}

static struct result factor(struct parser *parser)
{
    if (eat(parser, "!")) {
        struct result inner = factor(parser);
        if (inner.is != GOT) return inner;
        return json_is(inner.value, JSON_BOOL) ? got(json_of_bool(!json_bool(inner.value))) : unsure();
    }
    if (eat(parser, "(")) {
        struct result inner = either(parser);
        must(eat(parser, ")"));
        return inner;
    }
    str name = word(parser);
    must(name.n);
    int64_t number;
    if (str_to_int64(name, &number)) return got(json_of_int(parser->arena, number));
    if (str_equal(name, STR("true"))) return got(json_of_bool(true));
    if (str_equal(name, STR("false"))) return got(json_of_bool(false));
    return variable(parser, name);
}

/* Both as integers; what is not one leaves us unsure. */
static struct result both(struct result a, struct result b, int64_t *ret_a, int64_t *ret_b)
{
    if (a.is != GOT) return a;
    if (b.is != GOT) return b;
    if (!json_is(a.value, JSON_NUMBER) || !json_is(b.value, JSON_NUMBER) || !json_int64(a.value, ret_a) ||
        !json_int64(b.value, ret_b))
        return unsure();
    return a;
}

static struct result product(struct parser *parser)
{
    struct result a = factor(parser);
    for (;;) {
        char op = eat(parser, "*") ? '*' : eat(parser, "%") ? '%' : 0;
        if (!op) return a;
        struct result b = factor(parser);
        int64_t x = 0, y = 0;
        struct result ok = both(a, b, &x, &y);
        a = ok.is != GOT ? ok
            : op == '*'  ? got(json_of_int(parser->arena, x * y))
            : y == 0     ? wrong()
                         : got(json_of_int(parser->arena, x % y));
    }
}

static struct result sum(struct parser *parser)
{
    struct result a = product(parser);
    for (;;) {
        char op = eat(parser, "+") ? '+' : eat(parser, "-") ? '-' : 0;
        if (!op) return a;
        struct result b = product(parser);
        int64_t x = 0, y = 0;
        struct result ok = both(a, b, &x, &y);
        a = ok.is != GOT ? ok : got(json_of_int(parser->arena, op == '+' ? x + y : x - y));
    }
}

static struct result equality(struct result a, struct result b, bool wanted)
{
    if (a.is != GOT) return a;
    if (b.is != GOT) return b;
    if (json_kind(a.value) != json_kind(b.value) && json_kind(a.value) != JSON_NULL &&
        json_kind(b.value) != JSON_NULL)
        return unsure();
    return got(json_of_bool(json_equal(a.value, b.value) == wanted));
}

static struct result comparison(struct parser *parser)
{
    static const char *const symbols[] = { "==", "!=", "<=", ">=", "<", ">" };
    struct result a = sum(parser);
    size_t which = 0;
    while (which < COUNT(symbols) && !eat(parser, symbols[which])) which++;
    if (which == COUNT(symbols)) return a;
    struct result b = sum(parser);
    if (which < 2) return equality(a, b, which == 0);
    int64_t x = 0, y = 0;
    struct result ok = both(a, b, &x, &y);
    if (ok.is != GOT) return ok;
    bool holds = which == 2 ? x <= y : which == 3 ? x >= y : which == 4 ? x < y : x > y;
    return got(json_of_bool(holds));
}

/* The right side is read in any case, and counts only if the left leaves it open. */
static struct result logic(struct result a, struct result b, bool decides)
{
    if (a.is != GOT) return a;
    if (!json_is(a.value, JSON_BOOL)) return unsure();
    if (json_bool(a.value) == decides) return a;
    return b.is == GOT && !json_is(b.value, JSON_BOOL) ? unsure() : b;
}

static struct result all_of(struct parser *parser)
{
    struct result a = comparison(parser);
    while (eat(parser, "&&")) a = logic(a, comparison(parser), false);
    return a;
}

static struct result either(struct parser *parser)
{
    struct result a = all_of(parser);
    while (eat(parser, "||")) a = logic(a, all_of(parser), true);
    return a;
}

struct result evaluate(str text, const struct json *data, struct arena *arena)
{
    struct parser parser = { text.p, text.p + text.n, data, arena };
    struct result result = either(&parser);
    eat(&parser, "");
    must(parser.p == parser.end);
    return result;
}

struct result evaluate_value(const struct json *value, const struct json *data, struct arena *arena)
{
    if (!json_is(value, JSON_STRING)) return got(value);
    str text = json_string(value);
    if (!str_starts(text, STR("${")) || !str_ends(text, STR("}"))) return got(value);
    return evaluate(str_slice(text, 2, text.n - 1), data, arena);
}

/* ---- data ---- */

const struct json *evaluate_merge(const struct json *data, const struct json *more, bool deep,
                                  struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    for (struct json_each each = json_each(data); json_next(&each);) {
        const struct json *other = json_get(more, each.name);
        json_add_name(&builder, each.name);
        if (!other) json_add(&builder, each.value);
        else if (deep && json_is(other, JSON_OBJECT) && json_is(each.value, JSON_OBJECT))
            json_add(&builder, evaluate_merge(each.value, other, true, arena));
        else json_add(&builder, other);
    }
    for (struct json_each each = json_each(more); json_next(&each);) {
        if (json_get(data, each.name)) continue;
        json_add_name(&builder, each.name);
        json_add(&builder, each.value);
    }
    json_close(&builder);
    return json_built(&builder);
}

static const struct json *with(const struct json *object, str name, const struct json *value,
                               struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_name(&builder, name);
    json_add(&builder, value);
    json_close(&builder);
    return evaluate_merge(object, json_built(&builder), false, arena);
}

struct result evaluate_assignments(const struct json *assignments, const struct json *data,
                                   struct arena *arena)
{
    const struct json *results = json_empty_object();
    for (struct json_each each = json_each(assignments); json_next(&each);) {
        struct result value = evaluate_value(each.value, data, arena);
        if (value.is != GOT) return value;
        data = with(data, each.name, value.value, arena);
        results = with(results, each.name, value.value, arena);
    }
    return got(results);
}

/* ---- tables ---- */

enum { HITS_MAX = 16 };

struct hits {
    const struct json *outputs[HITS_MAX]; /* Of each rule that matched: an object of values. */
    size_t count;
};

static struct result rule_holds(const struct json *when, const struct json *data, struct arena *arena)
{
    for (struct json_each cell = json_each(when); json_next(&cell);) {
        str text = str_trim(json_string(cell.value));
        if (!text.n) continue;
        struct result held = evaluate(text, data, arena);
        if (held.is != GOT) return held;
        if (!json_is(held.value, JSON_BOOL)) return wrong();
        if (!json_bool(held.value)) return held;
    }
    return got(json_of_bool(true));
}

static struct result find_hits(const struct json *rules, const struct json *data, struct hits *hits,
                               struct arena *arena)
{
    for (struct json_each rule = json_each(rules); json_next(&rule);) {
        struct result held = rule_holds(json_get(rule.value, STR("when")), data, arena);
        if (held.is != GOT) return held;
        if (!json_bool(held.value)) continue;
        must(hits->count < HITS_MAX);
        hits->outputs[hits->count++] = json_get(rule.value, STR("outputs"));
    }
    if (!hits->count) return wrong();
    for (size_t i = 0; i < hits->count; i++) {
        const struct json *values = json_empty_object();
        for (struct json_each output = json_each(hits->outputs[i]); json_next(&output);) {
            struct result value = evaluate_value(output.value, data, arena);
            if (value.is != GOT) return value;
            values = with(values, output.name, value.value, arena);
        }
        hits->outputs[i] = values;
    }
    return got(NULL);
}

/* One column of all rules that matched, by one of the collecting policies. */
static struct result collect(const struct hits *hits, str column, char how, struct arena *arena)
{
    struct json_builder list;
    json_builder_init(&list, arena);
    json_open_array(&list);
    int64_t total = 0, most = INT64_MIN, least = INT64_MAX;
    for (size_t i = 0; i < hits->count; i++) {
        const struct json *value = json_get(hits->outputs[i], column);
        json_add(&list, value);
        int64_t number = 0;
        if (how && (!value || !json_is(value, JSON_NUMBER) || !json_int64(value, &number))) return unsure();
        total += number;
        if (number > most) most = number;
        if (number < least) least = number;
    }
    json_close(&list);
    switch (how) {
    case '+': return got(json_of_int(arena, total));
    case '#': return got(json_of_int(arena, (int64_t)hits->count));
    case '>': return got(json_of_int(arena, most));
    case '<': return got(json_of_int(arena, least));
    default: return got(json_built(&list));
    }
}

struct result evaluate_table(const struct json *rules, str policy, const struct json *data,
                             struct arena *arena)
{
    struct hits hits = { 0 };
    struct result found = find_hits(rules, data, &hits, arena);
    if (found.is != GOT) return found;
    char kind = policy.n ? policy.p[0] : 'U';
    if (kind == 'U' && hits.count > 1) return wrong();
    if (kind == 'U' || kind == 'F') return got(hits.outputs[0]);
    if (kind == 'A') {
        for (size_t i = 1; i < hits.count; i++)
            if (!json_equal(hits.outputs[0], hits.outputs[i])) return wrong();
        return got(hits.outputs[0]);
    }
    const struct json *results = json_empty_object();
    for (size_t i = 0; i < hits.count; i++)
        for (struct json_each column = json_each(hits.outputs[i]); json_next(&column);) {
            if (json_get(results, column.name)) continue;
            struct result value = collect(&hits, column.name, policy.n > 1 ? policy.p[1] : 0, arena);
            if (value.is != GOT) return value;
            results = with(results, column.name, value.value, arena);
        }
    return got(results);
}
