/* api/aside_int.h — what takes long is done beside the network's thread: everybody waits for that one.
 *
 * Such work is pure. It looks at a request, at memory of its own or at a call that has been answered, and
 * nobody else touches these meanwhile. A request that is not answered stays until it is, also if its client
 * leaves. Before the API parts from its servers (api_part()) it takes all work back.
 */
#ifndef API_ASIDE_INT_H
#define API_ASIDE_INT_H

#include "api/api_int.h"

/* A piece of work, in storage of the caller. */
struct aside_work {
    net_fn *run;  /* On another thread. */
    net_fn *done; /* Afterwards, on the network's thread. */
    net_fn
        *drop; /* Instead of done(), if the API goes first: frees what is not the request's. May be NULL. */
    void *context;
    /* Its own. */
    struct net_work work_;
    struct api *api_;
    struct aside_work *before_, *after_;
};

/* Whether reading so many bytes, or writing values of that size, takes long enough to be done aside. */
bool aside_is_due(const struct api *api, size_t bytes, bool is_json);
bool aside_answer_is_due(const struct api *api, size_t bytes);

void aside_begin(struct api *api, struct aside_work *aside);

/* Takes the work back and calls drop(), unless it runs: then false, and done() will be called. */
bool aside_withdraw(struct aside_work *aside);

/* Waits for what runs and drops the rest. */
void aside_end_all(struct api *api);

#endif
