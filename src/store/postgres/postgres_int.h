/* store/postgres/postgres_int.h — the inside of the PostgreSQL back end.
 *
 * A postgres_db is one connection with its prepared statements, used by one thread at a time. The writer has
 * one, and every reader has one. Functions that only read take a postgres_db and serve both.
 *
 * All statements go through libpq's pipeline: sending one does not wait for its result. A transaction of the
 * writer that reads nothing is one round trip, whatever it writes: rows are gathered in sets, and each set is
 * one statement with an array for each column.
 *
 *     begin ──► apply … apply ──► commit          (nothing is sent before the first read, or the commit)
 *                 │                  │
 *                 ▼                  ▼
 *              sets gather     sets are sent, then the tally and the mark of the node; one round trip
 *
 * Transactions of the writer that ask the server are SERIALIZABLE. So turns of several nodes have happened
 * one after the other, and what a turn has read from the store was true when it committed. A turn that
 * PostgreSQL cannot put into such an order fails with ST_AGAIN, and nothing of it has happened. Instances
 * that are read by id before anything else are an exception: their revisions are compared instead
 * (store_expect()).
 */
#ifndef STORE_POSTGRES_POSTGRES_INT_H
#define STORE_POSTGRES_POSTGRES_INT_H

#include "base/buf.h"
#include "base/libpq.h"
#include "base/map.h"
#include "store/limits.h"
#include "store/postgres/sql.h"
#include "store/store_int.h"

#include <stdatomic.h>

enum {
    POSTGRES_CHECKSUM_BYTES = 8, /* core_encode() */
    POSTGRES_LOCK_MS = 3000,     /* The server may take a while to notice that an engine was killed. */
    POSTGRES_LOCK_PAUSE_MS = 50,
    POSTGRES_PHASE_ENDED = INSTANCE_COMPLETED * 2, /* Live phases are below it. */
    /* Slots of `tally` that are not phases. Timers are counted for all definitions together, as those of
     * definition 0. */
    POSTGRES_SLOT_TASKS = -1,
    POSTGRES_SLOT_TIMERS = -2,
    POSTGRES_SLOT_LEAST = POSTGRES_SLOT_TIMERS,
};

/* ---- parameters and results (wire.c) ---- */

/* A column of rows that are sent together: PostgreSQL's binary form of an array. */
struct postgres_array {
    struct buf bytes; /* On the heap; kept for the next rows. */
    size_t count;
    bool has_null;
};

/* The parameters of one statement, in order. Bytes and arrays are borrowed until it is sent. */
struct postgres_params {
    int count;
    const char *value[POSTGRES_PARAMS_MAX];
    int length[POSTGRES_PARAMS_MAX];
    char number[POSTGRES_PARAMS_MAX][8];
};

void postgres_add_number(struct postgres_params *params, int64_t value);
void postgres_add_bytes(struct postgres_params *params, str bytes);    /* Empty: no bytes. */
void postgres_add_optional(struct postgres_params *params, str bytes); /* Empty: NULL. */
void postgres_add_null(struct postgres_params *params);
/* `letter`: the array's type, as in POSTGRES_SQL_MAP. */
void postgres_add_array(struct postgres_params *params, struct postgres_array *array, char letter);

void postgres_array_clear(struct postgres_array *array);
void postgres_array_number(struct postgres_array *array, int64_t value);
void postgres_array_bytes(struct postgres_array *array, str bytes);
void postgres_array_null(struct postgres_array *array);
/* The state of an instance, with its checksum in front. A row that is updated shares its end with the row
 * before it in the server's log. There the variables are, which most commands leave as they are. */
void postgres_array_state(struct postgres_array *array, str state);
static inline void postgres_array_optional(struct postgres_array *array, str bytes)
{
    if (bytes.n) postgres_array_bytes(array, bytes);
    else postgres_array_null(array);
}
void postgres_array_done(struct postgres_array *array);

/* Values of a result. Numbers may have 2, 4 or 8 bytes there; a boolean is 0 or 1. NULL is 0, or empty. */
int64_t postgres_number(const PGresult *result, int row, int column);
bool postgres_is_null(const PGresult *result, int row, int column);
/* Copied to the arena. */
str postgres_bytes(const PGresult *result, int row, int column, struct arena *arena);
/* The same of postgres_array_state(): the checksum is at the end again. */
str postgres_state(const PGresult *result, int row, int column, struct arena *arena);
/* Borrowed from the result. */
str postgres_borrowed(const PGresult *result, int row, int column);
static inline uint64_t postgres_id(const PGresult *result, int row, int column)
{
    return (uint64_t)postgres_number(result, row, column);
}

/* ---- a connection (connect.c, pipeline.c) ---- */

enum postgres_role {
    POSTGRES_WRITER, /* Durable. */
    POSTGRES_READER, /* READ COMMITTED, read only. */
    POSTGRES_SIDE,   /* Heartbeats, claims, news: READ COMMITTED, need not be durable, must not take long. */
    POSTGRES_NODE_MESSAGES, /* The same for node messages between nodes, which may be large and have a thread. */
};

struct postgres_db {
    PGconn *conn; /* NULL: there is none. */
    char *conninfo;
    enum postgres_role role;
    bool alone; /* The writer of a store that no other process has open. */
    enum { NOT_PREPARED, PREPARE_SENT, PREPARED } prepared[SQL_COUNT];
    size_t prepare_place[SQL_COUNT]; /* For PREPARE_SENT: the place of its result among all. */
    size_t preparing;                /* How many these are. */
    size_t taken;                    /* Results that were taken… */
    size_t awaited;                  /* … and those that are on their way. */
    bool in_transaction;             /* The server has one open, or will have. */
    bool failed;                     /* A statement has failed: the server skips all up to the next sync. */
    bool hopeless;                   /* `failed` by the server's fault, so the same again will not do. */
    int64_t planned_us;              /* When plans were last made anew. */
    int replans;                     /* How often that was. */
    int64_t refused_us; /* When it was last tried to connect, in vain; 0: not since the last connection. */
    bool held;          /* The transaction stays open, so that all queries show one moment. */
    int64_t node;       /* The node that owns this session, so that others find it; 0 before it has joined. */
    const _Atomic int64_t *node_of; /* Where the next connection finds that; NULL: it stays as it is. */
    int64_t connections;            /* How often it was connected. */
    int64_t waited_us;              /* For results, in all. */
    int64_t patience_ms; /* A server that answers nothing for so long is given up, if we are a node. */
    const _Atomic bool *leaving; /* True: no answer is awaited any more; NULL: all are. */
};

/* Connects, or does nothing if there is a connection. ST_STORE. */
enum status postgres_db_connect(struct postgres_db *db, struct error *err);
void postgres_db_init(struct postgres_db *db, const char *conninfo, enum postgres_role role);
/* ST_CONFLICT: somebody has the store alone. */
enum status postgres_fail_locked(struct error *err);
void postgres_db_done(struct postgres_db *db);
/* Drops the connection with all that was on its way. */
void postgres_disconnect(struct postgres_db *db);

/* Runs SQL that is not kept, outside of a transaction: settings, the schema. */
enum status postgres_exec(struct postgres_db *db, const char *sql, struct error *err);

/* Sends a statement without waiting for its result, which must have no rows that anybody wants. */
enum status postgres_send(struct postgres_db *db, enum postgres_sql sql, const struct postgres_params *params,
                          struct error *err);
/* ST_AGAIN or ST_STORE if a statement of the transaction has failed. */
enum status postgres_verify_transaction(const struct postgres_db *db, struct error *err);
/* Sends a statement and waits for its rows, which the caller gives back with libpq.clear(). Outside of a
 * transaction it is one of its own. Connects if need be. ST_AGAIN or ST_STORE if the transaction has failed
 * before. */
enum status postgres_ask(struct postgres_db *db, enum postgres_sql sql, const struct postgres_params *params,
                         PGresult **ret_result, struct error *err);
/* The same once more if the connection turns out to be lost: what it asks for may then happen twice. */
enum status postgres_ask_again(struct postgres_db *db, enum postgres_sql sql,
                               const struct postgres_params *params, PGresult **ret_result,
                               struct error *err);
/* Waits for all results. */
enum status postgres_sync(struct postgres_db *db, struct error *err);

/* Begins a transaction with that statement. Connects if need be. */
enum status postgres_begin_transaction(struct postgres_db *db, enum postgres_sql sql, struct error *err);
/* A transaction that shows one moment to all queries in it: for readers that ask several times. */
enum status postgres_begin_read(struct postgres_db *db, struct error *err);
/* Ends it, whatever has happened; returns `status`, or the failure of ending it. */
enum status postgres_end_read(struct postgres_db *db, enum status status, struct error *err);

/* Begins one that stays open until the connection is closed. */
enum status postgres_hold_moment(struct postgres_db *db, struct error *err);

/* The status of a failed result: ST_AGAIN if another node was in the way, ST_CONFLICT if a row is there
 * already, ST_FULL if there is no space, else ST_STORE. */
enum status postgres_fail_result(const PGresult *result, struct error *err);
/* The same for a connection that is lost. Drops it. */
enum status postgres_fail_lost(struct postgres_db *db, struct error *err);

/* ---- the schema (schema.c) ---- */

/* The version of the schema, and whether the database has a store at all. */
enum status postgres_schema_version(struct postgres_db *db, int64_t *ret_version, bool *ret_ours,
                                    struct error *err);
/* Creates the schema or brings it to the newest version, under a lock that only one node has at a time. */
enum status postgres_migrate(struct postgres_db *db, const struct store_config *config, struct error *err);

/* ---- the writer ---- */

/* Rows that wait to be sent by one statement. */
struct postgres_set {
    struct postgres_array column[POSTGRES_PARAMS_MAX];
    size_t rows;
};

/* The row of an instance that waits to be sent, and what the store has of it. */
struct postgres_pending {
    struct instance_row row; /* In the transaction's arena. */
    uint32_t stored; /* The revision of the row that the server has, once all that was sent is done. */
    bool waits;      /* The row is not sent yet. */
    bool insert;
    bool steps_only; /* Only what a step changes has changed: INSTANCE_STEP. */
};

/* The change of a count, kept until the commit. */
struct postgres_tally {
    int64_t definition;
    int64_t slot;
    int64_t delta;
};

/* Our news for other nodes, and theirs for us (news.c). */
struct postgres_news {
    struct buf told;    /* In the transaction. */
    int64_t told_turn;  /* The last transaction of ours that has told something. */
    int64_t older_turn; /* News from before this one is removed at the next time. */
    int64_t purged_us;  /* When that was last done. */
    struct postgres_heard {
        int64_t node, turn;
    } * heard; /* By node. */
    size_t heard_count;
    int64_t connections; /* How often the side connection had been made when we last heard. */
};

struct postgres_store {
    struct store base;
    struct postgres_db db;
    struct postgres_db side;
    int64_t node;                     /* Our row in `node`; 0: we have not joined. */
    _Atomic int64_t node_of_sessions; /* The same, for sessions of other threads. */
    int64_t checked;                  /* The connection on which we have looked whether we live. */
    int64_t turn;           /* The number of our last transaction that has committed, or was given up. */
    int64_t marked;         /* The number of our row in `node_turn`: the same, or less than 0 if it was given
                             * up. */
    int64_t generation;     /* The generation of our memory: see store_set_generation(). */
    bool begins_generation; /* The transaction changes some of that. */
    bool locks_first;       /* The next one repeats one that did (commit.c). */
    int64_t claim;          /* How often we have claimed jobs, */
    int64_t lost_claim;     /* and the one whose answer was lost; 0: none. */
    int64_t epoch;          /* How many were lost. */
    struct postgres_news news;
    struct postgres_listener *listener;  /* listen.c; NULL: nobody listens. */
    struct node_messages *node_messages; /* node_messages.c; NULL: they are not open. */
    struct arena scratch;                /* Memory of the transaction. */
    struct postgres_set set[SQL_SET_COUNT];
    uint64_t flushes;     /* How often sets were sent. */
    struct map keys;      /* Keys of rows in the sets, as hashes. */
    struct map instances; /* struct postgres_pending by id: instances that the transaction has changed. */
    struct postgres_pending **waiting; /* Statements that wait to be sent. */
    size_t waiting_count, waiting_cap;
    struct postgres_tally *tally;
    size_t tally_count, tally_cap;
};

static inline struct postgres_store *postgres_self(struct store *store)
{
    return (struct postgres_store *)store;
}

static inline int64_t postgres_phase(const struct instance_row *row)
{
    return store_phase(row->status, row->has_jobs);
}

/* sets.c: a new row of the set, whose columns the caller fills in order. If a row with the same key waits
 * already, all sets are sent first, so that the two happen in order. `key`: what tells the row from others of
 * its table; `table`: the first statement of the map that writes to the table. */
enum status postgres_row(struct postgres_store *store, enum postgres_sql sql, enum postgres_sql table,
                         uint64_t key, struct postgres_set **ret_set, struct error *err);
/* Sends everything that waits. */
enum status postgres_flush(struct postgres_store *store, struct error *err);
void postgres_sets_clear(struct postgres_store *store);
void postgres_sets_done(struct postgres_store *store);
/* The server's transaction, begun if it is not: one that may ask. */
enum status postgres_transaction(struct postgres_store *store, struct error *err);
/* postgres_ask() of the writer: what waits is sent before, so that the query sees it. */
enum status postgres_query(struct postgres_store *store, enum postgres_sql sql,
                           const struct postgres_params *params, PGresult **ret_result, struct error *err);

/* commit.c */
enum status postgres_begin(struct store *store, struct error *err);
enum status postgres_commit(struct store *store, struct error *err);
void postgres_rollback(struct store *store);

/* write.c, instances.c */
enum status postgres_apply(struct store *store, struct changeset *changeset, struct error *err);
enum status postgres_apply_instance(struct postgres_store *store, struct changeset *changeset,
                                    struct error *err);

/* waiting.c */
void postgres_add_waiting(struct postgres_store *store, struct postgres_pending *pending);
/* Puts the rows that wait into their sets. */
void postgres_flush_instances(struct postgres_store *store);
/* The commit adds it to the count. Slots are phases, or POSTGRES_SLOT_…. */
void postgres_tally(struct postgres_store *store, int64_t definition, int64_t slot, int64_t delta);
/* Puts the counts into their set. A reader of `tally` inside of a transaction calls it before. */
void postgres_put_tally(struct postgres_store *store);

/* records.c, bulk.c: the parts of a changeset that are records, failures and bulks. */
enum status postgres_apply_records(struct postgres_store *store, const struct changeset *changeset,
                                   struct error *err);
enum status postgres_apply_bulk(struct postgres_store *store, struct changeset *changeset, struct error *err);

/* ---- rows (rows.c) ---- */

/* Rows of statements that select INSTANCE_COLUMNS, DEFINITION_COLUMNS, TASK_NAMES (sql.h). */
enum status postgres_instance_row(const PGresult *result, int row, bool with_state, struct arena *arena,
                                  struct instance_row *ret_row, struct error *err);
void postgres_definition_row(const PGresult *result, int row, bool with_source, struct arena *arena,
                             struct definition_row *ret_row);
void postgres_task_row(const PGresult *result, int row, struct arena *arena, struct task_row *ret_row);
/* The column `awaited` of a child: 1 awaited, 2 chained. */
static inline int64_t postgres_bond(const struct child_row *row) { return row->awaited | row->chained << 1; }

/* ---- the writer's queries, retention, checks: the functions of store_int.h ---- */

extern const struct reader_ops postgres_reader_ops;

struct postgres_reader {
    struct store_reader base;
    struct postgres_db own;
    struct postgres_db *db; /* Its own, or that of a store that shows one moment. */
};

enum status postgres_reader_open(struct store *store, struct store_reader **ret_reader, struct error *err);

#endif
