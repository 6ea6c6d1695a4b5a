/* api/ahead_int.h — large bodies are read before their handlers are called, beside the network's thread.
 *
 *     small body    ──────────────────────────────────────────► handler: request_json() reads the body
 *     large body    ──► another thread: the route's reader ──► handler: request_json() has the value already
 *
 * Handlers do not notice. A route says how its body is read if that is not JSON (route_int.h). While a body
 * is read, the requests behind it on a connection of HTTP/1.1 wait, so that none overtakes it; streams of
 * HTTP/2 have no order. If the client leaves meanwhile, the request goes on all the same: its body has
 * arrived, and commands take effect whoever waits for their answers.
 */
#ifndef API_AHEAD_INT_H
#define API_AHEAD_INT_H

#include "api/aside_int.h"
#include "api/limits.h"
#include "api/request_int.h"

/* A body that was read ahead, or is being read: api_request's `ahead` until its handler has returned. */
struct ahead {
    struct aside_work aside;
    struct api_request *request;
    enum status status; /* Its outcome: an error, or … */
    struct error error;
    const struct json *value;                           /* … the value, in */
    struct arena arena;                                 /* memory that request_read() hands over. */
    struct member_unknown unknown[UNKNOWN_MEMBERS_MAX]; /* Unknown members of the value; request_json() tells
                                                         * of them. */
    size_t unknown_count;
    uint32_t depth;
    uint64_t hash; /* A hash of the body. */
};

/* Calls the handler of the request's route, now or when the body is read. */
enum status ahead_handle(struct api_request *request, struct error *err);

#endif
