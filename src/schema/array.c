/* schema/array.c — keywords for arrays. */
#include "schema/keywords_int.h"

#include "base/hash.h"
#include "base/sort.h"

/* ---- items ---- */

/* In draft-07 `items` is also what later became prefixItems. */
enum status schema_read_items(struct schema_reader *reader, const struct schema_node *node,
                              struct schema_rule *rule, struct error *err)
{
    rule->bound_max = INT64_MAX;
    if (node->resource->draft == SCHEMA_DRAFT_07 && json_is(rule->value, JSON_ARRAY)) {
        if (json_count(rule->value)) return schema_read_list(reader, node, rule, err);
        return ST_OK;
    }
    const struct schema_rule *prefix = schema_sibling(node, "prefixItems");
    rule->bound = prefix ? (int64_t)prefix->count : 0;
    return schema_read_one(reader, node, rule, err);
}

enum status schema_read_additional_items(struct schema_reader *reader, const struct schema_node *node,
                                         struct schema_rule *rule, struct error *err)
{
    const struct json *items = json_get(node->value, STR("items"));
    TRY(schema_read_one(reader, node, rule, err));
    rule->bound = (int64_t)json_count(items);
    if (!json_is(items, JSON_ARRAY)) rule->keyword = NULL;
    return ST_OK;
}

/* Applies a schema to an item. */
static bool check_item(struct schema_run *run, const struct schema_node *node,
                       const struct schema_place *place, const struct json *item, size_t index,
                       struct schema_marks *marks)
{
    struct schema_place at = schema_element(place, item, index);
    schema_mark(marks, index);
    return schema_apply(run, node, &at, NULL);
}

bool schema_check_prefix_items(struct schema_run *run, const struct schema_rule *rule,
                               const struct schema_place *place, struct schema_marks *marks)
{
    if (!json_is(place->value, JSON_ARRAY)) return true;
    bool valid = true;
    struct json_each each = json_each(place->value);
    for (size_t i = 0; i < rule->count && json_next(&each); i++) {
        if (check_item(run, rule->node[i], place, each.value, i, marks)) continue;
        valid = false;
        if (!schema_goes_on(run)) break;
    }
    return valid;
}

/* All items from the bound on. */
static bool check_rest(struct schema_run *run, const struct schema_rule *rule,
                       const struct schema_place *place, struct schema_marks *marks)
{
    bool valid = true;
    struct json_each each = json_each(place->value);
    for (size_t i = 0; json_next(&each); i++) {
        if (i < (size_t)rule->bound || check_item(run, rule->node[0], place, each.value, i, marks)) continue;
        valid = false;
        if (!schema_goes_on(run)) break;
    }
    return valid;
}

bool schema_check_items(struct schema_run *run, const struct schema_rule *rule,
                        const struct schema_place *place, struct schema_marks *marks)
{
    if (!json_is(place->value, JSON_ARRAY)) return true;
    if (json_is(rule->value, JSON_ARRAY)) return schema_check_prefix_items(run, rule, place, marks);
    return check_rest(run, rule, place, marks);
}

bool schema_check_unevaluated_items(struct schema_run *run, const struct schema_rule *rule,
                                    const struct schema_place *place, struct schema_marks *marks)
{
    if (!json_is(place->value, JSON_ARRAY)) return true;
    bool valid = true;
    struct json_each each = json_each(place->value);
    for (size_t i = 0; json_next(&each); i++) {
        if (schema_is_marked(marks, i) || check_item(run, rule->node[0], place, each.value, i, marks))
            continue;
        valid = false;
        if (!schema_goes_on(run)) break;
    }
    return valid;
}

/* ---- contains ---- */

static enum status read_bound(const struct schema_node *node, str keyword, int64_t *ret_bound,
                              struct error *err)
{
    const struct json *value = json_get(node->value, keyword);
    if (!value || node->resource->draft == SCHEMA_DRAFT_07 ||
        !(node->resource->vocabularies & VOCABULARY_VALIDATION))
        return ST_OK;
    if (!json_is_integer(value) || json_double(value) < 0)
        return schema_refuse(node, keyword, ST_INVALID, err, "must be an integer that is not negative");
    if (!json_int64(value, ret_bound)) *ret_bound = INT64_MAX;
    return ST_OK;
}

enum status schema_read_contains(struct schema_reader *reader, const struct schema_node *node,
                                 struct schema_rule *rule, struct error *err)
{
    rule->bound = 1;
    rule->bound_max = INT64_MAX;
    TRY(read_bound(node, STR("minContains"), &rule->bound, err));
    TRY(read_bound(node, STR("maxContains"), &rule->bound_max, err));
    return schema_read_one(reader, node, rule, err);
}

bool schema_check_contains(struct schema_run *run, const struct schema_rule *rule,
                           const struct schema_place *place, struct schema_marks *marks)
{
    if (!json_is(place->value, JSON_ARRAY)) return true;
    int64_t found = 0;
    struct json_each each = json_each(place->value);
    for (size_t i = 0; json_next(&each); i++) {
        struct schema_place at = schema_element(place, each.value, i);
        if (schema_try(run, rule->node[0], &at, NULL)) {
            found++;
            schema_mark(marks, i);
        }
        if (run->status != ST_OK) return false;
        if (!marks && found >= rule->bound && rule->bound_max == INT64_MAX) return true;
    }
    if (found > rule->bound_max)
        return schema_report(run, rule, place, "must have at most %lld items of a certain form, and has %lld",
                             (long long)rule->bound_max, (long long)found);
    if (found >= rule->bound) return true;
    return schema_report(run, rule, place, "must have at least %lld item%s of a certain form, and has %lld",
                         (long long)rule->bound, rule->bound == 1 ? "" : "s", (long long)found);
}

/* ---- counts ---- */

bool schema_check_max_items(struct schema_run *run, const struct schema_rule *rule,
                            const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    if (!json_is(place->value, JSON_ARRAY) || json_count(place->value) <= (uint64_t)rule->bound) return true;
    return schema_report(run, rule, place, "must have at most %lld item%s, and has %zu",
                         (long long)rule->bound, rule->bound == 1 ? "" : "s", json_count(place->value));
}

bool schema_check_min_items(struct schema_run *run, const struct schema_rule *rule,
                            const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    if (!json_is(place->value, JSON_ARRAY) || json_count(place->value) >= (uint64_t)rule->bound) return true;
    return schema_report(run, rule, place, "must have at least %lld item%s, and has %zu",
                         (long long)rule->bound, rule->bound == 1 ? "" : "s", json_count(place->value));
}

/* ---- uniqueItems ---- */

struct hashed_item {
    uint64_t hash;
    const struct json *value;
    size_t index;
};

enum { HASHED_BYTES_PER_FUEL = 16 };

static int compare_hashes(const void *a, const void *b, const void *context)
{
    (void)context;
    const struct hashed_item *left = a, *right = b;
    return (left->hash > right->hash) - (left->hash < right->hash);
}

enum status schema_read_unique_items(struct schema_reader *reader, const struct schema_node *node,
                                     struct schema_rule *rule, struct error *err)
{
    (void)reader;
    if (!json_is(rule->value, JSON_BOOL))
        return schema_refuse(node, rule->keyword->name, ST_INVALID, err, "must be true or false");
    if (!json_bool(rule->value)) rule->keyword = NULL;
    return ST_OK;
}

/* Equal values have one canonical form, so only items whose forms have one hash need to be compared. Items
 * that were made to have one hash cost fuel. */
static bool has_repeat(struct schema_run *run, const struct hashed_item *item, size_t count,
                       size_t ret_index[2])
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count && item[j].hash == item[i].hash; j++) {
            if (!schema_spend(run, json_bytes(item[i].value) / HASHED_BYTES_PER_FUEL + 1)) return false;
            if (!json_equal(item[i].value, item[j].value)) continue;
            ret_index[0] = item[i].index;
            ret_index[1] = item[j].index;
            return true;
        }
    return false;
}

bool schema_check_unique_items(struct schema_run *run, const struct schema_rule *rule,
                               const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    size_t count = json_count(place->value), index[2];
    if (!json_is(place->value, JSON_ARRAY) || count < 2) return true;
    if (!schema_spend(run, json_bytes(place->value) / HASHED_BYTES_PER_FUEL + count)) return false;
    struct hashed_item *item = arena_make_n(run->arena, struct hashed_item, count);
    struct hashed_item *scratch = arena_make_n(run->arena, struct hashed_item, count);
    struct buf text;
    buf_init(&text, run->arena);
    struct json_each each = json_each(place->value);
    for (size_t i = 0; json_next(&each); i++) {
        text.n = 0;
        json_print_canonical(each.value, &text);
        item[i] = (struct hashed_item){ hash_bytes(buf_str(&text)), each.value, i };
    }
    sort_stable(item, scratch, count, sizeof *item, compare_hashes, NULL);
    if (!has_repeat(run, item, count, index)) return run->status == ST_OK;
    return schema_report(run, rule, place, "must not have equal items, and the items %zu and %zu are equal",
                         index[0], index[1]);
}
