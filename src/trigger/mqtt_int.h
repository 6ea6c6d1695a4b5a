/* trigger/mqtt_int.h — shared by the mqtt*.c files. */
#ifndef TRIGGER_MQTT_INT_H
#define TRIGGER_MQTT_INT_H

#include "trigger/mqtt.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- mqtt_settings.c ---- */

struct mqtt_settings {
    struct arena *arena;
    const char *files; /* The directory of files that it may name; NULL: none. */
    const char *host;
    int port;
    int keepalive_s;
    bool tls, insecure;
    const char *ca, *certificate, *key;          /* Paths; NULL: none. */
    const char *username, *password, *client_id; /* NULL: none. */
    int fd[3];                                   /* Files in memory. */
    size_t fd_count;
};

/* Texts live in the arena. Call mqtt_settings_done() in any case. */
enum status mqtt_settings_read(str text, const char *files, struct arena *arena,
                               struct mqtt_settings *settings, struct error *err);
void mqtt_settings_done(struct mqtt_settings *settings);

/* ---- mqtt_filters.c: pure ---- */

/* A filter that one subscription is for, and the routes that want it. */
struct mqtt_filter {
    str topic;           /* A NUL follows. */
    uint8_t qos;         /* The highest that a route wants. */
    uint32_t number;     /* The subscription's number: the same at every start. */
    size_t first, count; /* The range of the routes. */
    bool subscribed;     /* At the broker, as far as we know, with that QoS. */
    int request;         /* The number of the last SUBSCRIBE. */
};

/* The wishes for one broker. Does not change, apart from `subscribed`. */
struct mqtt_filters {
    struct arena arena;
    struct mqtt_route *route; /* In the order of their filters. */
    size_t route_count;
    struct mqtt_filter *filter;
    size_t filter_count;
};

/* Copies the routes of one broker. */
struct mqtt_filters *mqtt_filters_new(const struct mqtt_route *route, size_t count, str broker);
void mqtt_filters_free(struct mqtt_filters *filters); /* NULL is allowed. */
/* Finds a filter by its text, or returns NULL. */
struct mqtt_filter *mqtt_filters_find(struct mqtt_filters *filters, str topic);

/* ---- mqtt_link.c ---- */

/* A message, in the arena of its batch. */
struct mqtt_message {
    str topic, payload;
    uint8_t qos;
    bool retained;
    uint16_t packet;        /* Its number at the broker, while it is not acknowledged; QoS 0 has none. */
    const uint32_t *number; /* The subscriptions that it is for; none: not known. */
    size_t number_count;
};

/* The messages that were read together. */
struct mqtt_batch {
    struct arena arena;
    struct mqtt_message *message;
    size_t count, cap;
    size_t bytes;
};

/* One connection, from the attempt to its end. */
struct mqtt_link {
    struct mosquitto *handle;
    bool is_v5;
    bool accepted;        /* The broker has let us in. */
    bool session_present; /* It knows the session from before. */
    int refused_code;     /* Why it did not let us in; 0: it has not said no. */
    int lost_code;        /* Why it ended the connection; 0: it has not said. */
    int denied_request;   /* The last SUBSCRIBE that it denied; 0: none. */
    struct mqtt_batch batch;
};

/* Connects; mqtt_link_read() tells when the broker has let us in. `leave_fd`: readable when the thread should
 * end. Call mqtt_link_close() in any case. */
enum status mqtt_link_open(struct mqtt_link *link, struct mqtt_settings *settings, const char *client_id,
                           bool v5, const struct call_reach *reach, int leave_fd, struct error *err);
/* Closes the connection; `orderly` says goodbye to the broker, `ends_session` also ends the session there. */
void mqtt_link_close(struct mqtt_link *link, bool orderly, bool ends_session);

/* Waits until there is something to read, something to write can be written, `leave_fd` is readable or the
 * time is over; then reads what is there, up to a full batch or MQTT_READ_ROUNDS_MAX packets. Never writes:
 * acknowledgements of the batch wait for mqtt_link_write(). */
enum status mqtt_link_read(struct mqtt_link *link, int leave_fd, int timeout_ms, struct error *err);
/* Writes everything that waits, as far as the connection takes it. The rest waits for the next time if
 * `leave_fd`, which may be -1, becomes readable. */
enum status mqtt_link_write(struct mqtt_link *link, int leave_fd, struct error *err);
void mqtt_link_subscribe(struct mqtt_link *link, struct mqtt_filter *filter);
void mqtt_link_unsubscribe(struct mqtt_link *link, str topic);

/* ---- mqtt_session.c ---- */

struct mqtt_broker;

/* Starts the thread of a broker, which takes the filters. */
struct mqtt_broker *mqtt_broker_new(const struct mqtt_config *config, str reference,
                                    struct mqtt_filters *filters);
/* Other filters from now on; takes them. NULL: none, so the session ends at the broker, too. False: it has
 * ended already, and the broker is of no more use. */
bool mqtt_broker_set(struct mqtt_broker *broker, struct mqtt_filters *filters);
/* Another engine has the session from now on: the thread leaves it as it is, and ends. False: it has ended
 * already. */
bool mqtt_broker_hand_over(struct mqtt_broker *broker);
/* Asks the thread to end; mqtt_broker_free() waits for it. */
void mqtt_broker_stop(struct mqtt_broker *broker);
void mqtt_broker_free(struct mqtt_broker *broker);
str mqtt_broker_reference(const struct mqtt_broker *broker);
/* False: it has ended. */
bool mqtt_broker_view(struct mqtt_broker *broker, struct arena *arena, struct mqtt_view *ret_view);

#endif
