/* runtime/memory/trigger_routes.h — where arrivals come in: the triggers of the latest versions, found by
 * their addresses.
 *
 * Publishing a version writes records of its triggers, in the place of those of the version before. Each has
 * up to two: one under the ids of definition and trigger, and one under its address, if it has one (path and
 * method; MQTT triggers are listed, because a topic is matched with every filter). Memory keeps the trigger
 * routes that were found lately, and forgets all of them whenever a trigger changes.
 */
#ifndef RUNTIME_MEMORY_TRIGGER_ROUTES_H
#define RUNTIME_MEMORY_TRIGGER_ROUTES_H

#include "base/arena.h"
#include "base/text_map.h"
#include "runtime/call/call.h"

/* One trigger. */
struct trigger_route {
    str definition_id;
    str trigger;
    int64_t definition; /* The number of the latest version. */
    enum arrival_type type;
    str address; /* "POST /orders", a topic filter, or empty. */
    str broker;  /* MQTT */
    bool paused;
    str reason;                 /* The reason of the pause. */
    struct trigger_route *next; /* The same arrival is for this one, too. */
};

/* Counts of arrivals at one trigger since the engine started. */
struct trigger_route_count {
    str key; /* The definition's qualified name, NUL, trigger. */
    uint64_t count[OUTCOME_COUNT];
};

struct trigger_routes {
    struct arena arena;    /* Memory of the trigger routes in `found`. */
    struct text_map found; /* The first struct trigger route by the address of an arrival. */
    size_t found_count;
    struct arena count_arena;
    struct text_map counts; /* struct trigger_route_count */
    size_t count_count;
};

void trigger_routes_init(struct trigger_routes *trigger_routes);
void trigger_routes_done(struct trigger_routes *trigger_routes);
/* Forgets what was found: a trigger has changed, or a change was rolled back. */
void trigger_routes_clear(struct trigger_routes *trigger_routes);

/* The key of a record (RECORD_SEEN) by which an arrival at a trigger is known again. `kind` tells keys that
 * clients choose ('i', of a test 't') from those that the trigger finds ('d'), and from what the log of
 * arrivals has told ('l'). */
str trigger_routes_seen_key(str definition_id, str trigger, char kind, str key, struct arena *arena);

/* The log has told that the trigger is paused. */
#define TRIGGER_ROUTES_PAUSE_TOLD STR("paused")

/* Counts what became of an arrival. */
void trigger_routes_count(struct trigger_routes *trigger_routes, int32_t ns, const struct arrival_view *view);
str trigger_routes_count_key(int32_t ns, str definition_id, str trigger, struct arena *arena);

#endif
