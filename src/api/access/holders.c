/* api/access/holders.c — streams, long polls and long lists end when their principal may do no more of it.
 *
 * A request is checked when it comes. A stream lives for hours, so it is checked again whenever access has
 * changed, here or at another node, and when its credential expires. Most of the time the look costs one
 * comparison of generations.
 *
 * A change of somebody else's access makes every principal an old one. So the holder first looks for its
 * principal again, in the directory and then in the store, and ends only if the credential counts no more or
 * the principal may do something else now. The calls of the request keep the principal that they have: other
 * threads look at it.
 */
#include "api/access/access_int.h"

#include "base/clock.h"
#include "base/must.h"
#include "runtime/memory/memory.h"
#include "runtime/runtime.h"

#include <stddef.h>
#include <stdlib.h>

/* The store is asked, in memory of its own: the holder may be gone before the answer. */
struct access_question {
    struct arena arena;
    struct access_holder *holder; /* NULL: it is gone. */
    struct api *api;
    struct credential_hash hash;
    struct call_resolve asked;
};

static int64_t now_ms(void)
{
    struct clock clock = clock_system();
    return clock_now_ms(&clock);
}

struct api_request *access_request_of(const struct http_request *http)
{
    return http->caller ? (struct api_request *)((char *)http->caller - offsetof(struct api_request, caller))
                        : NULL;
}

void access_hold(struct access_holder *holder, struct api_request *request, net_fn *end, void *context)
{
    struct api *api = request->api;
    must(!holder->link && request->caller.principal);
    if (request->http->is_local) return; /* The node to which the client has come holds it. */
    *holder = (struct access_holder){ .next = api->holders,
                                      .link = &api->holders,
                                      .request = request,
                                      .principal = principal_ref(request->caller.principal),
                                      .ended = UINT64_MAX, /* Its session may have ended just now. */
                                      .end = end,
                                      .context = context };
    if (api->holders) api->holders->link = &holder->next;
    api->holders = holder;
}

/* ---- streams ---- */

struct stream_count {
    size_t count;
};

size_t access_stream_count(const struct api *api, int32_t tenant)
{
    const struct stream_count *streams = api->streams.count ? map_get(&api->streams, (uint64_t)tenant) : NULL;
    return streams ? streams->count : 0;
}

/* Each node allows its share. */
enum status access_check_stream(struct api_request *request, struct error *err)
{
    const struct api *api = request->api;
    struct tenant tenant;
    int32_t number = request->caller.tenant;
    if (!directory_tenant_by_number(api->directory, number, &tenant)) return ST_OK;
    int64_t limit = tenant.quota[QUOTA_STREAMS],
            nodes = (int64_t)metric_get(&runtime_metrics(api->config.runtime)->nodes);
    if (!limit) return ST_OK;
    int64_t share = nodes > 1 ? (limit + nodes - 1) / nodes : limit;
    if ((int64_t)access_stream_count(api, number) < share) return ST_OK;
    return usage_refuse(arena_printf(request->http->arena, "%.*s", STR_ARG(tenant.name)).p, QUOTA_STREAMS,
                        limit, err);
}

void access_hold_stream(struct access_holder *holder, struct api_request *request, net_fn *end, void *context)
{
    struct api *api = request->api;
    int32_t tenant = request->caller.tenant;
    struct stream_count *streams = map_get(&api->streams, (uint64_t)tenant);
    access_hold(holder, request, end, context);
    if (!holder->link) return;
    if (!streams) {
        streams = calloc(1, sizeof *streams);
        must(streams);
        map_put(&api->streams, (uint64_t)tenant, streams);
    }
    streams->count++;
    holder->stream_of = tenant;
}

static void count_end(struct api *api, const struct access_holder *holder)
{
    struct stream_count *streams =
        holder->stream_of ? map_get(&api->streams, (uint64_t)holder->stream_of) : NULL;
    must(!holder->stream_of || (streams && streams->count));
    if (!streams || --streams->count) return;
    free(map_take(&api->streams, (uint64_t)holder->stream_of));
}

void access_streams_free(struct api *api)
{
    size_t cursor = 0;
    for (struct stream_count *streams; (streams = map_next(&api->streams, &cursor)) != NULL;) free(streams);
    map_done(&api->streams);
}

/* ---- the end ---- */

bool access_ends_call(const struct call *call) { return call->kind == CALL_POLL_JOBS || call_may_stop(call); }

void access_let_go(struct access_holder *holder)
{
    if (!holder->link) return;
    count_end(holder->request->api, holder);
    *holder->link = holder->next;
    if (holder->next) holder->next->link = holder->link;
    if (holder->asked) holder->asked->holder = NULL;
    principal_unref(holder->principal);
    *holder = (struct access_holder){ 0 };
}

static void end(struct access_holder *holder)
{
    net_fn *function = holder->end;
    void *context = holder->context;
    access_let_go(holder);
    function(context);
}

/* ---- another look at the principal ---- */

/* Takes the principal. */
static bool go_on_as(struct access_holder *holder, struct principal *principal)
{
    bool same = principal_is_same(principal, holder->request->caller.principal);
    principal_unref(same ? holder->principal : principal);
    if (same) holder->principal = principal;
    return same;
}

static void drop_question(struct access_question *question)
{
    struct arena arena = question->arena;
    arena_done(&arena);
}

static void answered(struct call *call)
{
    struct access_question *question = call->user;
    struct access_holder *holder = question->holder;
    const struct answer_resolve *answer = &call->value.resolve;
    struct principal *principal = call->status == ST_OK ? answer->principal : NULL;
    if (call->status == ST_OK)
        directory_keep(question->api->directory, &question->hash, answer->mark, principal, answer->why,
                       now_ms());
    if (holder) holder->asked = NULL;
    bool failed = call->status != ST_OK;
    drop_question(question);
    if (!holder) principal_unref(principal);
    else if (principal ? !go_on_as(holder, principal) : !failed) end(holder);
    /* A store that does not answer ends nobody: the next look asks again. */
}

static void ask(struct access_holder *holder)
{
    struct api_request *request = holder->request;
    const struct credential *credential = request->credential;
    struct arena arena;
    arena_init(&arena, 0);
    struct access_question *question = arena_make(&arena, struct access_question);
    *question = (struct access_question){ .holder = holder, .api = request->api, .hash = credential->hash };
    question->asked =
        (struct call_resolve){ .kind = credential->form == CREDENTIAL_COOKIE ? CREDENTIAL_SESSION
                                                                             : CREDENTIAL_KEY,
                               .hash = credential->hash,
                               .id = arena_str(&arena, credential->key_id) };
    question->arena = arena;
    struct call *call =
        call_resolve((struct call_origin){ &question->arena, answered, question }, &question->asked);
    holder->asked = question;
    if (runtime_submit(request->api->config.client, call) == ST_OK) return;
    holder->asked = NULL;
    drop_question(question);
}

/* True: the holder goes on, or is being looked at. */
static bool look_again(struct access_holder *holder)
{
    struct api_request *request = holder->request;
    const struct credential *credential = request->credential;
    struct principal *principal;
    const char *why;
    if (!credential || credential->form == CREDENTIAL_NONE) return false;
    switch (directory_find(request->api->directory, &credential->hash, now_ms(), &principal, &why)) {
    case DIRECTORY_FOUND: return go_on_as(holder, principal);
    case DIRECTORY_REFUSED: return false;
    case DIRECTORY_ASK: break;
    }
    if (credential->form == CREDENTIAL_BEARER_TOKEN)
        return false; /* Its client comes again with the token. */
    ask(holder);
    return true;
}

/* ---- the look ---- */

/* A tenant that a request was let into is known here until it is removed. To remove one changes access. */
static bool has_tenant(struct access_holder *holder)
{
    struct directory *directory = holder->request->api->directory;
    int32_t number = holder->request->caller.tenant;
    uint64_t generation = directory_generation(directory);
    struct tenant tenant;
    if (holder->generation == generation || number <= TENANT_DEFAULT || holder->request->http->is_local)
        return true;
    holder->generation = generation;
    return directory_tenant_by_number(directory, number, &tenant);
}

/* A session can end without a new generation. */
static bool still_holds(struct access_holder *holder, int64_t at_ms)
{
    const struct directory *directory = holder->request->api->directory;
    const struct credential *credential = holder->request->credential;
    uint64_t before = holder->ended;
    holder->ended = directory_ended(directory);
    bool may_have_ended = before != holder->ended && credential && credential->form == CREDENTIAL_COOKIE;
    return !may_have_ended && directory_still_holds(directory, holder->principal, at_ms);
}

/* An end lets its own holder go, and perhaps others: the list is walked from its beginning after each. */
static bool end_one(struct api *api, int64_t at_ms)
{
    for (struct access_holder *holder = api->holders; holder; holder = holder->next) {
        if (holder->asked) continue;
        bool is_there = has_tenant(holder);
        if (is_there && still_holds(holder, at_ms)) continue;
        if (is_there && look_again(holder)) continue;
        end(holder);
        return true;
    }
    return false;
}

void access_look(struct api *api)
{
    int64_t at_ms = now_ms();
    while (end_one(api, at_ms)) continue;
    access_look_at_refusals(api, false);
}
