/* runtime/arrivals/arrivals_int.h — what the files of this room share. */
#ifndef RUNTIME_ARRIVALS_ARRIVALS_INT_H
#define RUNTIME_ARRIVALS_ARRIVALS_INT_H

#include "runtime/engine.h"
#include "runtime/turn.h"
#include "runtime/arrivals/arrivals.h"
#include "runtime/arrivals/overflow.h"

/* ---- doors.c: triggers of the latest versions ---- */

/* The triggers that the arrival is for; NULL: none. Then `*ret_allow` says for which methods there are some.
 * They live until the doors are cleared. */
enum status doors_find(struct turn *turn, int32_t ns, const struct call_arrive *asked,
                       const struct door **ret_first, str *ret_allow, struct error *err);

/* Fills in whether the trigger is paused. */
enum status doors_find_pause(struct turn *turn, int32_t ns, struct door *door, struct error *err);

/* ---- arrive.c: arrivals ---- */

/* The same for an arrival that no client sent, at one trigger. */
enum status arrive_event(struct turn *turn, int32_t ns, str definition_id, str trigger,
                         const struct arrival_event *event, struct error *err);

/* Routes an arrival of the queue once more; `*ret_waits`: there is still no place. */
enum status arrive_again(struct turn *turn, int32_t ns, const struct queued_arrival *queued, bool *ret_waits,
                         struct error *err);

/* Counts and records what became of an arrival. `transient`: the record is in memory only. */
enum status arrive_record(struct turn *turn, int32_t ns, struct arrival_view *view, bool transient,
                          struct error *err);

/* ---- arrive_auth.c: arrivals ---- */

/* Has the sender of a request proved who it is? */
bool arrive_is_allowed(struct turn *turn, const struct arrival_terms *terms,
                       const struct arrival_event *event);

/* ---- arrive_log.c: arrivals ---- */

/* The number of the next record. */
uint64_t arrive_log_number(struct turn *turn);

/* Records what became of an arrival, and gives it its number. `transient`: in memory only. */
enum status arrive_log_add(struct turn *turn, int32_t ns, struct arrival_view *view, bool transient,
                           struct error *err);

/* ---- overflow.c: the queue of arrivals that wait for a place ---- */

/* The arrival waits. Its number is that of its record, which is about to be written. */
enum status overflow_add(struct turn *turn, int32_t ns, const struct arrival_view *view,
                         const struct arrival_event *event, str given_key, const struct arrival_terms *terms,
                         struct error *err);

/* Do as many arrivals of the definition wait as may? */
enum status overflow_is_full(struct turn *turn, int32_t ns, str definition_id, bool *ret_full,
                             struct error *err);

enum status overflow_has(struct turn *turn, int32_t ns, str definition_id, bool *ret_has, struct error *err);
/* The first one behind the key; ST_NOT_FOUND. */
enum status overflow_first(struct turn *turn, int32_t ns, str after, struct queued_arrival *ret_queued,
                           struct error *err);

enum status overflow_remove(struct turn *turn, int32_t ns, const struct queued_arrival *queued,
                            struct error *err);
/* The number that it had when it arrived. */
uint64_t overflow_number_of(const struct queued_arrival *queued);

/* A key behind all those of its definition. */
str overflow_end_of(const struct queued_arrival *queued, struct arena *arena);

#endif
