/* trigger/mqtt.h — messages of MQTT brokers, brought to those who take them.
 *
 * Each broker has one connection and one thread. The connection's session is persistent and its client id
 * stable: messages of QoS 1 and 2 that come while the engine is away wait at the broker.
 *
 *     broker ──► read what is there ──► one batch ──► take(): committed ──► acknowledgements ──► broker
 *
 * A message is acknowledged only after `take` has said that it is durable. libmosquitto puts
 * acknowledgements into a queue and sends nothing of it unless it is told to, so they wait there for their
 * batch. A process that dies in the middle has not acknowledged, and the broker sends the messages again:
 * nothing is lost, and what was committed just before may come twice. Messages that come again after a lost
 * connection, in the life of one process, are recognized and acknowledged without another arrival.
 *
 * QoS 2 is asked for as QoS 1. With QoS 2 the broker hands a message over before libmosquitto shows it to us,
 * so a process that dies there would lose it.
 *
 * Backpressure: while a batch is being committed nothing is read, and the broker holds at most
 * MQTT_RECEIVE_MAX messages on their way; the rest waits at the broker, within the limits of its own.
 *
 * Overlapping filters: with MQTT 5 each subscription has an identifier, so each copy of a message is for the
 * routes of its subscription only. Brokers that speak MQTT 3.1.1 only may send a copy for each of several
 * filters that select a topic; such a copy goes to every route that selects it.
 */
#ifndef TRIGGER_MQTT_H
#define TRIGGER_MQTT_H

#include "base/arena.h"
#include "perform/reach.h"
#include "vault/resolve.h"

/* Somebody who wants messages. */
struct mqtt_route {
    str definition_id, trigger;
    str broker; /* The secret with the broker's settings: "vault:NAME", qualified (base/tenant.h). */
    str topic;  /* The filter. */
    uint8_t qos;
};

/* One message for one route. */
struct mqtt_arrival {
    struct mqtt_route route;
    str topic, payload;
    uint8_t qos; /* The quality with which the broker sent it. */
    bool retained;
};

enum mqtt_taken {
    MQTT_TAKEN,   /* All of them are durable, or nobody wants them. */
    MQTT_REFUSED, /* Not now: the connection is closed without acknowledgements, and they come again. */
};

struct mqtt_config {
    struct vault_lookup lookup; /* From any thread. */
    const char *files;          /* The directory of files that secrets may name; NULL: none. Borrowed. */
    struct call_reach reach;    /* Which addresses that are not public brokers may have. */
    str identity;               /* This engine's name, the same at every start: the client id comes from
                                 * it. */
    /* Make and free the state that a thread needs to take messages, on that thread. */
    void *(*open_taker)(void *context);
    void (*close_taker)(void *taker);
    enum mqtt_taken (*take)(void *taker, const struct mqtt_arrival *arrival, size_t count);
    void *context;
};

struct mqtt;

struct mqtt *mqtt_new(const struct mqtt_config *config);

/* From now on these routes are wanted, and no others. Filters that nobody wants are unsubscribed, and the
 * session of a broker that nobody wants ends there. From one thread; the routes are copied. */
void mqtt_set_routes(struct mqtt *mqtt, const struct mqtt_route *route, size_t count);

/* Another engine of the same identity takes the messages from now on. Ends the connections and says nothing
 * more to the brokers: sessions and subscriptions are that engine's. Does not wait for the threads. From the
 * thread that sets routes, which may set some again. */
void mqtt_hand_over(struct mqtt *mqtt);

/* Tells all connections to end, and does not wait for them. No routes may be set any more. */
void mqtt_leave(struct mqtt *mqtt);

/* Ends all connections, their sessions stay at the brokers; waits for the threads. NULL is allowed. */
void mqtt_free(struct mqtt *mqtt);

/* ---- how it is ---- */

struct mqtt_view {
    str broker; /* The secret's reference. */
    bool connected;
    str why;          /* Not connected: why; connected: what is wrong nevertheless; or empty. */
    int64_t since_ms; /* Connected, or not, since then. */
    size_t route_count;
    uint64_t messages;   /* Received. */
    uint64_t duplicates; /* Messages among these that were sent again and dropped. */
    uint64_t too_large;  /* Messages among these that were dropped. */
    uint64_t connects;
};

/* One view per broker, in the order of their references; none for those that have ended. From any thread. */
size_t mqtt_brokers(struct mqtt *mqtt, struct arena *arena, struct mqtt_view **ret_view);

#endif
