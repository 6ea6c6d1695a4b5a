/* core/core_int.h — the upper half of the core: a step, and the verbs of which commands and nodes are made.
 *
 * Every change of an instance is an entry of its history. note() records an entry and applies it to the
 * working copy with the function that core_replay() uses too (change_int.h).
 *
 * Commands (on_*.c) and nodes (node_*.c) never write to the instance themselves. They call the verbs below,
 * and each verb notes what it does. Calls go down this list of layers, and never up:
 *
 *     step.c                                    one command, from decision to rest
 *     on_*.c                                    what a command means
 *     node_*.c                                  what a token does at a node
 *     milestone.c, lock.c                       visits wait for a point of the run, or for a lock
 *     rehearsal.c                               nodes of a test
 *     early.c                                   arrivals that come before their wait
 *     mail.c, attempt.c                         events and signals; attempts of a task
 *     exit.c                                    the way out of a node
 *     join_fork.c                               a join opens; it is a part of leaving a scope
 *     raise.c, undo.c, budget.c                 errors look for a handler; visits are undone; a budget ends
 *     token.c                                   a token enters, parks, leaves, rests, fails
 *     interrupt.c                               tokens are taken away, with all that runs inside them
 *     arrival.c, wait.c                         an arrival goes into the data; a finished wait is shown
 *     data.c, job.c, timer.c, region.c          data changes; jobs, timers and regions open and close
 *     edge.c, guard.c, error.c, expression.c    choices and values
 *     note.c                                    an entry is recorded and applied
 *
 * Nothing enters a node by a call. A verb puts a READY token there, and the loop in step.c runs it.
 */
#ifndef CORE_CORE_INT_H
#define CORE_CORE_INT_H

#include "base/utf8.h"
#include "core/change_int.h"
#include "program/reason.h"

/* Values that an expression sees besides the data: what the node at hand brought. */
struct locals {
    struct expr_local local[LOCALS_MAX];
    size_t count;
};

/* NULL becomes null. */
static inline void locals_add(struct locals *locals, str name, const struct json *value)
{
    must(locals->count < LOCALS_MAX);
    locals->local[locals->count++] = (struct expr_local){ name, value ? value : json_null() };
}

/* One command at work on one instance. */
struct step {
    const struct program *program;
    const struct command *command;
    const struct limits *limits;
    struct arena *arena;
    struct change change;
    struct instance *instance; /* The working copy: change.instance. */
    struct entry *entry;       /* The history so far. */
    size_t entry_count, entry_cap;
    int64_t visits;      /* Nodes entered by this command. */
    int64_t fuel;        /* Operations left to the command; below 0: it used more than it may. */
    size_t *first_mail;  /* mail.c: per trigger, the first piece of mail it takes; NULL: to be found again. */
    uint32_t running;    /* The execution that runs before others; 0: the oldest runs. */
    uint32_t ready_from; /* No token of an older execution is ready: only entering makes a token ready. */
    bool was_active;     /* Before the command no token waited for a person, a signal or an event. */
    bool unchanged;
    bool rests; /* The command moves no token: what goes on by itself waits for the next command. */
    struct {
        uint32_t execution; /* 0: none. */
        const struct json *input;
    } given;                       /* A task that was rehearsed: what its job would have been given. */
    const struct jsonpath *missed; /* The path of a filter that selected nothing; NULL: none did. */
    struct leaving {
        uint32_t execution; /* 0: none. */
        const struct locals *locals;
        bool stays; /* Another token goes out in its place, and it stays with its items. */
    } leaving;      /* The token that is on its way out of its node, and the values it brings. */
    struct {
        const struct json *error; /* NULL: none. */
        str code;
    } coded; /* The latest error with a code (program/reason.h). */
};

static inline const struct program_node *token_node(const struct step *step, const struct token *token)
{
    must(token->node < step->program->node_count);
    return &step->program->node[token->node];
}

/* now + delay, without overflow. */
static inline int64_t time_after(int64_t now_ms, int64_t delay_ms)
{
    int64_t time_ms;
    return __builtin_add_overflow(now_ms, delay_ms, &time_ms) ? INT64_MAX : time_ms;
}

/* The text, or its first FAILURE_REASON_BYTES_MAX bytes up to a character boundary. */
static inline str reason_cut(str text) { return utf8_cut(text, FAILURE_REASON_BYTES_MAX); }

/* Prices of work that is no expression's, in operations of about 20 ns. */
enum {
    FUEL_VISIT = 30,
    FUEL_EVALUATION = 10, /* On top of the operations that the expression itself counts. */
    TOKENS_PER_FUEL = 8,  /* Tokens looked at, one after the other. */
};

/* Pays for work. The work is done even if the budget does not suffice: callers that repeat work ask
 * step_is_spent() in between. */
static inline void step_spend(struct step *step, int64_t operations) { step->fuel -= operations; }
static inline bool step_is_spent(const struct step *step) { return step->fuel <= 0; }

/* ---- note.c ---- */

/* Records an entry and applies it. */
void note(struct step *step, const struct entry *entry);
/* The same for an entry that names a node: `node` is its index. */
void note_at(struct step *step, const struct entry *entry, uint32_t node);
/* The same for DATA and SCOPE_DATA, if the merged data is known already. */
void note_data(struct step *step, const struct entry *entry, const struct json *merged);

/* A number that nothing has yet. The entry noted next must use it. */
static inline uint32_t note_number(const struct step *step) { return step->instance->next_number; }

void note_status(struct step *step, enum instance_status status, str reason);
/* The failure that is noted next has this code; empty: none. */
void note_code(struct step *step, str code);
void note_scope_close(struct step *step, uint32_t scope);

/* ---- expression.c ---- */

/* Evaluates at the step's time, on the command's fuel and at most what one expression may use. */
enum status expression_value(struct step *step, const struct expr *expr, const struct json *data,
                             const struct json **ret_value, struct error *err);

/* The same with the data that the token sees, what it carries and the locals (NULL: none). */
enum status expression_at(struct step *step, const struct expr *expr, const struct token *token,
                          const struct locals *locals, const struct json **ret_value, struct error *err);
/* The same for a condition: ST_INVALID if the value is not a boolean. */
enum status expression_condition(struct step *step, const struct expr *expr, const struct token *token,
                                 const struct locals *locals, bool *ret_holds, struct error *err);

/* ---- error.c ---- */

/* The program's name of the error that a failed evaluation is. */
str error_name_of(const struct program *program, const struct error *err);

/* {name, message, state, function, data} of an error at that token. */
const struct json *error_object(struct step *step, uint32_t execution, str name, str message,
                                const struct json *data);
/* The error of a guard that does not hold for the data. `failure`: why it could not be evaluated; NULL: it
 * gave another value than true. */
const struct json *error_of_guard(struct step *step, uint32_t execution, const struct program_edge *edge,
                                  const struct json *data, const char *failure);
/* "name: message" */
str error_text(struct step *step, const struct json *error);
/* Gives an error its code. The code goes with this object, in this step: neither handlers nor the state see
 * it in the error. */
void error_set_code(struct step *step, const struct json *error, str code);
/* Empty: the error has none. */
str error_code(const struct step *step, const struct json *error);

/* ---- guard.c ---- */

/* True if the edge has no guard or its guard holds for the data. Else *ret_error is for token_halt(). */
bool guard_holds(struct step *step, const struct token *token, const struct program_edge *edge,
                 const struct json *data, const struct json **ret_error);

/* ---- edge.c ---- */

enum edge_choice { EDGE_TAKEN, EDGE_ABSENT, EDGE_FAILED };

/* Why no edge could be chosen: the program's name for such an error, its code, and a reason. */
struct edge_refusal {
    str name, code, reason;
};

/* The first edge that holds. EDGE_ABSENT: the node has none. EDGE_FAILED: *ret_refusal says why. */
enum edge_choice edge_choose(struct step *step, const struct token *token, const struct program_node *node,
                             const struct locals *locals, const struct program_edge **ret_edge,
                             struct edge_refusal *ret_refusal);

/* ---- data.c ---- */

/* Changes the data that a scope sees. ST_LIMIT if the data would get too large or too deep; nothing has
 * changed then. */
enum status data_put(struct step *step, uint32_t scope, uint32_t execution, const struct json *value,
                     enum data_merge merge, struct error *err);
/* Merges into the instance's data, with the same limits; NULL and {} change nothing. */
enum status data_take(struct step *step, uint32_t execution, const struct json *more, enum data_merge merge,
                      struct error *err);
/* Computes the values of an `output` and puts them. */
enum status data_put_output(struct step *step, const struct token *token, const struct program_value *value,
                            size_t count, const struct locals *locals, struct error *err);
/* If a filter selected nothing since the last call, warns at the visit to the author's node. */
void data_warn_of_filter(struct step *step, uint32_t execution);

/* ---- arrival.c ---- */

/* Puts the value of an arrival into the instance's data. */
enum status arrival_put(struct step *step, const struct program_arrival *arrival, const struct json *value,
                        struct error *err);
/* The same for one that the program does not know. */
enum status arrival_put_unknown(struct step *step, str name, const struct json *value, struct error *err);

/* ---- job.c, timer.c ---- */

void job_open(struct step *step, uint32_t execution, str type, uint32_t retries_left, uint32_t attempt,
              int64_t available_ms);
void job_close(struct step *step, uint32_t number, enum job_verdict verdict, str error);

/* Why a visit ended whose deadline passed. Histories have the text: it never changes. */
#define CORE_LATE STR("interrupted by boundary timer")

/* A computed timer that is not to be opened. */
#define TIMER_NEVER INT64_MIN
/* When a timer that begins at `from_ms` is due, or TIMER_NEVER. Fails if that cannot be computed. */
enum status timer_due(struct step *step, const struct token *token, const struct program_timer *timer,
                      int64_t from_ms, int64_t *ret_due_ms, struct error *err);
/* Opens the timers of the node. Some may be open if it fails. */
enum status timer_open_all(struct step *step, const struct token *token, const struct program_node *node,
                           struct error *err);
/* Opens the timers that begin with an attempt, which may begin at `from_ms`. */
enum status timer_open_for_attempt(struct step *step, const struct token *token,
                                   const struct program_node *node, int64_t from_ms, struct error *err);
/* Opens the timer that runs while the token waits for its lock. */
enum status timer_open_for_lock(struct step *step, const struct token *token, const struct program_node *node,
                                struct error *err);
/* The details with the members of `more`; a member that is null there goes (task.c). */
const struct json *task_with(struct step *step, const struct json *details, const struct json *more);
/* Changes details of the person's task that a token waits for. The changes of a program are small. */
void task_change(struct step *step, const struct token *token, const struct json *more, str comment);
/* The host goes on with its work in the next command: a timer is due at once. */
void timer_yield(struct step *step, uint32_t host);
bool timer_yields(const struct instance *instance, uint32_t host);
void timer_close(struct step *step, uint32_t number, bool fired);
void timer_close_all(struct step *step, uint32_t execution);

/* Opens a timer of the node once more, due at this time. */
void timer_open_again(struct step *step, uint32_t execution, uint32_t index, int64_t due_ms);

/* ---- notice.c ---- */

/* Tells the people whom a task is for, by e-mail. The kind is the job's type: "reminder", "escalation". */
void notice_open(struct step *step, uint32_t execution, str kind);
/* Breaks off the notice that is on its way. */
void notice_close(struct step *step, uint32_t execution);
/* The notice was sent; the command says to whom: {to, noAddress, refused}. */
void notice_done(struct step *step, const struct job *job);
/* The job is closed; it is tried again, or the task says why there was no e-mail. */
void notice_failed(struct step *step, const struct job *job, str why);

/* ---- wait.c ---- */

/* Adds `waited` {due, at}: the time for which a token waited, and now. */
void wait_add_due(struct step *step, const struct program_node *node, struct locals *locals, int64_t due_ms);
/* Adds `answer` and `answered` {by, at, task}. */
void wait_add_answer(struct step *step, const struct token *token, struct locals *locals,
                     const struct json *answer);

/* ---- region.c ---- */

uint32_t region_open(struct step *step, const struct token *host, uint32_t index, const struct json *data);
/* A region per item is over. */
void region_item_end(struct step *step, uint32_t scope, enum item_verdict verdict, const struct json *value);
/* True if a token that is not resting is in the region, or in a scope inside it. */
bool region_is_inhabited(const struct instance *instance, uint32_t scope);
/* The regions per item that a host opens; NULL: it opens others. */
const struct program_each *region_each(const struct step *step, uint32_t host);
void region_end(struct step *step, uint32_t scope, enum region_state state, const struct json *error);
/* True if the scope node awaits any of its regions. */
bool region_is_awaited(const struct program_node *node);
/* May so many more regions begin with this data? All may have half of step_bytes_max. In memory they share
 * it, but in the stored state and in the history each has a copy. */
bool region_data_fits(const struct step *step, const struct json *data, size_t count);
/* Adds `frame`, if the node is a scope of one region: the region's data, or null if it does not stand. */
void region_add_frame(struct step *step, const struct token *host, struct locals *locals);

/* ---- interrupt.c ---- */

/* Closes all that the token waits for, with all that runs inside it, and takes the token away. */
void interrupt_token(struct step *step, uint32_t execution, str why);
/* Interrupts all tokens in a region, and closes the scopes inside it. */
void interrupt_inside(struct step *step, uint32_t scope, str why);
/* The same, and closes the region. */
void interrupt_region(struct step *step, uint32_t scope, str why);
/* Closes all regions that the token hosts, and interrupts what still runs in them. */
void interrupt_regions_of(struct step *step, uint32_t host, str why);
/* Closes jobs, timers and mail of the whole instance, or of all but its detached regions. */
void interrupt_waits(struct step *step, bool detached_too);

/* ---- token.c ---- */

/* The oldest token in that state at the node, or NULL. */
const struct token *token_at(const struct step *step, uint32_t node, enum token_state state);

/* A READY token appears at the node. Returns its execution. */
uint32_t token_enter(struct step *step, uint32_t node, uint32_t scope, uint32_t from);
/* The token has come by an edge that a join counts (program_edge.arrival). */
void token_came_by(struct step *step, uint32_t execution, uint32_t arrival);
/* Both; 0: by any other edge. */
static inline uint32_t token_enter_by(struct step *step, uint32_t node, uint32_t arrival, uint32_t scope,
                                      uint32_t from)
{
    uint32_t execution = token_enter(step, node, scope, from);
    if (arrival) token_came_by(step, execution, arrival);
    return execution;
}
void token_park(struct step *step, uint32_t execution, enum token_state state);
void token_leave(struct step *step, uint32_t execution);
/* Puts the members of the command's stamp into what the token carries. */
void token_stamp(struct step *step, uint32_t execution);
void token_rest(struct step *step, uint32_t execution);

/* The visit failed, and the instance with it. The token's timers are closed. */
void token_fail(struct step *step, uint32_t execution, str reason);
/* The same with a code (program/reason.h); empty: none. */
void token_fail_code(struct step *step, uint32_t execution, str code, str reason);
/* The visit is complete and its way out failed, and the instance with it. */
void token_stall(struct step *step, uint32_t execution, str code, str reason);
/* The same with the place and the values that struct stuck keeps. */
void token_stall_at(struct step *step, uint32_t execution, uint32_t edge, const struct locals *locals,
                    str code, str reason);
/* An error that nothing handles fails the outermost token around this one. */
void token_fail_unhandled(struct step *step, uint32_t execution, const struct json *error);
/* The instance stops with the error, whatever handlers there are; inside a detached region only that ends. */
void token_halt(struct step *step, uint32_t execution, const struct json *error);

/* ---- budget.c ---- */

/* Fails the instance at this token for a reason that no handler may handle. */
void budget_stop(struct step *step, uint32_t execution, str reason);
/* Fails the instance at this token if a budget of the command is used up. True if so. */
bool budget_stopped(struct step *step, uint32_t execution);
/* True if it is time to go on in a command of its own, by timer_yield(). */
bool budget_is_half_spent(const struct step *step);

/* ---- raise.c ---- */

/* Raises an error at the token: the handlers of its node are asked, then those of the host of its region and
 * so on outward. Without a handler the error fails the instance; in a program without named errors it does
 * so at once. */
void raise_error(struct step *step, uint32_t execution, str name, str message, const struct json *data);
/* The same with a code (program/reason.h). */
void raise_error_code(struct step *step, uint32_t execution, str name, str code, str message);
/* The same for an evaluation that failed. */
void raise_failed(struct step *step, uint32_t execution, const struct error *err);
/* The same for an error_object(). */
void raise_json(struct step *step, uint32_t execution, const struct json *error);

/* The same for an error that the author models (an END with an error): handlers of the program do not take
 * it, and it undoes nothing. */
void raise_modelled(struct step *step, uint32_t execution, const struct json *error);

/* ---- undo.c ---- */

/* A visit is complete: it is remembered if it can be undone. ST_LIMIT if there are too many. */
enum status undo_remember(struct step *step, const struct token *token, const struct program_node *node,
                          struct error *err);
/* Undoes all completed visits that can be, and fails the instance then. False: there are none. */
bool undo_begin(struct step *step, uint32_t execution, const struct json *error);
/* The region that undoes a visit is over. */
void undo_over(struct step *step, uint32_t scope, enum undo_state state, str why);
/* Undoes the next visit, if it may begin now. True if a token moved. */
bool undo_rest(struct step *step);

/* ---- exit.c ---- */

/* The visit is complete: the token takes the edge that holds, rests, raises an error or is stuck. */
void exit_node(struct step *step, uint32_t execution);
void exit_with(struct step *step, uint32_t execution, const struct locals *locals);
/* The same, but the token stays with the items that are left (TOKEN_REMAINDER), and a new one goes out. */
void exit_beside(struct step *step, uint32_t execution, const struct locals *locals);
/* The same, but ST_INVALID if no edge can be chosen. */
enum status exit_or_refuse(struct step *step, uint32_t execution, const struct locals *locals,
                           struct error *rejection);

/* A visit is complete: puts the output, changes what the token carries, and remembers what can be undone. */
enum status exit_finish(struct step *step, const struct token *token, const struct program_node *node,
                        const struct locals *locals, struct error *err);

/* Leaves by an edge that was chosen. */
void exit_by(struct step *step, const struct token *token, const struct program_node *node,
             const struct program_edge *edge, const struct locals *locals);

/* Takes the way out of a node in place of the visit that was stuck there. */
void exit_again(struct step *step, uint32_t execution, const struct stuck *stuck);

/* ---- attempt.c ---- */

/* The retries that the first job of a visit says are left. */
uint32_t attempt_retries_shown(const struct program_node *node);
/* An attempt failed: by the node's retry rules it is tried again, leaves by an exit, or its error is raised.
 * The job is closed already. `error`: NULL in a program without named errors. */
void attempt_failed(struct step *step, const struct job *job, str code, str message, const struct json *error,
                    bool retryable);
/* True if a rule asks for another attempt although there is a result; that is then under way. */
bool attempt_unsatisfied(struct step *step, const struct job *job, const struct json *result);

/* ---- early.c ---- */

/* Keeps an arrival for which no token waits, if a wait of the program takes early ones. A WARN tells that
 * there is no room. */
void early_keep(struct step *step, uint32_t arrival, const struct json *value);
/* A token has begun to wait for an arrival: gives it the oldest that was kept. */
void early_serve(struct step *step, uint32_t execution);
/* The oldest that is kept of the program's arrival; NULL: none. */
const struct mail *early_next(const struct step *step, uint32_t arrival);
/* True if an arrival is kept that the node takes. */
bool early_is_kept(const struct step *step, const struct program_node *node);

/* ---- mail.c ---- */

/* ST_LIMIT if there is no room for one more piece of mail. */
enum status mail_has_room(const struct step *step, const struct json *more, struct error *rejection);
/* Gives the token at a wait for events or a signal what has arrived already. */
void mail_serve(struct step *step, uint32_t execution);
/* The same for all tokens that wait: the mail of a failed instance is served when that is retried. */
void mail_serve_late(struct step *step);
/* Gives all tokens that wait the event that has just arrived. */
void mail_serve_all(struct step *step);
/* In a test: the token at a wait for events goes on as if an empty event had come for each trigger that its
 * first case asks for. */
void mail_pretend(struct step *step, const struct token *token);
/* True if the token still waits for this case: its timer, if it has one, has not fired. */
bool mail_case_is_live(const struct step *step, const struct token *token, uint32_t index);

/* ---- rehearsal.c ---- */

/* True if the instance is a test, and the node would do something outside or wait: one of the next two
 * functions does that instead. In a trial also of a wait for an arrival that its author has written. */
bool rehearsal_is_due(const struct step *step, const struct program_node *node);
/* The task has its result at once. `input`: what its job would have been given; NULL: the data. */
void rehearsal_of_task(struct step *step, const struct token *token, const struct program_node *node,
                       const struct json *input);
/* The wait is over at once. False: the token has to wait in this state, for a signal that came early. */
bool rehearsal_of_wait(struct step *step, const struct token *token, const struct program_node *node,
                       enum token_state state);
/* Tells that a visit was simulated, and in which state its token would have waited. */
void rehearsal_note(struct step *step, uint32_t execution, enum token_state state, const struct json *input);

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

/* Makes one object of them, as the policy says. Returns an empty text, or the reason why it cannot, which
 * names the table by `where`. */
str table_collapse(const struct table_hits *hits, enum hit_policy policy, str where, struct arena *arena,
                   const struct json **ret_result);

/* ---- node_*.c ---- */

/* Does the work of a node that the token has just entered. `token` is a copy. */
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

/* Must be called when a token has left a scope for good or arrived at its join: closes scopes that are empty
 * and opens a join that waits for no token any more. */
void join_fork_settle(struct step *step, uint32_t scope);
/* The token goes on from its join for all tokens that have arrived, and the scope is over. */
void join_fork_leave(struct step *step, uint32_t execution);

/* A token has arrived at the join of its fork's scope. */
node_fn join_fork_arrive;

/* The token of a region has reached an END. */
void node_scope_region_done(struct step *step, uint32_t scope);

/* A scope node with a region for each item. */
node_fn node_each_enter;
/* The payload of the arrival becomes one more item of the token's. Refused if it has as many as it may. */
enum status node_each_add(struct step *step, uint32_t host, const struct json *value,
                          struct error *rejection);
/* The region of an item has come to its end. */
void node_each_item_done(struct step *step, uint32_t scope);
/* Begins items that may begin, and leaves nodes whose items are all over. True if a token moved. A remainder
 * that is gone sets `ret_ended`: its scope may be over, too (node_end_over()). */
#define SCOPE_NONE UINT32_MAX
bool node_each_rest(struct step *step, uint32_t *ret_ended);

/* A token is gone for good. If it was the last in its region, that is done; if it was the last of all, the
 * instance is. */
void node_end_over(struct step *step, uint32_t scope);

/* ---- milestone.c ---- */

/* A token has entered a node that is a milestone of others. */
void milestone_reach(struct step *step, const struct token *token, const struct program_node *node);
/* True if the visit may begin. Else its token waits for that, or was too late. */
bool milestone_lets_begin(struct step *step, const struct token *token, const struct program_node *node);
/* Visits begin whose milestone the run has reached, and those are withdrawn whose milestone it has passed: to
 * be called when nothing is ready. True if a token moved. */
bool milestone_rest(struct step *step);

/* ---- lock.c ---- */

/* True if the visit may begin: it holds its lock. Else its token waits for that, or cannot have one. */
bool lock_lets_begin(struct step *step, const struct token *token, const struct program_node *node);
/* The token has waited for its lock as long as it may. */
void lock_give_up(struct step *step, const struct token *token);
/* Too many wait for the lock: the visit is over before it began, with the error of that. */
void lock_refuse(struct step *step, uint32_t execution, str why);

/* Joins that wait for what can still come: to be called when nothing is ready. True if a token moved. */
bool node_join_rest(struct step *step);
/* The timer of a join that counts edges has fired at the token. */
void node_join_time_out(struct step *step, const struct token *token, const struct program_timer *timer);

/* ---- on_*.c ---- */

typedef enum status command_fn(struct step *step, struct error *rejection);
#define XX(NAME, name, ...) command_fn on_##name;
COMMAND_MAP(XX)
#undef XX

/* ---- fire.c ---- */

/* A transition is fired at the visit. */
void fire_begin(struct step *step, uint32_t execution, str transition);
/* The token leaves its wait, or gives up the transition it takes part in. */
void fire_leave(struct step *step, const struct token *token, uint32_t target);

/* Refuses a repair after which an invariant of core.h would be broken. */
enum status on_modify_verify(const struct step *step, struct error *rejection);
/* The same for a migration. */
enum status on_migrate_verify(const struct step *step, struct error *rejection);
/* Starts the failed node again. `name`: only if the node is called so; empty: whichever failed. `data`:
 * variables to merge before; NULL: none. */
enum status on_retry_failed(struct step *step, str name, const struct json *data, struct error *rejection);

#endif
