/* runtime/events/events.h — the door to CloudEvents: taken, routed, remembered. */
#ifndef RUNTIME_EVENTS_EVENTS_H
#define RUNTIME_EVENTS_EVENTS_H

#include "runtime/call/call.h"
#include "runtime/events/route.h"

struct engine;
struct error;
struct turn;

struct events {
    struct routings routings;
};

struct definition;
struct instance;
struct kept;

/* ---- kept_events.c: events that are kept for an instance with their key ---- */

/* Gives a kept event to an instance that has got its key. False: the instance cannot take it. */
enum status kept_event_deliver(struct turn *turn, struct definition *definition,
                               const struct instance *instance, const struct kept *kept, bool *ret_taken,
                               struct error *err);
/* No instance came in time. */
enum status kept_event_expire(struct turn *turn, const struct kept *kept, struct error *err);

/* ---- events.c: events that come in ---- */

enum status events_call(struct turn *turn, struct call *call, struct error *err);
void events_count(struct engine *engine, const struct call *call);

#endif
