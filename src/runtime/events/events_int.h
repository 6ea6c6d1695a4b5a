/* runtime/events/events_int.h — what the files of this room share. */
#ifndef RUNTIME_EVENTS_EVENTS_INT_H
#define RUNTIME_EVENTS_EVENTS_INT_H

#include "runtime/engine.h"
#include "runtime/turn.h"
#include "runtime/events/events.h"

/* ---- event_memory.c: events that were seen, events that nobody took ---- */

/* Says what the event has done so far. */
enum event_outcome event_outcome_of(const struct route *route);

/* Why nobody took it, for an unmatched event. */
str event_reason_of(const struct route *route);

/* `way`: the event is on this long way, and the outcome is not its last; 0: it is. */
enum status event_remember(const struct route *route, enum event_outcome outcome, uint64_t way,
                           struct error *err);
/* Says what the event did the first time. ST_NOT_FOUND if it is new. */
enum status event_recall(struct turn *turn, const struct call *call, struct call_event *event,
                         uint64_t *ret_way, struct error *err);

enum status event_put_unmatched(struct turn *turn, int32_t ns, const struct json *event, str reason,
                                struct error *err);
/* The number of the unmatched event that says that nobody has this one; 0: there is none. */
enum status event_find_unmatched(struct turn *turn, int32_t ns, const struct json *event, int64_t *ret_number,
                                 struct error *err);
enum status event_remove_unmatched(struct turn *turn, int64_t number, struct error *err); /* 0: none. */
/* True if an unmatched event with this reason is one that no instance has. */
bool event_has_nobody(str reason);

extern const str event_expired_reason;

/* ---- kept_events.c ---- */

/* How long the event itself wants to be kept; -1: it does not say. ST_INVALID if that is no such time. */
enum status event_read_life(const struct json *event, int64_t *ret_ms, struct error *err);
/* The event has come to the end of its way: keeps it if nobody took it, or writes an unmatched event, and
 * remembers what it did. */
enum status event_arrived(struct route *route, struct error *err);
/* Keeps an event that no instance took for instances to come, if it may. */
enum status event_keep(struct route *route, struct error *err);

/* Instances as items of an array, [id, created, started], and read again from its items. There is room for
 * `room` of them in any case. */
void event_add_instances(struct json_builder *builder, const struct event_instance *instance, size_t count);

size_t event_read_instances(const struct json *array, size_t from, struct arena *arena, size_t room,
                            struct event_instance **ret_instance);

#endif
