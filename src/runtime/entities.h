/* runtime/entities.h — writes of entities. */
#ifndef RUNTIME_ENTITIES_H
#define RUNTIME_ENTITIES_H

#include "runtime/call.h"

struct definition;
struct model;
struct turn;

/* WRITE_ENTITIES. */
enum status entities_call(struct turn *turn, struct call *call, struct error *err);

/* GET_JOINED: an entity as a transaction sees it. */
enum status entities_get_joined(struct turn *turn, struct call *call, struct error *err);

/* REMOVE_ENTITIES (entity_removal.c). */
enum status entity_removal_call(struct turn *turn, struct call *call, struct error *err);

/* Does the document fit the model? If the model's level lets it, the model grows: *ret_grows. */
enum status entity_check_document(struct turn *turn, struct model *model, const struct json *data,
                                  bool *ret_grows, struct error *err);

/* Checks the entity once more: others may have changed its model since. Makes the model grow, if the document
 * needs that. */
enum status entity_grow_model(struct turn *turn, const struct definition *definition,
                              const struct instance *instance, struct error *err);

/* The value that a scheduled transition puts into what the token carries; NULL: the timer is for something
 * else. */
const struct json *entity_timer_stamp(struct turn *turn, const struct program *program,
                                      const struct instance *instance, uint32_t timer);

/* The value that a run that goes on in a later command puts into what the token carries. */
const struct json *entity_time_stamp(struct turn *turn);
/* The same for the answer to a job. One that was committed before begins a transaction of its own. */
const struct json *entity_answer_stamp(struct turn *turn, const struct program *program,
                                       const struct instance *instance, uint32_t job);

#endif
