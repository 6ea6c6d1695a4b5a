/* program/arrival.h — how a program takes arrivals: its terms, and what an arrival is.
 *
 * An arrival is something that comes from outside to a trigger of a definition: a request, a message, a tick
 * of a schedule, a person's start, a row that was polled. A trigger's *terms* say which arrivals it takes and
 * what they mean: who may send them, which ones pass the filter, which key tells whose they are, and what
 * happens if a living instance has that key. arrival_read() makes the terms from a trigger of a document, for
 * every dialect. The engine applies them (runtime/arrivals/arrive.h).
 *
 * The same trigger in its normal form is JSON (`program_arrival.config`), for views and for those who need
 * more than the terms hold:
 *
 *     {"type": "http", "onMatch": "MapOrCreate", "correlation": "$.body.id", "filter": …,
 *      "deduplicationKey": …,
 *      "http":  {"path", "method", "authType", "secretRef", "responseMode", "successCode", "opaque"},
 *      "mqtt":  {"brokerRef", "topic", "qos", "payloadFormat", "schemaRef"},
 *      "cron":  {"mode": "Cron" | "Interval", "cron", "zone", "interval_ms", "misfire"},
 *      "poll":  {"sourceType", "connectionRef", "url", "query", "interval_ms"},
 *      "manual": {"buttonLabel", "inputSchema", "requiredRoles", "openForm"}}
 *
 * Only the member of its own type is there, and members that were not given are left out.
 */
#ifndef PROGRAM_ARRIVAL_H
#define PROGRAM_ARRIVAL_H

#include "base/regex.h"
#include "expr/expr.h"
#include "jsonpath/jsonpath.h"
#include "program/problems.h"

struct schema;

/* clang-format off */
#define ARRIVAL_TYPE_MAP(XX)                                                      \
    /* name    word      the name in the older format of triggers              */ \
    XX(MANUAL, "manual", "ManualTrigger")                                         \
    XX(HTTP,   "http",   "HttpWebhookTrigger")                                    \
    XX(MQTT,   "mqtt",   "MqttTelemetryTrigger")                                  \
    XX(CRON,   "cron",   "ScheduledTrigger")                                      \
    XX(POLL,   "poll",   "PollingTrigger")

#define ARRIVAL_POLICY_MAP(XX)                                                    \
    /* name             word              with the key of a living instance    */ \
    XX(MAP_OR_CREATE,  "MapOrCreate",  "updates it, else creates one")            \
    XX(MAP_OR_DISCARD, "MapOrDiscard", "updates it, else does nothing")           \
    XX(ALWAYS_CREATE,  "AlwaysCreate", "creates one in any case")                 \
    XX(MAP_OR_REPLACE, "MapOrReplace", "cancels it and creates one in its place")

#define ARRIVAL_AUTH_MAP(XX)                                                      \
    XX(NONE,  "None")                                                             \
    XX(KEY,   "ApiKey")                                                           \
    XX(BASIC, "BasicAuth")                                                        \
    XX(HMAC,  "HMAC")

#define ARRIVAL_FORMAT_MAP(XX)                                                    \
    XX(JSON,     "JSON")                                                          \
    XX(PROTOBUF, "Protobuf")                                                      \
    XX(BINARY,   "RawBinary")
/* clang-format on */

enum arrival_type {
#define XX(NAME, word, older) ARRIVAL_##NAME,
    ARRIVAL_TYPE_MAP(XX)
#undef XX
        ARRIVAL_TYPE_COUNT
};
enum arrival_policy {
#define XX(NAME, word, meaning) ARRIVAL_##NAME,
    ARRIVAL_POLICY_MAP(XX)
#undef XX
        ARRIVAL_POLICY_COUNT
};
enum arrival_auth {
#define XX(NAME, word) ARRIVAL_AUTH_##NAME,
    ARRIVAL_AUTH_MAP(XX)
#undef XX
        ARRIVAL_AUTH_COUNT
};
/* How the bytes of a message become its payload. */
enum arrival_format {
#define XX(NAME, word) ARRIVAL_FORMAT_##NAME,
    ARRIVAL_FORMAT_MAP(XX)
#undef XX
        ARRIVAL_FORMAT_COUNT
};

const char *arrival_type_word(enum arrival_type type);       /* "http" */
const char *arrival_policy_word(enum arrival_policy policy); /* "MapOrCreate" */

/* The type that a document names: "http", "HttpWebhookTrigger", "trigger_webhook", "schedule", in any case.
 * False: no such type. */
bool arrival_type_of(str word, enum arrival_type *ret_type);

/* An expression that gives a text: whose arrival it is, or whether it has been here before. */
struct arrival_key {
    enum {
        ARRIVAL_KEY_NONE,
        ARRIVAL_KEY_TOPIC,    /* A level of the topic: $topic[1]. */
        ARRIVAL_KEY_PATH,     /* The first node of a JSONPath: on the envelope, then on the payload. */
        ARRIVAL_KEY_REGEX,    /* In the raw text: its first group, or what matches. */
        ARRIVAL_KEY_CONSTANT, /* This text. */
    } kind;
    uint32_t level;
    const struct jsonpath *path;
    const struct regex *regex;
    str text;
};

struct arrival_terms {
    enum arrival_type type;
    enum arrival_policy policy;
    struct arrival_key key;
    const struct expr *filter; /* Must be true, or the arrival is dropped; NULL: none. */
    struct arrival_key seen;   /* An arrival with the same key is the same arrival. */
    int64_t life_ms; /* MapOrDiscard: so long an arrival is kept whose key no instance has yet. -1: the
                        trigger does not say; 0: not at all. */
    const struct schema *input_schema; /* The schema of the payload; NULL: any. */
    str schema_flaw; /* Why the schema of a document that an older engine stored cannot be read; empty: none.
                      */

    /* MANUAL */
    bool open_form; /* Everybody may fill in its form. */

    /* HTTP */
    str method, path;
    enum arrival_auth auth;
    str secret;             /* Name of the secret. */
    bool answers_when_done; /* The answer waits until the instance can go no further. */
    int32_t success_code;   /* 0: 202. */
    bool opaque;            /* No answer tells what became of the arrival. */

    /* MQTT */
    str broker, topic;
    uint8_t qos;
    enum arrival_format format;
    str schema; /* PROTOBUF: where the schema is, and after # the message. */

    /* CRON, POLL */
    int64_t interval_ms; /* 0: the cron text counts. */
    str cron;            /* A sound text (schedule/cron.h). */
    str zone;            /* Name of its time zone. */
    bool fires_missed;   /* One arrival for the slots that were missed; else none. */
};

/* Reads a trigger of a document: an object with the fields of contract 1.3. Reports every problem below
 * `pointer`. The terms and the normal form live in the arena. */
void arrival_read(const struct json *trigger, enum arrival_type type, str pointer, struct arena *arena,
                  struct arrival_terms *ret_terms, const struct json **ret_config, struct problems *problems);

/* Does the path of a webhook begin with a part that belongs to the engine's own routes? No trigger may take
 * such a path: with --hooks-at-root it would stand where somebody expects the API or the login. */
bool arrival_path_is_reserved(str path);

/* Warns of a key that AlwaysCreate does not use. arrival_read() has done so if the trigger says onMatch. */
void arrival_warn_of_idle_key(const struct arrival_terms *terms, str pointer, struct problems *problems);

/* Compiles a correlationExpression or a deduplicationKey; NULL and null are no key. */
void arrival_read_key(const struct json *text, enum arrival_type type, str pointer, struct arena *arena,
                      struct arrival_key *ret_key, struct problems *problems);

/* ---- one arrival ---- */

struct arrival_event {
    enum arrival_type type;
    int64_t at_ms;              /* When it arrived. */
    const struct json *payload; /* Decoded; NULL: null. */
    str raw;                    /* The bytes it was decoded from. */
    str method, path;           /* HTTP */
    const struct json *headers; /* HTTP: an object of texts, names in lower case; NULL: none. */
    const struct json *query;   /* HTTP: an object of texts; NULL: none. */
    str topic;                  /* MQTT */
    uint8_t qos;
    bool retained;
    int64_t scheduled_ms; /* CRON: the slot. */
    str zone;             /* CRON */
    str actor;            /* MANUAL: who started it; empty: unknown. */
};

/* A field of a query. */
struct arrival_field {
    str name, value;
};

/* The object of some fields. If a name comes twice, the first one gives the place and the last one the value.
 * Each field is compared with the others, so the caller has limited their number. */
const struct json *arrival_fields(const struct arrival_field *field, size_t count, struct arena *arena);

/* Is the body of the request a form of HTML? Its decoded payload are fields then, as schema_coerce() takes
 * them, and the schemas of the trigger make a payload of them. */
bool arrival_is_form(const struct arrival_event *event);

/* Decodes the raw bytes of an event that has no payload yet: a message by the trigger's format; a request by
 * its content-type, which is JSON if there is none; anything else as JSON. No bytes are null. ST_INVALID: the
 * bytes are not what they should be, or the payload is deeper than ARRIVAL_DEPTH_MAX, also one that was
 * decoded before. ST_UNSUPPORTED: a format or a character set that we do not read. */
enum status arrival_decode(const struct arrival_terms *terms, struct arrival_event *event,
                           struct arena *arena, struct error *err);

/* The value that the trigger's node gives to the flow: payload, triggered_at and, by type, method, path,
 * headers, query; topic, qos, retained; scheduled_for, time_zone. */
const struct json *arrival_value(const struct arrival_event *event, struct arena *arena);

/* The event of a trigger that nothing from outside has brought: with what its terms say about it, and the
 * payload. It is `scheduled` and arrives now. */
struct arrival_event arrival_made(const struct arrival_terms *terms, const struct json *payload,
                                  int64_t now_ms, str actor);

/* The key of an event, or an empty text: there is none. ST_LIMIT: it cannot be had within the fuel. */
enum status arrival_find_key(const struct arrival_key *key, const struct arrival_event *event, int64_t *fuel,
                             struct arena *arena, str *ret_key, struct error *err);

/* True if the event passes the filter. A filter that cannot be evaluated lets nothing pass. `value` is that
 * of the event. */
bool arrival_passes(const struct arrival_terms *terms, const struct json *value, int64_t now_ms,
                    int64_t *fuel, struct arena *arena);

#endif
