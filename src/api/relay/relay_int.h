/* api/relay/relay_int.h — what this node does for other nodes of the store, and they for it.
 *
 * Nodes send each other errands (store/errands.h), because a calculation node is connected to one of them and
 * a transaction that waits for it is in the memory of one, while requests arrive at all of them:
 *
 *     q  request to a member     the node of the member gives it to that member      asked.c
 *     a  what became of it       compute_settle() at the node that asked             members.c
 *     d  it is not wanted        the node of the member forgets it                   asked.c
 *     c  call with a token       the node of the transaction runs it as its own      calls.c
 *     r  its answer              is given to the client                              calls.c
 *
 * Each node tells all others its *roster*: the members that are connected to it, with their load (roster.c).
 * A member is greeted when its node's roster is there for all to see, so whoever hears that it has joined can
 * use it at once, wherever. Before a node says that there is no member, it looks at the rosters once more.
 *
 * A node whose roster is gone is dead: its members leave, its requests are dropped, and calls that were sent
 * to it are run here, where their token is as good as one that is over.
 *
 * A node that the others have taken for dead gets a new number, and answers to its old one do not reach it.
 * The nodes that run its calls live, so it cannot say that a transaction is over: its clients are told that
 * their calls may have happened.
 *
 * Everything here is on the network's thread. Errands themselves are carried by a thread of their own.
 */
#ifndef API_RELAY_RELAY_INT_H
#define API_RELAY_RELAY_INT_H

#include "api/api_int.h"

#include "base/read.h"
#include "compute/compute.h"
#include "store/errands.h"

struct relay;

/* Something that goes on when others can see our roster, or when we have looked at theirs; at the latest
 * after RELAY_WAIT_MS. In the storage of the one who waits. */
struct relay_wait {
    void (*go)(void *user);
    void *user;
    uint64_t told, look; /* 0: it does not wait for that. */
    int64_t until_us;
    struct relay_wait *before, *after;
    bool is_waiting;
};

/* ---- for the rest of the API; a relay that is NULL has no other nodes (relay.c, waits.c) ---- */

/* NULL: the store has no errands. */
struct relay *relay_new(struct api *api);
void relay_free(struct relay *relay);
/* Takes what has come. Also to be called a few times per second. */
void relay_deliver(struct relay *relay);

/* A member has joined or left. `wait` goes on when all others can see it; NULL: nobody waits. */
void relay_tell_members(struct relay *relay, struct relay_wait *wait);
/* `wait` goes on when we have seen what others had told by now. */
void relay_look_first(struct relay *relay, struct relay_wait *wait);
void relay_stop_waiting(struct relay *relay, struct relay_wait *wait);
/* Our number; 0: there are no others. */
int64_t relay_own_number(const struct relay *relay);

struct relay_stats {
    struct errands_stats errands;
    uint64_t answered; /* Requests and calls of other nodes. */
    size_t calls;      /* That wait for another node. */
};
struct relay_stats relay_stats(struct relay *relay);

/* ---- calls (calls.c) ---- */

/* The answer of another node. */
struct relay_answer {
    int status; /* 0: it has no memory for the call. */
    str headers, body, trailers;
};

/* A call that another node runs. In the storage of the one who asks, until one of the functions is called. */
struct relay_call {
    void (*answered)(struct relay_call *call, const struct relay_answer *answer);
    void (*lost)(struct relay_call *call);   /* That node is dead. */
    void (*unsure)(struct relay_call *call); /* It lives and may run the call, but its answer is lost. */
    void *user;                              /* The context of these three. */
    int64_t node;
    uint64_t number;
};

/* The other node that has the transaction of the token; 0: none, or it does not live. */
int64_t relay_node_of_token(const struct relay *relay, str token);
/* Sends the request, with that body, to call->node. ST_OVERLOAD, ST_LIMIT. */
enum status relay_send_call(struct relay *relay, struct relay_call *call, const struct http_request *request,
                            str body, bool is_call, struct error *err);
/* The error of a call of which we are unsure: it may be tried again. */
enum status relay_fail_unsure(struct error *err);

/* ---- inside ---- */

/* Another node that lives. */
struct relay_node {
    struct relay *relay;
    int64_t id;
    bool is_seen;
    struct relay_member *first; /* In the order in which they joined. */
    struct relay_node *next;
};

/* A member of another node. */
struct relay_member {
    struct relay_node *node;
    struct uuid id;
    struct compute_member *member;
    bool is_new;                   /* It takes no requests yet. */
    bool is_behind;                /* A request could not be sent. */
    struct relay_refused *refused; /* Requests that are too large. */
    struct relay_member *next;
};

struct relay {
    struct api *api;
    struct errands *errands;
    struct compute *compute; /* NULL: there are no calculation nodes. */
    int64_t node;            /* Our number, as of the last time that we looked. */
    struct relay_node *nodes;
    struct buf roster; /* As it was told last. */
    uint64_t told;     /* Its number. */
    int64_t told_us;
    uint64_t looks;      /* The number of the last look that was begun, */
    int64_t look_us;     /* when the first of those was that are not over, */
    uint64_t looks_over; /* and the last that is over. */
    struct relay_wait *waits;
    bool is_behind; /* Some member is. */
    struct relay_post *first_post, *last_post;
    struct map asked; /* struct relay_asked by the first half of the request's id. */
    struct relay_asked *first_asked;
    struct map calls; /* struct relay_call by number. */
    uint64_t call_number;
    struct relay_served *served;
    uint64_t answered;
};

/* post.c: sends a text, or keeps it until there is room. */
void relay_post(struct relay *relay, int64_t node, str text);
void relay_post_on(struct relay *relay);
void relay_drop_posts(struct relay *relay);

/* roster.c */
struct relay_node *relay_find_node(const struct relay *relay, int64_t id);
void relay_write_roster(const struct relay *relay, struct buf *out);
struct relay_entry {
    struct uuid id;
    int64_t joined_ms;
    struct compute_load load;
    str *tag;
    size_t tag_count;
};
/* False: it is no roster. Texts are borrowed. */
bool relay_read_roster(str text, struct arena *arena, struct relay_entry **ret_entry, size_t *ret_count);

/* waits.c */
void relay_wait_on(struct relay *relay); /* Something has been told, or looked at, or time has passed. */
void relay_end_waits(struct relay *relay);
uint64_t relay_seek(void *relay); /* A compute_seek_fn. */

/* members.c */
void relay_hear_rosters(struct relay *relay);
void relay_send_on(struct relay *relay); /* There is room for what members have not got. */
void relay_settle(struct relay *relay, int64_t node, struct reader *text);
void relay_drop_nodes(struct relay *relay);

/* asked.c */
void relay_ask_here(struct relay *relay, int64_t node, struct reader *text);
void relay_forget_asked(struct relay *relay, int64_t node, struct reader *text);
/* The node is dead; 0: all are. */
void relay_drop_asked(struct relay *relay, int64_t node);

/* calls.c */
void relay_run_call(struct relay *relay, int64_t node, struct reader *text);
void relay_take_answer(struct relay *relay, struct reader *text);
void relay_lose_calls(struct relay *relay, int64_t node);
void relay_end_calls(struct relay *relay); /* All, without an answer; their nodes live. */
void relay_drop_served(struct relay *relay);

#endif
