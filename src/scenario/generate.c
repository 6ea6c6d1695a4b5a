/* scenario/generate.c — values by chance: from generators, and by changing given ones.
 *
 * With choices that are all 0, a generator gives its least value and a mutation gives the object itself.
 * Shrinking leads back to these.
 */
#include "scenario/scenario_int.h"

enum { INTEGER_SPAN_DEFAULT = 100 };

/* ---- generators ---- */

static const char *const types[] = { "integer", "number", "boolean", "string", "object", "array" };

static enum status check_one(const struct json *generator, str name, uint32_t depth, struct error *err)
{
    const struct json *type = json_get(generator, STR("type"));
    const struct json *one_of = json_get(generator, STR("oneOf"));
    if (depth > GENERATOR_DEPTH_MAX)
        return fail(err, ST_LIMIT, "inputs", "generators are nested deeper than %d (GENERATOR_DEPTH_MAX)",
                    GENERATOR_DEPTH_MAX);
    if (one_of && (!json_is(one_of, JSON_ARRAY) || !json_count(one_of)))
        return fail(err, ST_INVALID, "inputs", "the generator of \"%.*s\": \"oneOf\" is a list of values",
                    STR_ARG(name));
    if (one_of) return ST_OK;
    size_t i = 0;
    while (i < COUNT(types) &&
           !(json_is(type, JSON_STRING) && str_equal(json_string(type), str_of(types[i]))))
        i++;
    if (i == COUNT(types))
        return fail(err, ST_INVALID, "inputs",
                    "the generator of \"%.*s\" needs \"oneOf\", or \"type\": integer, number, boolean, "
                    "string, object or array",
                    STR_ARG(name));
    const struct json *items = json_get(generator, STR("items"));
    const struct json *properties = json_get(generator, STR("properties"));
    if (items) TRY(check_one(items, name, depth + 1, err));
    if (properties) {
        struct json_each each = json_each(properties);
        while (json_next(&each)) TRY(check_one(each.value, each.name, depth + 1, err));
    }
    return ST_OK;
}

enum status generate_check(const struct json *generators, struct error *err)
{
    if (!json_is(generators, JSON_OBJECT))
        return fail(err, ST_INVALID, "inputs", "generators are an object: a name, and how its value is made");
    struct json_each each = json_each(generators);
    while (json_next(&each)) TRY(check_one(each.value, each.name, 1, err));
    return ST_OK;
}

static int64_t bound_of(const struct json *generator, str name, int64_t fallback)
{
    int64_t value;
    return json_int64(json_get(generator, name), &value) ? value : fallback;
}

static int64_t generate_integer(const struct json *generator, struct choices *choices)
{
    int64_t least = bound_of(generator, STR("min"), 0);
    int64_t most = bound_of(generator, STR("max"), least + INTEGER_SPAN_DEFAULT);
    uint64_t span = most > least ? (uint64_t)most - (uint64_t)least : 0;
    if (span >= UINT32_MAX) span = UINT32_MAX - 1;
    return least + (int64_t)choices_below(choices, (uint32_t)span + 1);
}

static double generate_number(const struct json *generator, struct choices *choices)
{
    enum { PARTS = 1000 };
    const struct json *min = json_get(generator, STR("min")), *max = json_get(generator, STR("max"));
    double least = json_is(min, JSON_NUMBER) ? json_double(min) : 0;
    double most = json_is(max, JSON_NUMBER) ? json_double(max) : least + 1;
    return least + (most - least) * choices_below(choices, PARTS + 1) / PARTS;
}

static const struct json *generate_one(const struct json *generator, struct choices *choices,
                                       struct arena *arena)
{
    const struct json *one_of = json_get(generator, STR("oneOf"));
    if (one_of) return json_item(one_of, choices_below(choices, (uint32_t)json_count(one_of)));
    str type = json_string(json_get(generator, STR("type")));
    if (str_equal(type, STR("integer"))) return json_of_int(arena, generate_integer(generator, choices));
    if (str_equal(type, STR("number"))) return json_of_double(arena, generate_number(generator, choices));
    if (str_equal(type, STR("boolean"))) return json_of_bool(choices_below(choices, 2));
    if (str_equal(type, STR("object"))) {
        const struct json *properties = json_get(generator, STR("properties"));
        return properties ? generate(properties, NULL, choices, arena) : json_empty_object();
    }
    if (str_equal(type, STR("array"))) {
        const struct json *items = json_get(generator, STR("items"));
        int64_t most = bound_of(generator, STR("maxItems"), GENERATED_ITEMS_MAX);
        uint32_t count =
            items && most > 0 ? choices_below(choices, (uint32_t)(most < 1000 ? most : 1000) + 1) : 0;
        struct json_builder builder;
        json_builder_init(&builder, arena);
        json_open_array(&builder);
        for (uint32_t i = 0; i < count; i++) json_add(&builder, generate_one(items, choices, arena));
        json_close(&builder);
        return json_built(&builder);
    }
    static const str texts[] = { STR_INIT(""),  STR_INIT("a"),     STR_INIT("abc"),
                                 STR_INIT("0"), STR_INIT("Zoë ☃"), STR_INIT("a longer text with spaces") };
    return json_of_string(arena, texts[choices_below(choices, COUNT(texts))]);
}

static bool is_among(const struct json *list, const struct json *value)
{
    struct json_each each = json_each(list);
    while (json_next(&each))
        if (json_equal(each.value, value)) return true;
    return false;
}

/* Could the generator have made it? */
static bool could_make(const struct json *generator, const struct json *value)
{
    const struct json *one_of = json_get(generator, STR("oneOf"));
    if (one_of) return is_among(one_of, value);
    str type = json_string(json_get(generator, STR("type")));
    if (str_equal(type, STR("boolean"))) return json_is(value, JSON_BOOL);
    if (str_equal(type, STR("string"))) return json_is(value, JSON_STRING);
    bool integer = str_equal(type, STR("integer"));
    int64_t whole;
    if (!integer && !str_equal(type, STR("number"))) return false;
    if (!json_is(value, JSON_NUMBER) || (integer && !json_int64(value, &whole))) return false;
    const struct json *min = json_get(generator, STR("min")), *max = json_get(generator, STR("max"));
    return (!json_is(min, JSON_NUMBER) || json_number_compare(value, min) >= 0) &&
           (!json_is(max, JSON_NUMBER) || json_number_compare(value, max) <= 0);
}

/* One of the hint's values that the generator could have made, or NULL. */
static const struct json *hinted(const struct json *generator, const struct hint *hint,
                                 struct choices *choices)
{
    const struct json *fits[COUNT(hint->value)];
    size_t count = 0;
    for (size_t i = 0; hint && i < hint->count; i++)
        if (could_make(generator, hint->value[i])) fits[count++] = hint->value[i];
    return count ? fits[choices_below(choices, (uint32_t)count)] : NULL;
}

const struct json *generate(const struct json *generators, const struct hint *hints, struct choices *choices,
                            struct arena *arena)
{
    enum { HINTED_ONE_IN = 3 };
    const struct json *object = json_empty_object();
    struct json_each each = json_each(generators);
    while (json_next(&each)) {
        const struct json *optional = json_get(each.value, STR("optional"));
        if (json_is(optional, JSON_BOOL) && json_bool(optional) && choices_below(choices, 2)) continue;
        const struct hint *hint = hints_find(hints, each.name);
        const struct json *value =
            hint && choices_rarely(choices, HINTED_ONE_IN) ? hinted(each.value, hint, choices) : NULL;
        object = json_set(arena, object, each.name, value ? value : generate_one(each.value, choices, arena));
    }
    return object;
}

/* ---- mutations ---- */

static const struct json *shifted(const struct json *number, enum json_operator op, int64_t by,
                                  struct arena *arena)
{
    const struct json *value;
    return json_calculate(op, number, json_of_int(arena, by), arena, &value, NULL) == ST_OK ? value : number;
}

static const struct json *mutate_value(const struct json *value, const struct hint *hint,
                                       struct choices *choices, struct arena *arena)
{
    const struct json *other[8 + COUNT(hint->value)];
    size_t count = 0;
    for (size_t i = 0; hint && i < hint->count; i++) other[count++] = hint->value[i];
    switch (json_kind(value)) {
    case JSON_NUMBER:
        other[count++] = json_of_int(arena, 0);
        other[count++] = shifted(value, JSON_PLUS, 1, arena);
        other[count++] = shifted(value, JSON_MINUS, 1, arena);
        other[count++] = shifted(value, JSON_TIMES, 10, arena);
        other[count++] = shifted(value, JSON_TIMES, -1, arena);
        break;
    case JSON_BOOL: other[count++] = json_of_bool(!json_bool(value)); break;
    case JSON_STRING: other[count++] = json_of_string(arena, STR("")); break;
    case JSON_ARRAY: other[count++] = json_empty_array(); break;
    case JSON_OBJECT: other[count++] = json_empty_object(); break;
    case JSON_NULL: break;
    }
    return count ? other[choices_below(choices, (uint32_t)count)] : value;
}

const struct json *generate_mutation(const struct json *object, const struct hint *hints,
                                     struct choices *choices, struct arena *arena)
{
    enum { CHANGE_ONE_IN = 3, LEAVE_OUT_ONE_IN = 16 };
    const struct json *changed = object;
    struct json_each each = json_each(object);
    while (json_next(&each)) {
        if (choices_rarely(choices, LEAVE_OUT_ONE_IN)) changed = json_without(arena, changed, each.name);
        else if (choices_rarely(choices, CHANGE_ONE_IN))
            changed = json_set(arena, changed, each.name,
                               mutate_value(each.value, hints_find(hints, each.name), choices, arena));
    }
    for (; hints; hints = hints->next)
        if (str_find(hints->path, STR("."), 0) != SIZE_MAX && path_get(changed, hints->path) &&
            choices_rarely(choices, CHANGE_ONE_IN))
            changed = path_set(arena, changed, hints->path,
                               hints->value[choices_below(choices, (uint32_t)hints->count)]);
    return changed;
}
