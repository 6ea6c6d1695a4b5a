/* core/change_int.h — the lower half of the core: an instance, and what history entries do to it.
 *
 *     instance.c, scope.c, merge.c   lookups and pure functions
 *     change.c                       the working copy
 *     apply.c, apply_*.c             what each kind of entry changes
 *
 * core_step() and core_replay() both change instances through apply_entry() alone, so that a state and the
 * history that explains it cannot drift apart. Nothing here knows a step, a command or a node kind.
 */
#ifndef CORE_CHANGE_INT_H
#define CORE_CHANGE_INT_H

#include "base/must.h"
#include "core/core.h"
#include "core/limits.h"

/* Index of the item whose first member is the number, or SIZE_MAX. The arrays of an instance ascend by it,
 * because they only ever grow at the end. */
static inline size_t number_index(const void *items, size_t count, size_t bytes, uint32_t number)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint32_t found;
        memcpy(&found, (const char *)items + middle * bytes, sizeof found);
        if (found == number) return middle;
        if (found < number) low = middle + 1;
        else high = middle;
    }
    return SIZE_MAX;
}

/* ---- instance.c ---- */

const struct timer *instance_find_timer(const struct instance *instance, uint32_t number);
/* Neither a signal nor an arrival. */
static inline bool mail_is_event(const struct mail *mail) { return !mail->node.n && !mail->arrival.n; }
const struct mail *instance_find_mail(const struct instance *instance, uint32_t number);

const struct each *instance_find_each(const struct instance *instance, uint32_t host);

/* True if the token waits for what runs inside it. */
static inline bool token_hosts(const struct token *token)
{
    return token->state == TOKEN_REGION || token->state == TOKEN_REMAINDER;
}

/* The open job of a token, or NULL. */
const struct job *instance_job_of(const struct instance *instance, uint32_t execution);

/* The lock of a token, or NULL. */
const struct lock *instance_lock_of(const struct instance *instance, uint32_t execution);

/* True if the token stands in a detached region, or in a scope inside one. */
bool instance_is_detached(const struct instance *instance, uint32_t execution);

/* The token itself, or the host of the outermost region around it; 0 inside a detached region. */
uint32_t instance_outermost(const struct instance *instance, uint32_t execution);

/* The token itself, or the nearest host around it whose node the author wrote. */
const struct token *instance_authored(const struct program *program, const struct instance *instance,
                                      const struct token *token);

/* True if a live instance with a token in that state is WAITING. */
static inline bool is_wait_for_others(enum token_state state)
{
    return state == TOKEN_SIGNAL || state == TOKEN_PERSON || state == TOKEN_EVENT || state == TOKEN_ARRIVAL ||
           state == TOKEN_TRANSITION || state == TOKEN_MILESTONE || state == TOKEN_LOCK;
}

/* The status that the tokens of a live instance give it. */
enum instance_status instance_live_status(const struct instance *instance);

/* ST_CONFLICT if the instance has ended. */
enum status instance_reject_ended(const struct instance *instance, struct error *rejection);

/* ---- scope.c ---- */

const struct scope *scope_find(const struct instance *instance, uint32_t number);

/* The data that a scope sees: its own, or that of the nearest scope around it that has any. */
const struct json *scope_data(const struct instance *instance, uint32_t scope);

/* The nearest region that a scope is or lies in, or NULL. */
const struct scope *scope_region(const struct instance *instance, uint32_t scope);

/* True if names that the region's data lacks are looked up in the data around it. */
bool scope_sees_around(const struct program *program, const struct scope *region);

/* The join that closes the scope, or NODE_NONE. */
uint32_t scope_join(const struct program *program, const struct scope *scope);

/* Counts the tokens of a scope, without those of the scopes inside it. */
struct scope_census {
    size_t token_count;
    size_t arrived_count; /* Tokens parked at the scope's join. */
    size_t resting_count; /* Tokens that are done and have nowhere to go. */
    size_t branch_count;  /* Tokens that the fork sent out. */
    size_t inner_count;   /* Scopes directly inside it. */
};
struct scope_census scope_census(const struct program *program, const struct instance *instance,
                                 const struct scope *scope);

/* True if every token that still can arrive has arrived, and at least one for each branch. */
static inline bool scope_is_over(const struct scope_census *census)
{
    return !census->inner_count && census->arrived_count >= census->branch_count &&
           census->arrived_count + census->resting_count == census->token_count;
}

/* ---- merge.c ---- */

/* True if `more` can be merged into `data` this way. */
bool merge_fits(const struct json *data, const struct json *more, enum data_merge merge);
/* The merged value. The caller has asked merge_fits(). */
const struct json *merge_result(const struct json *data, const struct json *more, enum data_merge merge,
                                struct arena *arena);

/* True if it is a list of names. */
bool merge_is_names(const struct json *names);
/* The object without the members of these names. */
const struct json *merge_without(const struct json *data, const struct json *names, struct arena *arena);

/* ---- change.c ---- */

/* A working copy of an instance. Its arrays are borrowed from the state before while their cap is 0, and
 * copied when they are first written to. */
struct change {
    struct instance *instance;
    const struct program *program; /* The instance stands at its nodes; NULL: only names are known. */
    struct arena *arena;
    int64_t at_ms;
    struct job closed; /* The job closed last. The job of the next attempt gets its payload. */
    struct gone {
        uint32_t execution;
        const struct json *carried;
    } gone; /* The token that went last. Tokens that come from there carry what it carried. */
};

/* Starts from a copy of `before`, or (NULL) from an instance with nothing in it. */
void change_begin(struct change *change, const struct program *program, const struct instance *before,
                  const struct created *created, int64_t at_ms, struct arena *arena);

/* Makes an array writable, with room for one more item: copies it if it is borrowed or full. */
void *change_own(struct arena *arena, void *items, size_t count, size_t *cap, size_t bytes);
#define OWN(change, items)                                                                         \
    ((change)->instance->items =                                                                   \
         change_own((change)->arena, (change)->instance->items, (change)->instance->items##_count, \
                    &(change)->instance->items##_cap, sizeof *(change)->instance->items))

/* Takes an item out. A borrowed array stays as it is: without its first item it begins one later, and
 * without another item it is copied. */
void *change_cut(struct arena *arena, void *items, size_t *count, size_t *cap, size_t at, size_t bytes);
#define CUT(change, items, at)                                                                      \
    ((change)->instance->items =                                                                    \
         change_cut((change)->arena, (change)->instance->items, &(change)->instance->items##_count, \
                    &(change)->instance->items##_cap, at, sizeof *(change)->instance->items))

/* Marks a number as used. Numbers are handed out in ascending order, so that a new thing has the next number
 * or, if history lost something, a later one. False: an earlier one, which something else has. */
bool change_take_number(struct instance *instance, uint32_t number);

/* ST_INTERNAL: the entry does not fit the state. */
enum status change_misfit(const struct entry *entry, const char *what, struct error *err);

/* The token, to be written to; NULL: there is none. */
struct token *change_token(struct change *change, uint32_t execution);
/* The same for a scope. */
struct scope *change_scope(struct change *change, uint32_t number);

/* Gives a scope new data. Open jobs keep the root's data that they were opened with. */
void change_data(struct change *change, uint32_t scope, const struct json *data);

/* ---- apply.c, apply_*.c ---- */

/* Does what the entry says. `node` is the index of the node that the entry names, or NODE_NONE. ST_INTERNAL
 * if the entry does not fit the state. */
enum status apply_entry(struct change *change, const struct entry *entry, uint32_t node, struct error *err);

enum status apply_data(struct change *change, const struct entry *entry, struct error *err);
enum status apply_data_scope(struct change *change, const struct entry *entry, struct error *err);
enum status apply_data_cut(struct change *change, const struct entry *entry, struct error *err);

enum status apply_scope_open(struct change *change, const struct entry *entry, uint32_t node,
                             struct error *err);
enum status apply_scope_close(struct change *change, const struct entry *entry, struct error *err);
enum status apply_region_open(struct change *change, const struct entry *entry, uint32_t node,
                              struct error *err);
enum status apply_region_end(struct change *change, const struct entry *entry, struct error *err);

enum status apply_job_open(struct change *change, const struct entry *entry, struct error *err);
enum status apply_job_close(struct change *change, const struct entry *entry, struct error *err);
enum status apply_job_input(struct change *change, const struct entry *entry, struct error *err);
enum status apply_job_rule(struct change *change, const struct entry *entry, struct error *err);
enum status apply_timer_open(struct change *change, const struct entry *entry, struct error *err);
enum status apply_timer_close(struct change *change, const struct entry *entry, struct error *err);

enum status apply_lock_ask(struct change *change, const struct entry *entry, struct error *err);
enum status apply_lock_grant(struct change *change, const struct entry *entry, struct error *err);
/* The visit is over, and its lock with it. */
void apply_lock_dropped(struct change *change, uint32_t execution);
/* The instance has ended: locks of tokens that nothing reaches any more are given up. */
void apply_locks_ended(struct change *change);

enum status apply_mail_in(struct change *change, const struct entry *entry, struct error *err);
enum status apply_mail_out(struct change *change, const struct entry *entry, struct error *err);
enum status apply_mail_take(struct change *change, const struct entry *entry, struct error *err);
/* The value that a token carries if it comes from this visit, at which a token may still stand. */
const struct json *apply_carried(const struct change *change, uint32_t from);
/* BY, CARRY, TASK. */
enum status apply_token(struct change *change, const struct entry *entry, struct error *err);

enum status apply_each_add(struct change *change, const struct entry *entry, struct error *err);
enum status apply_each_open(struct change *change, const struct entry *entry, struct error *err);
enum status apply_item_end(struct change *change, const struct entry *entry, struct error *err);
/* The region of an item has begun, for this host. False: the item is not the next one. */
bool apply_item_begun(struct change *change, uint32_t host, uint32_t index);
/* The host of regions per item is gone. */
void apply_each_dropped(struct change *change, uint32_t host);

enum status apply_undoable(struct change *change, const struct entry *entry, uint32_t node,
                           struct error *err);
enum status apply_undo(struct change *change, const struct entry *entry, struct error *err);
enum status apply_undo_state(struct change *change, const struct entry *entry, struct error *err);

enum status apply_owe(struct change *change, const struct entry *entry, uint32_t node, struct error *err);
enum status apply_visited(struct change *change, const struct entry *entry, uint32_t node, struct error *err);
enum status apply_reach(struct change *change, const struct entry *entry, uint32_t node, struct error *err);
enum status apply_fire(struct change *change, const struct entry *entry);
enum status apply_migrate(struct change *change, const struct entry *entry, struct error *err);
/* The scope is gone, and what was counted in it. */
void apply_counts_dropped(struct change *change, uint32_t scope);

/* Events that were taken under a token are used up, or go back to the mail. */
void apply_taken_dropped(struct change *change, uint32_t holder);
void apply_taken_back(struct change *change, uint32_t holder);

#endif
