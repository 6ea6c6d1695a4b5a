/* runtime/transact/units_int.h — a unit that waits, for the files of units. */
#ifndef RUNTIME_TRANSACT_UNITS_INT_H
#define RUNTIME_TRANSACT_UNITS_INT_H

#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact_int.h"
#include "runtime/transact/units.h"

struct unit_text {
    char *p;
    size_t n;
};

/* A member before another savepoint began to change it. */
struct unit_before {
    struct savepoint by; /* That began. */
    struct savepoint savepoint;
    size_t history_count; /* 0: the unit had not changed it at all. */
    struct unit_text state;
    bool holds;
    struct unit_before *older;
};

struct unit_member {
    uint64_t instance;
    int64_t definition;
    uint32_t base; /* The revision that the store has; 0: the instance is not there. */
    bool holds;
    struct unit_text state;
    struct unit_text *history;
    size_t history_count, history_cap;
    struct savepoint savepoint; /* The savepoint of its last change. */
    struct unit_before *before; /* Newest first. */
};

/* A savepoint that has failed because of something inside it. */
struct failed_savepoint {
    struct savepoint savepoint;
    size_t undone; /* Changes. */
    struct error why;
    struct failed_savepoint *next;
};

struct unit_link {
    struct savepoint self, parent;
};

/* A call that has joined the unit and waits for instances of it. */
struct unit_join {
    struct call *call;
    struct unit_join *next;
    struct savepoint savepoint;
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
    struct failed_savepoint *failed;
    struct unit_link *link; /* The savepoints that have changed something. */
    size_t link_count, link_cap;
    uint64_t *rewound; /* Instances with undone changes, one entry for each time. */
    size_t rewound_count, rewound_cap;
    bool is_late;       /* Its time is up. */
    unit_grow_fn *grow; /* As that of struct staged_unit. */
};

static inline str unit_text(struct unit_text text) { return (str){ text.p, text.n }; }

struct unit_member *unit_find_member(const struct unit *unit, uint64_t instance);
enum status unit_decode(struct turn *turn, const struct unit_member *member,
                        const struct instance **ret_instance, struct definition **ret_definition,
                        struct error *err);

/* ---- units_write.c ---- */

/* Writes what is staged, lets it wait if something of it holds, or drops it. */
enum status unit_write(struct turn *turn, struct staged_unit *staged, struct error *err);

/* ---- units_wait.c ---- */

void unit_free_member(struct unit_member *member);
/* Jobs of a working copy are in the queues as others are, but those that do not hold wait for the commit. */
void unit_offer_jobs(struct turn *turn, int32_t ns, const struct instance *before,
                     const struct instance *after, const struct program *program);
void unit_withdraw_jobs(struct turn *turn, const struct unit_member *member);
/* Jobs that were open before the unit began are open again. */
void unit_restore_jobs(struct turn *turn, const struct unit_member *member);

/* ---- units_savepoint.c ---- */

/* The savepoint of a call that joins by the token of the job with this number. */
void unit_enter_savepoint(struct turn *turn, const struct staged_unit *staged, bool is_savepoint,
                          uint32_t number, struct staged_join *join);
/* Says which savepoint a transition belongs to. */
void unit_label(struct turn *turn, const struct staged_unit *staged, const struct command *command,
                struct transition *transition);
/* ST_CONFLICT: another savepoint is changing the instance. */
enum status unit_check_owner(struct turn *turn, const struct staged_unit *staged, uint64_t instance,
                             struct error *err);
/* The step of the instance fails. True: it belongs to a savepoint, which fails with it. */
bool unit_fail_inside(struct turn *turn, struct staged_unit *staged, uint64_t instance,
                      const struct command *command, const struct error *why);
/* How often changes of the instance were undone in the unit that it is in. */
size_t unit_rewinds(const struct units *units, uint64_t instance);

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
