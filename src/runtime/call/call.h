/* runtime/call/call.h — one request to the engine, and its answer.
 *
 * A client (the API, a trigger, a test) makes a call with the constructor of its kind and submits it
 * (runtime.h). The runtime fills in the answer and hands the call back. A call and everything it points to
 * live in the arena that the call names. Between submit and done only the runtime touches that arena.
 *
 *     submit ──► engine thread: commands, polls, reads of the queues in memory
 *            └─► query thread: lists, single reads, compiling a definition (then the engine)
 */
#ifndef RUNTIME_CALL_CALL_H
#define RUNTIME_CALL_CALL_H

#include "access/permit/caller.h"
#include "base/id.h"
#include "core/core.h"
#include "dialect/secrets.h"
#include "dialect/show/view.h"
#include "program/problems.h"
#include "runtime/call/access_calls.h"
#include "runtime/call/arrival_calls.h"
#include "runtime/call/bulk_calls.h"
#include "runtime/call/design_calls.h"
#include "runtime/call/entity_calls.h"
#include "runtime/call/event_calls.h"
#include "runtime/call/job_view.h"
#include "runtime/call/live_calls.h"
#include "runtime/call/operate_calls.h"
#include "runtime/call/secret_calls.h"
#include "runtime/call/task_calls.h"
#include "source/source.h"
#include "store/store.h"

/* Every kind of call:
 *
 *     request   the member of `as` that says what is asked
 *     where     the thread that takes the call first
 *     writes    the call is a command: it changes something, and may carry an idempotency key
 *     space     the least space on the store's disk with which a command is accepted (room.c)
 *     brief     one command on one instance, which a client's thread may run itself (runtime.c)
 *     waits     the call may wait for long: it is refused while the engine drains
 *     large     the answer may be large: the call is refused while clients leave too many answers unread
 *     body      PARSED: nothing in the call points into the body of its request, which is dropped when the
 *               call is submitted. TEXT: the call reads the body's text, which stays until the answer
 *     answer    the member of `value` that is the answer, and what is filled in there
 */
/* clang-format off */
#define CALL_MAP(XX)                                                                                                                                          \
    /* NAME            name              request       where   writes space   brief  waits  large  body    answer */                                          \
    XX(DEPLOY,           deploy,           deploy,       QUERY,  true,  ENOUGH, false, false, false, TEXT)   /* definitions: row, is_new, problems */         \
    XX(START,            start,            start,        ENGINE, true,  ENOUGH, true,  false, false, PARSED) /* instances: view */                            \
    XX(COMPLETE_JOB,     complete_job,     job,          ENGINE, true,  SHORT,  true,  false, false, PARSED) /* nothing */                                    \
    XX(FAIL_JOB,         fail_job,         job,          ENGINE, true,  SHORT,  true,  false, false, PARSED) /* nothing */                                    \
    XX(EXTEND_JOB,       extend_job,       job,          ENGINE, false, SHORT,  true,  false, false, PARSED) /* jobs: view; none: it came too late */         \
    XX(POLL_JOBS,        poll_jobs,        poll,         ENGINE, false, SHORT,  true,  true,  false, PARSED) /* jobs: view[] */                               \
    XX(BATCH,            batch,            batch,        ENGINE, true,  SHORT,  true,  false, false, PARSED) /* an answer in each item; jobs: view[] */       \
    XX(COMPLETE_TASK,    complete_task,    instance,     ENGINE, true,  SHORT,  true,  false, false, PARSED) /* instances: view */                            \
    XX(CLAIM_TASK,       claim_task,       task,         ENGINE, true,  SHORT,  true,  false, false, PARSED) /* tasks: view */                                \
    XX(UNCLAIM_TASK,     unclaim_task,     task,         ENGINE, true,  SHORT,  true,  false, false, PARSED) /* tasks: view */                                \
    XX(ASSIGN_TASK,      assign_task,      task,         ENGINE, true,  SHORT,  true,  false, false, PARSED) /* tasks: view */                                \
    XX(COMMENT_TASK,     comment_task,     task,         ENGINE, true,  SHORT,  true,  false, false, PARSED) /* tasks: view */                                \
    XX(SIGNAL,           signal,           instance,     ENGINE, true,  SHORT,  true,  false, false, PARSED) /* instances: view, kept */                      \
    XX(CANCEL,           cancel,           instance,     ENGINE, true,  OUT,    false, false, false, PARSED) /* instances: view */                            \
    XX(RETRY,            retry,            instance,     ENGINE, true,  SHORT,  false, false, false, PARSED) /* instances: view */                            \
    XX(MODIFY,           modify,           modify,       ENGINE, true,  SHORT,  false, false, false, PARSED) /* instances: view, token_before[], token[] */   \
    XX(EVENTS,           events,           events,       ENGINE, true,  ENOUGH, false, false, false, PARSED) /* an answer in each event; instances: view[] if it waited */ \
    XX(ARRIVE,           arrive,           arrive,       ENGINE, true,  ENOUGH, true,  false, false, TEXT)   /* arrivals: view[], allow, instance */          \
    XX(PAUSE_TRIGGER,    pause_trigger,    trigger,      ENGINE, true,  SHORT,  false, false, false, PARSED) /* triggers: view */                             \
    XX(PAUSE_ENGINE,     pause_engine,     pause,        ENGINE, true,  SHORT,  false, false, false, PARSED) /* nothing */                                    \
    XX(LIST_TRIGGERS,    list_triggers,    triggers,     ENGINE, false, SHORT,  false, false, false, PARSED) /* triggers: view[], more */                     \
    XX(LIST_ARRIVALS,    list_arrivals,    arrivals,     QUERY,  false, SHORT,  false, false, false, PARSED) /* arrivals: view[], more, next */               \
    XX(EXPLAIN,          explain,          read,         ENGINE, false, SHORT,  false, false, false, PARSED) /* instances: view, token[], callback[] */       \
    XX(LIST_JOBS,        list_jobs,        jobs,         ENGINE, false, SHORT,  false, false, false, PARSED) /* jobs: view[] without payloads, more */        \
    XX(WATCH,            watch,            watch,        ENGINE, false, SHORT,  false, true,  true,  PARSED) /* instances: history[], view */                 \
    XX(WATCH_TASKS,      watch_tasks,      watch_tasks,  ENGINE, false, SHORT,  false, true,  true,  PARSED) /* news */                                       \
    XX(WATCH_LIVE,       watch_live,       watch_live,   ENGINE, false, SHORT,  false, true,  false, PARSED) /* live */                                       \
    XX(GET_INSTANCE,     get_instance,     read,         QUERY,  false, SHORT,  false, false, true,  PARSED) /* instances: view */                            \
    XX(LIST_INSTANCES,   list_instances,   instances,    QUERY,  false, SHORT,  false, false, true,  PARSED) /* instances: view[], total, cut */              \
    XX(GET_HISTORY,      get_history,      read,         QUERY,  false, SHORT,  false, false, true,  PARSED) /* instances: execution[], view, cut */          \
    XX(GET_DEFINITION,   get_definition,   definition,   QUERY,  false, SHORT,  false, false, true,  PARSED) /* definitions: row */                           \
    XX(LIST_DEFINITIONS, list_definitions, definitions,  QUERY,  false, SHORT,  false, false, false, PARSED) /* definitions: row[], total */                  \
    XX(LIST_TASKS,       list_tasks,       tasks,        QUERY,  false, SHORT,  false, false, false, PARSED) /* tasks: row[], total */                        \
    XX(WORKLIST,         worklist,         worklist,     QUERY,  false, SHORT,  false, false, true,  PARSED) /* tasks: view[], next */                        \
    XX(GET_TASK,         get_task,         task,         QUERY,  false, SHORT,  false, false, true,  PARSED) /* tasks: view, note[], cut */                   \
    XX(LIST_UNMATCHED,   list_unmatched,   unmatched,    QUERY,  false, SHORT,  false, false, true,  PARSED) /* unmatched: view[], total, cut */              \
    XX(BULK,             bulk,             bulk,         QUERY,  true,  ENOUGH, false, false, false, PARSED) /* bulks: view; a dry run: group[], total */     \
    XX(CANCEL_BULK,      cancel_bulk,      bulks,        ENGINE, true,  OUT,    false, false, false, PARSED) /* bulks: view */                                \
    XX(PAUSE_BULK,       pause_bulk,       bulks,        ENGINE, true,  OUT,    false, false, false, PARSED) /* bulks: view */                                \
    XX(RESUME_BULK,      resume_bulk,      bulks,        ENGINE, true,  SHORT,  false, false, false, PARSED) /* bulks: view */                                \
    XX(GET_BULK,         get_bulk,         bulks,        QUERY,  false, SHORT,  false, false, false, PARSED) /* bulks: view */                                \
    XX(LIST_BULKS,       list_bulks,       bulks,        QUERY,  false, SHORT,  false, false, false, PARSED) /* bulks: view[] */                              \
    XX(BULK_RESULTS,     bulk_results,     bulks,        QUERY,  false, SHORT,  false, false, false, PARSED) /* bulks: view, result[] */                      \
    XX(REASONS,          reasons,          bulk,         QUERY,  false, SHORT,  false, false, false, PARSED) /* bulks: group[], total */                      \
    XX(VALIDATE,         validate,         deploy,       QUERY,  false, SHORT,  false, false, false, TEXT)   /* definitions: problems, row; the status is of the call, not of the document */ \
    XX(LIST_SUMMARIES,   list_summaries,   summaries,    QUERY,  false, SHORT,  false, false, false, PARSED) /* summaries: view[], next */                    \
    XX(GET_SUMMARY,      get_summary,      definition,   QUERY,  false, SHORT,  false, false, false, PARSED) /* summaries: view */                            \
    XX(GET_FORM,         get_form,         form,         QUERY,  false, SHORT,  false, false, true,  PARSED) /* form */                                       \
    XX(LIST_TABLES,      list_tables,      summaries,    QUERY,  false, SHORT,  false, false, true,  PARSED) /* design: text */                               \
    XX(LIST_LOCKS,       list_locks,       summaries,    QUERY,  false, SHORT,  false, false, true,  PARSED) /* design: text; `keyword` is a whole name */   \
    XX(TICKS,            ticks,            ticks,        QUERY,  false, SHORT,  false, false, false, PARSED) /* design: text */                               \
    XX(TRY_TABLE,        try_table,        table,        QUERY,  false, SHORT,  false, false, false, PARSED) /* design: text */                               \
    XX(COMPARE,          compare,          compare,      QUERY,  false, SHORT,  false, false, true,  PARSED) /* design: text */                               \
    XX(PICTURE,          picture,          picture,      QUERY,  false, SHORT,  false, false, true,  TEXT)   /* design: text, problems */                     \
    XX(REPLAY,           replay,           replay,       QUERY,  true,  ENOUGH, false, false, false, PARSED) /* instances: view; becomes a START on its way */ \
    XX(LIST_VERSIONS,    list_versions,    versions,     QUERY,  false, SHORT,  false, false, false, PARSED) /* definitions: row[] without sources */         \
    XX(RESTORE,          restore,          restore,      QUERY,  true,  ENOUGH, false, false, false, PARSED) /* definitions: as DEPLOY, which it becomes on its way */ \
    XX(RETIRE,           retire,           definition,   ENGINE, true,  OUT,    false, false, false, PARSED) /* definitions: row, is_new if it was in use */ \
    XX(DELETE_DEFINITION, delete_definition, deletion,   QUERY,  true,  OUT,    false, false, false, PARSED) /* definitions: row, is_new if this call has begun it; row->is_leaving: it goes on */ \
    XX(APPLY,            apply,            apply,        QUERY,  true,  ENOUGH, false, false, false, PARSED) /* an answer in each item */                     \
    XX(SAVE_DRAFT,       save_draft,       draft,        ENGINE, true,  ENOUGH, false, false, false, PARSED) /* drafts: view without its document */          \
    XX(REMOVE_DRAFT,     remove_draft,     draft,        ENGINE, true,  OUT,    false, false, false, PARSED) /* nothing */                                    \
    XX(GET_DRAFT,        get_draft,        draft,        QUERY,  false, SHORT,  false, false, true,  PARSED) /* drafts: view */                               \
    XX(LIST_DRAFTS,      list_drafts,      drafts,       QUERY,  false, SHORT,  false, false, false, PARSED) /* drafts: view[] without documents */           \
    XX(SET_SECRET,       set_secret,       secret,       ENGINE, true,  ENOUGH, false, false, false, PARSED) /* secrets: view, is_new */                      \
    XX(REMOVE_SECRET,    remove_secret,    secret,       ENGINE, true,  OUT,    false, false, false, PARSED) /* nothing */                                    \
    XX(REKEY_SECRETS,    rekey_secrets,    nothing,      ENGINE, true,  ENOUGH, false, false, false, PARSED) /* secrets: resealed */                          \
    XX(LIST_SECRETS,     list_secrets,     secrets,      QUERY,  false, SHORT,  false, false, false, PARSED) /* secrets: view[], more */                      \
    XX(LIST_CONNECTIONS, list_connections, secrets,      QUERY,  false, SHORT,  false, false, false, PARSED) /* secrets: connection[], cut */                 \
    XX(TEST_CONNECTION,  test_connection,  secret,       ENGINE, true,  ENOUGH, false, false, false, PARSED) /* nothing: it leaves a row of the audit */      \
    XX(GET_JOINED,       get_joined,       entity,       ENGINE, false, SHORT,  false, false, true,  PARSED) /* entities: view */                             \
    XX(CHANGE_MODEL,     change_model,     model,        ENGINE, true,  ENOUGH, false, false, false, PARSED) /* nothing */                                    \
    XX(GET_MODEL,        get_model,        model,        QUERY,  false, SHORT,  false, false, true,  PARSED) /* models: view */                               \
    XX(GET_INDEXES,      get_indexes,      model,        QUERY,  false, SHORT,  false, false, false, PARSED) /* models: indexes */                            \
    XX(LIST_MODELS,      list_models,      models,       QUERY,  false, SHORT,  false, false, true,  PARSED) /* models: view[], more */                       \
    XX(GET_ENTITY,       get_entity,       entity,       QUERY,  false, SHORT,  false, false, true,  PARSED) /* entities: view */                             \
    XX(LIST_ENTITIES,    list_entities,    entity_list,  QUERY,  false, SHORT,  false, false, true,  PARSED) /* entities: view[] */                           \
    XX(LIST_CHANGES,     list_changes,     entity,       QUERY,  false, SHORT,  false, false, true,  PARSED) /* changes */                                    \
    XX(LIST_AUDIT,       list_audit,       audit,        QUERY,  false, SHORT,  false, false, true,  PARSED) /* audit */                                      \
    XX(BEGIN_SEARCH,     begin_search,     search_job,   QUERY,  true,  ENOUGH, false, false, false, PARSED) /* search_job: id, state */                      \
    XX(CANCEL_SEARCH,    cancel_search,    search_job,   ENGINE, true,  OUT,    false, false, false, PARSED) /* search_job: id, state */                      \
    XX(GET_SEARCH,       get_search,       search_job,   QUERY,  false, SHORT,  false, false, true,  PARSED) /* search_job, with view[] */                    \
    XX(SEARCH,           search,           search,       QUERY,  false, SHORT,  false, false, true,  PARSED) /* search: view[], plan */                       \
    XX(COUNT_ENTITIES,   count_entities,   counts,       QUERY,  false, SHORT,  false, false, true,  PARSED) /* counts */                                     \
    XX(GROUP_ENTITIES,   group_entities,   groups,       QUERY,  false, SHORT,  false, false, true,  PARSED) /* groups */                                     \
    XX(REMOVE_ENTITIES,  remove_entities,  removal,      ENGINE, true,  OUT,    false, false, false, PARSED) /* removal */                                    \
    XX(WRITE_ENTITIES,   write_entities,   entities,     ENGINE, true,  ENOUGH, true,  false, false, PARSED) /* an answer in each item */                     \
    XX(LIST_RUNS,        list_runs,        runs,         QUERY,  false, SHORT,  false, false, true,  PARSED) /* runs */                                       \
    XX(GET_RUN,          get_run,          run,          QUERY,  false, SHORT,  false, false, true,  PARSED) /* instances: view, run */                       \
    XX(LIST_VISITS,      list_visits,      run,          QUERY,  false, SHORT,  false, false, true,  PARSED) /* instances: view, run */                       \
    XX(GET_VISIT,        get_visit,        run,          QUERY,  false, SHORT,  false, false, true,  PARSED) /* instances: view, run */                       \
    XX(GET_TRACE,        get_trace,        run,          QUERY,  false, SHORT,  false, false, true,  PARSED) /* instances: run */                             \
    XX(OVERVIEW,         overview,         nothing,      QUERY,  false, SHORT,  false, false, false, PARSED) /* overview; goes on at the engine */            \
    XX(SERIES,           series,           nothing,      ENGINE, false, SHORT,  false, false, false, PARSED) /* series */                                     \
    XX(WORKERS,          workers,          nothing,      ENGINE, false, SHORT,  false, false, false, PARSED) /* workers */                                    \
    XX(JOB_SERIES,       job_series,       nothing,      ENGINE, false, SHORT,  false, false, false, PARSED) /* job_series */                                 \
    XX(STATISTICS,       statistics,       nothing,      QUERY,  false, SHORT,  false, false, false, PARSED) /* statistics */                                  \
    XX(RESOLVE,         resolve,          resolve,      QUERY,  false, SHORT,  false, false, false, PARSED) /* resolve */ \
    XX(FIND_RECIPIENTS, find_recipients,  recipients,   QUERY,  false, SHORT,  false, false, false, PARSED) /* recipients */ \
    XX(LIST_ACCESS,     list_access,      access_list,  QUERY,  false, SHORT,  false, false, false, PARSED) /* access_list */ \
    XX(CHANGE_ACCESS,   change_access,    access,       ENGINE, true,  OUT,    false, false, false, PARSED) /* access */ \
    XX(LIST_AUDIT_ROWS, list_audit_rows,  audit_rows,   QUERY,  false, SHORT,  false, false, false, PARSED) /* audit_rows */ \
    XX(VERIFY_AUDIT,    verify_audit,     audit_rows,   QUERY,  false, SHORT,  false, false, false, PARSED) /* audit_rows */ \
    XX(NOTE_ACCESS,     note_access,      note_access,  ENGINE, true,  SHORT,  false, false, false, PARSED) /* nothing */
/* clang-format on */

enum call_kind {
#define XX(NAME, ...) CALL_##NAME,
    CALL_MAP(XX)
#undef XX
        CALL_KIND_COUNT
};

/* A row of CALL_MAP. */
struct call_description {
    const char *name; /* "START" */
    bool on_engine;   /* The engine's thread takes it first; else the query thread. */
    bool writes, brief, waits, large;
    bool reads_text; /* The body of its request stays until the answer; else it is dropped at once. */
    enum store_space space;
};

const struct call_description *call_description(enum call_kind kind);

/* Why one token does not move. */
struct token_view {
    uint32_t execution;
    str node, title, type;
    enum token_state state;
    int64_t since_ms;
    str why;                    /* A sentence. */
    const struct job_view *job; /* NULL: none. */
    const int64_t *timer_due_ms;
    size_t timer_count;
};

/* Why a callback of a worker changed nothing. */
/* clang-format off */
#define CALLBACK_DROP_MAP(XX)                                                                                     \
    XX(USED,    "",            "it did")                                                                          \
    XX(CLOSED,  "closed",      "the job was completed, failed or cancelled before")                               \
    XX(ENDED,   "ended",       "the instance has ended")                                                          \
    XX(EXPIRED, "expired",     "this delivery is over: its lease ran out, or the engine was restarted since")     \
    XX(HELD,    "held",        "another worker holds the job")
/* clang-format on */

enum callback_drop {
#define XX(NAME, word, meaning) CALLBACK_##NAME,
    CALLBACK_DROP_MAP(XX)
#undef XX
};

const char *callback_drop_word(enum callback_drop why);
const char *callback_drop_meaning(enum callback_drop why);
const char *callback_kind_word(enum call_kind kind); /* "complete", "fail", "extend" */

/* A callback that changed nothing. */
struct callback_view {
    int64_t at_ms;
    struct id job;
    enum call_kind kind;
    enum callback_drop why;
    str worker;
};

/* An event that nobody took. */
struct unmatched_view {
    int64_t number, received_ms;
    str reason;
    const struct json *event;
};

/* An event that waits for an instance of the definition. */
struct waiting_view {
    str definition_id;
    str id, source, type; /* The attributes of the event. */
    int64_t received_ms, until_ms;
};

/* One command for many. Its public id is bulk_id(). */
struct bulk_view {
    struct bulk_row row;
    const struct json *request; /* NULL: it cannot be had. */
};

/* Instances of one status that failed, or that a bulk would be for, for one reason. */
struct bulk_group {
    enum instance_status status;
    enum bulk_verdict verdict; /* The preview of a migration. */
    str reason;                /* Folded; empty: none. */
    str example, code;         /* One of the reasons it stands for, as it is, and its code; empty: none. */
    int64_t count;
    int64_t first_ms, last_ms;    /* When they failed, were started or received. */
    struct bulk_target target[5]; /* Some of them. */
    size_t target_count;
    /* These are for failed instances. A text is empty, the version 0, where they differ. */
    uint32_t bar[ACTIVITY_BARS]; /* How many in each five minutes of the last hour, oldest first. */
    str definition_id, definition_name, node, node_title;
    int32_t version;
};

struct call;
typedef void call_fn(struct call *call);

/* An answer that an engine before the form of answer_codec.h stored as the text of its HTTP response. */
struct answer_text {
    int http_status;
    str body;
};

/* ---- requests: one struct for each shape, shared by the kinds that ask in the same way ---- */

/* DEPLOY, VALIDATE. */
struct call_deploy {
    str text;
    enum source_format format;
    struct call_import *import; /* DEPLOY: the text is made of these workflows and the model's; NULL: none. */
    str author;                 /* DEPLOY: who publishes it; empty: unknown. */
    str revision;               /* DEPLOY: where it comes from; empty: unknown. */
    int32_t restores;           /* DEPLOY: the older version whose text this is; 0: nobody has said so. */
    bool makes_models; /* DEPLOY: a document of entity workflows needs no sample; a new model is open. */
    const struct call_around *around; /* DEPLOY: the answer says what is missing; NULL: it does not. */
    /* The query thread fills these in. */
    const struct secret_use *secret_use; /* DEPLOY: the secrets that the document names. */
    size_t secret_use_count;
};

/* A new instance that begins as another one did: with the latest version, by the same trigger, with the same
 * input and key. */
struct call_replay {
    struct id id;
    str actor;
    bool is_test;
    bool is_as_before; /* It is a test if the other one is. */
};

/* SAVE_DRAFT, REMOVE_DRAFT, GET_DRAFT: the draft of one definition id. */
struct call_draft {
    str id;
    const struct json *document; /* SAVE_DRAFT: any value. */
    str author;                  /* SAVE_DRAFT: empty: unknown. */
    uint32_t if_revision;        /* Refused if the draft has another one; 0: any will do. */
    bool only_new;               /* SAVE_DRAFT: refused if there is a draft. */
};

struct call_drafts {
    str after; /* Only ids behind this one. */
    size_t max;
};

struct call_start {
    str definition_id;
    int32_t version; /* 0: the latest. */
    str business_key;
    const struct json *data;
    str actor;
    int64_t wait_ms; /* How long the answer may wait for the end of the instance; 0: not at all. */
    str trigger;    /* In a program with arrivals: the trigger by which it begins, with `data` as its payload;
                     * empty: the first that people use, else the first. */
    bool is_test;   /* Nothing is done outside of the engine. A test has no business key. */
    bool may_queue; /* The answer may be that the start waits for a place. */
    bool replays;   /* An instance of its own is wanted, whatever the trigger's policy is. */
    bool by_form;   /* The caller has filled in its form, which may be open to everybody. */
};

/* A worker's report on one job: COMPLETE_JOB (data), FAIL_JOB (text, failure, retryable), EXTEND_JOB
 * (lease_ms). */
struct call_job {
    struct id id;
    str worker;
    const struct json *data;
    str text;
    const struct json *failure; /* {name, message, data}, all optional; NULL: only the text. */
    bool retryable;
    int64_t retry_after_ms; /* FAIL_JOB: a retry begins so much later, or later still by its rule. */
    int64_t lease_ms;       /* 0: the engine's default. */
    /* COMPLETE_JOB: why the result could not be read, which `text` says in words; NULL: `data` is the result.
     */
    const struct error *unread;
};

struct call_poll {
    str worker;
    const str *type;
    size_t type_count;
    size_t max;
    int64_t lease_ms;     /* 0: the engine's default. */
    int64_t wait_ms;      /* How long the answer may wait for a job; 0: not at all. */
    int32_t priority_min; /* The lowest priority of the jobs; 0: any. A poll that is choosy claims nothing
                           * from other nodes. */
};

/* Reports on jobs, each a call of its own with its own answer, and a poll after them (no types: none). */
struct call_batch {
    struct call *item;
    size_t item_count;
    struct call_poll poll;
};

/* A command on one instance: COMPLETE_TASK, SIGNAL, CANCEL, RETRY. */
struct call_instance {
    struct id id;      /* COMPLETE_TASK: of the instance, or of the visit itself. */
    str definition_id; /* SIGNAL: not empty: the live instance of this definition … */
    str business_key;  /* … that has this key, instead of an id. */
    str node;          /* RETRY: empty: the node that failed. */
    const struct json *data;
    str text; /* CANCEL: the reason. */
    str actor;
    bool early;      /* SIGNAL: keep it if no token waits for it yet. */
    bool failed_too; /* CANCEL: also an instance that has failed. */
    bool alone;      /* RETRY: also a child whose parent failed with it. */
    bool resumes;    /* COMPLETE_TASK: `id` is the instance's; tasks/resume.h tells which task is meant … */
    str task;        /* … by this id; empty: the only one that is open. */
    const struct json *groups; /* COMPLETE_TASK: the groups that the actor is in; NULL: none. */
    bool in_any_group;         /* COMPLETE_TASK: a scenario answers, whose person is in every group. */
};

/* A repair by hand. */
struct call_modify {
    struct id id;
    const struct json *data;                 /* Variables to set; NULL: none. */
    const struct json *unset;                /* Names of variables to remove; NULL: none. */
    const struct modification *modification; /* `at` is a step or the public id of a visit. */
    size_t modification_count;
    uint32_t if_revision; /* Refused if the instance has another one; 0: any will do. */
    str text;
    str actor;
    bool dry_run; /* Says what would happen; spends no key. */
};

/* Events in order; each has its own answer. Or one unmatched event that is sent again: it becomes event[0].
 */
struct call_events {
    struct call_event *event;
    size_t event_count;
    int64_t resend;  /* The number of the unmatched event; 0: `event` is taken. */
    int64_t wait_ms; /* How long the answer may wait for the end of the instances of a single event; 0: not at
                        all. */
};

/* GET_INSTANCE, GET_HISTORY, EXPLAIN. */
struct call_read {
    struct id id;
    bool with_children; /* GET_INSTANCE, GET_HISTORY */
    bool with_attempts; /* GET_HISTORY */
    struct history_page {
        size_t max;     /* So many visits; 0: all of them. */
        uint32_t after; /* Behind this visit, in the order below; 0: from the first one on. */
        bool newest;    /* The newest come first. */
    } page;             /* GET_HISTORY */
};

struct call_watch {
    struct id id;
    uint32_t after;  /* The revision that the client has seen. */
    int64_t wait_ms; /* How long the answer may wait for a later one; 0: not at all. */
};

struct call_instances {
    struct instance_filter filter;
    bool with_total;
};

/* News of the tasks of a person and of groups, or of all tasks if none is named. */
struct call_watch_tasks {
    str person; /* Empty: none. */
    const str *group;
    size_t group_count;
    uint64_t epoch, after; /* The last number that the client has seen; epoch 0: it begins now. */
    int64_t wait_ms;       /* How long the answer may wait for news; 0: not at all. */
};

struct call_definitions {
    str keyword;
    int64_t skip;
    size_t max;
};

struct call_cursor {
    uint64_t instance;
    uint32_t number;
};

/* LIST_JOBS. The runtime moves the cursor to the place where its page ends. */
struct call_jobs {
    str type;          /* Empty: any. */
    uint64_t instance; /* 0: any. */
    size_t max;
    struct call_cursor cursor; /* The page holds jobs strictly after this one. */
};

struct call_unmatched {
    int64_t before; /* Only older numbers; 0: from the newest. */
    size_t max;
    bool with_total;
};

/* BULK, REASONS. */
struct call_bulk {
    const struct bulk_request *request;
    str actor; /* BULK: who begins it; empty: unknown. */
};

/* GET_BULK, CANCEL_BULK, PAUSE_BULK, RESUME_BULK (id), LIST_BULKS (before, max), BULK_RESULTS (id, outcome,
 * skip, max). */
struct call_bulks {
    struct id id;
    int32_t outcome; /* Only results with this one; -1: any. */
    int64_t before;  /* Only older numbers; 0: from the newest. */
    int64_t skip;    /* The runtime moves it to the place where its page ends. */
    size_t max;
};

/* STATISTICS, REKEY_SECRETS. */
struct call_nothing {
    char none;
};

/* ---- answers: one struct for each subject, shared by the kinds that tell of it ---- */

/* Commands on instances, EXPLAIN, WATCH, GET_INSTANCE, LIST_INSTANCES, GET_HISTORY. */
struct answer_instances {
    struct instance_view *view; /* The instance; of a list, those on its page; NULL: START, it waits. */
    size_t count;
    struct arrival_view *arrival; /* START: what became of it at its trigger; NULL: it came to none. */
    int64_t total;                /* LIST_INSTANCES: on all pages, if that was asked. */
    bool cut;                     /* LIST_INSTANCES, GET_HISTORY: there is more than an answer may hold. */
    bool has_no_total;            /* LIST_INSTANCES: the caller sees some only, and there are too many. */
    size_t looked;                /* LIST_INSTANCES: the runtime's own. */
    bool kept;                    /* SIGNAL: no token waits for it yet. */
    struct token_view *token;     /* EXPLAIN, MODIFY */
    size_t token_count;
    struct token_view *token_before; /* MODIFY: as they were. */
    size_t token_before_count;
    struct callback_view *callback; /* EXPLAIN: dropped ones, newest first. */
    size_t callback_count;
    struct execution *execution; /* GET_HISTORY: visits … */
    size_t execution_count;
    uint32_t next_after;     /* … of which more follow behind this one; 0: none does … */
    struct trail_acts acts;  /* … and who did what. */
    struct answer_run *run;  /* GET_RUN, LIST_VISITS, GET_VISIT, GET_TRACE */
    struct history *history; /* WATCH: commands behind the revision that the client has seen. */
    size_t history_count;
};

/* POLL_JOBS, BATCH, EXTEND_JOB, LIST_JOBS. */
struct answer_jobs {
    struct job_view *view;
    size_t count;
    bool more; /* LIST_JOBS: there may be more behind the cursor. */
};

/* DEPLOY, GET_DEFINITION, LIST_DEFINITIONS. */
struct answer_definitions {
    struct definition_row *row;
    size_t count;
    int64_t total;            /* LIST_DEFINITIONS: on all pages. */
    bool is_new;              /* DEPLOY: false if the latest version has this content already. */
    int32_t latest;           /* DEPLOY, LIST_VERSIONS: the version that new instances run. */
    struct problems problems; /* DEPLOY: the errors of a document that was refused, or warnings. */
    struct missing_view *missing;
    size_t missing_count;
    bool others_may_have; /* Workers that no poll here tells of may poll at other nodes. */
};

struct task_feed_view {
    uint64_t number;
    str text; /* A JSON object. */
};

struct answer_task_feed {
    uint64_t epoch, last; /* The last number that the client has seen with this answer. */
    bool is_reset;        /* It has missed news: it must read its list again. */
    struct task_feed_view *item;
    size_t count, cap;
};

struct answer_unmatched {
    struct unmatched_view *view;
    size_t count;
    int64_t total;
    bool cut; /* There is more than an answer may hold: the list goes on behind its last item. */
    struct waiting_view *waiting; /* With the total: those that wait. */
    size_t waiting_count;
    bool waiting_more; /* They are only the first. */
};

/* A document that is not published. */
struct draft_view {
    str id;            /* The id of the definition that it will be. */
    uint32_t revision; /* Counts up with every change. */
    int64_t updated_ms;
    str author, name;            /* `name`: of the document, cut to TITLE_BYTES_MAX; empty: it has none. */
    const struct json *document; /* NULL in lists. */
};

struct answer_drafts {
    struct draft_view *view;
    size_t count;
    bool more; /* LIST_DRAFTS: there may be more behind the last. */
};

/* BULK, GET_BULK, CANCEL_BULK, PAUSE_BULK, RESUME_BULK, LIST_BULKS, BULK_RESULTS, REASONS. */
struct answer_bulks {
    struct bulk_view *view;
    size_t count;
    int64_t total;                       /* BULK, REASONS: how many fit. */
    int64_t verdict[BULK_VERDICT_COUNT]; /* The preview of a migration: how many there are of each. */
    struct bulk_group *group; /* BULK to look at, REASONS: the largest first; the others are only counted. */
    size_t group_count;
    int64_t group_total;
    bool cut;                   /* REASONS: the groups do not count all failures. */
    struct bulk_result *result; /* BULK_RESULTS */
    size_t result_count;
};

struct call {
    enum call_kind kind; /* Says which member of `as` is in use: CALL_MAP. */
    struct arena *arena;
    call_fn *done; /* On the thread that calls runtime_deliver() for the client that submitted the call. */
    void *user;
    const struct caller *caller; /* It asks; NULL: the engine itself does. Lives as long as the call. */
    _Atomic bool abandoned;      /* Set by the client when nobody waits for the answer any more. */

    /* The request. */
    union {
        struct call_deploy deploy;
        struct call_restore restore;
        struct call_apply apply;
        struct call_versions versions;
        struct call_picture picture;
        struct call_summaries summaries;
        struct call_form form;
        struct call_ticks ticks;
        struct call_table table;
        struct call_compare compare;
        struct call_replay replay;
        struct call_draft draft;
        struct call_drafts drafts;
        struct call_start start;
        struct call_job job;
        struct call_poll poll;
        struct call_batch batch;
        struct call_instance instance;
        struct call_modify modify;
        struct call_events events;
        struct call_arrive arrive;
        struct call_trigger trigger;
        struct call_pause pause;
        struct call_triggers triggers;
        struct call_arrivals arrivals;
        struct call_read read;
        struct call_watch watch;
        struct call_instances instances;
        struct call_tasks tasks;
        struct call_task task;
        struct call_worklist worklist;
        struct call_watch_tasks watch_tasks;
        struct call_watch_live watch_live;
        struct call_definition definition;
        struct call_deletion deletion;
        struct call_definitions definitions;
        struct call_jobs jobs;
        struct call_unmatched unmatched;
        struct call_bulk bulk;
        struct call_bulks bulks;
        struct call_secret secret;
        struct call_secrets secrets;
        struct call_model model;
        struct call_models models;
        struct call_entities entities;
        struct call_entity entity;
        struct call_search search;
        struct call_search_job search_job;
        struct call_entity_list entity_list;
        struct call_audit audit;
        struct call_counts counts;
        struct call_groups groups;
        struct call_removal removal;
        struct call_runs runs;
        struct call_run run;
        struct call_resolve resolve;
        struct call_access access;
        struct call_access_list access_list;
        struct call_recipients recipients;
        struct call_audit_rows audit_rows;
        struct call_note_access note_access;
        struct call_nothing nothing;
    } as;
    int32_t ns;
    str idempotency_key; /* Empty: none. */
    uint64_t request_hash;
    bool performs;      /* Made by one of the engine's own performers: may poll reserved types and report on
                         * jobs that the engine does itself, counts against no limit. Items of a batch have
                         * their own. */
    size_t kept_bytes;  /* Memory outside of the arena that lives as long as the call: a request's body. */
    int64_t answer_max; /* Bytes of the answer's text; 0: any number. A renderer leaves out what does not
                         * fit. */

    /* The answer. */
    enum status status;
    bool replayed; /* It is the answer of an earlier request with this key. */
    /* Not NULL: the replayed answer is only this text, and there is no value. */
    const struct answer_text *replayed_text;
    /* The value of an answer without an error: CALL_MAP says which member. */
    union {
        struct answer_instances instances;
        struct answer_jobs jobs;
        struct answer_definitions definitions;
        struct answer_form form;
        struct answer_design design;
        struct answer_summaries summaries;
        struct answer_drafts drafts;
        struct answer_tasks tasks;
        struct answer_arrivals arrivals;
        struct answer_triggers triggers;
        struct answer_task_feed task_feed;
        struct answer_live live;
        struct answer_unmatched unmatched;
        struct answer_bulks bulks;
        struct answer_secrets secrets;
        struct answer_models models;
        struct answer_entities entities;
        struct answer_search search;
        struct answer_search_job search_job;
        struct answer_changes changes;
        struct answer_audit audit;
        struct answer_counts counts;
        struct answer_groups groups;
        struct answer_removal removal;
        struct answer_runs runs;
        struct answer_overview *overview;
        struct answer_series *series;
        struct answer_workers workers;
        struct answer_job_series job_series;
        struct answer_resolve resolve;
        struct answer_access access;
        struct answer_access_list access_list;
        struct answer_recipients recipients;
        struct answer_audit_rows audit_rows;
        struct store_statistics statistics;
    } value;

    /* The runtime's own. */
    struct call *next_;
    struct runtime_client *client_; /* It submitted the call and gets the answer. */
    struct program *program_;       /* DEPLOY: compiled, … */
    const struct json *document_;   /* … from this document … */
    uint64_t content_;              /* … with this hash. */
    struct bulk_search *search_;
    struct search_find *find_;      /* SEARCH */
    bool is_long_;                  /* A read that has taken a part already: it counts (query.long_reads). */
    struct entity_progress entity_; /* The progress of calls about entities that take several parts. */
    int64_t submitted_us_;
    /* The progress of a call that takes several turns: a batch, events. */
    size_t done_, ran_;         /* Items that are done, as committed and in the running transaction. */
    bool unfinished_;           /* It goes on in a later turn. */
    bool awaits_;               /* It waits for the word of another node, at most … */
    int64_t await_until_ms_;    /* … until then; 0: not yet (lease_news.h). */
    bool kept_;                 /* A unit has it, and answers it (units.h). */
    bool in_turn_;              /* It has run in this turn, which answers it unless a unit has it. */
    uint64_t routed_, routing_; /* The event of item done_ is on its way (route.h), likewise; 0: it is not. */
    enum callback_drop dropped_; /* COMPLETE_JOB, FAIL_JOB, EXTEND_JOB */
    bool late_;                  /* COMPLETE_JOB: it counted, and its worker did not hold the job any more. */
    bool refused_;               /* COMPLETE_JOB: the result was refused, and counts as a failure. */
    uint64_t serial_;            /* Tells it from all other calls; 0: it cannot be abandoned. */
    int64_t held_bytes_;         /* Bytes of its answer, in the budget of answers. */
    struct error error;          /* Last: a new call leaves its texts as they are (call.c). */
};

/* Where a call lives, and who is told of its answer. */
struct call_origin {
    struct arena *arena;
    call_fn *done; /* On the thread that calls runtime_deliver(). NULL: the call is never submitted to a
                      runtime. */
    void *user;
    const struct caller *caller; /* It asks; NULL: the engine itself does. */
};

/* A constructor for each kind: call_start(origin, &(struct call_start){ … }). The request is copied; what it
 * points to must live as long as the arena. */
#define XX(NAME, name, request, ...) \
    struct call *call_##name(struct call_origin origin, const struct call_##request *asked);
CALL_MAP(XX)
#undef XX

/* A call whose kind is only known at run time, and whose request is still empty: zero, or for lists of
 * instances and tasks a first page of all of them. */
struct call *call_new(enum call_kind kind, struct arena *arena, call_fn *done, void *user);

/* Makes a call in storage of the caller, whatever is in it: an item of a batch. */
void call_init_item(struct call *item, enum call_kind kind, struct call_origin origin,
                    const struct call_job *asked);

/* True if the call changes something; else it only reads. */
static inline bool call_is_command(const struct call *call) { return call_description(call->kind)->writes; }

/* True if the call may carry an idempotency key, with which a hash of its request is stored. A hash of a
 * secret must not be: it would tell whether a guess is right. To repeat such calls does no harm, and a test
 * of a connection is repeated to see it again. Arrivals have keys of their trigger's own. */
static inline bool call_takes_key(const struct call *call)
{
    return call_is_command(call) && call->kind != CALL_SET_SECRET && call->kind != CALL_REMOVE_SECRET &&
           call->kind != CALL_REKEY_SECRETS && call->kind != CALL_TEST_CONNECTION &&
           call->kind != CALL_ARRIVE && call->kind != CALL_PAUSE_TRIGGER && call->kind != CALL_PAUSE_ENGINE &&
           call->kind != CALL_CHANGE_ACCESS && call->kind != CALL_NOTE_ACCESS && call->kind != CALL_APPLY;
}

/* Counts the memory of a call's answer, if it is worth counting, until the call is delivered. */
struct budget;
void call_hold(struct call *call, struct budget *answers);
/* ST_OVERLOAD or the like for a call while clients do not read the answers they were given. */
enum status call_fail_unread(struct error *err);

/* ST_NOT_FOUND: "instance 01J… not found". */
enum status call_not_found(struct id id, const char *what, struct error *err);

/* A list of calls in order. */
struct call_list {
    struct call *first, *last;
    size_t count;
};

void call_list_add(struct call_list *list, struct call *call);
struct call *call_list_take(struct call_list *list);                 /* The first, or NULL. */
void call_list_append(struct call_list *to, struct call_list *from); /* Empties `from`. */

/* The poll of a POLL_JOBS or BATCH. */
const struct call_poll *call_poll_of(const struct call *call);

/* How long the answer may wait for something to happen; 0: not at all. */
int64_t call_wait_ms(const struct call *call);

/* True for a read that looks through all there is: it stops between parts if its client has left. */
bool call_may_stop(const struct call *call);

/* Makes a call of the engine's own one for this tenant; or for all, which only a few kinds may be. */
void call_for_tenant(struct call *call, int32_t ns);
void call_for_all_tenants(struct call *call);
/* Each call that enters the runtime has a tenant, or may be for all. */
bool call_has_tenant(const struct call *call);

/* True if the call brings a result that may count, whoever holds the job. */
static inline bool call_completes_job(const struct call *call)
{
    return call->kind == CALL_COMPLETE_JOB && !call->refused_;
}

#endif
