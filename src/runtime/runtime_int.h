/* runtime/runtime_int.h — what the files of a turn share: which calls run, and how they are answered. */
#ifndef RUNTIME_RUNTIME_INT_H
#define RUNTIME_RUNTIME_INT_H

#include "runtime/engine.h"
#include "runtime/turn.h"

/* ---- cost.c: which calls are expensive ---- */

/* True if the call must wait in this share for the second part of a turn. */
bool cost_must_wait(struct turn *turn, const struct call *call, struct share_place *ret_place);

/* True if an item of a call must wait for the second part of a turn, and this is the first. */
bool cost_item_must_wait(struct turn *turn, const struct call *item);

/* ---- turn.c: the whole of it ---- */

/* Takes the calls of the list, and answers polls for which there is a job. */
void turn_accept(struct turn *turn, struct call_list *calls);

/* Does all the rest: runs, commits, applies the effects, answers. */
void turn_finish(struct turn *turn);

/* ---- turn_shared.c: the steps of a turn on a store that nodes share ---- */

const struct turn_hooks *turn_hooks_of(const struct store *store);

/* ---- takeover.c: the work of dead nodes, and what others have changed ---- */

/* Heartbeats if it is time, and does what follows from what the others have left. Nobody may hold a
 * definition. */
void takeover_go_on(struct engine *engine);
/* A transaction has failed with ST_AGAIN, or memory must be as new as what others have acknowledged: looks at
 * once whether the configuration has changed, or whether we are fenced. Nobody may hold a definition. */
void takeover_look(struct engine *engine);

/* ---- work_due.c: which timers and calls run ---- */

/* Begins the transaction if there is something for it to do. */
void work_begin(struct turn *turn);

/* Tenants take turns: one call of each, then one of each again, whoever has sent how many. The calls of a
 * tenant keep their order. */
void work_share_out(struct turn *turn);

void work_take_timers(struct turn *turn);
void work_fire_due(struct turn *turn);
void work_run_cheap(struct turn *turn);
void work_run_late(struct turn *turn);
void work_run_left_over(struct turn *turn);
/* Runs the timers and calls of the attempt before once more. */
void work_repeat(struct turn *turn);

void work_fire(struct turn *turn, const struct timer_row *timer);
/* The timer did not fire and has another chance: in the next turn, or soon if its transaction failed. */
void work_put_back(struct turn *turn, const struct timer_row *timer, bool failed);

void work_put_back_unfired(struct turn *turn);
/* True if there is work for another turn right away. */
bool work_waiting(const struct engine *engine);

/* Refuses the calls that wait for a turn. */
void work_refuse_waiting(struct turn *turn, enum status status, const struct error *why);

/* ---- backlogs.c: work that goes on in later turns ---- */

void backlogs_open(struct engine *engine);
void backlogs_close(struct engine *engine);

/* There may be rows of every kind: the engine has started, or another node has died. */
void backlogs_wake(struct engine *engine);

/* The same for those that have rows, by one question; also which jobs wait in the store. Outside of a
 * transaction, of a shared store. */
enum status backlogs_ask(struct engine *engine, int64_t lease_end_ms, struct work_found *ret_found,
                         struct error *err);

/* Rows that could not be done are tried again. */
void backlogs_remind(struct engine *engine);

/* When the first of them goes on; INT64_MAX: nothing waits. */
int64_t backlogs_next_ms(const struct engine *engine);

/* Would a turn go on with it now? */
bool backlogs_may_go_on(const struct engine *engine, enum backlog_name name);

/* Does a part of each. */
void backlogs_go_on(struct turn *turn);

/* The transaction is over. */
void backlogs_end(struct turn *turn, bool committed);

/* ---- secrets.c ---- */

/* Tells the vault of all rows: engine_use_vault(). */
enum status secrets_open(struct engine *engine, struct vault *vault, struct error *err);

enum status secrets_set_call(struct turn *turn, struct call *call, struct error *err);
enum status secrets_remove_call(struct turn *turn, struct call *call, struct error *err);
enum status secrets_rekey_call(struct turn *turn, struct call *call, struct error *err);
/* TEST_CONNECTION: the secret is there. The caller tries it when this has committed. */
enum status secrets_test_call(struct turn *turn, struct call *call, struct error *err);
/* The transaction is over: the vault follows it. */
void secrets_end(struct turn *turn, bool committed);

/* LIST_CONNECTIONS (connections.c), a part of the answer; true while there is more. */
enum status connections_list_call(struct query *query, struct call *call, bool *ret_more, struct error *err);
enum status secrets_list(struct query *query, struct call *call, struct error *err);

/* Removes up to `max` secrets of a tenant that goes. */
enum status secrets_forget(struct turn *turn, int32_t ns, size_t max, size_t *ret_count, struct error *err);

/* ---- removal.c: tenants that go with everything they have ---- */

void removal_go_on(struct turn *turn);

/* Purges these instances, whatever their age and status. No command of this turn has changed them. Instances
 * with a long history may be left for the next time. */
enum status removal_purge(struct turn *turn, const uint64_t *id, size_t count, struct error *err);

/* ---- deletion.c: definitions that go with their ended runs ---- */

/* DELETE_DEFINITION, on the query thread: definitions in use that start this one refuse it. A part of the
 * answer; true while there is more. */
enum status deletion_find_needers(struct query *query, struct call *call, bool *ret_more, struct error *err);
/* The same on the engine's thread: deletes it, or begins to. */
enum status deletion_call(struct turn *turn, struct call *call, struct error *err);

void deletion_go_on(struct turn *turn);
size_t deletion_filters(const struct engine *engine, struct arena *arena, struct record_filter *ret_filter);

/* ---- commands.c: what calls mean ---- */

/* The same as command_call() for a call that no client made: it has no key, and fails as told. */
enum status command_run(struct turn *turn, struct call *call, struct error *err);

/* Runs a call that writes; its answer is in it afterwards. */
void command_call(struct turn *turn, struct call *call);

/* ---- compile.c: documents become programs, on the query thread ---- */

/* DEPLOY: the call gets its program, and goes on to the engine. */
enum status compile_call(struct query *query, struct call *call, struct error *err);
/* RESTORE: the stored text goes the way of one that was sent. */
enum status compile_restore(struct query *query, struct call *call, struct error *err);
/* VALIDATE: a document that is wrong is a good answer. */
enum status compile_validate(struct query *query, struct call *call, struct error *err);
/* APPLY, a document at a time; true while there are more. Errors of documents are in the answers of the
 * items, so that its author learns of all of them at once. */
enum status compile_apply(struct query *query, struct call *call, bool *ret_more, struct error *err);
/* The call is over: its programs are not needed any more. */
void compile_release(struct call *call);

/* ---- deploy.c: what calls mean ---- */

enum status deploy_call(struct turn *turn, struct call *call, struct error *err);
/* Has the version the content that the DEPLOY brings? */
bool deploy_has_content(const struct definition_row *row, const struct call *call, struct arena *arena);

/* ---- apply.c, apply_judge.c ---- */

/* APPLY: all items, or none. */
enum status apply_call(struct turn *turn, struct call *call, struct error *err);
/* Finds the verdict that the engine would come to now on a DEPLOY or RETIRE of a dry run, and what would
 * change. On the query thread. */
enum status apply_judge(struct query *query, struct call_apply *asked, struct apply_item *item,
                        struct error *err);
/* Says in the error which file of an APPLY it is about. */
void apply_name_file(const struct apply_item *item, struct error *err);

/* ---- answers.c ---- */

/* Answers a call whose transaction is over, or lets it wait. */
void answers_give(struct turn *turn, struct call *call);

/* ---- answers_wake.c: calls that wait ---- */

/* Lets the call wait for its instances, or shows them as they are. True: it waits, or has its answer. */
bool answers_await(struct turn *turn, struct call *call);

/* Ends leases and delays whose time is up, and answers calls that have waited long enough. */
void answers_meet_deadlines(struct turn *turn);

/* Answers the calls that waited for a change of this instance. */
void answers_wake(struct turn *turn, const struct loaded *loaded);

/* News of people's tasks has come: those who waited for it are answered. */
void answers_tell(struct turn *turn);

/* Answers every call that waits. */
void answers_release(struct turn *turn);

/* Answers calls that waited for what other nodes have done meanwhile. */
void answers_wake_changed(struct turn *turn);

/* ---- retention.c ---- */

/* Removes some rows whose time is over, in a transaction of its own. */
enum status retention_purge(struct engine *engine, struct purged *ret_purged, struct error *err);

/* Counts what was removed; `over`: there was nothing more, so that the log gets a line. */
void retention_count(struct engine *engine, const struct purged *purged, bool over);

#endif
