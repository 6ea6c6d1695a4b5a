/* trigger/mqtt.c — all brokers: one for each secret that a route names. */
#include "trigger/mqtt_int.h"

#include "base/array.h"
#include "base/must.h"

#include <stdlib.h>

struct mqtt {
    struct mqtt_config config;
    pthread_mutex_t lock;        /* Guards the list, whose owner changes it and others read it. */
    struct mqtt_broker **broker; /* In the order of their references. */
    size_t count, cap;
};

struct mqtt *mqtt_new(const struct mqtt_config *config)
{
    struct mqtt *mqtt = calloc(1, sizeof *mqtt);
    char *identity = malloc(config->identity.n + 1);
    must(mqtt && identity);
    mqtt->config = *config;
    if (config->identity.n) memcpy(identity, config->identity.p, config->identity.n);
    mqtt->config.identity.p = identity;
    pthread_mutex_init(&mqtt->lock, NULL);
    return mqtt;
}

static struct mqtt_broker *find(const struct mqtt *mqtt, str reference)
{
    for (size_t i = 0; i < mqtt->count; i++)
        if (str_equal(mqtt_broker_reference(mqtt->broker[i]), reference)) return mqtt->broker[i];
    return NULL;
}

/* Keeps the order of references. */
static void add(struct mqtt *mqtt, struct mqtt_broker *broker)
{
    pthread_mutex_lock(&mqtt->lock);
    array_reserve(mqtt->broker, mqtt->count, mqtt->cap);
    size_t at = mqtt->count++;
    for (; at && str_compare(mqtt_broker_reference(mqtt->broker[at - 1]), mqtt_broker_reference(broker)) > 0;
         at--)
        mqtt->broker[at] = mqtt->broker[at - 1];
    mqtt->broker[at] = broker;
    pthread_mutex_unlock(&mqtt->lock);
}

static void take_out(struct mqtt *mqtt, size_t at)
{
    pthread_mutex_lock(&mqtt->lock);
    struct mqtt_broker *broker = mqtt->broker[at];
    for (mqtt->count--; at < mqtt->count; at++) mqtt->broker[at] = mqtt->broker[at + 1];
    pthread_mutex_unlock(&mqtt->lock);
    mqtt_broker_free(broker);
}

static bool is_wanted(const struct mqtt_route *route, size_t count, str reference)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(route[i].broker, reference)) return true;
    return false;
}

void mqtt_set_routes(struct mqtt *mqtt, const struct mqtt_route *route, size_t count)
{
    for (size_t i = mqtt->count; i-- > 0;) {
        struct mqtt_broker *broker = mqtt->broker[i];
        str reference = mqtt_broker_reference(broker);
        bool wanted = is_wanted(route, count, reference);
        if (!mqtt_broker_set(broker, wanted ? mqtt_filters_new(route, count, reference) : NULL))
            take_out(mqtt, i);
    }
    for (size_t i = 0; i < count; i++)
        if (!find(mqtt, route[i].broker))
            add(mqtt, mqtt_broker_new(&mqtt->config, route[i].broker,
                                      mqtt_filters_new(route, count, route[i].broker)));
}

void mqtt_hand_over(struct mqtt *mqtt)
{
    for (size_t i = mqtt->count; i-- > 0;)
        if (!mqtt_broker_hand_over(mqtt->broker[i])) take_out(mqtt, i);
}

void mqtt_leave(struct mqtt *mqtt)
{
    for (size_t i = 0; i < mqtt->count; i++) mqtt_broker_stop(mqtt->broker[i]);
}

void mqtt_free(struct mqtt *mqtt)
{
    if (!mqtt) return;
    mqtt_leave(mqtt);
    while (mqtt->count) take_out(mqtt, mqtt->count - 1);
    pthread_mutex_destroy(&mqtt->lock);
    free(mqtt->broker);
    free((char *)(uintptr_t)mqtt->config.identity.p);
    free(mqtt);
}

size_t mqtt_brokers(struct mqtt *mqtt, struct arena *arena, struct mqtt_view **ret_view)
{
    pthread_mutex_lock(&mqtt->lock);
    size_t count = 0;
    struct mqtt_view *view = arena_make_n(arena, struct mqtt_view, mqtt->count);
    for (size_t i = 0; i < mqtt->count; i++) count += mqtt_broker_view(mqtt->broker[i], arena, &view[count]);
    pthread_mutex_unlock(&mqtt->lock);
    *ret_view = view;
    return count;
}
