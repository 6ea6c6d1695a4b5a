/* base/found.h — the answer of a read of one thing: found, not there, or not now.
 *
 * A lock that somebody holds, a database that went away and damaged bytes say nothing about whether the
 * thing exists. A caller that takes them for "not there" answers a 404 for something that the client has, or
 * forgets a job or a subscription. So struct found is neither a status nor a truth value. The compiler
 * refuses callers that ignore it or compare it, and each caller names its decision with one of these:
 *
 *     found_needed()   The caller cannot go on without the thing. Its absence is the failure ST_NOT_FOUND.
 *     found_asked()    Both answers are good. Only "not now" is a failure, which the caller passes on.
 *     found_intact()   A damaged thing is as good as none. Only a failure that may pass is a failure.
 *     found_is()       A switch over the three answers, for callers that go on in all of them.
 *     found_hint()     The caller shows or does less without the thing, and nobody loses anything by it.
 */
#ifndef BASE_FOUND_H
#define BASE_FOUND_H

#include "base/status.h"

#define MUST_DECIDE __attribute__((warn_unused_result))

enum found_answer { FOUND, NOT_THERE, NOT_NOW };

struct found {
    enum status status_; /* ST_OK, ST_NOT_FOUND, or the reason for "not now". Use the functions below. */
};

/* The answer that a status of a back end means. */
static inline struct found found_of(enum status status) { return (struct found){ status }; }

MUST_DECIDE static inline enum status found_needed(struct found found) { return found.status_; }

MUST_DECIDE static inline enum status found_asked(struct found found, bool *ret_is_there)
{
    *ret_is_there = found.status_ == ST_OK;
    return found.status_ == ST_NOT_FOUND ? ST_OK : found.status_;
}

MUST_DECIDE static inline enum status found_intact(struct found found, bool *ret_is_intact)
{
    *ret_is_intact = found.status_ == ST_OK;
    return status_retry(found.status_) ? found.status_ : ST_OK;
}

MUST_DECIDE static inline enum found_answer found_is(struct found found)
{
    if (found.status_ == ST_OK) return FOUND;
    return found.status_ == ST_NOT_FOUND ? NOT_THERE : NOT_NOW;
}

MUST_DECIDE static inline bool found_hint(struct found found) { return found.status_ == ST_OK; }

/* Leaves a function that reads one thing itself with the first answer that is not FOUND. */
#define TRY_FOUND(call)                               \
    do {                                              \
        struct found found_ = (call);                 \
        if (found_is(found_) != FOUND) return found_; \
    } while (0)

#endif
