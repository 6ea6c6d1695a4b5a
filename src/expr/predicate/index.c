/* expr/predicate/index.c — what an index must have of a document, and what a test wants of an index. */
#include "expr/predicate/predicate_int.h"

#include "json/key.h"

/* ---- the values at a path ---- */

struct predicate_gathering {
    const struct predicate_path *path;
    predicate_value_fn *visit;
    void *context;
    bool done;
};

/* Each level of recursion is a level of the document. */
static void gather(struct predicate_gathering *gathering, const struct json *value)
{
    if (!json_is(value, JSON_ARRAY)) {
        gathering->done = !gathering->visit(gathering->context, value);
        return;
    }
    struct json_each each = json_each(value);
    while (!gathering->done && json_next(&each)) gather(gathering, each.value);
}

/* False: the path leads to nothing. */
static bool gather_from(struct predicate_gathering *gathering, size_t at, const struct json *value)
{
    const struct predicate_path *path = gathering->path;
    for (; at < path->count && path->step[at].kind != PREDICATE_ALL; at++) {
        value = predicate_step_into(value, &path->step[at]);
        if (!value) return false;
    }
    if (at < path->count && !json_is(value, JSON_ARRAY)) return false;
    if (at == path->count) {
        gather(gathering, value);
        return true;
    }
    struct json_each each = json_each(value);
    while (!gathering->done && json_next(&each)) gather_from(gathering, at + 1, each.value);
    return true;
}

void predicate_values(const struct predicate_path *path, const struct json *document,
                      predicate_value_fn *visit, void *context)
{
    struct predicate_gathering gathering = { .path = path, .visit = visit, .context = context };
    if (!gather_from(&gathering, 0, document)) visit(context, json_null());
}

/* ---- the kinds that a test knows ---- */

bool predicate_fits(const struct predicate_leaf *leaf, struct predicate_kinds kinds, struct arena *arena)
{
    const struct predicate_test *test;
    if (leaf->is_lifecycle || predicate_compile(leaf, false, arena, &test, NULL) != ST_OK) return true;
    const struct predicate_operand *low = &test->bound[0], *high = &test->bound[1];
    bool is_range = test->basis == PREDICATE_BETWEEN || test->basis == PREDICATE_BETWEEN_INCLUSIVE;
    bool compares = !test->folded && !test->never && test->basis <= PREDICATE_BETWEEN_INCLUSIVE;
    if (!compares || kinds.texts) return true;
    if (kinds.numbers && low->number && (!is_range || high->number)) return true;
    return kinds.booleans && low->is_boolean && test->basis == PREDICATE_EQUALS;
}

/* ---- the keys that a test wants ---- */

enum { KINDS = 3 }; /* Kinds of values that one operand can be compared with. */

struct key_finder {
    const struct predicate_test *test;
    size_t bytes_max;
    struct arena *arena;
    struct predicate_keys *keys;
    size_t count;
};

static struct buf tag_key(const struct key_finder *finder, enum json_key_tag tag)
{
    struct buf key;
    buf_init(&key, finder->arena);
    buf_add_char(&key, (char)tag);
    return key;
}

/* The key of a bound or, if `behind`, the first one behind it. If a value was cut, some values with its key
 * are below it and some above. */
static str bound_key(const struct key_finder *finder, const struct json *value, bool behind, bool is_low)
{
    struct buf key;
    buf_init(&key, finder->arena);
    bool whole = json_key_add(value, finder->bytes_max, &key);
    if (whole ? behind : !is_low) json_key_pass(&key);
    return buf_str(&key);
}

static void add_keys(struct key_finder *finder, str from, str to)
{
    if (str_compare(from, to) < 0) finder->keys[finder->count++] = (struct predicate_keys){ from, to };
}

/* Values of the kind that stand to the bounds as the test asks. */
static void add_ordered(struct key_finder *finder, enum json_key_tag tag, const struct json *low,
                        const struct json *high)
{
    enum predicate_op op = finder->test->basis;
    struct buf first = tag_key(finder, tag), last = tag_key(finder, tag);
    json_key_pass(&last);
    str from = buf_str(&first), to = buf_str(&last);
    switch (op) {
    case PREDICATE_EQUALS:
        from = bound_key(finder, low, false, true);
        to = bound_key(finder, low, true, false);
        break;
    case PREDICATE_GREATER_THAN: from = bound_key(finder, low, true, true); break;
    case PREDICATE_GREATER_OR_EQUAL: from = bound_key(finder, low, false, true); break;
    case PREDICATE_LESS_THAN: to = bound_key(finder, low, false, false); break;
    case PREDICATE_LESS_OR_EQUAL: to = bound_key(finder, low, true, false); break;
    case PREDICATE_BETWEEN:
        from = bound_key(finder, low, true, true);
        to = bound_key(finder, high, false, false);
        break;
    default:
        from = bound_key(finder, low, false, true);
        to = bound_key(finder, high, true, false);
        break;
    }
    add_keys(finder, from, to);
}

static void add_comparison(struct key_finder *finder)
{
    const struct predicate_operand *low = &finder->test->bound[0], *high = &finder->test->bound[1];
    bool is_range =
        finder->test->basis == PREDICATE_BETWEEN || finder->test->basis == PREDICATE_BETWEEN_INCLUSIVE;
    if (!is_range) high = low;
    if (low->number && high->number) add_ordered(finder, JSON_KEY_NUMBER, low->number, high->number);
    if (finder->test->basis == PREDICATE_EQUALS && low->is_boolean) {
        const struct json *value = json_of_bool(low->boolean);
        add_ordered(finder, JSON_KEY_BOOL, value, value);
    }
    add_ordered(finder, JSON_KEY_TEXT, json_of_string(finder->arena, low->text),
                json_of_string(finder->arena, high->text));
}

static void add_beginning(struct key_finder *finder, str text)
{
    struct buf from, to;
    buf_init(&from, finder->arena);
    buf_init(&to, finder->arena);
    json_key_add_beginning(text, finder->bytes_max, &from);
    buf_add_str(&to, buf_str(&from));
    json_key_pass(&to);
    add_keys(finder, buf_str(&from), buf_str(&to));
}

/* The part of a pattern of LIKE before its first sign. */
static str literal_part(str pattern)
{
    size_t n = 0;
    while (n < pattern.n && !memchr("%_\\", pattern.p[n], 3)) n++;
    return str_slice(pattern, 0, n);
}

/* Null, or everything else. */
static void add_null(struct key_finder *finder, bool negated)
{
    struct buf null = tag_key(finder, JSON_KEY_NULL), other = tag_key(finder, JSON_KEY_NULL + 1),
               end = tag_key(finder, JSON_KEY_END);
    if (negated) add_keys(finder, buf_str(&other), buf_str(&end));
    else add_keys(finder, buf_str(&null), buf_str(&other));
}

bool predicate_find_keys(const struct predicate_leaf *leaf, size_t bytes_max, struct arena *arena,
                         struct predicate_keys **ret_keys, size_t *ret_count)
{
    struct key_finder finder = { .bytes_max = bytes_max, .arena = arena };
    if (leaf->is_lifecycle || predicate_compile(leaf, false, arena, &finder.test, NULL) != ST_OK)
        return false;
    const struct predicate_test *test = finder.test;
    finder.keys = *ret_keys = arena_make_n(arena, struct predicate_keys, KINDS);
    bool known = true;
    if (test->never) known = true;
    else if (test->basis == PREDICATE_IS_NULL) add_null(&finder, test->negated);
    else if (test->negated || test->folded) known = false;
    else if (test->basis <= PREDICATE_BETWEEN_INCLUSIVE) add_comparison(&finder);
    else if (test->basis == PREDICATE_STARTS_WITH) add_beginning(&finder, test->bound[0].text);
    else if (test->basis == PREDICATE_LIKE && literal_part(test->bound[0].text).n)
        add_beginning(&finder, literal_part(test->bound[0].text));
    else known = false;
    *ret_count = finder.count;
    return known;
}
