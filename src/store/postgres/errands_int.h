/* store/postgres/errands_int.h — errands between nodes: what the functions of store/errands.h and the thread
 * share. */
#ifndef STORE_POSTGRES_ERRANDS_INT_H
#define STORE_POSTGRES_ERRANDS_INT_H

#include "store/errands.h"
#include "store/postgres/nodes_int.h"

#include <pthread.h>
#include <stdatomic.h>

/* An errand on its way out or in. */
struct errand_post {
    struct errand_post *next;
    int64_t node; /* The other node: the target, or the sender. */
    int64_t as;   /* On the way out: our number when it was accepted. */
    uint64_t number;
    int64_t keep_ms;
    int64_t until_us; /* On the way out: not later. */
    size_t bytes;
    char text[];
};

struct errand_box {
    struct errand_post *first, *last;
    size_t count, bytes;
};

/* Another node that lives. */
struct errand_heard {
    int64_t node;
    int64_t version;
    bool is_new;
    struct buf text; /* On the heap. */
};

/* The errands of a node that we have taken. */
struct errand_seen {
    int64_t node;
    uint64_t number; /* The highest. */
};

struct errands {
    struct postgres_store *store;
    pthread_t thread;
    int event; /* An eventfd: something below has changed. */
    atomic_bool stops;
    atomic_llong node; /* Our number. */
    store_wake_fn *wake;
    void *context;

    pthread_mutex_t lock; /* Guards the fields below. */
    struct errand_box outbox, inbox;
    uint64_t number;   /* The number of the last errand. */
    struct buf notice; /* Ours, on the heap. */
    uint64_t notice_number, told;
    uint64_t look_asked, looked;
    struct errand_heard *heard; /* By node. */
    size_t heard_count;
    bool has_heard; /* It has changed since anybody asked. */
    struct errands_stats stats;

    /* The thread's own. */
    struct postgres_db db;
    int64_t listens; /* The number under which we listen; 0: we do not. */
    int64_t told_as; /* The number under which our notice is told. */
    int64_t tried_us, looked_us, purged_us;
    struct errand_box batch;     /* Being sent, perhaps for the second time. */
    struct postgres_array taken; /* Errands that are in the inbox, and whose rows go next. */
    struct errand_seen seen[NODES_MAX];
    size_t seen_next;          /* The one that is replaced next. */
    bool must_take, must_hear; /* We were told to, or there is more. */
    struct postgres_array column[4];
};

static inline void errands_add_post(struct errand_box *box, struct errand_post *post)
{
    post->next = NULL;
    if (box->last) box->last->next = post;
    else box->first = post;
    box->last = post;
    box->count++;
    box->bytes += post->bytes;
}

static inline struct errand_post *errands_first_post(struct errand_box *box)
{
    struct errand_post *post = box->first;
    if (!post) return NULL;
    box->first = post->next;
    if (!box->first) box->last = NULL;
    box->count--;
    box->bytes -= post->bytes;
    return post;
}

/* errands_thread.c */
struct errand_post *errands_new_post(int64_t node, uint64_t number, str text);
void *errands_run(void *errands);

#endif
