/* runtime/entities/search.h — entities that a condition holds for.
 *
 * A search has a plan: ranges of records whose keys end with an instance. They hold every entity that the
 * condition can hold for, by what the condition says about an indexed field, the state or the id; if it says
 * nothing about these, they are all entities of the model. The condition is evaluated on every one of them.
 *
 *     condition ──► checked against the model ──► plan ──► ids, each once ──► entities ──► those that fit
 *
 * It runs on the query thread, a part at a time, so that others have their turn. The ids of a range are read
 * at one moment as far as SEARCH_PAGE_MAX; each entity counts as it is when it is looked at.
 */
#ifndef RUNTIME_ENTITIES_SEARCH_H
#define RUNTIME_ENTITIES_SEARCH_H

#include "expr/predicate/predicate.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

/* ---- the plan (search_plan.c) ---- */

struct search_plan {
    struct record_filter *range;
    size_t count;
    bool scans; /* They are all entities of the model. */
    str *use;   /* The fields whose indexes it uses, `state` or `id`. */
    size_t use_count;
};

/* Only an index that is READY counts. If several fit, the one with the fewest entities is used. */
enum status search_plan_make(struct store_reader *reader, int32_t ns, const struct indexes *indexes,
                             const struct predicate_part *condition, struct arena *arena,
                             struct search_plan *ret_plan, struct error *err);

/* ---- checks (search_check.c) ---- */

/* Reads a condition and compares it with the model. ST_INVALID with the code BAD_REQUEST, INVALID_CONDITION,
 * INVALID_FIELD_PATH or CONDITION_TYPE_MISMATCH. */
enum status search_check(const struct json *condition, const struct model *model, struct arena *arena,
                         const struct predicate_part **ret_part, const struct expr **ret_expr,
                         struct error *err);

/* ---- a search that runs (search_run.c) ---- */

struct search {
    int32_t ns;
    str definition_id;
    const struct model_schema *schema;
    const struct expr *expr;
    struct search_plan plan;
    size_t budget; /* Entities that may be looked at. */
    size_t range;  /* The one that is being read… */
    str after;     /* … behind this key. */
    bool has_all;  /* The ids of all ranges are there. */
    uint64_t *id;
    size_t id_count, id_cap;
    size_t looked, looked_before; /* How many of these ids, and of the ones before them, were looked at. */
    bool is_past;                 /* Entities as they were… */
    int64_t at_ms;                /* … at this time. */
    uint64_t last;                /* The last instance whose id was read. */
    int64_t spent;                /* Operations that the condition has used so far. */
    struct arena *arena;
};

/* MODEL_NOT_FOUND, or as search_check(). The search lives in the arena. */
enum status search_begin(struct query *query, int32_t ns, str name, int32_t version,
                         const struct json *condition, size_t budget, struct arena *arena,
                         struct search *ret_search, struct error *err);

/* Before it goes on: it is for entities as they were at this time, and no index knows them. */
void search_begin_past(struct search *search, int64_t at_ms);

/* It begins anew and looks at all entities of the model, whatever index there is: it keeps few ids in memory.
 */
void search_begin_scan(struct search *search);

/* An entity for which the condition holds. Everything lives until the function returns. */
struct search_hit {
    uint64_t instance;
    int64_t created_ms;
    const struct json *data;
    const struct json *carried; /* NULL: nothing. */
    size_t bytes;
};
typedef enum status search_hit_fn(void *context, const struct search_hit *hit, struct error *err);

/* Does the condition hold for the entity? Adds what that has cost to `spent`. ST_INVALID with the code
 * INVALID_CONDITION. */
enum status search_fits(struct search *search, const struct search_hit *entity, int64_t now_ms,
                        struct arena *scratch, bool *ret_fits, struct error *err);

/* The same in a turn, which pays for it. */
enum status search_fits_in(struct turn *turn, struct search *search, const struct search_hit *entity,
                           bool *ret_fits, struct error *err);

/* Does a part of it. The part ends after SEARCH_SLICE_MAX entities, or before if they are large or the
 * condition is costly. ST_INVALID with the code SCAN_BUDGET_EXHAUSTED. After ST_STORE it may go on,
 * with the entity that could not be read. */
enum status search_go_on(struct query *query, struct search *search, search_hit_fn *hit, void *context,
                         bool *ret_more, struct error *err);

/* The same in a turn, which pays for it. */
enum status search_go_on_in(struct turn *turn, struct query *query, struct search *search, search_hit_fn *hit,
                            void *context, bool *ret_more, struct error *err);

/* The steps of it: adds ids of the plan, as far as SEARCH_PAGE_MAX; keeps each once, in order; looks at one
 * entity. */
enum status search_read_page(struct query *query, struct search *search, struct arena *scratch,
                             struct error *err);
void search_keep_each_once(struct search *search, struct arena *scratch);
enum status search_look_at(struct query *query, struct search *search, uint64_t id, struct arena *scratch,
                           search_hit_fn *hit, void *context, size_t *bytes, struct error *err);

/* Counts the entities that it would look at, as far as SEARCH_PAGE_MAX. */
enum status search_count(struct query *query, struct search *search, size_t *ret_count, struct error *err);

/* ---- the past (search_past.c) ---- */

/* Adds some ids of instances that were created before that time, behind `last`. */
typedef void search_past_id_fn(struct search *search, uint64_t instance);
enum status search_past_ids(struct query *query, struct search *search, struct arena *scratch,
                            search_past_id_fn *add, bool *ret_more, struct error *err);
/* The entity at that time; false: it did not live then. */
enum status search_past_find(struct query *query, const struct search *search, uint64_t instance,
                             struct arena *scratch, struct search_hit *ret_hit, bool *ret_lived,
                             struct error *err);

/* ---- calls (search_call.c) ---- */

/* SEARCH: does a part of it. */
enum status search_call(struct query *query, struct call *call, bool *ret_more, struct error *err);
/* A page of what it finds (search_page.c): does a part of it. */
enum status search_page_call(struct query *query, struct call *call, bool *ret_more, struct error *err);
/* The end of a search with a token, on the engine's thread: entities that its transaction has changed count
 * as they are there. TRANSACTION_NOT_FOUND. */
enum status search_join(struct turn *turn, struct call *call, struct error *err);

#endif
