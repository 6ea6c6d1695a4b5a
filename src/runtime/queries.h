/* runtime/queries.h — calls that only read, and that the engine's thread should not be bothered with. */
#ifndef RUNTIME_QUERIES_H
#define RUNTIME_QUERIES_H

#include "runtime/memory/memory.h"

/* Answers a call. True if it must go on to the engine: a definition that compiled, a bulk whose instances
 * were found. */
bool queries_call(struct query *query, struct call *call);

/* The same, a part at a time. Looking through very many instances takes long, and others wait for their turn.
 */
enum query_progress {
    QUERY_ANSWERED,
    QUERY_FOR_ENGINE,
    QUERY_AGAIN, /* There is more to do. */
};

enum query_progress queries_part(struct query *query, struct call *call);

#endif
