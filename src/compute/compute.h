/* compute/compute.h — the hub: which calculation nodes are connected, and what they have been asked.
 *
 * A *member* is a connection of a calculation node. It has tags. A *request* wants tags, and goes to a member
 * that has all of them: to the one with the fewest requests under way, and of several such to the one that
 * had to wait longest. So work is shared by load.
 *
 *     compute_ask ──► a member has the tags ──► send ──► compute_take       ANSWERED, FAILED
 *                │                                  ├──► compute_leave      LOST
 *                │                                  └──► compute_look       TIMED_OUT
 *                └──► none has ──► (the seeker looks) ──► it waits for one ──► NO_MEMBER
 *
 * A member and a request belong to a tenant each. A member gets requests of its own tenant only, whatever
 * their tags.
 *
 * Invariants:
 *  (1) `done` of a request is called exactly once, and its storage is not touched afterwards.
 *  (2) Only the member that has a request can answer it, once, and for its entity. Any other answer is
 *      counted and changes nothing.
 *  (3) A member that does not read holds nobody else: what it has not taken yet stays in its own queue, and
 *      time passes for it all the same.
 *  (4) Members, requests and their bytes are bounded (compute/limits.h), and nothing stays behind a request.
 *
 * A request that finds no member waits for one so long as compute_set_wait() says, because nodes are replaced
 * while others write. If its member is lost, a request that only asks (for a criterion, or a time) goes to
 * another one: asking twice does no harm. A processor may have done its work, and is LOST.
 *
 * A request that *survives* (its intent is stored: COMMIT_BEFORE_DISPATCH) goes to another member when its
 * member is lost, with the same id. If it is from an earlier run of the engine, or of a node that died
 * (`waits`), nobody waits for its answer and its node is probably about to come back: so it waits for a
 * member instead of failing, and its time begins when it is sent.
 *
 * **Several nodes.** A member that is attached to another node of the store is a *remote* member here: its
 * `send` passes the request on to that node, where compute_ask_member() gives it to the member itself, and
 * the outcome comes back to compute_settle(). Members of our own are preferred, because each remote request
 * costs two node messages: a remote one is chosen if none of ours has the tags and room, or if the best of
 * ours has more than COMPUTE_REMOTE_FACTOR times its work. Before the hub says that there is no member, it
 * lets the *seeker* look for one that has just joined elsewhere.
 *
 * All functions belong to one thread, which is the network's: the streams of members and the engine's own
 * worker run there, so no lock can be held by a slow member. `send` and `done` do not call the hub.
 */
#ifndef COMPUTE_COMPUTE_H
#define COMPUTE_COMPUTE_H

#include "base/clock.h"
#include "base/status.h"
#include "base/uuid.h"
#include "compute/limits.h"
#include "json/json.h"

struct compute;
struct compute_member;
struct compute_request;

/* clang-format off */
#define COMPUTE_KIND_MAP(XX)          \
    XX(PROCESSOR, "processor")        \
    XX(CRITERION, "criterion")        \
    XX(FUNCTION,  "function")

#define COMPUTE_OUTCOME_MAP(XX)                                                             \
    XX(ANSWERED,   "answered")                                                              \
    XX(FAILED,     "failed")     /* The node says so, or its answer does not fit the request. */ \
    XX(NO_MEMBER,  "no_member")  /* None has the tags, or all that have them are busy.      */ \
    XX(LOST,       "lost")       /* The member left before it had answered.                 */ \
    XX(TIMED_OUT,  "timed_out")                                                             \
    XX(BROKEN_OFF, "broken_off") /* Nobody wants the answer any more.                       */

/* Why an answer changes nothing. */
#define COMPUTE_IGNORED_MAP(XX)                                                                       \
    XX(NOT,     "",        "it was taken")                                                            \
    XX(UNKNOWN, "unknown", "no such request is under way: it was answered before, its time was up, or there was none") \
    XX(FOREIGN, "foreign", "the request is another member's")                                         \
    XX(MISFIT,  "misfit",  "it does not fit the request, which has failed")
/* clang-format on */

enum compute_kind {
#define XX(NAME, word) COMPUTE_##NAME,
    COMPUTE_KIND_MAP(XX)
#undef XX
};

enum compute_outcome {
#define XX(NAME, word) COMPUTE_##NAME,
    COMPUTE_OUTCOME_MAP(XX)
#undef XX
        COMPUTE_OUTCOME_COUNT
};

enum compute_ignored {
#define XX(NAME, word, meaning) COMPUTE_IGNORED_##NAME,
    COMPUTE_IGNORED_MAP(XX)
#undef XX
        COMPUTE_IGNORED_COUNT
};

const char *compute_kind_word(enum compute_kind kind);
/* The kind that the word names; any other word is a processor. */
enum compute_kind compute_kind_of(str word);
const char *compute_outcome_word(enum compute_outcome outcome);
const char *compute_ignored_word(enum compute_ignored why);
const char *compute_ignored_meaning(enum compute_ignored why);

/* ---- the hub ---- */

struct compute *compute_new(struct clock clock);
/* Breaks off all requests and frees the members that have not left. NULL is allowed. */
void compute_free(struct compute *compute);

/* So long requests wait for a member; 0, as at first: they do not. */
void compute_set_wait(struct compute *compute, int64_t wait_ms);

/* Ends the requests whose time is up. To be called a few times per second. */
void compute_look(struct compute *compute);

/* ---- members ---- */

enum compute_sent {
    COMPUTE_SENT,
    COMPUTE_LATER, /* The member has not read enough yet: compute_ready() asks again. */
    COMPUTE_GONE,  /* compute_leave() follows. */
};

struct compute_joining {
    struct uuid id;
    int32_t tenant; /* Requests of others do not exist for it. */
    const str *tag; /* Copied. */
    size_t tag_count;
    int64_t node;      /* The node of the store that it is attached to, if that is another one; 0: our own. */
    int64_t joined_ms; /* There; 0: now. */
    /* Sends the request's text, without waiting for anything. */
    enum compute_sent (*send)(void *context, const struct compute_request *request);
    /* A request that was sent is not wanted any more. NULL: the member need not know. */
    void (*drop)(void *context, const struct compute_request *request);
    void *context;
};

/* ST_OVERLOAD: too many members, remote ones included; ST_LIMIT: too many or too long tags. Nothing is sent
 * before compute_ready(). */
enum status compute_join(struct compute *compute, const struct compute_joining *joining,
                         struct compute_member **ret_member, struct error *err);
void compute_leave(struct compute_member *member);
/* The member takes requests: once after it has joined, and whenever it has read what was sent. */
void compute_ready(struct compute_member *member);

/* The work of a member of another node, as that node tells. */
struct compute_load {
    size_t under_way;
    int64_t oldest_ms;
    uint64_t answered;
};
void compute_set_load(struct compute_member *member, const struct compute_load *load);

/* ---- requests ---- */

/* The answer of a member. */
struct compute_answer {
    enum compute_kind kind;
    struct uuid request;
    str entity; /* Empty: it does not say. */
    bool success;
    str message;              /* No success: why. */
    const struct json *value; /* The answer; after a failure perhaps warnings. Borrowed; `done` copies it. */
};

typedef void compute_done_fn(struct compute_request *request);

/* The one that has made the write that the request is for; all empty: the engine itself. */
struct compute_originator {
    str type, id, claims; /* authtype, authid and authclaims of the request. */
};

/* In the storage of the one who asks, until `done`. */
struct compute_request {
    struct uuid id;
    enum compute_kind kind;
    str name;       /* The processor's or the function's, for messages. */
    str entity;     /* The entity's id. */
    str tags;       /* With commas between them; empty: any member. */
    int32_t tenant; /* The entity's. */
    struct compute_originator originator;
    str text;             /* The JSON that is sent. */
    str token;            /* The token with which the node joins the transaction; empty: it cannot. */
    int64_t timeout_ms;   /* 0 or less: the default. */
    bool survives, waits; /* As the head of this file says. */
    compute_done_fn *done;
    void *taker; /* The context of `done`. */

    /* The outcome, while `done` runs. */
    enum compute_outcome outcome;
    const struct json *value; /* ANSWERED; FAILED: perhaps warnings, or NULL. */
    str message;              /* All others: why, for people. */

    /* The hub's own. */
    struct compute *hub_;
    struct compute_member *member_;                         /* NULL: it waits for one. */
    struct compute_request *before_, *after_;               /* All, or all that wait. */
    struct compute_request *member_before_, *member_after_; /* The neighbours in the member's list. */
    int64_t sent_ms_, deadline_ms_;
    int64_t patience_ms_; /* Until then it waits for a member; 0: it has not waited yet. */
    uint64_t look_;       /* The look that it waits for; 0: none; UINT64_MAX: it has waited. */
    uint32_t send_count_;
    bool is_sent_, is_known_, is_pinned_;
    bool is_patient_; /* It waits for a member, and somebody for it. */
};

/* May call `done` at once. */
void compute_ask(struct compute *compute, struct compute_request *request);

/* The same, for the member of that id and no other: a request of another node. NO_MEMBER: nothing was sent,
 * because the member is not here or has enough to do. */
void compute_ask_member(struct compute *compute, struct compute_request *request, struct uuid member);

/* Begins to look for members that have joined elsewhere, and returns the number of that look, which is not
 * lower than those before; 0: there is nowhere to look. compute_looked() tells that it, and all before it,
 * are over. */
typedef uint64_t compute_seek_fn(void *context);
void compute_set_seeker(struct compute *compute, compute_seek_fn *seek, void *context);
void compute_looked(struct compute *compute, uint64_t look);

/* Ends a request that is under way, or all, with BROKEN_OFF. */
void compute_cancel(struct compute_request *request);
void compute_break_off(struct compute *compute);

/* The member's answer to one of its requests. The result says if it was ignored, and why. MISFIT: the
 * request has failed. */
enum compute_ignored compute_take(struct compute_member *member, const struct compute_answer *answer);

/* The outcome of a request that was sent to a remote member. NO_MEMBER and LOST: it goes to another one if it
 * may. The message is told as it is. */
struct compute_settled {
    struct uuid request;
    enum compute_outcome outcome;
    const struct json *value; /* ANSWERED; FAILED: perhaps warnings, or NULL. Borrowed; `done` copies it. */
    str message;
};
enum compute_ignored compute_settle(struct compute_member *member, const struct compute_settled *settled);

/* How much time the request has left, which is under way; at least 1. */
int64_t compute_left_ms(const struct compute_request *request);

/* How many more requests may be asked now. */
size_t compute_room(const struct compute *compute);

/* ---- looking ---- */

struct compute_stats {
    uint64_t outcome[COMPUTE_OUTCOME_COUNT];
    uint64_t ignored[COMPUTE_IGNORED_COUNT];
    size_t members; /* Attached to us, */
    size_t remote;  /* and to other nodes. */
    size_t under_way, waiting;
};
struct compute_stats compute_stats(const struct compute *compute);

/* Requests of the tenant that wait for a member. */
size_t compute_waiting(const struct compute *compute, int32_t tenant);

struct compute_member_view {
    struct uuid id;
    int32_t tenant;
    int64_t node; /* 0: our own. */
    const str *tag;
    size_t tag_count;
    int64_t joined_ms;
    size_t under_way;
    int64_t oldest_ms; /* When the oldest of them was given to it; 0: there is none. */
    uint64_t answered; /* Requests that it has answered. */
};
/* In the order in which they joined. Their pointers are good until the next change of the hub. */
size_t compute_members(const struct compute *compute, struct arena *arena,
                       struct compute_member_view **ret_view);

#endif
