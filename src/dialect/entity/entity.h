/* dialect/entity/entity.h — workflows of entities: state machines whose data is an entity's document. */
#ifndef DIALECT_ENTITY_ENTITY_H
#define DIALECT_ENTITY_ENTITY_H

#include "dialect/dialect.h"

extern const struct dialect dialect_entity;

/* The names of what the token of an entity carries: its lifecycle. */
#define ENTITY_ID STR("id")
#define ENTITY_STATE STR("state")
#define ENTITY_WORKFLOW STR("workflow")
#define ENTITY_CREATED STR("creationDate")
#define ENTITY_UPDATED STR("lastUpdateTime")
#define ENTITY_TRANSITION STR("previousTransition")
#define ENTITY_TRANSACTION STR("transactionId")
/* The one on whose account the last write was made: {"type","id","claims"} as calculation nodes get them, and
 * "by": {"type","id"} if somebody else sent it. Null or absent: the engine itself. It stays when a run goes
 * on in a later command. */
#define ENTITY_ORIGINATOR STR("originator")
/* The kind and the name that stand for the engine itself. */
#define ENTITY_SYSTEM STR("system")
#define ENTITY_ENGINE STR("pawl")
/* The transition that the creator of the entity names; the initial state takes it away. */
#define ENTITY_ASKED STR("asked")
/* Answers of functions about the scheduled transitions of the state, by the transition's name: {"due",
 * "expires"}, both times or null, or {"missed"}, the time of one that was over before it could come. */
#define ENTITY_SCHEDULE STR("schedule")
#define ENTITY_DUE STR("due")
#define ENTITY_EXPIRES STR("expires")
#define ENTITY_MISSED STR("missed")
/* The configuration of a task that asks a calculation node has what it asks for as "kind". */
#define ENTITY_ASKS_PROCESSOR "processor"
#define ENTITY_ASKS_CRITERION "criterion"
#define ENTITY_ASKS_FUNCTION "function" /* When a scheduled transition is to be made. */
/* The flag of its configuration that a failure undoes what has joined it, and nothing else. */
#define ENTITY_SAVEPOINT STR("savepoint")

/* The transition that is recorded if a write names none. */
#define ENTITY_LOOPBACK STR("loopback")

/* The members that a condition of this type may have; NULL: there is no such type. The list ends with NULL.
 */
const char *const *entity_condition_fields(str type);

/* ---- sets of workflows ----
 *
 * A document is {"entityName", "modelVersion", "workflows": […]}, as workflows are exported, or one workflow
 * alone. Without entityName and modelVersion it is for version 1 of the model that is called as the first
 * workflow is. It may have members for its deployment:
 *
 *     importMode   how the workflows join those of the model; without it they replace them, and those that
 *                  are not active stay so
 *     sample       data that make the model, if there is none, and that add to it while it is not locked
 *     changeLevel  the model's level from now on
 *     allowCycles  automated transitions may lead in a circle; each workflow has it from then on
 */

/* Is the document one workflow, without a list of them? */
bool entity_is_single(const struct json *document);
/* The list of workflows of a document that compiles. Made in the arena. */
const struct json *entity_workflows(const struct json *document, struct arena *arena);

/* RESTORE has no name: it is REPLACE by a set that was exported, in which workflows may be asleep. */
enum entity_import_mode { ENTITY_MERGE, ENTITY_REPLACE, ENTITY_ACTIVATE, ENTITY_RESTORE };

/* Finds the mode by its name in any case; an empty name is MERGE. */
bool entity_import_mode_parse(str word, enum entity_import_mode *ret_mode);

/* The set of workflows after an import, in the form in which it is stored and exported. `stored` may be NULL.
 * Both are lists of objects; what is wrong with them the compiler finds. The result lives in the arena. */
const struct json *entity_import(const struct json *stored, const struct json *incoming,
                                 enum entity_import_mode mode, struct arena *arena);

/* The workflows, each with allowCycles. */
const struct json *entity_allow_cycles(const struct json *workflows, struct arena *arena);

/* The document of a model's workflows, ready to be compiled and deployed. */
const struct json *entity_document(str name, int32_t version, const struct json *workflows,
                                   struct arena *arena);

/* A model's name has 1 to ENTITY_NAME_BYTES_MAX bytes of UTF-8 without control characters, which separate the
 * parts of keys. */
bool entity_name_is_sound(str name);

/* The model of a definition's id; both live as long as that. */
void entity_model_of(str definition_id, str *ret_name, int32_t *ret_version);

/* The id of the definition that holds the workflows of a model: "order.1". */
str entity_definition_id(str name, int32_t version, struct arena *arena);

/* ---- an entity's token ---- */

/* Does a visit of the node bring the entity to a state, that of the node's title? */
bool entity_arrives(const struct program_node *node);

/* The one token of an entity; NULL: it has none, because it was deleted. */
const struct token *entity_token(const struct instance *instance);
/* A member of what it carries; empty if there is none. */
str entity_mark(const struct instance *instance, str name);

/* The id of the transaction that a command belongs to; empty: it changed nothing that anybody sees. */
str entity_history_transaction(const struct history *history);

/* The one to whom a command is attributed, and the one who carried it out. Kinds are "user", "service" and
 * "system"; empty: an engine without access recorded none. */
struct entity_attribution {
    str user, kind;
    str executor, executor_kind;
};
/* Borrowed from the history. */
struct entity_attribution entity_history_attribution(const struct history *history);

/* The names of the transitions that can be fired now, in order; returns how many there are. */
size_t entity_transitions(const struct program *program, const struct instance *instance, struct arena *arena,
                          str **ret_name);

/* The same of an entity whose token carried that. */
size_t entity_transitions_at(const struct program *program, const struct json *carried, struct arena *arena,
                             str **ret_name);

/* ---- stamp.c: what a command adds to what the token carries ---- */

/* The command of a write. */
struct entity_write {
    str transition; /* Empty: the loopback. */
    str transaction;
    uint64_t created;              /* The instance that it creates, or 0. */
    const struct json *originator; /* ENTITY_ORIGINATOR; NULL: it stays as it is. */
};
const struct json *entity_write_stamp(const struct entity_write *write, int64_t now_ms, struct arena *arena);
/* The delete of an entity. `originator` as in struct entity_write. NULL: there is nothing to add. */
const struct json *entity_delete_stamp(const struct json *originator, struct arena *arena);
/* ENTITY_ORIGINATOR that the entity's token carries; NULL: none. */
const struct json *entity_originator_of(const struct instance *instance);
/* A run goes on in a later command. */
const struct json *entity_time_stamp(int64_t now_ms, struct arena *arena);
/* The same, because a job was answered. One that was committed before begins a transaction of its own. */
const struct json *entity_stamp_answer(const struct program *program, const struct instance *instance,
                                       uint32_t job, int64_t now_ms, struct arena *arena);

/* ---- answer.c: what a task asks a calculation node for, and the answer ---- */

/* The configuration of a job's task; NULL: the job is not open. The questions below take it. */
const struct json *entity_task(const struct program *program, const struct instance *instance, uint32_t job);
/* `kind`: ENTITY_ASKS_… */
bool entity_asks(const struct json *task, str kind);
/* Neither the document nor the failure of the task's processor counts. */
bool entity_task_is_aside(const struct json *task);
bool entity_task_has_savepoint(const struct json *task);

/* The times that a function's answer means, as ENTITY_SCHEDULE has them. ST_INVALID: it is no schedule, and
 * the error's `where` is the name of the error that the task fails with. */
enum status entity_answer_schedule(const struct json *answer, int64_t now_ms, struct arena *arena,
                                   const struct json **ret_schedule, struct error *err);

#endif
