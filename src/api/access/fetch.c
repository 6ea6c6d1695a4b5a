/* api/access/fetch.c — calls of providers: made by the guarded caller of the program, answered here.
 *
 * The call is done on a thread of that caller. So its answer waits in a list until the network's thread
 * looks.
 */
#include "api/access/issuers_int.h"

#include "base/must.h"

void fetch_init(struct fetches *fetches) { pthread_mutex_init(&fetches->lock, NULL); }

void fetch_done(struct fetches *fetches) { pthread_mutex_destroy(&fetches->lock); }

static void note_done(struct api_fetch *fetch)
{
    struct api *api = fetch->api_;
    struct fetches *fetches = &api->fetches;
    pthread_mutex_lock(&fetches->lock);
    fetch->next_ = fetches->first;
    fetches->first = fetch;
    pthread_mutex_unlock(&fetches->lock);
    if (api->config.wake) api->config.wake(api->config.wake_context);
}

void fetch_expect(struct api *api, struct api_fetch *fetch)
{
    must(fetch->done && fetch->arena);
    fetch->api_ = api;
    fetch->ended = note_done;
}

void fetch_begin(struct api *api, struct api_fetch *fetch)
{
    struct error err;
    fetch_expect(api, fetch);
    if (!api->config.fetch) fail(&err, ST_INTERNAL, "", "this process cannot call providers");
    else if (api->config.fetch(api->config.fetch_context, fetch, &err) == ST_OK) return;
    fetch->failure = arena_str(fetch->arena, str_of(err.message));
    note_done(fetch);
}

static struct api_fetch *take_ended(struct api *api)
{
    struct fetches *fetches = &api->fetches;
    pthread_mutex_lock(&fetches->lock);
    struct api_fetch *first = fetches->first;
    fetches->first = NULL;
    pthread_mutex_unlock(&fetches->lock);
    return first;
}

void fetch_deliver(struct api *api)
{
    for (struct api_fetch *fetch = take_ended(api), *next; fetch; fetch = next) {
        next = fetch->next_;
        fetch->done(fetch->context);
    }
}

/* An answer would lead to nothing any more: there is no engine to ask. */
void fetch_end_all(struct api *api)
{
    struct api_fetch *fetch;
    while ((fetch = take_ended(api)))
        for (struct api_fetch *next; fetch; fetch = next) {
            next = fetch->next_;
            fetch->failure = STR("the engine stops");
            fetch->done(fetch->context);
        }
}
