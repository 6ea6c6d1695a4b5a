/* runtime/query.h — reads that the engine's thread should not be bothered with.
 *
 * A query has its own connection to the store and its own catalogue. It sees everything that
 * was acknowledged before it was asked, because acknowledging comes after committing.
 */
#ifndef RUNTIME_QUERY_H
#define RUNTIME_QUERY_H

#include "base/budget.h"
#include "base/clock.h"
#include "base/limits.h"
#include "runtime/call.h"
#include "runtime/catalogue.h"
#include "runtime/facts.h"

struct query {
    struct budget *answers; /* The bytes of answers that clients have not read; NULL: nobody counts. */
    struct store_reader *reader;
    struct catalogue catalogue;
    struct facts_cache facts;
    struct limits limits;
    struct clock clock;  /* Without a function: the time is not known. */
    struct vault *vault; /* NULL: there is none. */
    size_t
        long_reads[CALL_KIND_COUNT]; /* Those that are under way and have not answered in their first part. */
};

enum status query_open(struct query *query, struct store *store, const struct limits *limits,
                       struct error *err);
void query_close(struct query *query);

/* Breaks off what is being read, and whatever is read later. From any thread, before query_close(). */
void query_leave(struct query *query);

/* Answers a call. True if it must go on to the engine: a definition that compiled, a bulk whose instances
 * were found. */
bool query_call(struct query *query, struct call *call);

/* The same, a part at a time. Looking through very many instances takes long, and others wait for their turn.
 */
enum query_progress {
    QUERY_ANSWERED,
    QUERY_FOR_ENGINE,
    QUERY_AGAIN, /* There is more to do. */
};
enum query_progress query_part(struct query *query, struct call *call);

/* ---- instance_reads.c ---- */

/* The row of an instance by its public id. ST_NOT_FOUND. */
enum status instance_reads_find(struct query *query, struct id id, struct arena *arena,
                                struct instance_row *ret_row, struct error *err);
/* A row as a view, in the arena. A missing definition or a damaged state does not hold up a list: such
 * instances show less. Memory that is needed only meanwhile comes from `scratch`. */
void instance_reads_row(struct query *query, const struct instance_row *row, bool with_data,
                        struct arena *scratch, struct arena *arena, struct instance_view *ret_view);
/* Fills in the view of one instance as the answer (answer_instances). */
enum status instance_reads_show(struct query *query, struct call *call, struct id id, bool with_children,
                                struct error *err);

/* ---- operate_list.c ---- */

/* Counts a run to the group of what holds it. */
void operate_groups_add(struct answer_runs *answer, const struct operate_run *run,
                        const struct instance *instance, struct arena *scratch, struct arena *arena);

/* Puts groups that need somebody first (failed runs, then tasks of people); within a status the largest group
 * comes first. */
void operate_groups_sort(struct answer_runs *answer);

/* LIST_RUNS: looks at some more instances; true while there are more to look at. */
enum status operate_list_call(struct query *query, struct call *call, bool *ret_more, struct error *err);
/* A row as a run, in the arena. Memory that is needed only meanwhile comes from `scratch`. `ret_instance`
 * (may be NULL) gets the state, in `scratch`, or NULL if it cannot be read. */
void operate_list_run(struct query *query, const struct instance_row *row, struct arena *scratch,
                      struct arena *arena, const struct instance **ret_instance, struct operate_run *ret_run);

/* OVERVIEW: the part that the store knows. */
enum status operate_list_overview(struct query *query, struct call *call, struct error *err);

/* ---- operate_run.c ---- */

/* GET_RUN, LIST_VISITS, GET_VISIT. */
enum status operate_run_get(struct query *query, struct call *call, struct error *err);
enum status operate_run_visits(struct query *query, struct call *call, struct error *err);
enum status operate_run_visit(struct query *query, struct call *call, struct error *err);

/* ---- secrets.c ---- */

enum status secrets_list(struct query *query, struct call *call, struct error *err);

/* ---- bulk_find.c ---- */

/* BULK, REASONS: looks at some more instances; true while there are more to look at. */
enum status bulk_find(struct query *query, struct call *call, bool *ret_more, struct error *err);
/* GET_BULK, LIST_BULKS, BULK_RESULTS. */
enum status bulk_get(struct query *query, struct call *call, struct error *err);
enum status bulk_list(struct query *query, struct call *call, struct error *err);
enum status bulk_results(struct query *query, struct call *call, struct error *err);

/* ---- entity_reads.c ---- */

/* GET_ENTITY. */
enum status entity_get_call(struct query *query, struct call *call, struct error *err);
/* LIST_ENTITIES: a part of the answer; true while there is more. */
enum status entity_list_call(struct query *query, struct call *call, bool *ret_more, struct error *err);

/* ---- entity_past.c ---- */

/* GET_ENTITY of the past, LIST_CHANGES: likewise. */
enum status entity_past_call(struct query *query, struct call *call, bool *ret_more, struct error *err);
enum status entity_changes_call(struct query *query, struct call *call, bool *ret_more, struct error *err);

/* ---- entity_audit.c ---- */

/* LIST_AUDIT: likewise. */
enum status entity_audit_call(struct query *query, struct call *call, bool *ret_more, struct error *err);

/* ---- entity_counts.c ---- */

/* COUNT_ENTITIES: likewise. */
enum status entity_counts_call(struct query *query, struct call *call, bool *ret_more, struct error *err);
/* Does the call ask for entities in this state? */
bool entity_count_is_asked(const struct call_counts *asked, str state);

/* ---- entity_groups.c ---- */

/* GROUP_ENTITIES: likewise. */
enum status entity_groups_call(struct query *query, struct call *call, bool *ret_more, struct error *err);

/* ---- entity_survey.c ---- */

/* LIST_ENTITIES and COUNT_ENTITIES of the past: likewise. */
enum status entity_survey_list(struct query *query, struct call *call, bool *ret_more, struct error *err);
enum status entity_survey_count(struct query *query, struct call *call, bool *ret_more, struct error *err);

/* ---- entity_reads.c, for the others ---- */

/* ST_NOT_FOUND with the code ENTITY_NOT_FOUND. */
/* A page has more bytes than an answer may have. */
enum status entity_fail_page(size_t count, size_t bytes, struct error *err);
/* The row of an entity, living or deleted. */
enum status entity_find_row(struct query *query, const struct call *call, struct uuid id, struct arena *arena,
                            struct instance_row *ret_row, struct definition **ret_definition,
                            struct error *err);
/* A view that knows the entity's id and its model, and nothing else yet. */
void entity_view_head(struct uuid id, const struct definition *definition, struct arena *arena,
                      struct entity_view *ret_view);
/* A view of a living entity, in the call's arena; false if it is deleted meanwhile, or damaged. */
bool entity_view_listed(struct query *query, const struct call *call, uint64_t instance,
                        struct entity_view *ret_view, size_t *ret_bytes);

/* ---- worklist.c ---- */

/* WORKLIST, GET_TASK. */
enum status worklist_list(struct query *query, struct call *call, struct error *err);
enum status worklist_get_task(struct query *query, struct call *call, struct error *err);

#endif
