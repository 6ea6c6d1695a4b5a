/* perform/aside.h — a function that may block for long, run aside so that its caller need not.
 *
 * Resolving a name and asking a server to cancel a statement are calls that nobody can break off. Each runs
 * on a thread of its own; a caller that cannot wait any longer abandons it, and the thread cleans up.
 */
#ifndef PERFORM_ASIDE_H
#define PERFORM_ASIDE_H

#include <stdbool.h>
#include <stdint.h>

struct addrinfo;

enum aside_end {
    ASIDE_DONE,      /* The function has returned; the caller owns `data` again. */
    ASIDE_ABANDONED, /* It has not, in time or before `leave_fd` became readable. `data` belongs to the
                      * thread, which calls `release` with it. */
};

/* Runs the function and waits for it. `leave_fd` may be -1. Without a thread the function runs here. */
enum aside_end aside_run(void (*run)(void *data), void (*release)(void *data), void *data, int leave_fd,
                         int64_t timeout_ms);

/* Resolves a host's name for stream sockets. Returns 0 and a list, which the caller frees with
 * freeaddrinfo(), or an error of getaddrinfo(); EAI_AGAIN also if it was abandoned. */
int aside_resolve(const char *host, int leave_fd, int64_t timeout_ms, struct addrinfo **ret_list);

#endif
