/* compute/compute_int.h — the hub's own structs: members.c has the members, choice.c the choice among them,
 * requests.c what they are asked.
 */
#ifndef COMPUTE_COMPUTE_INT_H
#define COMPUTE_COMPUTE_INT_H

#include "base/map.h"
#include "compute/compute.h"

struct compute_member {
    struct compute *hub;
    struct compute_joining joining; /* The tags are its own. */
    struct arena arena;
    int64_t joined_ms;
    int64_t avoided_ms;       /* Until then it gets nothing: it has just refused something. */
    struct compute_load load; /* The load of a remote member, as its node tells. */
    bool is_gone;             /* Sending has failed: it gets no more. */
    bool is_behind;           /* It has requests that are not sent yet, or is not ready at all. */
    uint64_t given;           /* The hub's serial of the last request that it got. */
    uint64_t answered;
    size_t under_way;
    struct compute_request *first, *last; /* Oldest first. */
    struct compute_member *before, *after;
};

struct compute {
    struct clock clock;
    struct compute_member *first, *last; /* In the order in which they joined. */
    struct compute_request *under_way, *waiting;
    struct map by_id;            /* struct compute_request under way, by the first half of its id. */
    size_t bytes, waiting_bytes; /* The bytes of the texts under way, and of the waiting ones. */
    size_t looking;              /* Requests that wait for a look, */
    size_t patient;              /* and those that wait for a member for so long: */
    int64_t wait_ms;
    compute_seek_fn *seek; /* NULL: there are no other nodes. */
    void *seek_context;
    uint64_t serial;
    struct compute_stats stats;
};

/* requests.c: gives the request to a member or ends it. */
void compute_place(struct compute *compute, struct compute_request *request);

/* requests.c: sends what the member has not got yet, in order. */
void compute_send_on(struct compute_member *member);

/* choice.c: the member that is to have the request, or NULL. `ret_busy`: some of its tenant have the tags,
 * and as many requests as a member may have. */
struct compute_member *compute_choose(struct compute *compute, const struct compute_request *request,
                                      bool *ret_busy);
/* The work of a member: for a remote one, the larger of our own number and the one that its node tells. */
size_t compute_work_of(const struct compute_member *member);

#endif
