/* runtime/transact/backlog.h — work that goes on in later turns.
 *
 * Some work does not fit into one turn, or cannot be done yet. Each kind of it has a backlog, which tells
 * when to go on and where. The rows that wait are in the store, so memory holds nothing that a restart loses.
 *
 *     due ──► a turn does some rows ──► more rows: due
 *      ▲               │
 *      │               ├──► all were looked at, some could not be done: left ──► maintenance ──► due
 *      │               └──► the transaction failed: held for a second, then due again
 *      └── something has happened that makes rows possible
 *
 * Rules for all kinds:
 *  (1) The place of the round moves when the transaction has committed, so a failed one skips nothing.
 *  (2) A row that the store cannot read fails the transaction that reads it. The engine blames the row: the
 *      next transaction ends before it, and the one after has it alone. If that fails, too, the round goes on
 *      behind it. The row stays in the store.
 *  (3) A conflict with another node halves the rows of the next turn; each commit doubles them again.
 *
 * runtime/backlogs.c has the table of all kinds. Ticks and routings use only the hold and the table, because
 * memory has their rows. Bulks, indexes, searches, removals of tenants and deletions do not use
 * backlog_run(), because a turn does a part of one row. A removal of entities is no backlog: it is a call,
 * which keeps its own place and ends with it.
 */
#ifndef RUNTIME_TRANSACT_BACKLOG_H
#define RUNTIME_TRANSACT_BACKLOG_H

#include "base/buf.h"
#include "program/performer.h"

struct engine;
struct error;
struct turn;

/* clang-format off */
#define BACKLOG_MAP(XX)                                                               \
    /* name       rounds          its rows                                         */ \
    XX(PENDING,   PRIORITY_COUNT, "chained starts; each priority has a round")        \
    XX(CHILDREN,  1,              "jobs of children that were put off")               \
    XX(OVERFLOW,  1,              "queues of arrivals that wait for a place")         \
    XX(HELD,      1,              "instances that a pause holds")                     \
    XX(TRANSIENT, 1,              "instances that end because the engine restarted")  \
    XX(BULK,      1,              "bulks")                                            \
    XX(INDEX,     1,              "models whose indexes are built or dropped")        \
    XX(SEARCH,    1,              "searches beside others")                           \
    XX(TICK,      1,              "slots of schedules")                               \
    XX(ROUTING,   1,              "events on a long way")                             \
    XX(REMOVAL,   1,              "tenants that go with everything they have")        \
    XX(EARLY,     1,              "events and arrivals that are kept for a key")      \
    XX(DELETION,  1,              "definitions that go with their ended runs")           \
    XX(LOCK,      1,              "locks that somebody has asked for, or has given up")
/* clang-format on */

enum backlog_name {
#define XX(NAME, rounds, rows) BACKLOG_##NAME, BACKLOG_##NAME##_LAST = BACKLOG_##NAME + (rounds)-1,
    BACKLOG_MAP(XX)
#undef XX
        BACKLOG_COUNT
};

struct backlog {
    bool due;          /* The next turn looks at it. */
    bool left;         /* Some rows could not be done; maintenance makes them due again. */
    bool took_part;    /* The transaction that runs has looked at it … */
    bool did;          /* … and found something to do. */
    int64_t hold_ms;   /* After a failed transaction it does not go on before. */
    size_t slice, max; /* The most rows of a turn: after a conflict (0: max), and otherwise. */
    size_t blocked;    /* How many rows one after the other could not be done. */
    struct buf after;  /* The round has passed all rows up to this place; empty: it begins anew. */
    struct buf next;   /* The same when the transaction that runs has committed. */
    struct buf blamed; /* The key of the row that could not be read; empty: none. */
};

/* ---- all kinds ---- */

void backlog_init(struct backlog *backlog);
void backlog_done(struct backlog *backlog);

/* Makes these rounds due. */
void backlog_wake(struct engine *engine, enum backlog_name first, enum backlog_name last);

/* The turn looks at the backlog. Returns how many rows it may do. */
size_t backlog_begin(struct backlog *backlog, size_t max);

/* The round has passed rows up to this place, even if the transaction fails. */
void backlog_pass(struct backlog *backlog, str place);

/* The same, if the transaction commits. */
void backlog_move(struct backlog *backlog, str place);

/* The next turn begins with the first row. */
static inline void backlog_restart(struct backlog *backlog) { backlog->after.n = backlog->next.n = 0; }

/* Nothing of it happens for a second. */
void backlog_hold(struct backlog *backlog, int64_t now_ms);

/* The transaction is over. `waits`: after a conflict maintenance makes it due, because other nodes do the
 * same rows; else it is due at once. */
void backlog_end(const struct turn *turn, struct backlog *backlog, bool waits, bool committed);

/* ---- rows of the store ---- */

struct backlog_row {
    str key;           /* Tells the row from others; empty: `row` calls backlog_take() for each part of it. */
    str place;         /* In the order of the round. */
    uint64_t instance; /* The log names the instance … */
    str name;          /* … or, if it is 0, the definition. */
    const void *of;    /* The user's row. */
};

enum backlog_outcome {
    BACKLOG_DONE, /* The row is gone. */
    BACKLOG_KEPT, /* The row stays, and this round has nothing to do with it. */
    BACKLOG_LEFT, /* It cannot be done yet. */
};

/* Some rows in one turn. */
struct backlog_run {
    struct turn *turn;
    struct backlog *backlog;
    const struct backlog_user *user;
    void *context;
    size_t max, taken;
    str key;       /* The row, or its part, that was taken last. */
    bool has_all;  /* No rows follow those that were read. */
    bool is_alone; /* The row that is blamed was taken. */
    bool stops;    /* The transaction ends here. */
    bool stays;    /* Rows of the run stay in the store. */
    str passed;    /* The place of the last row that was looked at. */
};

/* Reads at most `max` rows behind the place into the turn's arena, and sets `has_all`. */
typedef enum status backlog_read_fn(struct backlog_run *run, str after, size_t max,
                                    struct backlog_row **ret_row, size_t *ret_count, struct error *err);
/* Does one row. Fails only with the transaction. */
typedef enum status backlog_row_fn(struct backlog_run *run, const struct backlog_row *row,
                                   enum backlog_outcome *ret_outcome, struct error *err);

struct backlog_user {
    size_t max;           /* Rows of a turn. */
    size_t blocked_max;   /* After so many rows that cannot be done the round pauses; 0: it never does. */
    bool blames_writes;   /* A row is to blame, too, if the store fails while it is written. */
    bool passes_for_good; /* Maintenance does not try again what was passed. */
    const char *unread;   /* The words of the log for a row that is passed. */
    backlog_read_fn *read;
    backlog_row_fn *row;
};

/* Does rows as long as the turn may. The transaction may be lost afterwards. */
void backlog_run(struct turn *turn, struct backlog *backlog, const struct backlog_user *user, void *context);

/* Takes the next row, or the next part of one. False: the transaction ends before it. */
bool backlog_take(struct backlog_run *run, str key);

/* The part that was taken stays in the store, and the next turn finds it again: it does not count. A turn
 * that ended behind such parts would begin with them for ever. */
void backlog_give_back(struct backlog_run *run);

/* A backlog_read_fn for rows that are index records of instances: reads those of instances below `below`. */
enum status backlog_read_records(struct backlog_run *run, enum record_kind kind, str after, size_t max,
                                 uint64_t below, struct backlog_row **ret_row, size_t *ret_count,
                                 struct error *err);

#endif
