/* runtime/arrivals/arrivals_int.h — what the files of this room share. */
#ifndef RUNTIME_ARRIVALS_ARRIVALS_INT_H
#define RUNTIME_ARRIVALS_ARRIVALS_INT_H

#include "runtime/engine.h"
#include "runtime/turn.h"
#include "runtime/arrivals/arrivals.h"

/* ---- trigger_routes.c: triggers of the latest versions ---- */

/* The triggers that the arrival is for; NULL: none. Then `*ret_allow` says for which methods there are some.
 * They live until the trigger routes are cleared. */
enum status trigger_routes_find(struct turn *turn, int32_t ns, const struct call_arrive *asked,
                                const struct trigger_route **ret_first, str *ret_allow, struct error *err);

/* Fills in whether the trigger is paused. */
enum status trigger_routes_find_pause(struct turn *turn, int32_t ns, struct trigger_route *trigger_route,
                                      struct error *err);

/* ---- arrive.c: arrivals ---- */

/* The same for an arrival that no client sent, at one trigger. */
enum status arrive_event(struct turn *turn, int32_t ns, str definition_id, str trigger,
                         const struct arrival_event *event, struct error *err);

/* Routes an arrival of the queue once more; `*ret_waits`: there is still no place. */
enum status arrive_again(struct turn *turn, int32_t ns, const struct queued_arrival *queued, bool *ret_waits,
                         struct error *err);

/* ---- kept.c: arrivals that are kept for an instance with their key ---- */

/* `seen`: keys of the SEEN records that its sender's retries find. `*ret_refusal`: why it is not kept. */
enum status kept_arrival_add(struct turn *turn, int32_t ns, const struct arrival_view *view,
                             const struct arrival_event *event, str given_key,
                             const struct arrival_terms *terms, const struct json *seen, str *ret_refusal,
                             struct error *err);

/* ---- cap.c: how many instances of a definition may live ---- */

enum cap_answer {
    CAP_PLACE,  /* There is a place. */
    CAP_WAIT,   /* There is none, or others wait for one already: the arrival waits. */
    CAP_REJECT, /* The same for an arrival that may not wait. */
    CAP_FULL,   /* As many wait as may. */
};

/* Does an arrival find a place? `latest` is the version whose cap counts. `was_queued`: it has waited for one
 * already. `may_wait`: its sender does not need the instance at once. */
enum status cap_ask(struct turn *turn, int32_t ns, const struct definition *latest, bool was_queued,
                    bool may_wait, enum cap_answer *ret_answer, struct error *err);
/* There is no place: does the arrival wait for one? */
enum status cap_ask_queue(struct turn *turn, int32_t ns, const struct definition *latest, bool was_queued,
                          bool may_wait, enum cap_answer *ret_answer, struct error *err);

/* ---- arrive_auth.c: arrivals ---- */

/* Has the sender of a request proved who it is? */
bool arrive_is_allowed(struct turn *turn, int32_t ns, const struct arrival_terms *terms,
                       const struct arrival_event *event);

/* ---- arrive_log.c: arrivals ---- */

/* The number of the next record. */
uint64_t arrive_log_number(struct turn *turn);
/* Numbers that the engine gives are higher than those that the tenant has: before the first of them. */
enum status arrive_log_meet(struct turn *turn, int32_t ns, struct error *err);

/* Records what became of an arrival, and gives it its number. `transient`: in memory only. */
enum status arrive_log_add(struct turn *turn, int32_t ns, struct arrival_view *view, bool transient,
                           struct error *err);

/* Counts the outcome of an arrival for its tenant, and the arrival at its trigger. `view` lives as long as
 * the turn; NULL: no trigger counts it. */
void arrive_count_outcome(struct turn *turn, int32_t ns, enum arrival_outcome outcome,
                          const struct arrival_view *view);
/* The same with a copy of the arrival as it is now. */
void arrive_count(struct turn *turn, int32_t ns, const struct arrival_view *view);
/* Counts and records what became of an arrival. `transient`: the record is in memory only. */
enum status arrive_record(struct turn *turn, int32_t ns, struct arrival_view *view, bool transient,
                          struct error *err);

#endif
