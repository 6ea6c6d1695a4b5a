/* api/access/holders.c — streams and long polls end when their principal counts no more.
 *
 * A request is checked when it comes. A stream lives for hours, so it is checked again whenever access has
 * changed, here or at another node, and when its credential expires. Most of the time the look costs one
 * comparison of generations.
 */
#include "api/access/access_int.h"

#include "base/clock.h"
#include "base/must.h"

void access_hold(struct api *api, struct access_holder *holder, const struct caller *caller, net_fn *end,
                 void *context)
{
    must(!holder->link && caller && caller->principal);
    *holder = (struct access_holder){ .next = api->holders,
                                      .link = &api->holders,
                                      .principal = principal_ref(caller->principal),
                                      .end = end,
                                      .context = context };
    if (api->holders) api->holders->link = &holder->next;
    api->holders = holder;
}

void access_let_go(struct access_holder *holder)
{
    if (!holder->link) return;
    *holder->link = holder->next;
    if (holder->next) holder->next->link = holder->link;
    holder->link = NULL;
    principal_unref(holder->principal);
    holder->principal = NULL;
}

/* An end lets its own holder go, and perhaps others: the list is walked from its beginning after each. */
static bool end_one(struct api *api, int64_t now_ms)
{
    for (struct access_holder *holder = api->holders; holder; holder = holder->next) {
        if (directory_still_holds(api->directory, holder->principal, now_ms)) continue;
        net_fn *end = holder->end;
        void *context = holder->context;
        access_let_go(holder);
        end(context);
        return true;
    }
    return false;
}

void access_look(struct api *api)
{
    struct clock clock = clock_system();
    int64_t now_ms = clock_now_ms(&clock);
    while (end_one(api, now_ms)) continue;
}
