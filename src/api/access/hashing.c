/* api/access/hashing.c — passwords are hashed and compared beside the network's thread, two at a time.
 *
 * A hash takes 70 ms and 19 MiB on purpose, and strangers may ask for one. So few run at once, few wait, and
 * one address has its own small share of those that wait.
 */
#include "api/access/access_int.h"

#include "access/secret/password.h"

#include <stdint.h>
#include <string.h>

void hashing_wipe(str secret)
{
    if (secret.n) explicit_bzero((void *)(uintptr_t)secret.p, secret.n);
}

/* On any thread. */
static void run(void *context)
{
    struct hashing *hashing = context;
    hashing->status = ST_OK;
    if (hashing->compares) hashing->fits = password_fits(hashing->password, hashing->known);
    else hashing->status = password_hash(hashing->password, hashing->text, &hashing->error);
    if (!hashing->compares && hashing->status == ST_OK) hashing->hash = str_of(hashing->text);
    hashing_wipe(hashing->password);
}

static void start_next(struct api *api);

static void done(void *context)
{
    struct hashing *hashing = context;
    struct api *api = hashing->request->api;
    api->hashing_count--;
    start_next(api);
    hashing->done(hashing->context);
}

static void start(struct hashing *hashing)
{
    struct api *api = hashing->request->api;
    api->hashing_count++;
    hashing->aside = (struct aside_work){ .run = run, .done = done, .context = hashing };
    if (api->config.loop) {
        aside_begin(api, &hashing->aside);
        return;
    }
    run(hashing);
    done(hashing);
}

static void start_next(struct api *api)
{
    struct hashing *first = api->hashings;
    if (!first || api->hashing_count >= HASHINGS_MAX) return;
    api->hashings = first->next;
    start(first);
}

enum status hashing_begin(struct hashing *hashing, struct error *err)
{
    struct api *api = hashing->request->api;
    struct hashing **last = &api->hashings;
    size_t waiting = 0, same = 0;
    for (; *last; last = &(*last)->next) {
        waiting++;
        same += (*last)->request->http->peer == hashing->request->http->peer;
    }
    if (waiting >= HASHINGS_WAITING_MAX || same >= HASHINGS_PEER_MAX)
        return fail(err, ST_OVERLOAD, "", "too many passwords are being looked at; try again in a moment");
    hashing->next = NULL;
    *last = hashing;
    start_next(api);
    return ST_OK;
}
