/* runtime/memory/schedules.h — triggers that fire by a schedule, soonest first.
 *
 * A scheduled trigger is a record of the store: when it fires, and its *mark*, the slot that fired last.
 * Slots up to the mark are over and never fire again, whatever the clock does. Memory holds every record, in
 * a heap by its next slot, so nothing is done between slots. When the records are loaded, slots of the
 * time while the engine was down count as missed.
 */
#ifndef RUNTIME_MEMORY_SCHEDULES_H
#define RUNTIME_MEMORY_SCHEDULES_H

#include "base/map.h"
#include "base/text_map.h"
#include "runtime/memory/deadlines.h"
#include "schedule/slot.h"
#include "store/store.h"

/* A record's value. */
struct schedule_record {
    int64_t mark_ms;     /* The slot that fired last, or the time of the publication. */
    int64_t anchor_ms;   /* An interval counts from here. */
    int64_t interval_ms; /* 0: the cron text counts. */
    str cron;
    str zone;
    bool fires_missed;
};

struct scheduled {
    struct deadline deadline; /* Its next slot. */
    int32_t ns;
    str key;        /* The key of the record. */
    str definition; /* The qualified name of its definition. */
    str definition_id, trigger, zone;
    struct schedule schedule;
    bool fires_missed;
    int64_t stored_mark_ms;  /* As the record has it. */
    int64_t mark_ms;         /* Later than that, if slots were missed and are not made up for. */
    int64_t slot_ms;         /* The slot that fires in the running turn. */
    unsigned failures;       /* How often it has failed alone since it last fired. */
    bool has_no_room;        /* In the running turn it could not fire. */
    struct scheduled *next;  /* The next one without room. */
    int64_t missed_after_ms; /* Slots behind this were dropped … */
    int64_t missed_until_ms; /* … up to this, and the log of arrivals does not tell yet; 0: none. */
    int64_t told_mark_ms;    /* The mark that was stored with the word of them, in the running turn. */
    struct scheduled *next_missed;
    struct scheduled *sibling; /* Another trigger of the definition. */
};

/* How many schedules a tenant has. */
struct scheduled_tenant {
    size_t count;
};

struct schedules {
    struct deadlines due;
    struct text_map of_definition; /* The first struct scheduled of each. */
    size_t count;
    struct map of_tenant;     /* struct scheduled_tenant */
    struct scheduled *missed; /* Schedules that have dropped slots. */
    bool stale; /* Records could not be read, or another node has fired so far: they are read again. */
};

/* How many schedules of the tenant, and of one of its definitions, there are. */
size_t schedules_count(const struct schedules *schedules, int32_t ns);
size_t schedules_count_of(const struct schedules *schedules, str definition);

void schedules_init(struct schedules *schedules);
void schedules_done(struct schedules *schedules);

/* The key of a record: the definition's qualified name, NUL, the trigger's id. Without a trigger it is the
 * prefix of all. The records of all tenants are in the default namespace. */
str schedule_key(str definition, const str *trigger, struct arena *arena);

str schedule_record_encode(const struct schedule_record *record, struct arena *arena);
/* False: the bytes are damaged. Texts are borrowed from them. */
bool schedule_record_decode(str bytes, struct schedule_record *ret_record);

/* Arms all that the store has, when the engine starts. */
enum status schedules_load(struct schedules *schedules, struct store *store, int64_t now_ms,
                           struct error *err);
/* Arms what the store has of a definition, by its qualified name, in the place of what memory has. */
enum status schedules_load_definition(struct schedules *schedules, struct store *store, str definition,
                                      struct error *err);

/* The same for all, if they are stale. */
enum status schedules_load_again(struct schedules *schedules, struct store *store, struct error *err);

/* Sets the next slot by the mark. */
void schedules_arm(struct schedules *schedules, struct scheduled *scheduled);

/* Takes out of the heap what is due, or returns NULL. */
struct scheduled *schedules_take_due(struct schedules *schedules, int64_t now_ms);

/* The slot that fires of those that are due; false: none. Slots up to `missed_ms` were missed: the newest one
 * that is due stands for all of them or, if the schedule does not fire missed slots, they are dropped. Then
 * the mark goes behind them, the log of arrivals is to tell of them, and only a slot in time fires. */
bool schedules_choose_slot(struct schedules *schedules, struct scheduled *scheduled, int64_t now_ms,
                           int64_t missed_ms, int64_t *ret_slot_ms);

/* Takes one that has dropped slots, or returns NULL. */
struct scheduled *schedules_take_missed(struct schedules *schedules);
/* The same for a certain one. */
void schedules_forget_missed(struct schedules *schedules, const struct scheduled *scheduled);
/* Puts it back, because the log could not tell. */
void schedules_keep_missed(struct schedules *schedules, struct scheduled *scheduled);

/* The schedule of a trigger of the definition, by its qualified name; NULL: it has none. */
const struct scheduled *schedules_find(const struct schedules *schedules, str definition, str trigger);

#endif
