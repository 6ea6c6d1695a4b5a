/* runtime/units_int.h — a unit that waits, for the files of units. */
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

/* A call that has joined the unit and waits for instances of it. */
struct unit_join {
    struct call *call;
    struct unit_join *next;
    size_t count;
    uint64_t instance[];
};

struct unit {
    struct call *call;
    struct unit_join *join;
    struct unit_anchor anchor;
    enum unit_cause cause;
    uint64_t cause_instance;
    uint32_t cause_number;
    struct deadline deadline;
    struct unit_member *member;
    size_t member_count, member_cap;
    size_t bytes;
    struct unit *before, *after;
    bool is_late;       /* Its time is up. */
    unit_grow_fn *grow; /* As that of struct staged_unit. */
};

static inline str unit_text(struct unit_text text) { return (str){ text.p, text.n }; }

struct unit_member *unit_find_member(const struct unit *unit, uint64_t instance);
enum status unit_decode(struct turn *turn, const struct unit_member *member,
                        const struct instance **ret_instance, struct definition **ret_definition,
                        struct error *err);

/* ---- units_stage.c ---- */

/* A unit of this turn; `unit` is NULL if it is new. */
struct staged_unit *unit_stage(struct turn *turn, struct unit *unit);
/* Nothing comes of the unit. */
void unit_drop(struct staged_unit *staged, const struct error *why);
/* ST_OVERLOAD: as many wait as may. */
enum status unit_check_room(const struct turn *turn, struct error *err);
/* The last transition of the instance in this turn, or NULL. */
struct transition *unit_last_of(const struct staged_unit *staged, uint64_t instance);
/* The unit that has the instance and that this turn has touched; NULL: none. */
struct staged_unit *unit_staged_with(const struct turn *turn, uint64_t instance);
/* A unit that waits and has not been dropped or written in this turn. */
struct unit *unit_waiting_with(const struct turn *turn, uint64_t instance);
/* The unit whose anchor is that job; NULL: there is none. Number 0: whichever it is. */
struct staged_unit *unit_anchored(struct turn *turn, uint64_t instance, uint32_t number);
/* The end of what a call has joined with, good or bad. */
void unit_leave(struct turn *turn);
void unit_unjoin(struct turn *turn);

/* ---- units_runs.c ---- */

bool unit_is_running(const struct instance *instance);
/* The call waits for what was written and still runs. False: it need not. */
bool unit_begin_run(struct turn *turn, struct call *call, const uint64_t *instance, size_t count);
/* Another transition has taken the place of the one that the run waited for. */
void unit_supersede_run(struct turn *turn, uint64_t instance);
enum status unit_fail_superseded(struct error *err);
/* Answers the calls. The runs stay. */
void unit_release_runs(struct turn *turn, enum status status, const struct error *why);
void unit_free_runs(struct units *units);

/* ---- units_calls.c ---- */

/* A unit or a run has the call: nobody else answers it. */
void unit_hold_call(struct units *units, struct call *call);
/* A call that a unit had is over. */
void unit_answer_call(struct turn *turn, struct call *call, enum status status, const struct error *why);

/* Takes the calls of this turn, and answers those that wait for nothing any more. */
void unit_keep_joins(struct turn *turn, struct unit *unit, const struct staged_unit *staged);
/* Answers all of them. */
void unit_end_joins(struct turn *turn, struct unit *unit, enum status status, const struct error *why);

#endif
