/* api/forwarding/forwarding_int.h — what this node does for other nodes of the store, and they for it.
 *
 * Nodes send each other node messages (store/node_messages.h), because a calculation node is connected to one
 * of them and a transaction that waits for it is in the memory of one, while requests arrive at all of them:
 *
 *     q  request to a member     the node of the member gives it to that member      asked.c
 *     a  what became of it       compute_settle() at the node that asked             members.c
 *     d  it is not wanted        the node of the member forgets it                   asked.c
 *     c  call with a token       the node of the transaction runs it as its own      calls.c
 *     r  its answer              is given to the client                              calls.c
 *
 * Each node tells all others its *list of members*: the members that are connected to it, with their load
 * (member_list.c). A member is greeted when its node's list of members is there for all to see, so whoever
 * hears that it has joined can use it at once, wherever. Before a node says that there is no member, it looks
 * at the lists of members once more.
 *
 * Each node message and each list of members has a proof that one of our nodes made it
 * (store/node_messages.h). Texts without one never come here: they are counted, and logged once a minute. A
 * node whose list has none (it is of an earlier version, or has another key file) lives, but has no members
 * for us, and calls for it are refused, so that their clients try again.
 *
 * A node whose list of members is gone is dead: its members leave, its requests are dropped, and calls that
 * were sent to it are run here, where their token is as good as one that is over.
 *
 * A node that the others have taken for dead gets a new number, and answers to its old one do not reach it.
 * The nodes that run its calls live, so it cannot say that a transaction is over: its clients are told that
 * their calls may have happened.
 *
 * Everything here is on the network's thread. Node messages themselves are carried by a thread of their own.
 */
#ifndef API_FORWARDING_FORWARDING_INT_H
#define API_FORWARDING_FORWARDING_INT_H

#include "api/api_int.h"

#include "base/read.h"
#include "compute/compute.h"
#include "store/node_messages.h"

struct forwarding;

/* Something that goes on when others can see our list of members, or when we have looked at theirs; at the
 * latest after FORWARDING_WAIT_MS. In the storage of the one who waits. */
struct forwarding_wait {
    void (*go)(void *user);
    void *user;
    uint64_t told, look; /* 0: it does not wait for that. */
    int64_t until_us;
    struct forwarding_wait *before, *after;
    bool is_waiting;
};

/* ---- for the rest of the API; forwarding that is NULL has no other nodes (forwarding.c, waits.c) ---- */

/* NULL: the store has no node messages. */
struct forwarding *forwarding_new(struct api *api);
void forwarding_free(struct forwarding *forwarding);
/* Takes what has come. Also to be called a few times per second. */
void forwarding_deliver(struct forwarding *forwarding);

/* A member has joined or left. `wait` goes on when all others can see it; NULL: nobody waits. */
void forwarding_tell_members(struct forwarding *forwarding, struct forwarding_wait *wait);
/* `wait` goes on when we have seen what others had told by now. */
void forwarding_look_first(struct forwarding *forwarding, struct forwarding_wait *wait);
void forwarding_stop_waiting(struct forwarding *forwarding, struct forwarding_wait *wait);
/* Our number; 0: there are no others. */
int64_t forwarding_own_number(const struct forwarding *forwarding);

struct forwarding_stats {
    struct node_messages_stats node_messages;
    uint64_t answered; /* Requests and calls of other nodes. */
    size_t calls;      /* That wait for another node. */
};
struct forwarding_stats forwarding_stats(struct forwarding *forwarding);

/* ---- calls (calls.c) ---- */

/* The answer of another node. */
struct forwarding_answer {
    int status; /* 0: it has no memory for the call. */
    str headers, body, trailers;
};

/* A call that another node runs. In the storage of the one who asks, until one of the functions is called. */
struct forwarding_call {
    void (*answered)(struct forwarding_call *call, const struct forwarding_answer *answer);
    void (*lost)(struct forwarding_call *call);   /* That node is dead. */
    void (*unsure)(struct forwarding_call *call); /* It lives and may run the call, but its answer is lost. */
    void *user;                                   /* The context of these three. */
    int64_t node;
    uint64_t number;
};

/* The other node that has the transaction of the token; 0: none, or it does not live. */
int64_t forwarding_node_of_token(const struct forwarding *forwarding, str token);
/* Sends the request, with that body, to call->node. ST_OVERLOAD, ST_LIMIT. */
enum status forwarding_send_call(struct forwarding *forwarding, struct forwarding_call *call,
                                 const struct http_request *request, str body, bool is_call,
                                 struct error *err);
/* The error of a call of which we are unsure: it may be tried again. */
enum status forwarding_fail_unsure(struct error *err);

/* ---- inside ---- */

/* Another node that lives. */
struct forwarding_node {
    struct forwarding *forwarding;
    int64_t id;
    bool is_seen;
    bool is_proven; /* Its list of members is its own. Nothing is sent to one that does not prove itself. */
    struct forwarding_member *first; /* In the order in which they joined. */
    struct forwarding_node *next;
};

/* A member of another node. */
struct forwarding_member {
    struct forwarding_node *node;
    struct uuid id;
    struct compute_member *member;
    bool is_new;                        /* It takes no requests yet. */
    bool is_behind;                     /* A request could not be sent. */
    struct forwarding_refused *refused; /* Requests that are too large. */
    struct forwarding_member *next;
};

struct forwarding {
    struct api *api;
    struct node_messages *node_messages;
    struct compute *compute; /* NULL: there are no calculation nodes. */
    int64_t node;            /* Our number, as of the last time that we looked. */
    struct forwarding_node *nodes;
    struct buf member_list; /* As it was told last. */
    uint64_t told;          /* Its number. */
    int64_t told_us;
    uint64_t looks;      /* The number of the last look that was begun, */
    int64_t look_us;     /* when the first of those was that are not over, */
    uint64_t looks_over; /* and the last that is over. */
    struct forwarding_wait *waits;
    bool is_behind; /* Some member is. */
    struct forwarding_post *first_post, *last_post;
    struct map asked; /* struct forwarding_asked by the first half of the request's id. */
    struct forwarding_asked *first_asked;
    struct map calls; /* struct forwarding_call by number. */
    uint64_t call_number;
    struct forwarding_served *served;
    uint64_t answered;
    uint64_t doubted;   /* Texts that were not believed, as of the last log line about them, */
    int64_t doubted_us; /* and when that was. */
};

/* post.c: sends a text, or keeps it until there is room. */
void forwarding_post(struct forwarding *forwarding, int64_t node, str text);
void forwarding_post_on(struct forwarding *forwarding);
void forwarding_drop_posts(struct forwarding *forwarding);

/* member_list.c */
struct forwarding_node *forwarding_find_node(const struct forwarding *forwarding, int64_t id);
void forwarding_write_member_list(const struct forwarding *forwarding, struct buf *out);
struct forwarding_entry {
    struct uuid id;
    int32_t tenant;
    int64_t joined_ms;
    struct compute_load load;
    str *tag;
    size_t tag_count;
};
/* False: it is no list of members. Texts are borrowed. */
bool forwarding_read_member_list(str text, struct arena *arena, struct forwarding_entry **ret_entry,
                                 size_t *ret_count);

/* waits.c */
void forwarding_wait_on(
    struct forwarding *forwarding); /* Something has been told, or looked at, or time has passed. */
void forwarding_end_waits(struct forwarding *forwarding);
uint64_t forwarding_seek(void *forwarding); /* A compute_seek_fn. */

/* members.c */
void forwarding_hear_member_lists(struct forwarding *forwarding);
void forwarding_send_on(struct forwarding *forwarding); /* There is room for what members have not got. */
void forwarding_settle(struct forwarding *forwarding, int64_t node, struct reader *text);
void forwarding_drop_nodes(struct forwarding *forwarding);

/* asked.c */
void forwarding_ask_here(struct forwarding *forwarding, int64_t node, struct reader *text);
void forwarding_forget_asked(struct forwarding *forwarding, int64_t node, struct reader *text);
/* The node is dead; 0: all are. */
void forwarding_drop_asked(struct forwarding *forwarding, int64_t node);

/* calls.c */
void forwarding_run_call(struct forwarding *forwarding, int64_t node, struct reader *text);
void forwarding_take_answer(struct forwarding *forwarding, int64_t node, struct reader *text);
void forwarding_lose_calls(struct forwarding *forwarding, int64_t node);
void forwarding_end_calls(struct forwarding *forwarding); /* All, without an answer; their nodes live. */
void forwarding_drop_served(struct forwarding *forwarding);

#endif
