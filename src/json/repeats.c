/* json/repeats.c — large values that are there more than once.
 *
 * Equal values have equal cells, so a repeat is a copy of bytes that stand earlier in the same value. */
#include "json/json_int.h"

struct repeats {
    const struct json *root;
    size_t bytes_min;
    struct json_repeat *repeat;
    size_t max, count;
    const struct json *seen[JSON_REPEATS_MAX]; /* Values to compare with. */
    size_t seen_count;
};

static size_t place_of(const struct repeats *found, const struct json *value)
{
    return (size_t)((const char *)value - (const char *)found->root);
}

/* A value around this one is larger, so that one with the same cells ends before this one begins. */
static const struct json *earlier_of(const struct repeats *found, const struct json *value)
{
    str cells = json_encoded(value);
    for (size_t i = 0; i < found->seen_count; i++)
        if (str_equal(json_encoded(found->seen[i]), cells)) return found->seen[i];
    return NULL;
}

static void look(struct repeats *found, const struct json *value)
{
    size_t bytes = json_bytes(value);
    if (bytes < found->bytes_min || found->count == found->max) return;
    const struct json *earlier = earlier_of(found, value);
    if (earlier) {
        found->repeat[found->count++] =
            (struct json_repeat){ place_of(found, value), place_of(found, earlier), bytes };
        return;
    }
    if (found->seen_count < JSON_REPEATS_MAX) found->seen[found->seen_count++] = value;
    if (!json_is(value, JSON_OBJECT) && !json_is(value, JSON_ARRAY)) return;
    struct json_each each = json_each(value);
    while (json_next(&each)) look(found, each.value);
}

size_t json_repeats(const struct json *value, size_t bytes_min, struct json_repeat *ret_repeat, size_t max)
{
    struct repeats found = {
        .root = value, .bytes_min = bytes_min, .repeat = ret_repeat, .max = max, .seen_count = 0
    };
    must(bytes_min > 0);
    if (json_bytes(value) >= 2 * bytes_min) look(&found, value);
    return found.count;
}

size_t json_bytes_once(const struct json *value, size_t bytes_min)
{
    struct json_repeat repeat[JSON_REPEATS_MAX];
    size_t bytes = json_bytes(value), count = json_repeats(value, bytes_min, repeat, COUNT(repeat));
    for (size_t i = 0; i < count; i++) bytes -= repeat[i].n;
    return bytes;
}
