/* core/core.h — a pure function from an instance and a command to the next instance and its history.
 *
 *     core_step(program, instance, command) → new instance + history, or a rejection
 *
 * The core reads no clock, no random number, no file, no global: time and ids come inside the command, and
 * memory from the arena. It does not touch the instance that it is given; the new one shares what did not
 * change. src/program/MANUAL.md says what tokens do at each kind of node.
 *
 * An instance is a set of tokens at nodes. A token is a point of execution. Its name is its *execution*:
 * the number of its visit to the node where it stands, new at every node. One counter numbers the
 * executions, jobs, timers, scopes and mail of an instance.
 *
 *     ready ──► parked (job, signal, …, see TOKEN_STATE_MAP) ──► gone, or ready at the next node
 *       └─────► resting (no edge to leave by)    └──► failed ──retry──► ready
 *
 * A failed token is *stuck* if its visit was complete and only the way out of the node failed: a condition
 * could not be evaluated, no condition held, or a guard did not. A retry then begins a new visit at the
 * exit, with the values that the visit had brought; the work is not done again.
 *
 * Every token is in a scope; the top level is scope 0. A fork opens a scope, which its join closes; it sees
 * the data of the scope around it. A scope node opens *regions*: scopes with data of their own. Their *host*
 * is the token that stands at the scope node until they are done. An error that no handler in a region
 * handles is raised at the host. A region that no token waits for any more is *detached*: it goes on alone,
 * even after the end of the instance, and nothing that happens in it reaches the other tokens. A host of
 * items may stay with those that are left while another token goes on in its place: it is a *remainder*
 * then, leads nowhere any more, and is gone when its items are over.
 *
 * Invariants, which core_verify() checks and the tests check after every step:
 *  (1) Between commands no token of a live instance is ready, unless the instance is held. If an instance
 *      failed in the middle of a command, tokens that had not run yet stay ready: a retry runs them.
 *  (2) In a live or failed instance a token parked for a job has exactly one open job, and no other token has
 *      any. There is at most one failed token, and only in an instance that failed, or that was cancelled
 *      after it had failed. No other token is stuck.
 *  (3) Every open timer belongs to a token parked for a job, a signal, a person, events, a time or an
 *      arrival, or to one whose regions per item or whose undoing go on later; but for the deadline,
 *      which belongs to none.
 *  (4) A scope is open exactly while a token is in it or in a scope inside it. In a live instance no
 *      scope is left standing whose tokens have all arrived at its join. A region that is done or failed
 *      holds no token and stands until its host goes on; a token is parked for its regions exactly while
 *      one of them stands, while it has items, or while undoing goes on later. A remainder has items.
 *  (5) A completed instance has no open jobs and timers but those of detached regions; its other
 *      tokens stay where they stood, abandoned. A cancelled instance has none at all. A failed instance
 *      keeps its jobs and timers, which no command but a retry or a repair reaches, so that it can go on.
 *  (6) The state after a command equals the state before it with the command's history
 *      replayed on it (core_replay).
 *  (7) A used event is kept only while the token stands whose retry would need it. An early signal is for
 *      a node of the program, an early arrival for a trigger of it. Completed and cancelled instances have
 *      no mail.
 *  (8) A token has at most one lock, none when its visit is over, and waits for it while it does not hold it.
 *      Completed and cancelled instances have no locks but those of detached regions.
 */
#ifndef CORE_CORE_H
#define CORE_CORE_H

#include "base/limits.h"
#include "core/begin.h"
#include "core/instance_status.h"
#include "core/migration.h"
#include "core/token_state.h"
#include "program/program.h"

/* ---- the instance ---- */

struct token {
    uint32_t execution;
    enum token_state state;
    uint32_t node; /* In the program; NODE_NONE if decoded without one. */
    str node_name;
    uint32_t scope;
    uint32_t arrival;           /* At a join that counts edges: the edge by which it came; else 0. */
    int64_t since_ms;           /* When it entered the node. */
    const struct json *carried; /* A value that goes with it (program_node.carry); NULL: none. */
    const struct json *task;    /* Parked for a person: details of the task; NULL: none. */
};

enum region_state {
    REGION_NONE, /* The scope is a fork's. */
    REGION_OPEN,
    REGION_DONE,     /* Its data is its output. */
    REGION_FAILED,   /* Its data is the error. */
    REGION_DETACHED, /* No token waits for it; it has no host and no scope around it. */
    REGION_UNDO,     /* It undoes a visit to the node that it is named after: struct undo. */
};

struct scope {
    uint32_t number;
    uint32_t parent;
    uint32_t fork; /* Node that opened it; NODE_NONE if decoded without a program. */
    str fork_name;
    enum region_state state;
    uint32_t index;          /* Which of the node's regions; in a region per item: which item. */
    uint32_t host;           /* Execution of the token that waits for it; 0: none. */
    const struct json *data; /* Its own; NULL: that of the scope around it. */
};

struct job {
    uint32_t number;
    uint32_t execution;
    str type;
    uint32_t retries_left;
    uint32_t attempt; /* 1 for the first delivery of this visit, up with every retry. */
    int64_t created_ms;
    int64_t available_ms;       /* Not to be handed out earlier (retry delay). */
    const struct json *payload; /* The task's input, or the data when the job was opened (NULL while that is
                                   still the instance's data). */
    enum performer performer;
    const uint32_t *used; /* Retries so far, for each retry rule of its node; NULL: none. */
    uint32_t used_count;
};

/* Which of the node's timers it is, if it is none of them: a loop or undoing goes on in the next command. */
#define TIMER_YIELD UINT32_MAX

struct timer {
    uint32_t number;    /* 0: the deadline of the instance, which belongs to no token. */
    uint32_t execution; /* 0: the deadline. */
    uint32_t index;     /* Which of the node's timers, or TIMER_YIELD. */
    int64_t due_ms;
};

/* An event, an early signal or an early arrival that was received and not used yet. */
struct mail {
    uint32_t number;
    int64_t at_ms;
    str node;                 /* A signal: the node it is for. */
    str arrival;              /* An arrival: its name. Both are empty: an event. */
    const struct json *event; /* The CloudEvent, the signal's variables or the arrival's value: an object. */
};

/* An event that a wait has used. It is kept while the outermost token around the wait stands: if that token
 * fails, its retry begins from the start and needs the event again. */
struct taken_event {
    uint32_t number;
    uint32_t holder; /* The execution of that token. */
    int64_t at_ms;
    const struct json *event;
};

/* Where the failed token was when its exit failed. */
struct stuck {
    uint32_t execution; /* 0: no token is stuck. */
    uint32_t edge;      /* 0: no edge is chosen yet; n: edge n - 1 is, the output is put, the guard failed. */
    const struct json *brought; /* Values that the exit sees besides the data (`result`, …); NULL: none. */
};

/* A token at a scope node that opens a region for each item (program_each). Items begin in their order; as
 * many are open as have begun and are not over. */
enum item_verdict { ITEM_DONE, ITEM_FAILED, ITEM_CANCELLED };
struct each_item {
    uint32_t index;
    enum item_verdict verdict;
    const struct json *value; /* Its result, or its error. */
};
struct each {
    uint32_t host; /* The execution of the token. */
    uint32_t begun;
    const struct json *items;
    struct each_item *item; /* The items that are over, in this order. */
    size_t item_count, item_cap;
};

/* A completed visit that can be undone. */
enum undo_state { UNDO_POSSIBLE, UNDO_RUNNING, UNDO_DONE, UNDO_FAILED };
struct undo_item {
    uint32_t number;    /* From the instance's counter: the order of completion. */
    uint32_t execution; /* The visit. */
    uint32_t node;
    str node_name;
    enum undo_state state;
    uint32_t scope;           /* RUNNING: the region in which the undoing node runs; else 0. */
    const struct json *visit; /* {input, output, data}: what the visit was given, what it brought, and the
                                 data of the regions around it, all in one object; all optional. */
};
/* Undoing in an instance that fails: the node named by program_node.undo runs in a region of its own, whose
 * data is `self` {input, output}, `error` and the visit's own surroundings. A region that fails is
 * UNDO_FAILED, and the next one begins. When all are over the instance fails with the error. */
struct undo {
    const struct json *error; /* Not NULL: undoing is under way, or over. */
    uint32_t host;            /* The token that fails in the end. It hosts the regions until then. */
    size_t bytes;             /* The bytes of everything that is remembered. */
};

/* An arrival that a join has to absorb, because it opened before all its tokens came. */
struct owed {
    uint32_t scope, node;
    uint32_t arrival;
    str node_name;
};

struct visited {
    uint32_t scope, node;
    uint32_t count;
    str node_name;
};

struct instance {
    uint64_t id;
    int64_t definition; /* The store's number of the definition's version. */
    enum instance_status status;
    int64_t created_ms;
    int64_t ended_ms;         /* 0 while it lives. */
    str business_key;         /* Empty: none. */
    str failure;              /* Why it failed or was cancelled. */
    str failure_code;         /* The code of its failure (program/reason.h); undoing knows it before. */
    const struct json *data;  /* The variables, an object; if the program says so, any value. At the
                                 end: the output. */
    const struct json *error; /* Why it failed: {name, message, state, …}; NULL: no error, or only words. */
    uint32_t handled_count;   /* Errors that were raised and did not end it. */
    str correlation;          /* The correlation key of its events; empty: none yet. */
    uint64_t parent;          /* The instance that started it; 0: none … */
    uint32_t parent_job;      /* … the job of that instance which did … */
    bool parent_waits;        /* … and whether that job waits for the end. */
    uint64_t root;  /* The first of its family: the instance that no other started, from which parents and
                       chained starts lead here; 0: itself. */
    uint32_t depth; /* How many instances wait for it, one for the other. */
    uint64_t chained_from; /* The instance at whose end it was started; 0: none. */
    uint32_t next_number;  /* The counter. */
    uint32_t revision;     /* How many commands it has taken. */
    struct token *token;   /* In order of entry. */
    size_t token_count, token_cap;
    struct scope *scope;
    size_t scope_count, scope_cap;
    struct job *job;
    size_t job_count, job_cap;
    struct timer *timer;
    size_t timer_count, timer_cap;
    struct mail *mail; /* In order of arrival. */
    size_t mail_count, mail_cap;
    struct taken_event *taken;
    size_t taken_count, taken_cap;
    struct stuck stuck;
    bool is_test;           /* Nothing is done outside of the engine (rehearsal.c). */
    bool is_held;           /* Created and not begun: PROCEED begins it. Its tokens are READY. */
    bool has_handled_error; /* A handler of the program took an error. */
    int64_t deadline_ms;    /* It is cancelled then; 0: never, or it has ended. Its timer has the number 0. */
    uint64_t replaced_by;   /* The instance that took its place; 0: none. */
    struct each *each;      /* In order of host. */
    size_t each_count, each_cap;
    struct undo undo;
    struct undo_item *undo_item; /* In order of completion. */
    size_t undo_item_count, undo_item_cap;
    struct owed *owed; /* Tokens that joins will absorb. */
    size_t owed_count, owed_cap;
    struct visited *visited; /* How often nodes with a visits_max were visited. */
    size_t visited_count, visited_cap;
    struct reached_node *reached;
    size_t reached_count, reached_cap;
    struct lock *lock;
    size_t lock_count, lock_cap;
};

/* ---- commands ---- */

/* clang-format off */
#define COMMAND_MAP(XX)                                                                \
    /* NAME           name           says    meaning                                */ \
    XX(START,         start,         start,  "create an instance and run it")          \
    XX(COMPLETE_JOB,  complete_job,  job,    "a worker finished a job")                \
    XX(FAIL_JOB,      fail_job,      job,    "a worker could not do a job")            \
    XX(COMPLETE_TASK, complete_task, node,   "a person finished a task")               \
    XX(SIGNAL,        signal,        node,   "a signal for a waiting node")            \
    XX(FIRE_TIMER,    fire_timer,    timer,  "a timer came due")                       \
    XX(CANCEL,        cancel,        cancel, "stop an instance and all it waits for")  \
    XX(RETRY,         retry,         node,   "start a failed node again")              \
    XX(EVENT,         event,         event,  "an event that concerns the instance")    \
    XX(MODIFY,        modify,        modify, "set variables and move tokens by hand")  \
    XX(ARRIVE,        arrive,        arrive, "something arrived for the instance")     \
    XX(PROCEED,       proceed,       proceed, "begin an instance that was held")       \
    XX(ASSIGN_TASK,   assign_task,   task,   "change the details of a person's task")  \
    XX(FIRE,          fire,          fire,   "fire a transition")                      \
    XX(MIGRATE,       migrate,       migrate, "go on with another version of the definition") \
    XX(GRANT,         grant,         timer,  "a lock is free for a token that waits for it")
/* clang-format on */

enum command_kind {
#define XX(NAME, ...) COMMAND_##NAME,
    COMMAND_MAP(XX)
#undef XX
        COMMAND_COUNT
};

const char *core_command_word(enum command_kind kind); /* "complete_job" */

enum modification_kind { MODIFY_MOVE, MODIFY_ADD, MODIFY_CANCEL };

/* One token that MODIFY moves, adds or cancels. */
struct modification {
    enum modification_kind kind;
    str at;             /* The token, by the name of the node where it stands … */
    uint32_t execution; /* … or, if not 0, by its visit. ADD: a token in whose scope the new one appears;
                           neither: the top level. */
    str to;             /* MOVE, ADD: the node, by name. */
};

/* The words of a command besides its data: one struct for each shape. */

struct command_start {
    uint64_t instance;
    int64_t definition;
    str business_key;
    str correlation; /* The correlation key of the event that starts it; empty: it has none. */
    uint64_t parent; /* The instance and the job that start it; 0: none. */
    uint32_t parent_job;
    bool parent_waits;
    uint64_t root; /* Its place in its family (struct instance). */
    uint32_t depth;
    uint64_t chained_from;
    str refusal; /* Why the instance must not run: it then fails at its first node. Empty: it may. */
    str arrival; /* The program's arrival by which it begins; `data` is the arrival's value. Empty: at
                    program->start. */
    bool is_test;
    bool is_held; /* It is created and waits for PROCEED. */
};

/* COMPLETE_JOB, FAIL_JOB. */
struct command_job {
    uint32_t number;
    str text;                 /* FAIL_JOB: the error. COMPLETE_JOB: a remark for the history; empty: none. */
    const struct json *error; /* FAIL_JOB: {name, message, data, code}, all optional; NULL: only the text. */
    bool retryable;           /* FAIL_JOB */
    int64_t retry_after_ms;   /* FAIL_JOB: a retry begins so much later, or later still by its rule. */
};

/* COMPLETE_TASK, SIGNAL, RETRY: for a token at a node. */
struct command_node {
    str node;                  /* By name. RETRY: empty is the node that failed. */
    uint32_t number;           /* COMPLETE_TASK: the visit; 0: the oldest. */
    bool early;                /* SIGNAL: it is kept if no token waits for it yet. */
    const struct json *groups; /* COMPLETE_TASK: the groups that the person is in; NULL: none. */
    bool in_any_group;         /* COMPLETE_TASK: a scenario answers, whose person is in every group. */
};

struct command_timer { /* GRANT: the number is that of a lock. */
    uint32_t number;
    str refusal; /* Why the timer only ends without its act, or the lock is not granted. Empty: it may. */
};

struct command_cancel {
    str reason;
    bool failed_too; /* A failed instance is cancelled too. */
    bool fails; /* The instance becomes FAILED, not CANCELLED; no handler is asked, and nothing is undone. */
    const struct json *error; /* {name, message} that it keeps; NULL: none. */
    uint64_t replaced_by;
};

/* The arrival by name; `data` is its value. An instance whose program has no such arrival puts it where
 * program_rules.other_output says, and notes it. */
struct command_arrive {
    str arrival;
};

struct command_proceed {
    bool unused_;
};

/* `data` is merged into the details of the task, member by member; null removes one. */
struct command_task {
    uint32_t execution; /* The visit. */
    str comment;        /* Kept in the history; empty: none. */
};

/* `data` becomes all the data; NULL: it stays. */
struct command_fire {
    str transition;     /* The name of the edge; empty: the token only looks again whether it can go on. */
    int64_t definition; /* The version of the definition that the program is, if it is not the one with which
                           the instance was before; 0: it is. */
    bool in_place;      /* Only the data is replaced, and the token goes on waiting as it does. */
};

struct command_event {
    str correlation; /* The correlation key of the event; empty: it has none. */
};

struct command_modify {
    const struct json *unset; /* Names of variables to remove before `data` is merged (a list); NULL: none. */
    const struct modification *modification;
    size_t modification_count;
    uint32_t if_revision; /* Only if the instance has this revision; 0: any. */
    str reason;
};

struct command {
    enum command_kind kind; /* Says which member of `as` is in use: COMMAND_MAP. */
    int64_t now_ms;
    str actor; /* A worker id, a person: the history keeps it. */
    /* Variables to merge; NULL: none. An object; of COMPLETE_JOB anything, of EVENT the CloudEvent. */
    const struct json *data;
    /* START, FIRE, FIRE_TIMER, COMPLETE_JOB, FAIL_JOB: an object whose members are put into what the token
     * carries; NULL: none. */
    const struct json *stamp;
    bool is_trial; /* Somebody plays the instance, and pretends the world outside (rehearsal.c). */
    union {
        struct command_start start;
        struct command_job job;
        struct command_node node;
        struct command_timer timer;
        struct command_cancel cancel;
        struct command_event event;
        struct command_modify modify;
        struct command_arrive arrive;
        struct command_proceed proceed;
        struct command_task task;
        struct command_fire fire;
        struct command_migrate migrate;
    } as;
};

/* A constructor for each kind: what it says besides goes to the member of `as` that its row names. */
#define XX(NAME, name, says, meaning)                                                               \
    static inline struct command command_##name(int64_t now_ms, str actor, const struct json *data, \
                                                struct command_##says said)                         \
    {                                                                                               \
        return (struct command){                                                                    \
            .kind = COMMAND_##NAME, .now_ms = now_ms, .actor = actor, .data = data, .as.says = said \
        };                                                                                          \
    }
COMMAND_MAP(XX)
#undef XX

/* ---- history ---- */

/* The history of a command is a list of entries: what it changed, in order. An entry has nine slots, of
 * which its kind uses some. A slot has a name of its own for each meaning, and ENTRY_MAP says which name a
 * kind gives it: HAS(FROM, attempt) puts the attempt of a JOB_OPEN into the slot FROM. The stored form has
 * the slots that a kind uses, in the order of ENTRY_SLOT_MAP, and neither order nor use may ever change. */
/* clang-format off */
#define ENTRY_SLOT_MAP(XX)                                                                    \
    XX(EXECUTION, execution) /* A visit. */                                                   \
    XX(NUMBER,    number)    /* A job, a timer, a piece of mail: of the instance's counter. */ \
    XX(NODE,      node)      /* A node, by name. */                                           \
    XX(SCOPE,     scope)                                                                      \
    XX(FROM,      from)                                                                       \
    XX(VALUE,     value)                                                                      \
    XX(TIME,      time_ms)   /* A time … */                                                   \
    XX(INSTANCE,  time_ms)   /* … or, in its place, an instance: only one of the two. */      \
    XX(TEXT,      text)                                                                       \
    XX(JSON,      json)

enum {
#define XX(SLOT, member) ENTRY_SLOT_##SLOT,
    ENTRY_SLOT_MAP(XX)
#undef XX
};

enum {
#define XX(SLOT, member) ENTRY_##SLOT = 1 << ENTRY_SLOT_##SLOT,
    ENTRY_SLOT_MAP(XX)
#undef XX
};

#define ENTRY_MAP(XX)                                                                                         \
    /* A token appears at a node. `from` is the visit it came from, 0 at the start.                        */ \
    XX(ENTER,       "enter",       HAS(EXECUTION, execution) HAS(NODE, node) HAS(SCOPE, scope) HAS(FROM, from)) \
    /* The token waits: enum token_state.                                                                  */ \
    XX(PARK,        "park",        HAS(EXECUTION, execution) HAS(VALUE, state))                               \
    /* The visit is complete, and the token is gone from the node.                                         */ \
    XX(LEAVE,       "leave",       HAS(EXECUTION, execution))                                                 \
    /* The visit was cut short, and the token is gone.                                                     */ \
    XX(INTERRUPT,   "interrupt",   HAS(EXECUTION, execution) HAS(TEXT, reason))                               \
    /* The visit is complete, and the token stays because no edge leads on.                                */ \
    XX(REST,        "rest",        HAS(EXECUTION, execution))                                                 \
    /* The visit failed; the token stays, failed.                                                          */ \
    XX(FAIL,        "fail",        HAS(EXECUTION, execution) HAS(TEXT, reason))                               \
    /* A token of a visit that is over is gone: a failed one by a retry, a resting one by a retry or by the   \
     * end of its scope, either by a repair.                                                               */ \
    XX(FORGET,      "forget",      HAS(EXECUTION, execution))                                                 \
    /* A fork (`node`) opens a scope inside another one.                                                   */ \
    XX(SCOPE_OPEN,  "scope_open",  HAS(NODE, node) HAS(SCOPE, scope) HAS(FROM, around))                       \
    XX(SCOPE_CLOSE, "scope_close", HAS(SCOPE, scope))                                                         \
    XX(JOB_OPEN,    "job_open",    HAS(EXECUTION, execution) HAS(NUMBER, job) HAS(FROM, attempt)              \
                                   HAS(VALUE, retries_left) HAS(TIME, available_ms) HAS(TEXT, job_type))      \
    /* enum job_verdict, and why the job failed.                                                           */ \
    XX(JOB_CLOSE,   "job_close",   HAS(NUMBER, job) HAS(VALUE, verdict) HAS(TEXT, reason))                    \
    /* `index`: which of the node's timers.                                                                */ \
    XX(TIMER_OPEN,  "timer_open",  HAS(EXECUTION, execution) HAS(NUMBER, timer) HAS(VALUE, index) HAS(TIME, due_ms)) \
    XX(TIMER_CLOSE, "timer_close", HAS(NUMBER, timer) HAS(VALUE, fired)) /* Not fired: it was cancelled. */   \
    /* Data was merged into the instance's (enum data_merge) by a visit; 0: by the start or a repair.      */ \
    XX(DATA,        "data",        HAS(EXECUTION, execution) HAS(VALUE, merge) HAS(JSON, data))               \
    /* enum instance_status, and why the instance failed or was cancelled.                                 */ \
    XX(STATUS,      "status",      HAS(VALUE, status) HAS(TEXT, reason))                                      \
    /* Another definition must be started with the instance's data and key.                                */ \
    XX(CHAIN,       "chain",       HAS(NUMBER, number) HAS(TEXT, definition))                                 \
    /* The scope node `node` opens its region `index`, for the visit `host`.                               */ \
    XX(REGION_OPEN, "region_open", HAS(EXECUTION, host) HAS(NODE, node) HAS(SCOPE, scope) HAS(FROM, around)   \
                                   HAS(VALUE, index) HAS(JSON, data))                                         \
    /* enum region_state, and the error of a region that failed.                                           */ \
    XX(REGION_END,  "region_end",  HAS(SCOPE, scope) HAS(VALUE, state) HAS(JSON, error))                      \
    /* As DATA, for the data that a scope sees; any value may replace it.                                  */ \
    XX(SCOPE_DATA,  "scope_data",  HAS(EXECUTION, execution) HAS(SCOPE, scope) HAS(VALUE, merge) HAS(JSON, data)) \
    /* Follows JOB_OPEN: enum performer, and a payload that is not the instance's data.                    */ \
    XX(JOB_INPUT,   "job_input",   HAS(NUMBER, job) HAS(VALUE, performer) HAS(JSON, payload))                 \
    /* Follows JOB_OPEN: the job is a retry by this of the node's retry rules.                             */ \
    XX(JOB_RULE,    "job_rule",    HAS(NUMBER, job) HAS(FROM, rule_count) HAS(VALUE, rule))                   \
    XX(MAIL_IN,     "mail_in",     HAS(NUMBER, mail) HAS(JSON, event)) /* An event arrived. */                \
    /* A visit used a piece of mail; 0: it was dropped.                                                    */ \
    XX(MAIL_OUT,    "mail_out",    HAS(EXECUTION, execution) HAS(NUMBER, mail))                               \
    XX(CORRELATE,   "correlate",   HAS(TEXT, correlation)) /* The key of its events is known. */              \
    /* An error that was handled at the visit, or failed its region.                                       */ \
    XX(RAISE,       "raise",       HAS(EXECUTION, execution) HAS(JSON, error))                                \
    XX(ERROR,       "error",       HAS(JSON, error)) /* The instance's error; STATUS follows. */              \
    /* A job of another instance started this one. `waits`: that job waits for its end.                    */ \
    XX(BORN,        "born",        HAS(NUMBER, parent_job) HAS(VALUE, parent_waits) HAS(INSTANCE, parent))    \
    XX(WARN,        "warn",        HAS(EXECUTION, execution) HAS(TEXT, warning)) /* Changes nothing. */       \
    XX(FAMILY,      "family",      HAS(VALUE, depth) HAS(INSTANCE, root)) /* struct instance. */              \
    XX(CHAINED,     "chained",     HAS(INSTANCE, chained_from)) /* Started at the end of that instance. */    \
    /* The visit is complete, and its way out failed; the token stays, failed: struct stuck.               */ \
    XX(STALL,       "stall",       HAS(EXECUTION, execution) HAS(VALUE, edge) HAS(TEXT, reason) HAS(JSON, brought)) \
    XX(SIGNAL_IN,   "signal_in",   HAS(NUMBER, mail) HAS(NODE, node) HAS(JSON, event)) /* An early signal. */ \
    /* A visit used an event, which is kept while the visit `holder` stands.                               */ \
    XX(MAIL_TAKE,   "mail_take",   HAS(EXECUTION, execution) HAS(NUMBER, mail) HAS(FROM, holder))             \
    XX(HANDLED,     "handled",     HAS(VALUE, handled_count)) /* So many errors count as handled from now on. */ \
    XX(DATA_CUT,    "data_cut",    HAS(JSON, names)) /* The variables of these names are gone. */             \
    XX(TEST,        "test",        HAS(VALUE, is_test)) /* The instance is a test. */                         \
    /* 1: it is created and does not begin. 0: it begins.                                                  */ \
    XX(HOLD,        "hold",        HAS(VALUE, is_held))                                                       \
    /* An arrival, by name, and the visit that it ended or began; 0: none. `event`: its value, if the program \
     * does not know the arrival.                                                                          */ \
    XX(ARRIVE,      "arrive",      HAS(EXECUTION, execution) HAS(TEXT, arrival) HAS(JSON, event))             \
    XX(REPLACED,    "replaced",    HAS(INSTANCE, replaced_by)) /* That instance takes its place. */           \
    /* Follows ENTER at a join that counts edges: the edge by which the token came.                        */ \
    XX(BY,          "came_by",     HAS(EXECUTION, execution) HAS(VALUE, way))                                 \
    XX(CARRY,       "carry",       HAS(EXECUTION, execution) HAS(JSON, carried)) /* The token's value. */      \
    /* The details of a person's task, and a comment on their change.                                      */ \
    XX(TASK,        "task",        HAS(EXECUTION, execution) HAS(TEXT, comment) HAS(JSON, task))              \
    XX(EACH_OPEN,   "each_open",   HAS(EXECUTION, host) HAS(JSON, items)) /* The token opens a region per item. */ \
    /* A region per item is over (enum item_verdict), with its result or its error, and is closed.         */ \
    XX(ITEM_END,    "item_end",    HAS(SCOPE, scope) HAS(VALUE, item_verdict) HAS(JSON, result))              \
    XX(RESCUE,      "rescue",      HAS(EXECUTION, execution)) /* A handler of the program took an error. */   \
    /* A visit that can be undone is complete: struct undo_item.                                           */ \
    XX(UNDOABLE,    "undoable",    HAS(EXECUTION, execution) HAS(NUMBER, number) HAS(NODE, node) HAS(JSON, visit)) \
    XX(UNDO,        "undo",        HAS(EXECUTION, host) HAS(JSON, error)) /* Undoing begins: struct undo. */  \
    /* enum undo_state, and the region in which the visit is undone.                                       */ \
    XX(UNDO_STATE,  "undo_state",  HAS(NUMBER, number) HAS(SCOPE, scope) HAS(VALUE, undo_state))              \
    /* A join will absorb a token that comes by an edge (1), or has done so or need not any more (0).      */ \
    XX(OWE,         "owe",         HAS(NODE, node) HAS(SCOPE, scope) HAS(FROM, is_owed) HAS(VALUE, way))      \
    /* How often the node was visited in the scope.                                                        */ \
    XX(VISITED,     "visited",     HAS(NODE, node) HAS(SCOPE, scope) HAS(VALUE, visit_count))                 \
    /* A transition was fired at the visit; without a name the token looked again whether it can go on. Visits \
     * are counted from 0 again. `moved_to`: the version of the definition with which it goes on; 0: the same. In \
     * a program that moves from version to version, a START notes it, too: each history tells its version.  */ \
    XX(FIRE,        "fire",        HAS(EXECUTION, execution) HAS(INSTANCE, moved_to) HAS(TEXT, transition))   \
    /* In a test: the visit does nothing outside and does not wait. `state`: enum token_state in which it would \
     * have waited. `payload`: what its job would have been given, if that is not the instance's data.      */ \
    XX(SIMULATE,    "simulate",    HAS(EXECUTION, execution) HAS(VALUE, state) HAS(JSON, payload))            \
    XX(CODE,        "code",        HAS(TEXT, code)) /* The failure that follows has it; empty: none. */       \
    /* An arrival for which no token waited, kept for a wait that follows.                                  */ \
    XX(ARRIVAL_IN,  "arrival_in",  HAS(NUMBER, mail) HAS(TEXT, arrival) HAS(JSON, event))      \
    /* The instance goes on with the version `moved_to` of its definition. `renamed`: an object with the new name \
     * of each node that has another one; null: the new version lacks the node, and its visits count no more. */ \
    XX(MIGRATE,     "migrate",     HAS(INSTANCE, moved_to) HAS(TEXT, reason) HAS(JSON, renamed))             \
    XX(EACH_ADD,    "each_add",    HAS(EXECUTION, host) HAS(JSON, data)) /* One more item for the token's regions. */ \
    /* The instance is over, and one of that definition goes on with its key and this data. `version`: 0 is the \
     * latest.                                                                                              */ \
    XX(CONTINUE,    "continue",    HAS(NUMBER, number) HAS(VALUE, version) HAS(TEXT, definition) HAS(JSON, data)) \
    XX(REACH,       "reach",       HAS(EXECUTION, execution) HAS(NODE, node)) /* A milestone: struct reached_node. */ \
    /* A visit that waited for its milestone may begin: its token is ready.                               */ \
    XX(BEGIN,       "begin",       HAS(EXECUTION, execution))                                                 \
    /* A visit asks for a lock: struct lock.                                                               */ \
    XX(LOCK_ASK,    "lock_ask",    HAS(EXECUTION, execution) HAS(NUMBER, lock) HAS(VALUE, size) HAS(TEXT, lock_name)) \
    XX(LOCK_GRANT,  "lock_grant",  HAS(NUMBER, lock)) /* It is free, and the token that waited for it is ready. */ \
    XX(REMARK,      "remark",      HAS(TEXT, comment)) /* Why somebody gave the command. Changes nothing. */
/* clang-format on */

enum entry_kind {
#define XX(NAME, word, fields) ENTRY_KIND_##NAME,
    ENTRY_MAP(XX)
#undef XX
        ENTRY_KIND_COUNT
};

enum job_verdict { JOB_DONE, JOB_FAILED, JOB_CANCELLED };

/* The first name of a slot is for code that treats all kinds alike; entry.c checks the other ones against
 * ENTRY_MAP. Numbers of enums are as they were stored: an entry of a damaged store may have any. */
struct entry {
    enum entry_kind kind;
    union {
        uint32_t execution, host;
    };
    union {
        uint32_t number, job, timer, mail, parent_job, lock;
    };
    uint32_t scope;
    union {
        uint32_t from, around, attempt, rule_count, holder, is_owed;
    };
    union {
        uint32_t value;
        uint32_t state, status, verdict, merge, performer, item_verdict, undo_state; /* Values of an enum. */
        uint32_t fired, parent_waits, is_test, is_held;                              /* 0 or 1. */
        uint32_t index, rule, edge, retries_left, depth, handled_count, way, visit_count, version, size;
    };
    str node;
    union {
        int64_t time_ms, available_ms, due_ms;
        uint64_t instance, parent, root, chained_from, replaced_by, moved_to;
    };
    union {
        str text, reason, warning, job_type, definition, correlation, arrival, comment, transition, code,
            lock_name;
    };
    union {
        const struct json *json, *data, *error, *payload, *event, *brought, *names;
        const struct json *carried, *task, *items, *result, *visit, *renamed;
    };
};

const char *entry_word(enum entry_kind kind); /* "job_open" */
uint32_t entry_slots(enum entry_kind kind);   /* The slots that it uses: bits ENTRY_EXECUTION and so on. */

/* The history of one command. */
struct history {
    enum command_kind command;
    int64_t at_ms;
    str actor;
    uint32_t revision; /* The instance's after it: 1 for the start. */
    const struct entry *entry;
    size_t entry_count;
};

/* ---- the step ---- */

struct outcome {
    bool unchanged; /* A stale callback: accepted, and nothing happens. */
    bool holds;   /* A task of the instance holds (program_node): nothing may be written before its result. */
    int64_t fuel; /* The operations it cost; known of a rejection too. */
    const struct instance *instance;
    struct history history;
};

/* Carries out a command and runs tokens until all of them wait or are gone. `before` is NULL for START. The
 * outcome lives in the arena or is borrowed from `before`, the command and the program.
 *
 * MIGRATE looks nodes up by name: the instance may be decoded with the version before, or without a program.
 *
 * ST_OK, or a rejection that changes nothing: ST_INVALID, ST_NOT_FOUND, ST_CONFLICT or ST_LIMIT, with a
 * message for the user. A failing expression, an exhausted budget or a job without retries is no rejection:
 * the instance fails and says why. In a program that is atomic it is one: ST_INVALID, with the name of the
 * error as `where`. */
enum status core_step(const struct program *program, const struct instance *before,
                      const struct command *command, const struct limits *limits, struct arena *arena,
                      struct outcome *ret_outcome, struct error *rejection);

/* Applies one command's history to the state before it (NULL before the first). Fails with
 * ST_INTERNAL if they do not fit. `created` gives what a START's history does not hold. */
struct created {
    uint64_t id;
    int64_t definition;
    str business_key;
};
enum status core_replay(const struct program *program, const struct instance *before,
                        const struct created *created, const struct history *history, struct arena *arena,
                        const struct instance **ret_after, struct error *err);

/* The data of an instance with one token after a command, and what the token carried then, from the histories
 * newest first: from that command's back to the last one that replaced the data. All of it lives in the
 * arena, and the histories must, too. */
struct past;
struct past_state {
    const struct json *data;
    const struct json *carried; /* NULL: nothing. */
    bool has_ended;             /* The command was the end of the instance. */
};
struct past *core_past_new(struct arena *arena);
/* True: no older history is needed. */
bool core_past_tell(struct past *past, const struct history *history);
/* ST_INTERNAL: the histories do not fit. */
enum status core_past_end(struct past *past, struct past_state *ret_state, struct error *err);

/* Checks invariants (1) to (5), (7) and (8); ST_INTERNAL names the one that is broken. */
enum status core_verify(const struct program *program, const struct instance *instance, struct error *err);

const struct token *instance_find_token(const struct instance *instance, uint32_t execution);
const struct lock *instance_find_lock(const struct instance *instance, uint32_t number);
const struct job *instance_find_job(const struct instance *instance, uint32_t number);
const struct json *instance_job_payload(const struct instance *instance, const struct job *job);

/* True if a command can still reach the token: while the instance lives, and in the detached regions of an
 * instance that completed or failed. */
bool instance_reaches(const struct instance *instance, uint32_t execution);
/* True if the instance keeps events that arrive: while it lives, and while it is failed, for a retry. */
bool instance_takes_mail(const struct instance *instance);
/* True if the instance has ended and has jobs or timers in detached regions. */
bool instance_lingers(const struct instance *instance);

/* ---- events ---- */

/* True if instances of the program take this event. */
bool core_takes_event(const struct program *program, const struct json *event);
/* True if the event starts an instance of the program. */
bool core_starts_by_event(const struct program *program, const struct json *event);
/* The event's correlation key for the program: canonical JSON of the value, in the arena; empty if the
 * trigger asks for none or the event has none. */
str core_correlation_key(const struct program *program, const struct json *event, int64_t fuel,
                         struct arena *arena);

/* ---- stored form ---- */

/* Writes a version byte, the state (nodes by name) and a checksum. The id, the definition and the business
 * key are in it too: a row can be understood alone. */
void core_encode(const struct instance *instance, struct buf *out);
/* Safe on any bytes. Without a program (NULL) nodes stay NODE_NONE and only names are known;
 * with one, a node that it lacks is an error. Everything is copied to the arena. */
enum status core_decode(str bytes, const struct program *program, struct arena *arena,
                        const struct instance **ret_instance, struct error *err);

/* The same for bytes that core_encode() made and that never left this process's memory: nothing is checked.
 * The program must be the one with which they were made. */
const struct instance *core_decode_own(str bytes, const struct program *program, struct arena *arena);

void history_encode(const struct history *history, struct buf *out);
enum status history_decode(str bytes, struct arena *arena, struct history *ret_history, struct error *err);

/* ---- views ---- */

/* One visit to a node, as the API's history shows it. */
enum execution_status { EXECUTION_RUNNING, EXECUTION_COMPLETED, EXECUTION_FAILED };
const char *execution_status_word(enum execution_status status);

enum attempt_outcome { ATTEMPT_OPEN, ATTEMPT_COMPLETED, ATTEMPT_FAILED, ATTEMPT_CANCELLED };
const char *execution_outcome_word(enum attempt_outcome outcome); /* "failed" */

/* One job of a visit, from its opening to its verdict. */
struct job_attempt {
    uint32_t job;                              /* Its number in the instance. */
    uint32_t number;                           /* 1 for the first; counted up by retries. */
    str type;                                  /* The job type. */
    str actor;                                 /* The worker that gave the verdict; empty: the engine did. */
    int64_t opened_ms, available_ms, ended_ms; /* Not ended (0): it is open. */
    uint32_t ended_revision;                   /* The command that closed it. */
    enum attempt_outcome outcome;
    str error;
};

struct execution {
    uint32_t number;
    uint32_t scope; /* 0: the top level. */
    str region;     /* Name of the region it is in; empty: none. */
    bool inner;     /* At a node that the front end made for its own purposes. */
    str title;      /* The author's label; empty without a program. */
    str node_name;
    str type;         /* The dialect's word for the node; empty without a program. */
    uint32_t attempt; /* 1 for the first visit to this node, counted up. */
    enum execution_status status;
    int64_t started_ms;
    int64_t ended_ms;         /* 0: running. */
    str by;                   /* The person who ended a visit that waited; empty: unknown. */
    bool simulated;           /* In a test: it did nothing outside and did not wait. */
    bool raised;              /* An error was raised at it: it did not only end because something else did. */
    str failure;              /* Also of a visit that is complete, if its way out failed. */
    str warning;              /* Something that was odd about it; empty: nothing. */
    const struct json *input; /* The variables when it was entered. */
    const struct json
        *output;  /* Task: what the worker sent; wait, set, table: the variables after it; else NULL. */
    bool omitted; /* There was no room for its input, its output, or both. */
    const struct json *sent, *put;     /* Its last job's own input; what it put into data. NULL: none. */
    const struct json *before, *after; /* The data that it changed; NULL: it changed none. */
    uint32_t from, shown, host; /* Visits: before it; that its author knows; around that one. 0: none. */
    enum token_state waited;    /* READY: it did not wait. */
    int64_t waited_ms;          /* When it began to. */
    uint32_t waited_revision, ended_revision; /* The commands; not ended (0): also if only its run failed. */
    const struct job_attempt *tried; /* The last ATTEMPTS_SHOWN_MAX, in order, with those at inner nodes that
                                        are a part of this one. */
    size_t tried_count;
    size_t tried_total;
};

/* True if the visit ended because what it waited for did not come in time: it took the way of its timer. */
bool core_is_late(const struct execution *visit);

/* The visits of an instance, computed from its histories, which are told one by one from the first on. A
 * history is not needed after it was told. When the arena's budget is used up, the visits that follow come
 * without data. */
struct trail;
struct trail *core_trail_new(const struct program *program, struct arena *arena);
enum status core_tell(struct trail *trail, const struct history *history, struct error *err);
void core_trail_end(struct trail *trail, struct execution **ret_execution, size_t *ret_count);

/* The same from the complete history at once (oldest first). */
enum status core_executions(const struct program *program, const struct history *history, size_t count,
                            struct arena *arena, struct execution **ret_execution, size_t *ret_count,
                            struct error *err);

/* The names of the nodes where tokens stand, each once, in order of entry. With a program, inner nodes are
 * left out. */
size_t core_current_nodes(const struct program *program, const struct instance *instance, struct arena *arena,
                          str **ret_name);

/* The node that the author wrote: the token's, or that of the nearest host around it. */
const struct program_node *core_authored_node(const struct program *program, const struct instance *instance,
                                              const struct token *token);
/* True if the token only waits for its region, and a token inside the region explains the wait better. */
bool core_is_told_inside(const struct program *program, const struct instance *instance,
                         const struct token *token);

/* Why a token does not move, as a sentence: "waits for a worker of type "x" (attempt 2, 1 retry left)". */
str core_explain(const struct program *program, const struct instance *instance, const struct token *token,
                 int64_t now_ms, struct arena *arena);

#endif
