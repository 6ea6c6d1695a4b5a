/* api/submit_int.h — the way of a call to the engine, whoever asks: an HTTP request or a call of gRPC. */
#ifndef API_SUBMIT_INT_H
#define API_SUBMIT_INT_H

#include "api/api_int.h"

/* Gives the call an idempotency key, if it may carry one. `key` may be empty. `hash` is that of the request:
 * a key that comes again with another request is refused. */
enum status submit_key(struct call *call, str key, uint64_t hash, struct error *err);

/* The key as the store has it: keys count per principal. The key "root", and everybody on an engine that asks
 * nobody, have theirs as they come. */
str submit_own_key(const struct caller *caller, str key, struct arena *arena);

/* ST_INVALID if it is too long, or not UTF-8. */
enum status submit_check_key(str key, struct error *err);

/* The same of who acts. It is stored with what was done, and what is no text could not be read again. */
enum status submit_check_actor(str actor, struct error *err);

/* The same of the groups that the person is in: names between commas. */
enum status submit_check_groups(str groups, struct error *err);

/* Tells the call who acts and in which groups the person is: see access/person.c. `actor` is X-Actor (empty:
 * nobody said), `groups` X-Groups. A request that names somebody else in its body is refused. Calls that keep
 * no name stay as they are. */
enum status submit_person(struct call *call, struct caller *caller, str actor, str groups, struct error *err);

/* Whether the call keeps who acts, and asks for the groups of the person. */
bool submit_takes_actor(struct call *call);
bool submit_takes_groups(const struct call *call);

/* May the caller do this with the objects that the call names? ST_FORBIDDEN (access/objects.c). */
enum status objects_check(const struct call *call, struct error *err);

/* Submits the call, if its caller may do this with the objects that it names. `answer_max` bounds the text of
 * its answer. */
enum status submit_call(struct api *api, struct call *call, int64_t answer_max, struct error *err);

/* Call it before an answer is rendered: while clients do not read their answers, other answers are kept
 * short. */
void submit_shorten(const struct api *api, struct call *call);

#endif
