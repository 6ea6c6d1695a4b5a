/* runtime/memory/query.h — what a thread that answers queries has.
 *
 * A query has its own connection to the store and its own catalogue. It sees everything that was acknowledged
 * before it was asked, because acknowledging comes after committing.
 */
#ifndef RUNTIME_MEMORY_QUERY_H
#define RUNTIME_MEMORY_QUERY_H

#include "base/budget.h"
#include "base/clock.h"
#include "base/limits.h"
#include "runtime/call/call.h"
#include "runtime/memory/catalogue.h"
#include "runtime/memory/facts.h"

struct directory;
struct store;
struct store_reader;
struct touched;
struct vault;

struct query {
    struct budget *answers; /* The bytes of answers that clients have not read; NULL: nobody counts. */
    struct store_reader *reader;
    struct catalogue catalogue;
    struct facts_cache facts;
    struct limits limits;
    struct clock clock;                 /* Without a function: the time is not known. */
    struct vault *vault;                /* NULL: there is none. */
    struct touched *touched;            /* Notes when keys are used (access/touched.c); NULL: nobody does. */
    struct directory *directory;        /* Principals and tenants; NULL: nobody keeps them. */
    size_t long_reads[CALL_KIND_COUNT]; /* Reads under way that were not answered in their first part. */
};

enum status query_open(struct query *query, struct store *store, const struct limits *limits,
                       struct error *err);
void query_close(struct query *query);
/* Breaks off what is being read, and whatever is read later. From any thread, before query_close(). */
void query_leave(struct query *query);

#endif
