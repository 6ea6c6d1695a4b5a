/* export/post.h — one message is posted to a collector, on the thread of the caller. */
#ifndef EXPORT_POST_H
#define EXPORT_POST_H

#include "export/exporter.h"

#include <stdatomic.h>

enum post_fate {
    POST_TAKEN,
    POST_LATER, /* No connection, no answer in time, 429, 502, 503, 504: the same message may be taken later. */
    POST_REFUSED, /* Another try would be refused as well. */
};

struct post_answer {
    enum post_fate fate;
    int64_t pause_ms; /* LATER: the collector wants to be left alone for so long; 0: it does not say. */
    uint64_t refused; /* TAKEN: so many spans were refused all the same. */
    bool is_rubbish;  /* TAKEN: what was said besides 200 is no answer of OTLP. */
    char why[200];    /* LATER, REFUSED: a sentence. */
};

struct post;

/* Called every now and then while a message is under way, at least once a second. */
typedef void post_meanwhile_fn(void *context);

struct post_config {
    const struct exporter_config *exporter;
    const _Atomic int64_t
        *end_us; /* Calls end then (clock_monotonic_us(); 0: never), whatever they have done. */
    post_meanwhile_fn *meanwhile; /* NULL: there is nothing to do. */
    void *context;
};

/* ST_INTERNAL: libcurl cannot be loaded. */
enum status post_open(const struct post_config *config, struct post **ret_post, struct error *err);
/* The body is compressed if the configuration says so. */
void post_send(struct post *post, str body, struct post_answer *ret_answer);
void post_close(struct post *post);

#endif
