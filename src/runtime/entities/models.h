/* runtime/entities/models.h — models of entities, as the engine keeps them.
 *
 * A model is a record under the id of the definition that holds its workflows (entity_definition_id()). Its
 * revision counts up with every change, so that a change that was prepared elsewhere can tell whether another
 * one came first.
 */
#ifndef RUNTIME_ENTITIES_MODELS_H
#define RUNTIME_ENTITIES_MODELS_H

#include "runtime/call/call.h"

struct call;
struct turn;

/* The key of a model's record. */
str model_key(str name, int32_t version, struct arena *arena);

/* NOT_THERE has the code MODEL_NOT_FOUND in `err`. */
MUST_DECIDE struct found models_find(struct turn *turn, int32_t ns, str name, int32_t version,
                                     struct model *ret_model, struct error *err);
MUST_DECIDE struct found models_read(struct store_reader *reader, int32_t ns, str name, int32_t version,
                                     struct arena *arena, struct model *ret_model, struct error *err);
/* The same without a model: is it there? */
MUST_DECIDE struct found models_exist(struct store_reader *reader, int32_t ns, str name, int32_t version,
                                      struct error *err);
/* A model without its schema and its workflows, for lists: only its name is copied to the arena. False if the
 * bytes are no model. */
bool model_decode_summary(const struct record_row *row, struct arena *scratch, struct arena *arena,
                          struct model *ret_model);

/* The model is locked or unlocked, and the other would be needed. `why` follows its name. */
enum status models_fail_state(const struct model *model, const char *code, const char *why,
                              struct error *err);

/* Writes the model, with the next revision. */
enum status models_save(struct turn *turn, int32_t ns, struct model *model, struct error *err);

/* True if the model has an entity. */
enum status models_have_entities(struct turn *turn, int32_t ns, const struct model *model, bool *ret_have,
                                 struct error *err);

/* CHANGE_MODEL. */
enum status models_call(struct turn *turn, struct call *call, struct error *err);

#endif
