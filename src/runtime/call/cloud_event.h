/* runtime/call/cloud_event.h — is this a CloudEvent that the engine takes? */
#ifndef RUNTIME_CALL_CLOUD_EVENT_H
#define RUNTIME_CALL_CLOUD_EVENT_H

#include "json/json.h"

/* Checks an event in the JSON format (structured mode, or one item of a batch) and gives it in
 * the form in which the engine keeps it: attributes that are null are left out, and what came
 * as data_base64 is in `data`: parsed if its type says JSON, as a text if it says text, else as the
 * base64 string itself. ST_INVALID names the attribute that is wrong, and is all that can go wrong. */
enum status cloud_event_check(const struct json *event, struct arena *arena, const struct json **ret_event,
                              struct error *err);

/* Kinds of media types, parameters aside: "application/json; charset=utf-8". */
bool cloud_event_type_is_json(str type); /* Also "application/vnd.x+json". */
bool cloud_event_type_is_text(str type);

#endif
