/* dialect/show/view.h — an instance and its history, ready to be shown.
 *
 * The runtime fills these in; a dialect writes JSON from them. Everything they point to lives in the
 * arena of the call that asked.
 */
#ifndef DIALECT_SHOW_VIEW_H
#define DIALECT_SHOW_VIEW_H

#include "base/id.h"
#include "core/core.h"
#include "core/trail.h"
#include "dialect/show/standing.h"

struct dialect;

/* An event or an early signal that waits in an instance's mailbox. */
struct mail_view {
    str id, source, type;    /* An event's attributes. */
    str node;                /* The node that a signal is for. */
    str arrival;             /* The trigger of an arrival. Both are empty: this is an event. */
    const struct json *data; /* A signal's variables. */
    int64_t received_ms;
};

/* An instance that another one started, or that started it. Its public id is {created_ms, id, 0, 0}. */
struct child_view {
    uint64_t id;
    int64_t created_ms;
    str definition_id;
    int32_t definition_version;
    enum instance_status status;
    bool awaited;
};

/* An instance as the API shows it. Its public id is {created_ms, id, 0, 0}. */
struct instance_view {
    uint64_t id;
    int64_t created_ms;
    int64_t ended_ms; /* 0: lives. */
    enum instance_status status;
    bool lingers; /* It has ended, and something it began and did not wait for still goes on. */
    str definition_id;
    int32_t definition_version;
    const struct dialect *dialect; /* dialect_named(): that of the empty name if the definition is unknown. */
    struct standing standing;      /* Its status and error are those of the view. */
    bool is_test;
    bool has_handled_error;
    uint64_t replaced_by; /* The instance that took its place; 0: none. */
    int64_t replaced_by_created_ms;
    int64_t purge_ms;         /* When it is removed, if that is known; 0: not. */
    str business_key;         /* Empty: none. */
    str failure;              /* Empty: none. */
    const struct json *error; /* NULL: none. */
    const str *current;       /* Names of the nodes where tokens stand… */
    const str *current_title; /* … and their authors' labels. */
    size_t current_count;
    const struct json *data;
    bool data_omitted; /* There was no room for its data, nor for its error if that is large. */
    uint32_t revision;
    str correlation; /* The correlation key of its events as JSON; empty: none. */
    const struct mail_view *mail;
    size_t mail_count;
    uint64_t parent;           /* 0: none. */
    int64_t parent_created_ms; /* Only queries know it; 0: not known. */
    /* With with_children: where the parent waits for it; empty: it does not, or not known. */
    str parent_node;
    uint64_t chained_from;               /* The instance at whose end it was started; 0: none. */
    int64_t chained_from_created_ms;     /* Only queries know it; 0: not known. */
    const struct child_view *chained_to; /* With with_children: the one its own end started; NULL: none. */
    const struct child_view *child;      /* With with_children: the latest. */
    size_t child_count;
    int64_t child_total;
};

static inline struct id instance_view_id(const struct instance_view *view)
{
    return (struct id){ .ms = view->created_ms, .instance = view->id };
}

static inline struct id child_view_id(const struct child_view *view)
{
    return (struct id){ .ms = view->created_ms, .instance = view->id };
}

enum instance_style {
    INSTANCE_WHOLE,
    INSTANCE_STARTED, /* Without completedAt and failureReason. */
    INSTANCE_STOPPED, /* failureReason always; without completedAt and businessKey. */
    INSTANCE_RUN,     /* As /api/workflows shows it; dialects without a form of their own: as a whole. */
};

/* The visits of an instance, and how to show them. */
struct history_view {
    const struct instance_view *instance;
    const struct execution *visit;
    size_t visit_count;
    bool with_attempts; /* Each visit shows its jobs. */
    int64_t bytes_max;  /* The longest whole text, 0: any length. Snapshots that do not fit are left out. */
};

/* Writes the member "acts", with a comma before it: who did what to the instance. Nothing if nobody did.
 * `node` is the name of the member that tells where. */
void view_put_acts(struct buf *out, const struct trail_acts *acts, const char *node, int64_t bytes_max);

/* Writes who did the job and its error, and ends the object that tells of it. */
void view_end_attempt(struct buf *out, const struct job_attempt *attempt);

#endif
