/* store/postgres/node_messages_int.h — node messages between nodes: what the functions of
 * store/node_messages.h and the thread share. */
#ifndef STORE_POSTGRES_NODE_MESSAGES_INT_H
#define STORE_POSTGRES_NODE_MESSAGES_INT_H

#include "base/map.h"
#include "store/node_messages.h"
#include "store/postgres/nodes_int.h"

#include <pthread.h>
#include <stdatomic.h>

/* A node message on its way out or in. */
struct node_message_post {
    struct node_message_post *next;
    int64_t node; /* The other node: the target, or the sender. */
    int64_t as;   /* On the way out: our number when it was accepted. */
    uint64_t number;
    int64_t keep_ms;
    int64_t until_us; /* On the way out: not later. */
    size_t bytes;
    char text[]; /* On the way out: the mark, and then the text. */
};

struct node_message_box {
    struct node_message_post *first, *last;
    size_t count, bytes;
};

/* Another node that lives. */
struct node_message_heard {
    int64_t node;
    int64_t version; /* As its row says, */
    int64_t proven;  /* and the highest that was proven. */
    bool is_new, is_proven;
    struct buf text; /* On the heap. */
};

/* The mark before the text of a row: a letter that nodes of earlier versions do not know, and the proof. */
enum { NODE_MESSAGE_MARK = 'P', NODE_MESSAGE_MARK_BYTES = 1 + NODE_MESSAGE_PROOF_BYTES };

/* The row that a text belongs to. */
struct node_message_place {
    int64_t sender, target; /* Target 0: it is a notice. */
    uint64_t number;
};

struct node_messages {
    struct postgres_store *store;
    pthread_t thread;
    int event; /* An eventfd: something below has changed. */
    atomic_bool stops;
    atomic_llong node; /* Our number. */
    store_wake_fn *wake;
    void *context;
    struct node_message_proofs proofs;
    char identity[96]; /* The database and the schema. */

    pthread_mutex_t lock; /* Guards the fields below. */
    struct node_message_box outbox, inbox;
    uint64_t number;   /* The number of the last node message. */
    struct buf notice; /* Ours, on the heap. */
    uint64_t notice_number, told;
    uint64_t look_asked, looked;
    struct node_message_heard *heard; /* By node. */
    size_t heard_count;
    bool has_heard; /* It has changed since anybody asked. */
    struct node_messages_stats stats;
    struct error unproven; /* Why no proof can be made; ST_OK: they can. */

    /* The thread's own. */
    struct postgres_db db;
    int64_t listens; /* The number under which we listen; 0: we do not. */
    int64_t told_as; /* The number under which our notice is told. */
    int64_t tried_us, looked_us, purged_us;
    struct node_message_box batch; /* Being sent, perhaps for the second time. */
    struct postgres_array taken;   /* Node messages that are in the inbox, and whose rows go next. */
    struct map seen;               /* By node: the highest number that we have taken, as a pointer. */
    bool must_take, must_hear;     /* We were told to, or there is more. */
    struct postgres_array column[4];
    char key_mark
        [NODE_MESSAGE_MARK_BYTES]; /* The mark of nothing, by which we see that the key has changed. */
};

static inline void node_messages_add_post(struct node_message_box *box, struct node_message_post *post)
{
    post->next = NULL;
    if (box->last) box->last->next = post;
    else box->first = post;
    box->last = post;
    box->count++;
    box->bytes += post->bytes;
}

static inline struct node_message_post *node_messages_first_post(struct node_message_box *box)
{
    struct node_message_post *post = box->first;
    if (!post) return NULL;
    box->first = post->next;
    if (!box->first) box->last = NULL;
    box->count--;
    box->bytes -= post->bytes;
    return post;
}

/* node_messages_proof.c */
enum status node_messages_identify(struct node_messages *node_messages, struct error *err);
/* Writes the mark of a text. Notes whether proofs can be made. */
enum status node_messages_mark(struct node_messages *node_messages, struct node_message_place place, str text,
                               char ret_mark[NODE_MESSAGE_MARK_BYTES], struct error *err);
/* Judges a row, and takes the mark from it. */
enum node_message_doubt node_messages_unmark(struct node_messages *node_messages,
                                             struct node_message_place place, str row, str *ret_text);
/* Under the lock. */
void node_messages_note_doubt(struct node_messages *node_messages, int64_t node,
                              enum node_message_doubt doubt);

/* node_messages_thread.c */
struct node_message_post *node_messages_new_post(int64_t node, uint64_t number, size_t mark_bytes, str text);
void *node_messages_run(void *node_messages);

#endif
