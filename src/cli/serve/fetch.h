/* cli/serve/fetch.h — calls of providers of tokens, through the guarded caller of perform/outcall.h. */
#ifndef CLI_SERVE_FETCH_H
#define CLI_SERVE_FETCH_H

#include "api/api.h"
#include "perform/outcall.h"

struct fetcher;

/* Begins nothing: the thread of the calls starts with the first one. */
struct fetcher *fetch_new(const struct outcalls_config *config);
/* The `fetch` of struct api_config, with the fetcher as its context. */
enum status fetch_call(void *context, struct api_fetch *fetch, struct error *err);
/* Ends all calls, and makes no more. */
void fetch_stop(struct fetcher *fetcher);
void fetch_free(struct fetcher *fetcher); /* NULL is allowed. */

#endif
