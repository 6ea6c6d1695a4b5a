/* api/entity/entity_int.h — models and entities over HTTP: /api/model and /api/entity. */
#ifndef API_ENTITY_ENTITY_INT_H
#define API_ENTITY_ENTITY_INT_H

#include "api/answer_int.h"
#include "api/request_int.h"
#include "api/route_int.h"

/* A problem document (RFC 9457) whose `properties` have an errorCode that clients read. */
extern const struct error_format entity_errors;
bool entity_error_may_retry(const struct error *err);

/* ---- parameters (params.c) ---- */

/* The name and the version of a model, in the path from parameter `first` on. */
enum status entity_param_model(struct api_request *request, size_t first, str *ret_name, int32_t *ret_version,
                               struct error *err);
/* An id that is no UUID is a bad request. */
enum status entity_param_id(struct api_request *request, size_t which, struct uuid *ret_id,
                            struct error *err);
/* The body as a document, in the format that the first parameter of the path names: JSON or XML. For routes
 * that say so (entity_read_document). */
body_fn entity_read_document;
enum status entity_param_document(struct api_request *request, const struct json **ret_document,
                                  struct error *err);

/* A number in the query; `otherwise` if it is not there. Text that is no number, or one that is not from
 * `least` to `most`, is a bad request. */
enum status entity_param_number(struct api_request *request, str name, int64_t least, int64_t most,
                                int64_t otherwise, int64_t *ret_number, struct error *err);

/* A time in the query (RFC 3339); it stays as it is if it is not there. */
enum status entity_param_time(struct api_request *request, str name, int64_t *ret_ms, struct error *err);
/* The id of a transaction, in lower case; empty if the text is. */
enum status entity_param_transaction(struct api_request *request, str text, str *ret_transaction,
                                     struct error *err);

enum status entity_read_transaction(str text, struct arena *arena, str *ret_transaction, struct error *err);
/* pointInTime. */
enum status entity_param_past(struct api_request *request, bool *ret_is_past, int64_t *ret_at_ms,
                              struct error *err);
/* How the request sees an entity: now, at a pointInTime, after a transactionId, or as a transaction does. */
enum status entity_param_moment(struct api_request *request, struct call_entity *asked, struct error *err);
/* Only one of them may be asked for. */
enum status entity_check_moment(const struct call_entity *asked, bool has_time, struct error *err);
enum status entity_check_now(str token, bool is_past, struct error *err);

/* The token of the transaction that the request joins; empty: none. */
str entity_token_of(const struct api_request *request);

/* A transaction's id, in the arena. */
str entity_transaction(struct arena *arena);

/* ---- parts of answers (params.c) ---- */

void entity_put_uuid(struct buf *out, struct uuid id);
/* ,"warnings":[…] of calculation nodes, if there are any. */
void entity_put_warnings(struct buf *out, const struct call_entities *asked);
/* The ids of new entities that a call has left although it failed; nothing if there are none. */
void entity_put_left(struct buf *out, const struct call_entities *asked);

/* ---- handlers ---- */

/* models.c */
route_fn entity_model_import, entity_model_list, entity_model_lock, entity_model_unlock, entity_model_remove,
    entity_model_level, entity_model_validate, entity_model_export, entity_model_get;

/* workflows.c */
route_fn entity_workflows_import, entity_workflows_export;

/* indexes.c */
route_fn entity_indexes_set, entity_indexes_get, entity_keys_set, entity_keys_get;
/* As they are declared: [{"id", "fields"}]. */
void entity_put_unique_keys(struct buf *out, const struct indexes *indexes);

/* entities.c */
route_fn entity_create, entity_update, entity_patch, entity_fire, entity_patch_fire, entity_remove;

/* unknown.c */
/* Is the path the prefix, or below it? */
bool entity_is_below(str path, str prefix);
/* The surface of a path under /api that no route has; NULL: it is not under /api. */
const struct surface *entity_surface_of(str path);
/* The refusal of such a path, or of a method that its path does not have: an answer. */
void entity_refuse_unknown(struct api_request *request);

/* help.c */
route_fn entity_help, entity_help_topic, entity_health;
extern const struct error_format entity_health_errors; /* {"status":"DOWN"}, whatever is wrong. */

/* stats.c */
route_fn entity_stats_all, entity_stats_states_all, entity_stats, entity_stats_states, entity_remove_all;

/* groups.c */
route_fn entity_groups_query;

/* audit.c */
route_fn entity_audit_list, entity_audit_finish;

/* search.c */
route_fn entity_search_direct, entity_search_leaf, entity_search_begin, entity_search_status,
    entity_search_page, entity_search_cancel;
/* The search of this id. Ids are those that a search was answered with; another text is nobody's. */
struct call_search_job entity_search_job(str given, struct arena *arena);
/* A condition that holds for every entity. */
const struct json *entity_condition_any(struct arena *arena);

/* models.c: its UUID. */
void entity_put_model_id(struct buf *out, str name, int32_t version, struct arena *arena);

/* reads.c */
/* An entity: its document, and its meta; and the same with another word for its type. */
void entity_put(struct buf *out, const struct entity_view *view);
void entity_put_as(struct buf *out, const char *type, const struct entity_view *view);
/* Puts `,"executedBy":{…}`, if it is known. */
void entity_put_executor(struct buf *out, const struct entity_attribution *by);
void entity_put_change(struct buf *out, const struct entity_change *change);
route_fn entity_get, entity_list, entity_changes, entity_transition_names, entity_fetch_transitions;

/* collections.c */
route_fn entity_create_mixed, entity_update_list;
/* A list of documents. `item` is what they have in common: the model, perhaps a transition. */
enum status entity_create_list(struct api_request *request, const struct entity_item *item,
                               const struct json *list, struct error *err);

/* Writes the calculation nodes that are connected (members.c): an object. */
void entity_put_members(struct buf *out, const struct api_request *request, struct arena *arena);

#endif
