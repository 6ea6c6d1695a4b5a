/* trigger/limits.h — limits of what comes from outside. */
#ifndef TRIGGER_LIMITS_H
#define TRIGGER_LIMITS_H

enum {
    /* Messages that a broker may send ahead of our acknowledgements, if it speaks MQTT 5. Also the most of
     * one batch, and how many are remembered to recognize those that come again. */
    MQTT_RECEIVE_MAX = 1000,
    /* A batch ends with the message that exceeds this. */
    MQTT_BATCH_BYTES_MAX = 4 << 20,
    /* So often the connection is read before somebody looks whether the thread should end: a broker may send
     * packets without pause. More than the messages of a batch. */
    MQTT_READ_ROUNDS_MAX = 2000,
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

    POLL_ROWS_MAX = 10000,          /* In one answer; a query can be made to give fewer. */
    POLL_ROWS_BYTES_MAX = 64 << 20, /* For all rows that a path selects from one answer. */
    POLL_ROWS_AT_ONCE_MAX = 64,     /* Rows of one source on their way to the engine. */
    POLL_FUEL_MAX = 10000000,       /* Operations of the path to the rows. */
    POLL_FIRST_MS_MAX = 60000, /* A trigger is asked so soon after it was published, or the engine started. */
    POLL_FAILED_MS_MAX = 3600 * 1000, /* The longest pause of a source that fails again and again. */
};

#endif
