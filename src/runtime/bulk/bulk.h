/* runtime/bulk/bulk.h — one command for many instances, or many events sent again.
 *
 *     a request ──► query thread: whom does it concern? (bulk_find.c)
 *                      ├── a preview: how many, grouped by reason, with examples
 *                      └─► engine: rows of the request and of the selection, an answer (bulk.c)
 *                             └─► every turn a slice of the selection, in the turn's transaction
 *
 * The instances are chosen once, when the bulk is asked for: instances that begin later are not touched. When
 * its turn comes an instance is looked at again: one that no longer fits is skipped. The result for each of
 * them is written in the transaction that did it, so it happens once, whatever crashes.
 */
#ifndef RUNTIME_BULK_BULK_H
#define RUNTIME_BULK_BULK_H

#include "runtime/call/call.h"
#include "runtime/limits.h"

struct engine;
struct query;
struct turn;

/* The memory of bulks (bulk.c). */
struct bulk {
    int64_t last; /* The one that had the last turn in the round of all. */
    int32_t ns;   /* Its tenant. */
    int64_t
        other; /* The last one of the tenants that have a turn in between; those follow each other, too. */
    bool is_others_turn;
    /* The last instance of a bulk that made a transaction fail; by the number of the bulk. */
    struct bulk_blame {
        int64_t bulk, place; /* How many of the bulk came before it. */
        int failures;
        struct error why;
    } blame[BULK_BLAMES];
};

const char *bulk_action_word(enum bulk_action action);
const char *bulk_state_word(enum bulk_state state);
const char *bulk_outcome_word(enum bulk_outcome outcome);
const char *bulk_verdict_word(enum bulk_verdict verdict);

/* Reads a request's body. Everything is borrowed from it. ST_INVALID and ST_LIMIT name the field. */
enum status bulk_request_read(const struct json *body, struct arena *arena, struct bulk_request *ret_request,
                              struct error *err);

/* An instance, or an event that nobody took, as far as a filter looks at it. */
struct bulk_subject {
    enum instance_status status;
    int64_t created_ms; /* Or received. */
    str definition_id;
    int64_t version;
    str business_key;
    str reason;
    const str *step;
    size_t step_count;
    const struct program *program; /* Has the names that are shown of these steps; NULL: not known. */
    str source, type;
};

/* NULL if it fits, else what does not: "it is ACTIVE", "it failed for another reason". */
const char *bulk_mismatch(const struct bulk_filter *filter, const struct bulk_subject *subject);

/* The source and type of an event, and the rest of an unmatched event. */
struct bulk_subject bulk_subject_of_unmatched(const struct unmatched_row *unmatched,
                                              const struct json *event);

/* A reason with what differs from case to case folded: numbers and ids become #, quoted texts "…". */
str bulk_fold_reason(str reason, struct arena *arena);

/* ---- bulk.c: one command for many instances ---- */

enum status bulk_call(struct turn *turn, struct call *call, struct error *err);
/* CANCEL_BULK, PAUSE_BULK, RESUME_BULK. */
enum status bulk_state_call(struct turn *turn, struct call *call, struct error *err);
/* Does a slice of a bulk, in the turn's transaction; `run` does the command for one instance. */
typedef enum status bulk_run_fn(struct turn *turn, struct call *call, struct error *err);
void bulk_go_on(struct turn *turn, bulk_run_fn *run);
/* The transaction is over. */
void bulk_end(struct turn *turn, bool committed);

/* ---- bulk_find.c ---- */

/* BULK, REASONS: looks at some more instances; true while there are more to look at. */
enum status bulk_find(struct query *query, struct call *call, bool *ret_more, struct error *err);

/* ---- bulk_read.c ---- */

/* GET_BULK, LIST_BULKS, BULK_RESULTS. */
enum status bulk_get(struct query *query, struct call *call, struct error *err);

enum status bulk_list(struct query *query, struct call *call, struct error *err);
enum status bulk_results(struct query *query, struct call *call, struct error *err);

#endif
