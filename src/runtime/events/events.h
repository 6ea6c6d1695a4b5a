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

/* ---- events.c: events that come in ---- */

enum status events_call(struct turn *turn, struct call *call, struct error *err);
void events_count(struct engine *engine, const struct call *call);

#endif
