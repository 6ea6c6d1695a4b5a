/* api/ahead.c — reads large bodies on another thread before their handlers are called. */
#include "api/ahead_int.h"

#include "api/answer_int.h"
#include "api/aside_int.h"
#include "api/route_int.h"

#include "base/hash.h"
#include "base/must.h"

#include <stdlib.h>

/* ---- on another thread ---- */

static bool keep_unknown(void *context, const struct member_unknown *unknown)
{
    struct ahead *ahead = context;
    ahead->unknown[ahead->unknown_count++] = *unknown;
    return ahead->unknown_count < UNKNOWN_MEMBERS_MAX;
}

static enum status read_value(struct ahead *ahead, struct arena *scratch)
{
    struct api_request *request = ahead->request;
    if (request->api->draining) return fail(&ahead->error, ST_DRAINING, "", "the engine is stopping");
    body_fn *read = request->route->read ? request->route->read : request_read_json;
    const struct json *value;
    TRY(read(request, scratch, &value, &ahead->error));
    ahead->value = json_copy(&ahead->arena, value);
    ahead->depth = json_depth(value);
    if (request->route->body) members_check(value, request->route->body, &ahead->arena, keep_unknown, ahead);
    return ST_OK;
}

/* Reading takes several times the memory of the value. It is given back here, not when the request ends. */
static void read_body(void *context)
{
    struct ahead *ahead = context;
    struct arena scratch;
    arena_init(&scratch, 0);
    ahead->hash = hash_bytes(ahead->request->http->body);
    ahead->status = read_value(ahead, &scratch);
    arena_done(&scratch);
}

/* ---- on the network's thread ---- */

static void drop(void *context)
{
    struct ahead *ahead = context;
    arena_done(&ahead->arena);
    free(ahead);
}

static void client_left(void *user) { request_left(user); }

/* The handler may wait for the client to leave, and has not heard that it did. */
static void tell_that_the_client_left(struct http_request *http)
{
    if (!http->status && http->on_gone) http->on_gone(http->user);
}

static void go_on(void *context)
{
    struct ahead *ahead = context;
    struct api_request *request = ahead->request;
    struct http_request *http = request->http;
    struct error err = { 0 };
    bool left = request->gone;
    http->on_gone = NULL;
    http_hold_body(http, false);
    if (left) http_keep(http); /* Its answer would free it. */
    if (request->route->handle(request, &err) != ST_OK) answer_error(request, &err);
    request->ahead = NULL;
    http_count(http);
    if (left) {
        tell_that_the_client_left(http);
        http_let_go(http);
    }
    drop(ahead);
}

static bool is_due(const struct api_request *request)
{
    body_fn *read = request->route->read;
    return aside_is_due(request->api, request->http->body.n, !read || read == request_read_json) &&
           read != request_read_text;
}

enum status ahead_handle(struct api_request *request, struct error *err)
{
    if (!is_due(request)) return request->route->handle(request, err);
    struct ahead *ahead = calloc(1, sizeof *ahead);
    must(ahead);
    ahead->request = request;
    ahead->aside = (struct aside_work){ .run = read_body, .done = go_on, .drop = drop, .context = ahead };
    arena_init(&ahead->arena, 0);
    request->ahead = ahead;
    request->http->on_gone = client_left;
    http_hold_body(request->http, true);
    aside_begin(request->api, &ahead->aside);
    return ST_OK;
}
