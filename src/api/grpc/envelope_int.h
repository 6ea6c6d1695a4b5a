/* api/grpc/envelope_int.h — a CloudEvent of the entity family: an envelope around a JSON object.
 *
 * The object says what the event's type means by itself: it has an `id`, and mostly `success`, `error` and
 * `warnings`. The envelope's own id is the same.
 */
#ifndef API_GRPC_ENVELOPE_INT_H
#define API_GRPC_ENVELOPE_INT_H

#include "api/grpc/message_int.h"
#include "base/uuid.h"
#include "json/json.h"

struct envelope {
    str type;
    str id;                  /* The object's or, without one, the envelope's; may be empty. */
    const struct json *data; /* An object. */
};

/* Everything lives in the arena. ST_INVALID: no CloudEvent, or no JSON object in its text or its bytes. */
enum status envelope_read(str message, struct arena *arena, struct envelope *ret_envelope, struct error *err);

/* The caller and the transaction: the attributes of requests to calculation nodes. */
struct envelope_origin {
    str authtype, authid;
    str authclaims; /* Empty: none. */
    str token;      /* cyodatxtoken; empty: none. */
};

/* Appends the bytes of an event with a JSON text. `origin` may be NULL. */
void envelope_write(str id, const char *type, str text, const struct envelope_origin *origin,
                    struct buf *out);

/* A member of the object that is a text, or an empty str. */
str envelope_text(const struct envelope *envelope, str name);

/* A new id. */
struct uuid envelope_new_id(char ret_text[UUID_CHARS + 1]);

#endif
