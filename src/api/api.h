/* api/api.h — HTTP requests to calls, answers to HTTP. One file per resource. */
#ifndef API_API_H
#define API_API_H

#include "net/net.h"
#include "runtime/runtime.h"

struct api;

struct api_config {
    struct runtime *runtime;
    struct limits limits;
    str token;           /* Bearer token that every request but the probes must carry; empty: none asked. */
    const char *version;
    bool log_requests;
};

struct api *api_new(const struct api_config *config);
void api_free(struct api *api);

/* The http_handler and http_observer to give to the server, with the api as context. */
void api_handle(struct http_request *request, void *context);
void api_observe(const struct http_request *request, int64_t took_us, void *context);
/* Its refusal_headers: pages of other origins may read those answers too. */
str api_refusal_headers(void);

/* From now on /readyz says 503: a balancer should look elsewhere. (It also does while the disk is full.) */
void api_set_draining(struct api *api);

#endif
