/* trigger/libmosquitto.h — libmosquitto, loaded with the first MQTT trigger. */
#ifndef TRIGGER_LIBMOSQUITTO_H
#define TRIGGER_LIBMOSQUITTO_H

#include "base/status.h"

#include <mosquitto.h>
#include <mqtt_protocol.h>

/* clang-format off */
#define LIBMOSQUITTO_MAP(XX)      \
    XX(lib_init)                  \
    XX(new)                       \
    XX(destroy)                   \
    XX(int_option)                \
    XX(threaded_set)              \
    XX(username_pw_set)           \
    XX(tls_set)                   \
    XX(tls_insecure_set)          \
    XX(connect_v5_callback_set)   \
    XX(disconnect_v5_callback_set) \
    XX(message_v5_callback_set)   \
    XX(subscribe_v5_callback_set) \
    XX(connect_bind_v5)           \
    XX(disconnect_v5)             \
    XX(subscribe_v5)              \
    XX(unsubscribe)               \
    XX(loop_read)                 \
    XX(loop_write)                \
    XX(loop_misc)                 \
    XX(socket)                    \
    XX(want_write)                \
    XX(strerror)                  \
    XX(reason_string)             \
    XX(connack_string)            \
    XX(property_add_int32)        \
    XX(property_add_varint)       \
    XX(property_read_varint)      \
    XX(property_free_all)
/* clang-format on */

struct libmosquitto {
#define XX(name) __typeof__(mosquitto_##name) *name;
    LIBMOSQUITTO_MAP(XX)
#undef XX
};

/* The functions of libmosquitto, set once libmosquitto_load() has succeeded in the process. */
extern struct libmosquitto libmosquitto;

/* From any thread. ST_INTERNAL if libmosquitto is missing or too old. */
enum status libmosquitto_load(struct error *err);

#endif
