/* perform/outcall.h — HTTP calls that the engine makes itself.
 *
 * A struct outcalls is one thread with a libcurl multi handle. It takes calls from any thread, makes them
 * side by side over connections that it keeps and shares, and gives each back exactly once through its
 * `done`. It knows nothing of jobs or functions: the caller decides what is sent and what an answer means
 * (perform/http_function.h).
 *
 * Why a thread of its own: a call costs about 64,000 instructions and 30 µs of CPU in libcurl, ten times the
 * cost of a request on the network's loop, and a TLS handshake takes a millisecond. On the loop a burst of
 * calls would show in the latency of every client; on the engine's thread it would delay commits.
 *
 * The URL comes from a document and partly from data, so a call may not:
 *   - use schemes other than http and https, a user or password in the URL, a proxy, .netrc or cookies, from
 *     the environment or elsewhere; follow redirects (they are answers);
 *   - reach networks that are not public, unless perform/reach.h allows it. The address is checked
 *     when the socket is opened, so a name that resolves to something else the second time gains nothing;
 *   - use TLS below 1.2, or accept a certificate that the system's CA store does not vouch for;
 *   - take longer than its timeout, or get an answer larger than answer_bytes_max.
 *
 * A request may be sent twice even without a crash: a kept connection that the server has closed meanwhile
 * is noticed only by using it. The idempotency key is for that, too.
 */
#ifndef PERFORM_OUTCALL_H
#define PERFORM_OUTCALL_H

#include "base/arena.h"
#include "base/status.h"
#include "perform/reach.h"
#include "program/reason.h"

/* ---- one call ---- */

/* clang-format off */
#define OUTCALL_FAILURE_MAP(XX)                                                                     \
    /* name               word                  why there is no answer                           */ \
    XX(NONE,              "none",               "there is one")                                     \
    XX(INVALID_URL,       "invalidUrl",         "the URL is not one that may be called")            \
    XX(INVALID_HEADER,    "invalidHeader",      "a header or the method cannot be sent")            \
    XX(ADDRESS_REFUSED,   "addressNotAllowed",  "the address is in a network that is not public")   \
    XX(NAME_NOT_FOUND,    "nameNotFound",       "the host's name has no address")                   \
    XX(CONNECTION_REFUSED, "connectionRefused", "nobody listens there")                             \
    XX(CONNECTION_FAILED, "connectionFailed",   "no connection, or it broke")                       \
    XX(TLS,               "tlsFailed",          "no TLS, or a certificate that does not verify")    \
    XX(TIMEOUT,           "timeout",            "no complete answer in time")                       \
    XX(TOO_LARGE,         "answerTooLarge",     "the answer is larger than allowed")                \
    XX(MALFORMED,         "answerMalformed",    "what came is not HTTP, or not all of it")          \
    XX(CANCELLED,         "cancelled",          "outcalls_cancel()")                                \
    XX(STOPPED,           "stopped",            "outcalls_stop()")                                  \
    XX(OTHER,             "callFailed",         "something else in libcurl")
/* clang-format on */

enum outcall_failure {
#define XX(NAME, word, why) OUTCALL_##NAME,
    OUTCALL_FAILURE_MAP(XX)
#undef XX
        OUTCALL_FAILURE_COUNT
};

const char *outcall_failure_word(enum outcall_failure failure);

struct outcall_header {
    str name;
    str value;
};

struct outcall;

/* Called on the thread of the outcalls, exactly once per accepted call. The call may be freed from then on.
 * The function may submit and cancel, must not stop the outcalls, and should not take long. */
typedef void outcall_fn(struct outcall *call);

/* A request and, later, its answer. The caller owns it and all it points at, and leaves both untouched from
 * outcalls_submit() until `done`. The answer is put into the arena, which belongs to the outcalls
 * meanwhile. */
struct outcall {
    /* The request. */
    str method;       /* "POST" */
    str url;          /* Percent-encoded already. A fragment is not sent. */
    str body;         /* p == NULL: none. */
    str content_type; /* The type of the body. */
    const struct outcall_header *header;
    size_t header_count;
    str idempotency_key; /* Header Idempotency-Key; empty: none. */
    str traceparent;     /* Header traceparent; empty: none. */
    bool keeps_headers;  /* All headers of the answer are wanted. */
    int32_t priority;    /* Among the calls that wait for a host, the highest is sent first, then the
                          * oldest. */
    int64_t timeout_ms;  /* From when it is sent; the wait for a free connection does not count.
                          * 0: that of the configuration. */
    struct arena *arena;
    outcall_fn *done;
    void *user;

    /* The answer, or why there is none. */
    enum outcall_failure failure;
    enum reason_code code; /* The code of the failure, for headlines; REASON_NONE: the sentence is one. */
    str message;           /* A sentence about the failure; names the host, never the query. */
    int status;            /* 200 … */
    str answer_type;       /* Content-Type as sent. */
    str answer;
    const struct outcall_header *answer_header; /* Retry-After, and the headers whose names begin with ce-;
                                                   all headers, if they are wanted. */
    size_t answer_header_count;
};

/* ---- the thread ---- */

struct outcalls_config {
    struct call_reach reach;     /* Which addresses that are not public may be called. */
    size_t calls_max;            /* Accepted and not done yet. */
    size_t calls_per_host_max;   /* At one time to one scheme, host and port; others wait. */
    size_t connections_kept_max; /* Idle ones. */
    size_t answer_bytes_max;
    int64_t connect_timeout_ms;
    int64_t timeout_ms; /* For calls that have none. */
};

static inline struct outcalls_config outcalls_config_default(void)
{
    return (struct outcalls_config){
        .calls_max = 1000,
        .calls_per_host_max = 32,
        .connections_kept_max = 128,
        .answer_bytes_max = 1 << 20,
        .connect_timeout_ms = 10 * 1000,
        .timeout_ms = 60 * 1000,
    };
}

struct outcalls;

/* ST_INTERNAL if libcurl cannot be loaded or no thread can be started. */
enum status outcalls_start(const struct outcalls_config *config, struct outcalls **ret_outcalls,
                           struct error *err);

/* From any thread. `ret_number` (may be NULL) is the call's name for outcalls_cancel(). ST_OVERLOAD beyond
 * calls_max, ST_DRAINING once the outcalls stop; `done` is not called then. A fault of the request itself
 * comes to `done` as a failure. */
enum status outcalls_submit(struct outcalls *outcalls, struct outcall *call, uint64_t *ret_number,
                            struct error *err);

/* How many more calls would be accepted now. */
size_t outcalls_room(struct outcalls *outcalls);

/* From any thread. The call's `done` comes soon, with OUTCALL_CANCELLED unless the answer was quicker. A
 * number whose call is done is ignored. A request that was sent stays sent. */
void outcalls_cancel(struct outcalls *outcalls, uint64_t number);

/* Breaks off the calls in flight, calls every `done`, waits for the thread and frees the outcalls. Other
 * threads must have ceased to use them. NULL is allowed. */
void outcalls_stop(struct outcalls *outcalls);

#endif
