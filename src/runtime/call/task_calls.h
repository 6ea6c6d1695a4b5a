/* runtime/call/task_calls.h — calls about people's tasks: what is asked, and what is answered. */
#ifndef RUNTIME_CALL_TASK_CALLS_H
#define RUNTIME_CALL_TASK_CALLS_H

#include "base/id.h"
#include "store/store.h"

struct json;

/* The end of a task. */
#define TASK_STATE_MAP(XX)                                                              \
    XX(OPEN, "open")                                                                    \
    XX(COMPLETED, "completed")                                                          \
    XX(EXPIRED, "expired")     /* A timer of its own ended it. */                       \
    XX(CANCELLED, "cancelled") /* The instance went on without it, or was cancelled. */ \
    XX(SUSPENDED, "suspended") /* The instance has failed; a retry may open it again. */

enum task_state {
#define XX(NAME, word) TASK_##NAME,
    TASK_STATE_MAP(XX)
#undef XX
        TASK_STATE_COUNT
};

const char *call_task_state_word(enum task_state state);

/* A person's task. Its public id is {created_ms, instance, execution}. */
struct task_view {
    struct task_row row;
    const struct json *details; /* As in core/task.h; NULL: none. */
    enum task_state
        state; /* GET_TASK; others show open tasks only. The members below are for tasks that have ended. */
    int64_t ended_ms;
    str ended_by;                /* Empty: nobody who said so. */
    const struct json *decision; /* NULL: none. */
    str unanswered; /* GET_TASK, of an open one: what happens if nobody answers. Empty: it just waits. */
};

/* Something that happened to a task. */
struct task_note {
    int64_t at_ms;
    str by;           /* Empty: a timer, or nobody who said so. */
    const char *what; /* "opened", "claimed", "unclaimed", "assigned", "changed", "commented", "reminded",
                         "escalated", "emailed", "not emailed"; or how it ended, a word of TASK_STATE_MAP */
    str comment;
};

/* ---- requests ---- */

/* LIST_TASKS. */
struct call_tasks {
    struct task_filter filter;
    bool with_total;
};

/* CLAIM_TASK (groups), UNCLAIM_TASK, ASSIGN_TASK (changes), COMMENT_TASK, GET_TASK. */
struct call_task {
    struct id id; /* The id of the visit. */
    str actor;
    const struct json *groups;  /* The groups that the person is in; NULL: none. */
    const struct json *changes; /* Details to change; null removes one. */
    str comment;                /* Empty: none. */
};

/* Without a list of somebody's own, all tasks are listed by age. */
struct call_worklist {
    struct worklist_filter filter;
    bool by_age;
    uint64_t instance; /* By age: of this instance; 0: any. */
    str keyword;       /* By age: a part of the title or of the business key; empty: any. */
};

/* ---- answers ---- */

/* LIST_TASKS (row, next), WORKLIST (view, next), GET_TASK and the changes of a task (view). */
struct answer_tasks {
    struct task_row *row;
    struct task_view *view;
    size_t count;
    int64_t total;     /* On all pages, if that was asked. */
    bool has_no_total; /* LIST_TASKS: the caller sees some tasks only, and there are too many to count. */
    struct worklist_place next; /* Where the next page begins; instance 0: there is none. */
    struct task_note *note;     /* GET_TASK: oldest first. */
    size_t note_count;
    bool cut; /* GET_TASK: there are more notes than an answer may hold. */
    /* The runtime's own. */
    bool is_full; /* LIST_TASKS: there are more rows than the page has. */
    size_t parts;
};

#endif
