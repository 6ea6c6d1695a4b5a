/* cli/serve/demo_int.h — shared by the files of `serve --demo`. */
#ifndef CLI_SERVE_DEMO_INT_H
#define CLI_SERVE_DEMO_INT_H

#include "cli/serve/demo.h"
#include "json/json.h"
#include "net/net.h"

#include <pthread.h>

struct demo {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    bool stop; /* Guarded by the lock. */
    struct http_client *http;
    struct arena arena; /* For one round. */
    str url;
    struct arena texts;
};

/* ---- demo_call.c ---- */

/* A request to the engine. `headers` are complete lines. The HTTP status, or 0: no answer came, which the log
 * tells. The answer's body is NULL if it has none, or it is no JSON. */
int demo_call(struct demo *demo, const char *method, str path, str headers, str body,
              const struct json **ret_answer);

bool demo_is_stopped(struct demo *demo);

/* ---- demo_fill.c ---- */

/* Publishes definitions and begins runs, unless that has been done with this data before. False: the engine
 * did not answer, or had no room; to do it again repeats nothing that has taken effect. */
bool demo_fill(struct demo *demo);

#endif
