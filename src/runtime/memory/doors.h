/* runtime/memory/doors.h — where arrivals come in: the triggers of the latest versions, found by their
 * addresses.
 *
 * Publishing a version writes records of its triggers, in the place of those of the version before. Each has
 * up to two: one under the ids of definition and trigger, and one under its address, if it has one (path and
 * method; MQTT triggers are listed, because a topic is matched with every filter). Memory keeps the doors
 * that were found lately, and forgets all of them whenever a trigger changes.
 */
#ifndef RUNTIME_MEMORY_DOORS_H
#define RUNTIME_MEMORY_DOORS_H

#include "base/arena.h"
#include "base/text_map.h"
#include "runtime/call/call.h"

/* One trigger. */
struct door {
    str definition_id;
    str trigger;
    int64_t definition; /* The number of the latest version. */
    enum arrival_type type;
    str address; /* "POST /orders", a topic filter, or empty. */
    str broker;  /* MQTT */
    bool paused;
    str reason;        /* The reason of the pause. */
    struct door *next; /* The same arrival is for this one, too. */
};

/* Counts of arrivals at one trigger since the engine started. */
struct door_count {
    str key; /* Definition, NUL, trigger. */
    uint64_t count[OUTCOME_COUNT];
};

struct doors {
    struct arena arena;    /* Memory of the doors in `found`. */
    struct text_map found; /* The first struct door by the address of an arrival. */
    size_t found_count;
    struct arena count_arena;
    struct text_map counts; /* struct door_count */
    size_t count_count;
};

void doors_init(struct doors *doors);
void doors_done(struct doors *doors);
/* Forgets what was found: a trigger has changed, or a change was rolled back. */
void doors_clear(struct doors *doors);

/* The key of a record (RECORD_SEEN) by which an arrival at a trigger is known again. `kind` tells keys that
 * clients choose ('i', of a test 't') from those that the trigger finds ('d'), and from what the log of
 * arrivals has told ('l'). */
str doors_seen_key(str definition_id, str trigger, char kind, str key, struct arena *arena);

/* The log has told that the trigger is paused. */
#define DOORS_PAUSE_TOLD STR("paused")

/* Counts what became of an arrival. */
void doors_count(struct doors *doors, const struct arrival_view *view);

#endif
