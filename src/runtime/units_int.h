/* runtime/units_int.h — a unit that waits, for units.c and units_wait.c. */
#ifndef RUNTIME_UNITS_INT_H
#define RUNTIME_UNITS_INT_H

#include "runtime/engine_int.h"
#include "runtime/units.h"

struct unit_text {
    char *p;
    size_t n;
};

struct unit_member {
    uint64_t instance;
    int64_t definition;
    uint32_t base; /* The revision that the store has; 0: the instance is not there. */
    bool holds;
    struct unit_text state;
    struct unit_text *history;
    size_t history_count, history_cap;
};

/* A call that waits for instances to come to rest. */
struct unit_run {
    struct call *call;
    size_t open; /* Instances that it still waits for. */
    enum status status;
    struct error error;
};

struct unit {
    struct call *call;
    enum unit_cause cause;
    uint64_t cause_instance;
    uint32_t cause_number;
    struct deadline deadline;
    struct unit_member *member;
    size_t member_count, member_cap;
    size_t bytes;
    struct unit *before, *after;
    bool is_late; /* Its time is up. */
};

static inline str unit_text(struct unit_text text) { return (str){ text.p, text.n }; }

struct unit_member *unit_find_member(const struct unit *unit, uint64_t instance);
enum status unit_decode(struct turn *turn, const struct unit_member *member,
                        const struct instance **ret_instance, struct definition **ret_definition,
                        struct error *err);

/* ---- units.c ---- */

/* A unit of this turn; `unit` is NULL if it is new. */
struct staged_unit *unit_stage(struct turn *turn, struct unit *unit);
/* Nothing comes of the unit. */
void unit_drop(struct staged_unit *staged, const struct error *why);

#endif
