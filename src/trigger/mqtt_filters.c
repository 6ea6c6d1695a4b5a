/* trigger/mqtt_filters.c — the routes of a broker, by filter. */
#include "trigger/mqtt_int.h"

#include "base/hash.h"
#include "base/must.h"

#include <stdlib.h>

enum { NUMBERS = 268435455 }; /* Identifiers of subscriptions have 28 bits and begin with 1. */

static int compare_routes(const void *a, const void *b)
{
    const struct mqtt_route *one = a, *two = b;
    int order = str_compare(one->topic, two->topic);
    if (!order) order = str_compare(one->definition_id, two->definition_id);
    return order ? order : str_compare(one->trigger, two->trigger);
}

static void copy_route(struct mqtt_filters *filters, const struct mqtt_route *route)
{
    struct arena *arena = &filters->arena;
    filters->route[filters->route_count++] = (struct mqtt_route){
        .definition_id = arena_str(arena, route->definition_id),
        .trigger = arena_str(arena, route->trigger),
        .broker = arena_str(arena, route->broker),
        .topic = arena_str(arena, route->topic),
        .qos = route->qos,
    };
}

/* The number is a hash of the filter: a session may have subscriptions from before the last start, and a
 * message of such a one must not be taken for another's. */
static uint32_t number_of(str topic) { return (uint32_t)(hash_bytes(topic) % NUMBERS) + 1; }

struct mqtt_filters *mqtt_filters_new(const struct mqtt_route *route, size_t count, str broker)
{
    struct mqtt_filters *filters = calloc(1, sizeof *filters);
    must(filters);
    arena_init(&filters->arena, 0);
    filters->route = arena_make_n(&filters->arena, struct mqtt_route, count);
    for (size_t i = 0; i < count; i++)
        if (str_equal(route[i].broker, broker)) copy_route(filters, &route[i]);
    qsort(filters->route, filters->route_count, sizeof *filters->route, compare_routes);
    filters->filter = arena_make_n(&filters->arena, struct mqtt_filter, filters->route_count);
    for (size_t i = 0; i < filters->route_count; i++) {
        const struct mqtt_route *at = &filters->route[i];
        struct mqtt_filter *last = filters->filter_count ? &filters->filter[filters->filter_count - 1] : NULL;
        if (!last || !str_equal(last->topic, at->topic)) {
            last = &filters->filter[filters->filter_count++];
            *last = (struct mqtt_filter){ .topic = at->topic, .number = number_of(at->topic), .first = i };
        }
        last->count++;
        if (at->qos > last->qos) last->qos = at->qos;
    }
    return filters;
}

void mqtt_filters_free(struct mqtt_filters *filters)
{
    if (!filters) return;
    arena_done(&filters->arena);
    free(filters);
}

static int compare_filter(const void *key, const void *filter)
{
    return str_compare(*(const str *)key, ((const struct mqtt_filter *)filter)->topic);
}

struct mqtt_filter *mqtt_filters_find(struct mqtt_filters *filters, str topic)
{
    return bsearch(&topic, filters->filter, filters->filter_count, sizeof *filters->filter, compare_filter);
}
