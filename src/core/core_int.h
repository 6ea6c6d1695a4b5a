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
    REGION_STAGES_MAX = 4,    /* How often a region may hold as much as an instance may. */
    TABLE_COLUMNS_MAX = 1000, /* Output columns of the rules of one table that match. */
};

/* ---- instance.c ---- */

/* Index of the item whose first member is the number, or SIZE_MAX. The arrays of an
 * instance ascend by it, because they only ever grow at the end. */
size_t number_index(const void *items, size_t count, size_t bytes, uint32_t number);

const struct scope *instance_find_scope(const struct instance *instance, uint32_t number);
const struct timer *instance_find_timer(const struct instance *instance, uint32_t number);
const struct job *instance_job_of(const struct instance *instance, uint32_t execution);

const struct mail *instance_find_mail(const struct instance *instance, uint32_t number);

/* The data that a scope sees: its own, or that of the nearest scope around it that has any. */
const struct json *scope_data(const struct instance *instance, uint32_t scope);

/* Does the token stand in a region that nobody waits for? */
bool is_detached(const struct instance *instance, uint32_t execution);

/* The token around which there is no region: this one, or the host of the host of its region; 0 in a region
 * that is detached. */
uint32_t outermost_token(const struct instance *instance, uint32_t execution);

/* The nearest region that a scope is or lies in; NULL: none. */
const struct scope *scope_region(const struct instance *instance, uint32_t scope);

/* Does a token in that state make a live instance one that waits? */
static inline bool is_wait_for_others(enum token_state state)
{
    return state == TOKEN_SIGNAL || state == TOKEN_PERSON || state == TOKEN_EVENT;
}

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

/* Can these be merged so? */
bool data_mergeable(const struct json *data, const struct json *more, enum data_merge merge);
const struct json *data_merged(const struct json *data, const struct json *more, enum data_merge merge,
                               struct arena *arena);

/* Is it a list of names? The object without the members of these names. */
bool data_names(const struct json *names);
const struct json *data_without(const struct json *data, const struct json *names, struct arena *arena);

/* Gives a scope new data; open jobs keep the root's that they were opened with. */
void change_data(struct change *change, uint32_t scope, const struct json *data);

/* Makes an array writable, with room for one more item: copies it if it is borrowed (cap 0) or
 * full. */
void *array_own(struct arena *arena, void *items, size_t count, size_t *cap, size_t bytes);
#define OWN(change, items)                                                                        \
    ((change)->instance->items =                                                                  \
         array_own((change)->arena, (change)->instance->items, (change)->instance->items##_count, \
                   &(change)->instance->items##_cap, sizeof *(change)->instance->items))
/* Takes an item out. What is borrowed is not touched: if the item is the first the array begins behind it,
 * else the others are copied. */
void *array_cut(struct arena *arena, void *items, size_t *count, size_t *cap, size_t at, size_t bytes);
#define CUT(change, items, at)                                                                     \
    ((change)->instance->items =                                                                   \
         array_cut((change)->arena, (change)->instance->items, &(change)->instance->items##_count, \
                   &(change)->instance->items##_cap, at, sizeof *(change)->instance->items))

/* Numbers are handed out in ascending order. That of a new thing is therefore the next or, if
 * history lost something, a later one; an earlier one is somebody else's. */
bool take_number(struct instance *instance, uint32_t number);
enum status misfit(const struct entry *entry, const char *what, struct error *err);

/* ---- apply_scope.c: scopes, regions, and what came with them ---- */

enum status apply_scope_open(struct change *change, const struct entry *entry, uint32_t node,
                             struct error *err);
enum status apply_scope_close(struct change *change, const struct entry *entry, struct error *err);
enum status apply_region_open(struct change *change, const struct entry *entry, uint32_t node,
                              struct error *err);
enum status apply_region_end(struct change *change, const struct entry *entry, struct error *err);
enum status apply_scope_data(struct change *change, const struct entry *entry, struct error *err);
enum status apply_data_cut(struct change *change, const struct entry *entry, struct error *err);
enum status apply_job_input(struct change *change, const struct entry *entry, struct error *err);
enum status apply_job_rule(struct change *change, const struct entry *entry, struct error *err);

/* ---- apply_mail.c ---- */

enum status apply_mail_in(struct change *change, const struct entry *entry, struct error *err);
enum status apply_mail_out(struct change *change, const struct entry *entry, struct error *err);
enum status apply_mail_take(struct change *change, const struct entry *entry, struct error *err);
/* What was taken under that token is used up, or goes back to the mail. */
void change_drop_taken(struct change *change, uint32_t holder);
void change_give_back(struct change *change, uint32_t holder);

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
    int64_t fuel;        /* Operations that are left to the command; below 0: more than it may have. */
    size_t *first_mail;  /* mail.c: per trigger, the first piece of mail it takes; NULL: to be found again. */
    uint32_t running;    /* The execution to go on with before others; 0: the oldest. */
    uint32_t ready_from; /* No token of an older execution is ready: they become so only by entering. */
    bool was_active;     /* Before the command: no token waited for a person, a signal or an event. */
    bool unchanged;
    const struct jsonpath *missed; /* A filter selected nothing: its path. */
    struct leaving {
        uint32_t execution;
        const struct locals *locals;
    } leaving; /* Who is on its way out of its node, and what it brings; 0: nobody. */
};

/* What is paid for work that is no expression's, in operations of about 20 ns. */
enum {
    FUEL_VISIT = 30,
    FUEL_EVALUATION = 10, /* Besides what the expression itself uses. */
    TOKENS_PER_FUEL = 8,  /* Looked at, one after the other. */
};

/* Pays for work. It may be done in any case: whoever repeats work asks step_is_spent() in between. */
static inline void step_spend(struct step *step, int64_t operations) { step->fuel -= operations; }
static inline bool step_is_spent(const struct step *step) { return step->fuel <= 0; }

/* Fails the instance at this token, for want of something that no handler can give. */
void step_stop(struct step *step, uint32_t execution, str reason);

/* If a budget of the command is used up, the instance fails at this token. True if so. */
bool step_stopped(struct step *step, uint32_t execution);

/* Records an entry and applies it. `node` as for change_apply(). */
void note(struct step *step, const struct entry *entry, uint32_t node);

/* The same for DATA and SCOPE_DATA, whose merged data is at hand already. */
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
node_fn node_scope_enter;

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

/* What an expression sees besides the data: what the node at hand brought. */
enum { LOCALS_MAX = 3 };
struct locals {
    struct expr_local local[LOCALS_MAX];
    size_t count;
};
void locals_add(struct locals *locals, str name, const struct json *value);

/* Closes all that the token waits for, what it has begun inside included, and takes it away. */
void token_interrupt(struct step *step, uint32_t execution, str why);

/* ---- exit.c: the way out of a node ---- */

/* The visit is complete: takes the edge that holds, rests, raises an error or is stuck. */
void token_go_on(struct step *step, uint32_t execution);
void token_go_on_with(struct step *step, uint32_t execution, const struct locals *locals);
/* The same, but ST_INVALID if no edge can be chosen. */
enum status token_go_on_or_refuse(struct step *step, uint32_t execution, struct error *rejection);

/* Leaves by an edge that was chosen. */
void token_take_edge(struct step *step, const struct token *token, const struct program_node *node,
                     const struct program_edge *edge, const struct locals *locals);

/* The visit is complete and its way out failed, and the instance with it. */
void token_stall(struct step *step, uint32_t execution, str reason);

/* Takes the way out of a node in place of the visit that was stuck there. */
void token_exit_again(struct step *step, uint32_t execution, const struct stuck *stuck);

/* ---- raise.c: errors ---- */

/* The program's error for a failed evaluation. */
str error_name_of(const struct program *program, const struct error *err);

/* Raises an error at the token: the handlers of its node, then those of the host of its region
 * and so on outward; unhandled it fails the instance. `name` empty: it fails at once. */
void token_raise(struct step *step, uint32_t execution, str name, str message, const struct json *data);
/* The same for an evaluation that failed. */
void token_raise_failed(struct step *step, uint32_t execution, const struct error *err);
void token_raise_json(struct step *step, uint32_t execution, const struct json *error);
/* {name, message, state, function, data}, of an error at that token. */
const struct json *error_object(struct step *step, uint32_t execution, str name, str message,
                                const struct json *data);
/* "name: message" */
str error_text(struct step *step, const struct json *error);
/* The instance stops here, whatever handlers there are; in a detached region only that ends. */
void token_halt(struct step *step, uint32_t execution, const struct json *error);
/* Does the edge's guard hold for the data? If not, an error for token_halt(). */
bool guard_holds(struct step *step, const struct token *token, const struct program_edge *edge,
                 const struct json *data, const struct json **ret_error);

/* ---- region.c ---- */

uint32_t region_open(struct step *step, const struct token *host, uint32_t index, const struct json *data);
void region_end(struct step *step, uint32_t scope, enum region_state state, const struct json *error);
/* Interrupts all tokens in it, and what is inside. */
void region_clear(struct step *step, uint32_t scope, str why);
/* The same, and closes it. */
void region_cancel(struct step *step, uint32_t scope, str why);
/* The region's token has reached an end. */
void region_finish(struct step *step, uint32_t scope);
/* Closes all regions the token hosts, interrupting what still runs in them. */
void regions_close(struct step *step, uint32_t host, str why);
/* `frame`, if the node is a scope of one region: null if that does not stand. */
void locals_add_frame(struct step *step, const struct token *host, struct locals *locals);
bool scope_node_awaits(const struct program_node *node); /* Is any of its regions awaited? */

/* ---- attempt.c: tasks, from attempt to attempt ---- */

/* An attempt failed: by the node's rules it is tried again, leaves by an exit, or is raised. The
 * job is closed already. */
void attempt_failed(struct step *step, const struct job *job, const struct json *error);
/* Does a rule ask for another attempt although there is a result? Then it has been seen to. */
bool attempt_unsatisfied(struct step *step, const struct job *job, const struct json *result);

/* ---- mail.c: events ---- */

/* Is there room for one more? Else ST_LIMIT. */
enum status mail_has_room(const struct step *step, const struct json *more, struct error *rejection);
/* Lets the token at a wait for events or a signal have what has arrived already. */
void mail_serve(struct step *step, uint32_t execution);
/* The same for all that wait: mail of a failed instance is served when it is retried. */
void mail_serve_late(struct step *step);
/* Lets all that wait have the event that has just arrived. */
void mail_serve_all(struct step *step);
bool event_case_is_live(const struct step *step, const struct token *token, uint32_t index);

/* ---- scope.c ---- */

uint32_t scope_open(struct step *step, uint32_t parent, uint32_t fork);

void scope_close(struct step *step, uint32_t scope);

/* The token goes on from its join for all that have arrived, and the scope is over. */
void join_leave(struct step *step, uint32_t execution);

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
/* Jobs, timers and mail of the whole instance, or all but what goes on detached. */
void waits_close_all(struct step *step, bool detached_too);

/* now + delay, without overflow. */
int64_t time_after(int64_t now_ms, int64_t delay_ms);

/* Timers of a node that begin with an attempt, which may begin at `from_ms`. */
void attempt_timers_open(struct step *step, const struct token *token, const struct program_node *node,
                         int64_t from_ms);

/* Changes the data that a scope sees. ST_LIMIT if it would get too large or too deep, and nothing
 * has changed. */
enum status data_put(struct step *step, uint32_t scope, uint32_t execution, const struct json *value,
                     enum data_merge merge, struct error *err);
/* If a filter selected nothing since the last time, notes so at the visit of the author's node. */
void warn_of_filter(struct step *step, uint32_t execution);

/* The values of an `output`, computed and put. */
enum status output_put(struct step *step, const struct token *token, const struct program_value *value,
                       size_t count, const struct locals *locals, struct error *err);

/* Merges into the variables; NULL and {} change nothing. ST_LIMIT if they would get too
 * large or too deep, and nothing has changed. */
enum status data_take(struct step *step, uint32_t execution, const struct json *more, enum data_merge merge,
                      struct error *err);

/* ---- edge.c ---- */

/* Evaluates with the step's time, on the command's fuel and at most what one expression may use. */
enum status expression_value(struct step *step, const struct expr *expr, const struct json *data,
                             const struct json **ret_value, struct error *err);

/* What it sees is the data of the scope and the locals (NULL: none). */
enum status expression_in_scope(struct step *step, const struct expr *expr, uint32_t scope,
                                const struct locals *locals, const struct json **ret_value,
                                struct error *err);
/* A condition: ST_INVALID if it is not a boolean. */
enum status condition_in_scope(struct step *step, const struct expr *expr, uint32_t scope,
                               const struct locals *locals, bool *ret_holds, struct error *err);

enum edge_choice { EDGE_TAKEN, EDGE_ABSENT, EDGE_FAILED };

/* The first edge that holds. EDGE_ABSENT: the node has none. EDGE_FAILED: a reason, and the
 * program's name for such an error. */
enum edge_choice edge_choose(struct step *step, const struct token *token, const struct program_node *node,
                             const struct locals *locals, const struct program_edge **ret_edge, str *ret_name,
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

/* ---- on_modify.c ---- */

/* A repair whose outcome does not hold the invariants is refused. */
enum status modify_verify(const struct step *step, struct error *rejection);

/* ---- checks shared by commands ---- */

/* ST_CONFLICT if the instance has ended. */
enum status reject_ended(const struct step *step, struct error *rejection);

#endif
