/* runtime/access/access.h — the door to principals, and to records about them.
 *
 * The store has the records (store/store.h, RECORD_USER and below), src/access knows their members, and the
 * directory remembers principals for the threads that ask (access/directory/). This room stands between the
 * three: it resolves a credential from records, changes records in the turn's transaction, and tells the
 * directory what has committed.
 */
#ifndef RUNTIME_ACCESS_ACCESS_H
#define RUNTIME_ACCESS_ACCESS_H

#include "access/directory/directory.h"
#include "base/map.h"
#include "runtime/call/call.h"

struct audit_chain;
struct audit_row;
struct engine;
struct query;
struct quota_measure;
struct tenant_usage;
struct touched;
struct turn;

/* Memory that lasts from one turn to the next. */
struct access {
    struct directory *directory;     /* Borrowed; NULL: nobody is told. */
    struct touched *touched;         /* For the query thread, too; NULL: nobody notes when keys are used. */
    struct map chains;               /* struct audit_chain by tenant: the audit's chains of this node … */
    int64_t node;                    /* … which had this number. */
    struct audit_chain *first_moved; /* The running transaction has rows for these. */
    int64_t next_heads_ms;           /* The next time that the heads of these chains are written. */
    int64_t next_purge_ms;           /* The next purge of the audit … */
    int32_t purged_tenant;           /* … goes on behind this tenant; 0: from the first. */
    uint64_t seen_generation;        /* All changes up to this one have been told to the directory … */
    uint64_t tenants_generation;     /* … and this was the newest one of tenants. */
    _Atomic bool is_told;            /* Another node has changed something: another thread has heard it. */
    uint64_t seen_ended;             /* So many ended sessions have been told to the directory. */
    struct store_reader *reader;     /* For numbers of tenants; NULL: nobody has needed any. */
    struct quota_measure *measure;   /* The measure of a tenant's bytes that runs; NULL: none. */
};

/* The changes of a transaction, for the directory to hear when it has committed. In the turn's arena. */
struct access_news {
    uint64_t generation;       /* 0: principals stay as they are. */
    uint64_t first_generation; /* The first one of the transaction. */
    bool has_users, has_issuers;
    uint64_t ended_before, ended; /* How many sessions had ended before the transaction, and after it. */
    struct ended_session {
        struct credential_hash hash;
        struct ended_session *next;
    } * first_ended;
    struct access_tenant_news {
        struct tenant tenant;
        bool is_gone;
        struct access_tenant_news *next;
    } * first_tenant;
};

/* ---- access_state.c: the directory follows the store ---- */

/* Tells the directory which generation the store has, whether there are users and issuers, and the tenants
 * that trusted networks and certificates name. */
enum status access_state_open(struct engine *engine, struct directory *directory, struct error *err);
/* On a store that nodes share: the same, if another node has changed something. Tenants that the directory
 * knows are read again. */
enum status access_state_look(struct engine *engine, struct error *err);
/* The transaction is over: the directory hears of it. */
void access_state_end(struct turn *turn, bool committed);

void access_state_close(struct engine *engine);

/* ---- quotas.c: quotas of tenants, and how much of them is used ---- */

/* For usage_init(); the context is the engine. */
enum status quotas_read(void *context, struct tenant_usage *usage, struct error *err);
/* Measures the bytes of a tenant, a little at a time. Between turns. */
enum status quotas_measure(struct engine *engine, bool *ret_more, struct error *err);
/* Adds to tenants that are listed how much they use. */
void quotas_show(struct turn *turn, struct call *call);

/* ---- touched.c: when keys and sessions were last used ---- */

/* Writes what the query thread has noted, in a transaction of its own. Between turns. */
enum status touched_write(struct engine *engine, struct error *err);

/* ---- access_removal.c: a tenant that goes with everything it has ---- */

/* The record of a removal says this (RECORD_REMOVAL). */
struct access_removal {
    int32_t ns;
    str name;
    int64_t began_ms;
};

/* The first that is being removed, and the filter of them. */
size_t access_removal_filters(const struct engine *engine, struct arena *arena,
                              struct record_filter *ret_filter);
enum status access_removal_first(struct turn *turn, struct access_removal *ret_removal, bool *ret_there,
                                 struct error *err);
/* Ends sessions that an issuer began for it, among the next `max` behind the place. `*ret_last` is the last
 * one that was looked at; empty: all were. */
enum status access_removal_sessions(struct turn *turn, const struct access_removal *removal, str after,
                                    size_t max, str *ret_last, struct error *err);
/* Removes about `max` of its keys, grants, providers and trusted keys. */
enum status access_removal_rows(struct turn *turn, const struct access_removal *removal, size_t max,
                                size_t *ret_count, struct error *err);
/* Nothing of it is left: others may have its name. */
enum status access_removal_end(struct turn *turn, const struct access_removal *removal, struct error *err);

/* ---- audit_note.c: rows of the audit ---- */

void audit_note_open(struct engine *engine);

/* Adds a row to the transaction of the running call. `row` has the action, the object and the details, which
 * are members of a JSON object, or nothing; the rest is filled in. */
enum status audit_note(struct turn *turn, const struct call *call, struct audit_row *row, struct error *err);
/* Before a commit: appends the rows of the transaction. */
void audit_note_settle(struct turn *turn);
/* The transaction is over. */
void audit_note_end(struct turn *turn, bool committed);
enum status audit_note_call(struct turn *turn, struct call *call, struct error *err);
/* Now and then, and when the engine stops, writes where the chains have come to. Between turns. */
enum status audit_note_maintain(struct engine *engine, struct error *err);

/* ---- audit_calls.c: which commands leave a row ---- */

/* Adds the row of a command that has run, if it leaves one. */
enum status audit_calls_note(struct turn *turn, const struct call *call, struct error *err);
/* False: somebody has added a command and not decided. */
bool audit_calls_decided(enum call_kind kind);

/* ---- audit_purge.c ---- */

/* Removes blocks, and rows of older stores, older than `kept_ms` (0: none), in the open transaction. */
enum status audit_purge(struct engine *engine, int64_t kept_ms, size_t max, size_t *ret_count,
                        struct error *err);

/* ---- audit_read.c, audit_verify.c, on the query thread ---- */

enum status audit_read_list(struct query *query, struct call *call, bool *ret_more, struct error *err);
enum status audit_verify_call(struct query *query, struct call *call, bool *ret_more, struct error *err);

/* ---- resolve.c, on the query thread ---- */

enum status resolve_call(struct query *query, struct call *call, struct error *err);

/* ---- recipients.c, on the query thread ---- */

enum status recipients_call(struct query *query, struct call *call, struct error *err);

/* ---- listing.c, on the query thread ---- */

enum status listing_call(struct query *query, struct call *call, struct error *err);

/* ---- change_access.c ---- */

enum status change_access_call(struct turn *turn, struct call *call, struct error *err);

#endif
