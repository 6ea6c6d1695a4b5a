/* runtime/entities/entities.h — the door to models and entities: writes, reads, indexes, searches. */
#ifndef RUNTIME_ENTITIES_ENTITIES_H
#define RUNTIME_ENTITIES_ENTITIES_H

#include "runtime/entities/entity_check.h"
#include "runtime/entities/import.h"
#include "runtime/entities/models.h"
#include "runtime/entities/search.h"
#include "runtime/entities/search_jobs.h"

struct engine;
struct error;
struct instance;
struct query;

#include "runtime/call/call.h"

struct definition;
struct model;
struct turn;

struct entities {
    bool index_finished;            /* A model may have a field that has no work left. */
    struct search_runner *searcher; /* The one that runs; NULL: none has run yet. */
};

/* WRITE_ENTITIES. */
enum status entities_call(struct turn *turn, struct call *call, struct error *err);

/* GET_JOINED: an entity as a transaction sees it. */
enum status entities_get_joined(struct turn *turn, struct call *call, struct error *err);

/* REMOVE_ENTITIES (entity_removal.c). */
enum status entity_removal_call(struct turn *turn, struct call *call, struct error *err);

/* Does the document fit the model? If the model's level lets it, the model grows: *ret_grows. */
enum status entity_fit_document(struct turn *turn, struct model *model, const struct json *data,
                                bool *ret_grows, struct error *err);

/* Checks the entity once more: others may have changed its model since. Makes the model grow, if the document
 * needs that. */
enum status entity_grow_model(struct turn *turn, const struct definition *definition,
                              const struct instance *instance, struct error *err);

/* ---- index_build.c: indexes that are built while entities are there ---- */

void index_go_on(struct turn *turn);
/* A field that has no work left changes its state, in a transaction that does nothing else. */
void index_finish(struct turn *turn);

/* ---- compute.c ---- */

/* A calculation node has completed or failed a job of the instance. */
enum status compute_answer(struct turn *turn, struct call *call, struct definition *definition,
                           const struct instance *instance, struct error *err);

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

/* ---- entity_groups.c ---- */

/* GROUP_ENTITIES: likewise. */
enum status entity_groups_call(struct query *query, struct call *call, bool *ret_more, struct error *err);

/* ---- entity_survey.c ---- */

/* LIST_ENTITIES and COUNT_ENTITIES of the past: likewise. */
enum status entity_survey_list(struct query *query, struct call *call, bool *ret_more, struct error *err);

enum status entity_survey_count(struct query *query, struct call *call, bool *ret_more, struct error *err);

#endif
