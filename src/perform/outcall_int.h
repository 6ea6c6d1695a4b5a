/* perform/outcall_int.h — a call on its way, for outcalls.c and transfer.c only. */
#ifndef PERFORM_OUTCALL_INT_H
#define PERFORM_OUTCALL_INT_H

#include "perform/outcall.h"

#include "base/buf.h"
#include "perform/libcurl.h"

struct host;

/* Lives in the call's arena, so it ends with the call. */
struct transfer {
    struct outcall *call;
    uint64_t number;
    struct transfer *next; /* In the inbox, or in the queue of its host. */
    struct host *host;     /* NULL until transfer_check() has found the place. */
    str place;             /* scheme://host:port: the calls of one host are counted by it. */
    bool running;          /* In the multi handle. */

    CURL *easy;
    struct curl_slist *header;
    struct buf answer;
    size_t answer_bytes_max;
    const struct call_reach *reach;
    bool too_large;
    const char *refused_class; /* The class of the last address that was refused. */
    int64_t timeout_ms;
};

/* Checks the request and finds its place. False: the call has its failure. */
bool transfer_check(struct transfer *transfer);

/* Makes the easy handle. */
void transfer_open(struct transfer *transfer, const struct outcalls_config *config);
/* Frees what transfer_open() made; allowed without it. */
void transfer_close(struct transfer *transfer);

/* Writes the answer, or the failure that libcurl reports, to the call. */
void transfer_read(struct transfer *transfer, CURLcode code);

__attribute__((format(printf, 3, 4))) void transfer_fail(struct transfer *transfer,
                                                         enum outcall_failure failure, const char *format,
                                                         ...);
/* The same with a code. */
__attribute__((format(printf, 4, 5))) void transfer_fail_code(struct transfer *transfer,
                                                              enum outcall_failure failure,
                                                              enum reason_code code, const char *format, ...);

#endif
