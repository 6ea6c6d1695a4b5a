/* api/events/events_int.h — CloudEvents over HTTP. */
#ifndef API_EVENTS_EVENTS_INT_H
#define API_EVENTS_EVENTS_INT_H

#include "api/route_int.h"

route_fn events_take, events_unmatched, events_resend;

/* Events in JSON; else the data of an event whose attributes are headers (cloud_binary.c). */
body_fn events_read;
/* The body is one event or several, and not only data. */
bool events_is_structured(const struct api_request *request);

/* Has the request attributes of a CloudEvent in its headers? If so: the event, not checked yet
 * (cloud_binary.c). err->where is the attribute that is wrong. */
bool cloud_binary_is(const struct http_request *http);
enum status cloud_binary_read(struct api_request *request, const struct json **ret_event, struct error *err);

#endif
