/* store/layered/layered_int.h — the inside of a layer for transient instances above a store. */
#ifndef STORE_LAYERED_LAYERED_INT_H
#define STORE_LAYERED_LAYERED_INT_H

#include "store/limits.h"
#include "store/memory/memory_int.h"
#include "store/store_int.h"

#include <stdatomic.h>

struct layered_store {
    struct store base;
    struct store *under;     /* The caller's. */
    struct store *transient; /* A memory store. */
    atomic_bool is_used;     /* There was a transient instance: only then anybody looks there. */
    bool keeps_histories;
    uint64_t reserved;    /* Ids up to this one are never given again, also after a crash. */
    struct arena scratch; /* Memory of one call. */
};

/* True if rows of transient instances may be found. */
static inline bool layered_is_used(const struct layered_store *store)
{
    return atomic_load_explicit(&store->is_used, memory_order_acquire);
}

enum status layered_reader_open(struct store *base, struct store_reader **ret_reader, struct error *err);

/* ---- lists of both stores as one (layered/merge.c) ---- */

struct layered_rows {
    const void *row;
    size_t count;
};
typedef int layered_compare_fn(const void *a, const void *b);

/* The first `max` rows of two lists that are in order, in order. */
size_t layered_merge(struct layered_rows a, struct layered_rows b, size_t row_bytes,
                     layered_compare_fn *compare, size_t max, void *ret_row);

/* The filter without its `skip`, as both lists need it, because only the merged one can be skipped. */
struct record_filter layered_unskipped(const struct record_filter *filter);
/* Leaves out the first rows of the merged list. */
void layered_skip(const struct record_filter *filter, struct record_row **row, size_t *count);

/* Compare rows by the order of their lists. */
int layered_by_newest(const void *a, const void *b);  /* struct instance_row, by id from the highest */
int layered_by_oldest(const void *a, const void *b);  /* struct instance_row, by id */
int layered_by_failure(const void *a, const void *b); /* struct failure_row, by definition and instance */
int layered_by_newest_failure(const void *a, const void *b); /* The same, each definition from the last. */
int layered_by_task(const void *a, const void *b);           /* struct task_row, by instance and execution */
int layered_by_key(const void *a, const void *b);            /* struct record_row */
int layered_by_last_key(const void *a, const void *b);       /* The same, from the last. */
int layered_by_timer(const void *a, const void *b);     /* struct timer_row, by time, instance and number */
int layered_by_id(const void *a, const void *b);        /* uint64_t */
int layered_by_newest_id(const void *a, const void *b); /* uint64_t, from the highest */
int layered_by_found_key(const void *a, const void *b); /* struct found_key, by key, phase and id */
int layered_by_child(const void *a, const void *b);     /* struct child_listed, by number */

#endif
