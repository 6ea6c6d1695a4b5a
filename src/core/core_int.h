/* core/core_int.h — what the files of core share.
 *
 * Every change of an instance is an entry of its history. note() records one and applies
 * it to the working copy with the function that core_replay() uses too (apply.c), so a
 * state and the history that explains it cannot drift apart.
 *
 * Commands (on_*.c) and nodes (node_*.c) never write to the instance themselves: they call
 * the verbs below, and each verb notes what it does.
 */
#ifndef CORE_CORE_INT_H
#define CORE_CORE_INT_H

#include "base/must.h"
#include "core/core.h"

enum {
    /* Beyond this an instance takes no more commands: ids have room for 28 bits, and one
     * command stays far below the other half. */
    NUMBERS_MAX = 1 << 27,
    TABLE_COLUMNS_MAX = 1000, /* Output columns of the rules of one table that match. */
};

/* ---- instance.c ---- */

/* Index of the item whose first member is the number, or SIZE_MAX. The arrays of an
 * instance ascend by it, because they only ever grow at the end. */
size_t number_index(const void *items, size_t count, size_t bytes, uint32_t number);

const struct scope *instance_find_scope(const struct instance *instance, uint32_t number);
const struct timer *instance_find_timer(const struct instance *instance, uint32_t number);
const struct job *instance_job_of(const struct instance *instance, uint32_t execution);

/* What the status of an instance is while it lives. */
enum instance_status instance_live_status(const struct instance *instance);

/* The text, or its first FAILURE_REASON_BYTES_MAX bytes up to a character boundary. */
str reason_cut(str text);

/* The join that closes the scope, or NODE_NONE. */
uint32_t scope_join(const struct program *program, const struct scope *scope);

/* Who is in a scope, itself and not the scopes inside it. */
struct scope_census {
    size_t token_count;
    size_t arrived_count; /* Of these, parked at the scope's join. */
    size_t resting_count; /* Of these, done somewhere on the way. */
    size_t branch_count;  /* How many the fork sent out. */
    size_t inner_count;   /* Scopes directly inside it. */
};
struct scope_census scope_census(const struct program *program, const struct instance *instance,
                                 const struct scope *scope);

/* Has everybody arrived who can, and at least one token per branch? */
static inline bool scope_is_over(const struct scope_census *census)
{
    return !census->inner_count && census->arrived_count >= census->branch_count &&
           census->arrived_count + census->resting_count == census->token_count;
}

/* ---- apply.c ---- */

/* A working copy. An array of it is borrowed from the state before while its cap is 0, and
 * copied when it is first written to. */
struct change {
    struct instance *instance;
    struct arena *arena;
    int64_t at_ms;
    struct job closed; /* The job closed last: one that is opened again has its payload. */
};

/* Starts from a copy of `before`, or from nothing. */
void change_begin(struct change *change, const struct instance *before, const struct created *created,
                  int64_t at_ms, struct arena *arena);

/* Does what the entry says. `node` is the index of entry->node, or NODE_NONE. ST_INTERNAL if
 * the entry does not fit the state. */
enum status change_apply(struct change *change, const struct entry *entry, uint32_t node, struct error *err);

const struct json *data_merged(const struct json *data, const struct json *more, enum data_merge merge,
                               struct arena *arena);

/* Gives the instance new variables; open jobs keep the ones they were opened with. */
void change_data(struct change *change, const struct json *data);

/* ---- step.c ---- */

struct step {
    const struct program *program;
    const struct command *command;
    const struct limits *limits;
    struct arena *arena;
    struct change change;
    struct instance *instance; /* The working copy: change.instance. */
    struct entry *entry;
    size_t entry_count, entry_cap;
    int64_t visits;
    uint32_t running; /* The execution to go on with before others; 0: the oldest. */
    bool unchanged;
};

/* Records an entry and applies it. `node` as for change_apply(). */
void note(struct step *step, const struct entry *entry, uint32_t node);

/* The same for DATA, whose merged variables are at hand already. */
void note_data(struct step *step, const struct entry *entry, const struct json *merged);

/* A number nobody has yet; the entry noted next must use it. */
uint32_t fresh_number(const struct step *step);

void status_note(struct step *step, enum instance_status status, str reason);

typedef enum status command_fn(struct step *step, struct error *rejection);
#define XX(NAME, name, meaning) command_fn on_##name;
COMMAND_MAP(XX)
#undef XX

/* What a token does at a node it has just entered. `token` is a copy. */
typedef void node_fn(struct step *step, const struct token *token, const struct program_node *node);
node_fn node_task_enter;
node_fn node_wait_enter;
node_fn node_choose_enter;
node_fn node_table_enter;
node_fn node_set_enter;
node_fn node_fork_enter;
node_fn node_join_enter;
node_fn node_end_enter;

/* ---- token.c ---- */

const struct program_node *token_node(const struct step *step, const struct token *token);

/* The oldest token in that state at the node, or NULL. */
const struct token *token_at(const struct step *step, uint32_t node, enum token_state state);

uint32_t token_enter(struct step *step, uint32_t node, uint32_t scope, uint32_t from);
void token_park(struct step *step, uint32_t execution, enum token_state state);
void token_leave(struct step *step, uint32_t execution);
void token_rest(struct step *step, uint32_t execution);

/* The visit failed, and the instance with it. The token's timers are closed. */
void token_fail(struct step *step, uint32_t execution, str reason);

/* The visit is complete: takes the edge that holds, rests or fails the instance. */
void token_go_on(struct step *step, uint32_t execution);

/* ---- scope.c ---- */

uint32_t scope_open(struct step *step, uint32_t parent, uint32_t fork);

/* To be called when a token has left a scope for good or arrived at its join: closes what
 * is empty and opens a join that waits for nobody any more. */
void scope_settle(struct step *step, uint32_t scope);

/* ---- wait.c: jobs, timers and data ---- */

void job_open(struct step *step, uint32_t execution, str type, uint32_t retries_left, uint32_t attempt,
              int64_t available_ms);
void job_close(struct step *step, uint32_t number, enum job_verdict verdict, str error);
void timers_open(struct step *step, const struct token *token, const struct program_node *node);
void timer_close(struct step *step, uint32_t number, bool fired);
void timers_close(struct step *step, uint32_t execution);
void waits_close_all(struct step *step); /* Jobs and timers of the whole instance. */

/* now + delay, without overflow. */
int64_t time_after(int64_t now_ms, int64_t delay_ms);

/* Merges into the variables; NULL and {} change nothing. ST_LIMIT if they would get too
 * large or too deep, and nothing has changed. */
enum status data_take(struct step *step, uint32_t execution, const struct json *more, enum data_merge merge,
                      struct error *err);

/* ---- edge.c ---- */

/* Evaluates with the step's time and a fresh tank of fuel. */
enum status expression_value(struct step *step, const struct expr *expr, const struct json *data,
                             const struct json **ret_value, struct error *err);

enum edge_choice { EDGE_TAKEN, EDGE_ABSENT, EDGE_FAILED };

/* The first edge that holds. EDGE_ABSENT: the node has none. EDGE_FAILED: a reason. */
enum edge_choice edge_choose(struct step *step, const struct program_node *node, uint32_t *ret_target,
                             str *ret_reason);

/* ---- table_policy.c ---- */

/* The outputs of the rules that matched, column by column. */
struct table_hits {
    size_t rule_count;    /* Rules that matched, at least one. */
    const uint32_t *rule; /* Their indices in the table. */
    size_t column_count;
    const str *column; /* In order of first appearance. */
    /* [column * rule_count + hit]; NULL: the rule lacks the column. */
    const struct json *const *cell;
};

/* What the policy makes of them, an object; or the reason why it cannot, in words that
 * name the table by `where`. The reason is empty on success. */
str table_collapse(const struct table_hits *hits, enum hit_policy policy, str where, struct arena *arena,
                   const struct json **ret_result);

/* ---- checks shared by commands ---- */

/* ST_CONFLICT if the instance has ended. */
enum status reject_ended(const struct step *step, struct error *rejection);

#endif
