/* api/grpc/envelope.c — reads and writes CloudEvents with JSON in them, as messages of gRPC. */
#include "api/grpc/envelope_int.h"

#include "base/must.h"
#include "base/utf8.h"

#include <io/cloudevents/v1/cloudevents.pb-c.h>

#include <sys/random.h>

typedef Io__Cloudevents__V1__CloudEvent event_message;
typedef Io__Cloudevents__V1__CloudEvent__AttributesEntry event_attribute;
typedef Io__Cloudevents__V1__CloudEvent__CloudEventAttributeValue event_value;

#define HAS_BYTES IO__CLOUDEVENTS__V1__CLOUD_EVENT__DATA_BINARY_DATA
#define HAS_TEXT IO__CLOUDEVENTS__V1__CLOUD_EVENT__DATA_TEXT_DATA
#define IS_STRING IO__CLOUDEVENTS__V1__CLOUD_EVENT__CLOUD_EVENT_ATTRIBUTE_VALUE__ATTR_CE_STRING

/* ---- reading ---- */

str envelope_text(const struct envelope *envelope, str name) { return json_text(envelope->data, name); }

enum status envelope_read(str message, struct arena *arena, struct envelope *ret_envelope, struct error *err)
{
    ProtobufCMessage *unpacked;
    TRY(message_unpack(&io__cloudevents__v1__cloud_event__descriptor, message, arena, &unpacked, err));
    const event_message *event = (const event_message *)unpacked;
    str text = STR_NONE;
    if (event->data_case == HAS_TEXT) text = str_of(event->text_data);
    if (event->data_case == HAS_BYTES)
        text = (str){ (const char *)event->binary_data.data, event->binary_data.len };
    if (!text.n) return fail(err, ST_INVALID, "data", "the event has neither text_data nor binary_data");
    struct envelope envelope = { .type = str_of(event->type) };
    TRY(json_parse(text, NULL, arena, &envelope.data, err));
    if (!json_is(envelope.data, JSON_OBJECT))
        return fail(err, ST_INVALID, "data", "the event's data is no JSON object");
    envelope.id = envelope_text(&envelope, STR("id"));
    if (!envelope.id.n) envelope.id = str_of(event->id);
    *ret_envelope = envelope;
    return ST_OK;
}

/* ---- writing ---- */

static event_attribute *attribute(struct arena *arena, const char *name, str text)
{
    event_attribute *made = arena_make(arena, event_attribute);
    io__cloudevents__v1__cloud_event__attributes_entry__init(made);
    made->key = message_text(arena, str_of(name));
    made->value = arena_make(arena, event_value);
    io__cloudevents__v1__cloud_event__cloud_event_attribute_value__init(made->value);
    made->value->attr_case = IS_STRING;
    made->value->ce_string = message_text(arena, text);
    return made;
}

void envelope_write(str id, const char *type, str text, const struct envelope_origin *origin, struct buf *out)
{
    event_message event;
    event_attribute *attributes[4];
    struct arena arena;
    arena_init(&arena, 0);
    io__cloudevents__v1__cloud_event__init(&event);
    event.id = message_text(&arena, id);
    event.source = message_text(&arena, STR("pawl"));
    event.spec_version = message_text(&arena, STR("1.0"));
    event.type = message_text(&arena, str_of(type));
    event.data_case = HAS_TEXT;
    event.text_data = message_text(&arena, text);
    event.attributes = attributes;
    if (origin) {
        attributes[event.n_attributes++] = attribute(&arena, "authtype", origin->authtype);
        attributes[event.n_attributes++] = attribute(&arena, "authid", origin->authid);
    }
    if (origin && origin->authclaims.n)
        attributes[event.n_attributes++] = attribute(&arena, "authclaims", origin->authclaims);
    if (origin && origin->token.n)
        attributes[event.n_attributes++] = attribute(&arena, "cyodatxtoken", origin->token);
    message_pack(&event.base, out);
    arena_done(&arena);
}

struct uuid envelope_new_id(char ret_text[UUID_CHARS + 1])
{
    uint8_t random[UUID_BYTES];
    must(getrandom(random, sizeof random, 0) == (ssize_t)sizeof random);
    struct uuid id = uuid_of_random(random);
    uuid_print(id, ret_text);
    return id;
}
