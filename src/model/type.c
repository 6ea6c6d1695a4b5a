/* model/type.c — leaf types: of which type a number is, what widens to what. */
#include "model/model_int.h"

#include "base/int128.h"
#include "base/must.h"
#include "json/put.h"

static const char *const names[MODEL_TYPE_COUNT] = {
#define XX(NAME) [MODEL_##NAME] = #NAME,
    MODEL_TYPE_MAP(XX)
#undef XX
};

const char *model_type_name(enum model_type type)
{
    must(type < MODEL_TYPE_COUNT);
    return names[type];
}

bool model_type_find(str name, enum model_type *ret_type)
{
    for (enum model_type type = 0; type < MODEL_TYPE_COUNT; type++)
        if (str_equal(name, str_of(names[type]))) {
            *ret_type = type;
            return true;
        }
    return false;
}

/* ---- what widens to what ---- */

enum {
    TO_DECIMALS = 1 << MODEL_UNBOUND_DECIMAL,
    TO_UNBOUND = TO_DECIMALS | 1 << MODEL_UNBOUND_INTEGER,
    TO_LARGE = TO_UNBOUND | 1 << MODEL_BIG_INTEGER | 1 << MODEL_BIG_DECIMAL,
};

/* The table of model.h, without the diagonal. */
static const model_types wider[MODEL_TYPE_COUNT] = {
    [MODEL_INTEGER] = TO_LARGE | 1 << MODEL_LONG | 1 << MODEL_DOUBLE,
    [MODEL_LONG] = TO_LARGE,
    [MODEL_BIG_INTEGER] = TO_UNBOUND,
    [MODEL_UNBOUND_INTEGER] = TO_DECIMALS,
    [MODEL_DOUBLE] = TO_DECIMALS,
    [MODEL_BIG_DECIMAL] = TO_DECIMALS,
    [MODEL_NULL] = ((1 << MODEL_TYPE_COUNT) - 1) & ~MODEL_NULL_ONLY,
};

bool model_widens(enum model_type from, enum model_type to)
{
    must(from < MODEL_TYPE_COUNT && to < MODEL_TYPE_COUNT);
    return from == to || model_types_have(wider[from], to);
}

model_types model_types_widest(model_types types)
{
    model_types widest = types;
    for (enum model_type type = 0; type < MODEL_TYPE_COUNT; type++)
        if (wider[type] & types) widest &= (model_types)~model_type_bit(type);
    return widest;
}

/* ---- the types of numbers ---- */

enum {
    DOUBLE_DIGITS = 15,
    DOUBLE_SCALE = 292,
    BIG_SCALE = 18, /* Digits of a BIG_DECIMAL behind the point. */
    INT128_DIGITS = 39,
};

/* Do the digits with `zeros` behind them fit 128 bits with a sign? */
static bool fits_int128(const struct json_digits *number, int64_t zeros)
{
    if (number->count + zeros > INT128_DIGITS) return false;
    uint128 most = ((uint128)1 << 127) - (number->negative ? 0 : 1), value = 0;
    for (int64_t i = 0; i < number->count + zeros; i++) {
        unsigned digit = i < number->count ? (unsigned)(number->digit[i] - '0') : 0;
        if (value > (most - digit) / 10) return false;
        value = value * 10 + digit;
    }
    return true;
}

static enum model_type type_of_number(const struct json *value)
{
    int64_t integer;
    if (json_int64(value, &integer))
        return integer >= INT32_MIN && integer <= INT32_MAX ? MODEL_INTEGER : MODEL_LONG;
    struct json_digits number;
    json_digits(value, &number);
    if (number.exponent >= 0)
        return fits_int128(&number, number.exponent) ? MODEL_BIG_INTEGER : MODEL_UNBOUND_INTEGER;
    int64_t scale = -number.exponent;
    if (number.count <= DOUBLE_DIGITS && scale <= DOUBLE_SCALE) return MODEL_DOUBLE;
    if (scale <= BIG_SCALE && fits_int128(&number, BIG_SCALE - scale)) return MODEL_BIG_DECIMAL;
    return MODEL_UNBOUND_DECIMAL;
}

enum model_type model_type_of(const struct json *value)
{
    switch (json_kind(value)) {
    case JSON_NULL: return MODEL_NULL;
    case JSON_BOOL: return MODEL_BOOLEAN;
    case JSON_NUMBER: return type_of_number(value);
    case JSON_STRING: return MODEL_STRING;
    case JSON_ARRAY: return MODEL_ARRAY;
    case JSON_OBJECT: return MODEL_OBJECT;
    }
    must(false);
}

/* ---- writing ---- */

void model_put_types(struct buf *out, model_types types)
{
    PUT(out, "[");
    bool first = true;
    for (enum model_type type = 0; type < MODEL_TYPE_COUNT; type++) {
        if (!model_types_have(types, type)) continue;
        buf_printf(out, "%s\"%s\"", first ? "" : ",", names[type]);
        first = false;
    }
    PUT(out, "]");
}

void model_print_types(struct buf *out, model_types types)
{
    bool several = (types & (types - 1)) != 0, first = true;
    if (several) PUT(out, "[");
    for (enum model_type type = 0; type < MODEL_TYPE_COUNT; type++) {
        if (!model_types_have(types, type)) continue;
        buf_printf(out, "%s%s", first ? "" : ", ", names[type]);
        first = false;
    }
    if (several) PUT(out, "]");
}

/* ---- levels ---- */

static const char *const levels[MODEL_LEVEL_COUNT] = { [MODEL_LEVEL_NONE] = "",
#define XX(NAME) [MODEL_LEVEL_##NAME] = #NAME,
                                                       MODEL_LEVEL_MAP(XX)
#undef XX
};

const char *model_level_name(enum model_level level)
{
    must(level < MODEL_LEVEL_COUNT);
    return levels[level];
}

bool model_level_find(str name, enum model_level *ret_level)
{
    for (enum model_level level = MODEL_LEVEL_NONE + 1; level < MODEL_LEVEL_COUNT; level++)
        if (str_equal(name, str_of(levels[level]))) {
            *ret_level = level;
            return true;
        }
    return false;
}
