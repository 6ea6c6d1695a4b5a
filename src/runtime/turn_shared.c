/* runtime/turn_shared.c — the steps that a turn takes because nodes share its store.
 *
 *     accept          heartbeat if it is time, look at what dead nodes have left, take up reports that waited
 *     before          claim offered jobs for polls; take fresh numbers for new instances
 *     begin           begin the transaction, and read the instances of all calls together
 *     before_commit   expect that what was read is unchanged; tell the others what changes
 *     after_commit    tell the others that there are offers; heartbeat at once if another node was in the way
 *     after           wake calls that wait for changes of others; offer and claim jobs for polls
 *
 * A turn calls them at these places and does not ask whether there are other nodes.
 */
#include "runtime/runtime_int.h"

#include "base/must.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/transact.h"

/* Turns without requests, which only heartbeat or fire timers, are not measured. */
static void begin_measure(struct turn *turn, const struct call_list *calls)
{
    turn->is_measured = calls->first;
    turn->waited_us = store_waited_us(turn->engine->store);
    if (calls->first && calls->first->submitted_us_)
        metric_observe(&turn->engine->metrics->turn_wait, turn->began_us - calls->first->submitted_us_);
}

static void accept_shared(struct turn *turn, const struct call_list *calls)
{
    begin_measure(turn, calls);
    takeover_go_on(turn->engine);
    lease_news_look(turn);
}

static void before_shared(struct turn *turn)
{
    /* Jobs for polls came from memory, which is not good enough for other calls. */
    transact_forget(turn);
    shared_jobs_begin(turn);
    claim_first(turn);
    transact_renew_numbers(turn);
}

/* Other nodes write, too: each read outside of a transaction would be a transaction of its own. */
static void begin_shared(struct turn *turn)
{
    transact_begin(turn, &(struct error){ 0 });
    prefetch(turn);
}

/* If another node was in the way, our memory may be out of date: a heartbeat shows a new configuration, and
 * that others have fenced us. Nothing of a rolled back attempt holds a definition. */
static void after_commit_shared(struct turn *turn, bool committed)
{
    must(!turn->in_transaction && (committed || !turn->loaded_of.count));
    shared_jobs_end(turn, committed);
    if (!committed && turn->failed == ST_AGAIN) takeover_look(turn->engine);
}

static void after_shared(struct turn *turn)
{
    answers_wake_changed(turn);
    release_send(turn->engine);
    claim_jobs(turn);
    shared_jobs_forget(turn);
}

static void accept_alone(struct turn *turn, const struct call_list *calls) { (void)turn, (void)calls; }

static void after_commit_alone(struct turn *turn, bool committed) { (void)turn, (void)committed; }

static void nothing(struct turn *turn) { (void)turn; }

const struct turn_hooks *turn_hooks_of(const struct store *store)
{
    static const struct turn_hooks alone = { .accept = accept_alone,
                                             .before = nothing,
                                             .begin = nothing,
                                             .before_commit = nothing,
                                             .after_commit = after_commit_alone,
                                             .after = nothing };
    static const struct turn_hooks shared = { .accept = accept_shared,
                                              .before = before_shared,
                                              .begin = begin_shared,
                                              .before_commit = transact_end_shared,
                                              .after_commit = after_commit_shared,
                                              .after = after_shared };
    return store_is_shared(store) ? &shared : &alone;
}
