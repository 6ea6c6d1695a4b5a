/* runtime/arrivals/cap.c — how many instances of a definition may live: does an arrival find a place? */
#include "runtime/arrivals/arrivals_int.h"

#include "base/must.h"
#include "runtime/transact/transact.h"

enum status cap_ask(struct turn *turn, int32_t ns, const struct definition *latest, bool was_queued,
                    bool may_wait, enum cap_answer *ret_answer, struct error *err)
{
    const struct program_rules *rules = latest->program->rules;
    must(rules && ns > 0); /* Only programs with arrivals have a cap. */
    bool place = true, queue = false;
    *ret_answer = CAP_PLACE;
    if (rules->active_max <= 0) return ST_OK;
    /* A start that may not wait does not pass those who do. */
    if (rules->overflow_waits && !was_queued) TRY(overflow_has(turn, ns, latest->id, &queue, err));
    if (!queue) TRY(terms_have_place(turn, ns, latest, &place, err));
    if (!queue && place) return ST_OK;
    return cap_ask_queue(turn, ns, latest, was_queued, may_wait, ret_answer, err);
}

enum status cap_ask_queue(struct turn *turn, int32_t ns, const struct definition *latest, bool was_queued,
                          bool may_wait, enum cap_answer *ret_answer, struct error *err)
{
    const struct program_rules *rules = latest->program->rules;
    bool full = false;
    /* A waiting arrival was told so, and waits on even if a newer version does not let others wait. */
    may_wait = may_wait && (rules->overflow_waits || was_queued);
    if (may_wait && !was_queued) TRY(overflow_is_full(turn, ns, latest->id, &full, err));
    must(!was_queued || !full); /* A waiting arrival has its place in the queue already. */
    *ret_answer = full ? CAP_FULL : may_wait ? CAP_WAIT : CAP_REJECT;
    return ST_OK;
}
