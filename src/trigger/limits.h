/* trigger/limits.h — limits of what comes from outside. */
#ifndef TRIGGER_LIMITS_H
#define TRIGGER_LIMITS_H

enum {
    /* Messages that a broker may send ahead of our acknowledgements, if it speaks MQTT 5. Also the most of
     * one batch, and how many are remembered to recognize those that come again. */
    MQTT_RECEIVE_MAX = 1000,
    /* A batch ends with the message that exceeds this. */
    MQTT_BATCH_BYTES_MAX = 4 << 20,
    /* A larger payload is dropped: the largest body of a webhook. */
    MQTT_PAYLOAD_BYTES_MAX = 128 << 10,
    /* Brokers with MQTT 5 do not send larger packets. */
    MQTT_PACKET_BYTES_MAX = 1 << 20,
    /* Between two attempts to connect; doubled from the first to the second, and then made random by half. */
    MQTT_DELAY_MS_MIN = 500,
    MQTT_DELAY_MS_MAX = 60 * 1000,
    /* For how long a broker keeps what comes while the engine is away. */
    MQTT_SESSION_SECONDS_MAX = 7 * 24 * 3600,
    MQTT_KEEPALIVE_SECONDS_MAX = 3600,
};

#endif
