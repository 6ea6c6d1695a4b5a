/* trigger/mqtt_engine.h — messages of MQTT brokers become arrivals at the runtime.
 *
 * The triggers of the latest versions say what is wanted: they are listed at the start and again whenever a
 * definition was published, and the subscriptions follow. Each thread of a broker is a client of the runtime.
 * It submits a batch as one call per message and trigger, waits until all are answered, and says whether they
 * are durable. A call that the runtime has no room for is repeated for a while; then the whole batch is left
 * to the broker.
 *
 * If several nodes share the store, the one that leads has the connections. All have the same identity, so
 * the next one goes on with the sessions: nothing is lost in between.
 *
 * All functions belong to the thread of the client through which triggers are listed.
 */
#ifndef TRIGGER_MQTT_ENGINE_H
#define TRIGGER_MQTT_ENGINE_H

#include "runtime/runtime.h"
#include "trigger/mqtt.h"

struct mqtt_engine;

struct mqtt_engine_config {
    struct runtime *runtime;
    struct runtime_client *client;
    struct vault *vault; /* NULL: there are no secrets, so no broker either. */
    struct call_reach reach;
    const char *files; /* mqtt.h */
    str identity;      /* This engine's name, the same at every start. */
};

struct mqtt_engine *mqtt_engine_new(const struct mqtt_engine_config *config);

/* Lists the triggers if definitions were published since the last time, or hands the brokers over if another
 * node leads. To be called now and then. */
void mqtt_engine_look(struct mqtt_engine *engine);

/* The brokers as they are. */
struct mqtt *mqtt_engine_mqtt(struct mqtt_engine *engine);

/* All connections end soon. Returns immediately; mqtt_engine_stop() waits for them. NULL is allowed. */
void mqtt_engine_leave(struct mqtt_engine *engine);

/* Ends all connections; messages that are not acknowledged stay at their brokers. NULL is allowed. */
void mqtt_engine_stop(struct mqtt_engine *engine);
/* Only after the client was freed. NULL is allowed. */
void mqtt_engine_free(struct mqtt_engine *engine);

#endif
