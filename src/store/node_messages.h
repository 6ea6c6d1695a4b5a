/* store/node_messages.h — bytes that the nodes of a shared store send to each other.
 *
 * Nodes cannot reach each other: the database is all that they share. A *node message* is a text that one
 * node has for another. A *notice* is a text that a node has for all others: the newest one replaces those
 * before, and goes when its node is dead.
 *
 *     send ──► outbox ──► a row ──► the other node's inbox ──► take
 *     tell ──► a row of ours ──► look ──► heard
 *
 * A thread with a connection of its own does the work, so no function here waits for the database. It is
 * woken by the database; a look several times a second finds what was missed.
 *
 * A node message arrives once, and those of one node at another in their order. It is lost if either node
 * dies, if the database crashes, or if nobody has taken it in the time that its sender gave it: who waits for
 * an answer has to know how long. A node that is taken for dead and gets another number counts as dead: what
 * it had accepted before may be lost.
 *
 * **Proofs.** Anybody who can write the tables could write a node message. So each one, and each notice, has
 * a proof that one of our nodes has made it: for its sender, its target, its number, its text and this
 * database. A text whose proof is missing or wrong is removed, counted, and reaches nobody. One that was
 * taken before is dropped by its number, which is remembered for each sender as long as we have our own.
 *
 * All functions but node_messages_open() and node_messages_close() may be called by any one thread at a time.
 */
#ifndef STORE_NODE_MESSAGES_H
#define STORE_NODE_MESSAGES_H

#include "store/limits.h"
#include "store/nodes.h"

struct node_messages;

/* True of a store whose nodes can send node messages. */
bool node_messages_are_possible(const struct store *store);

/* Why a text is not believed. */
enum node_message_doubt {
    NODE_MESSAGE_BELIEVED,
    NODE_MESSAGE_UNPROVEN,  /* It has no proof: a node of an earlier version, or somebody else. */
    NODE_MESSAGE_OTHER_KEY, /* Its sender has another key than we. */
    NODE_MESSAGE_FORGED,    /* The proof is another text's. */
    NODE_MESSAGE_OLD,       /* A notice from before the one that we know. */
};
const char *node_message_doubt_reason(enum node_message_doubt doubt); /* For people. */

/* Makes proofs and judges them. The functions are called by several threads. */
enum { NODE_MESSAGE_PROOF_BYTES = 40 };
struct node_message_proofs {
    enum status (*make)(void *context, str head, str text, unsigned char *ret_proof, struct error *err);
    enum node_message_doubt (*check)(void *context, str head, str text, const unsigned char *proof);
    void *context;
};

/* Before anybody else uses the store. `wake` is called from another thread: there is something to take, a
 * look is over, a notice is out, or the outbox has room again. */
enum status node_messages_open(struct store *store, const struct node_message_proofs *proofs,
                               store_wake_fn *wake, void *context, struct node_messages **ret_node_messages,
                               struct error *err);
/* Sends what waits, for a second at most, and takes back our notice. Before the store is closed, when nobody
 * else uses it. NULL is allowed. */
void node_messages_close(struct node_messages *node_messages);

/* Our number, under which we are known. It changes when we were taken for dead; then all notices of others
 * are new again. */
int64_t node_messages_node(const struct node_messages *node_messages);

/* ---- node messages ---- */

/* ST_LIMIT: longer than NODE_MESSAGE_BYTES_MAX. ST_OVERLOAD: the outbox is full. ST_STORE: no proof can be
 * made. The text is copied. */
enum status node_messages_send(struct node_messages *node_messages, int64_t node, str text, int64_t keep_ms,
                               struct error *err);
/* Is the outbox so empty that much may be sent? */
bool node_messages_has_room(struct node_messages *node_messages);

struct node_message {
    int64_t from;
    str text;
};
/* False: there is none. The text is in the arena. */
bool node_messages_take(struct node_messages *node_messages, struct arena *arena,
                        struct node_message *ret_node_message);

/* ---- notices ---- */

/* Replaces our notice, and returns its number, which is higher than those before. */
uint64_t node_messages_tell(struct node_messages *node_messages, str text);
/* The number of the newest notice that others could see; 0: none yet. */
uint64_t node_messages_told(struct node_messages *node_messages);

/* Begins to look at the notices of the others, and returns the number of that look. */
uint64_t node_messages_look(struct node_messages *node_messages);
/* The number of the last look that is over. It saw the notices as they were when it began, or
 * later. */
uint64_t node_messages_looked(struct node_messages *node_messages);

/* Another node that lives. */
struct node_message_notice {
    int64_t node;
    bool is_new;    /* Its notice is another one than at the last call. */
    bool is_proven; /* It is that node's. */
    str text;       /* The text of a new one that is proven; in the arena. */
};
/* All other nodes that live and have told something, by number. False: nothing has changed since the last
 * call. */
bool node_messages_heard(struct node_messages *node_messages, struct arena *arena,
                         struct node_message_notice **ret_notice, size_t *ret_count);

/* ---- how it is ---- */

struct node_messages_stats {
    uint64_t sent, taken;
    uint64_t refused; /* The outbox was full, or it was too long. */
    uint64_t expired; /* They could not be sent in time, or before our number changed. */
    size_t waiting;   /* In the outbox. */
    uint64_t doubted; /* Node messages and notices that are not believed. The last one, */
    enum node_message_doubt doubt;
    int64_t doubted_node; /* and the node that its row names. */
};
struct node_messages_stats node_messages_stats(struct node_messages *node_messages);

#endif
