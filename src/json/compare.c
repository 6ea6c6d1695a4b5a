/* json/compare.c — are two values equal? */
#include "json/json_int.h"

static bool equal_arrays(const struct json *a, const struct json *b)
{
    struct json_each left = json_each(a), right = json_each(b);
    while (json_next(&left) && json_next(&right))
        if (!json_equal(left.value, right.value)) return false;
    return true;
}

static bool equal_objects(const struct json *a, const struct json *b)
{
    struct json_each left = json_each(a), right = json_each(b);
    while (json_next(&left) && json_next(&right)) {
        /* Mostly the members come in the same order. */
        const struct json *other = right.value;
        if (!str_equal(left.name, right.name)) other = json_get(b, left.name);
        if (!other || !json_equal(left.value, other)) return false;
    }
    return true;
}

bool json_equal(const struct json *a, const struct json *b)
{
    if (json_kind(a) != json_kind(b)) return false;
    size_t bytes = json_bytes(a);
    if (bytes == json_bytes(b) && memcmp(a, b, bytes) == 0) return true;
    switch (json_kind(a)) {
    case JSON_NUMBER: return json_number_compare(a, b) == 0;
    case JSON_ARRAY: return json_count(a) == json_count(b) && equal_arrays(a, b);
    case JSON_OBJECT: return json_count(a) == json_count(b) && equal_objects(a, b);
    default: return false; /* Equal ones have equal bytes. */
    }
}
