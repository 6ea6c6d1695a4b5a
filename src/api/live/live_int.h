/* api/live/live_int.h — one stream per page: it names what has changed, and the page asks again.
 *
 *     engine ──► one WATCH_LIVE at a time ──► the hub ──► each stream, what its topics name
 *
 * An event says what changed, never what it is now: so nothing is lost that a page could not ask for, and a
 * client that reads slowly gets one `reset` instead of everything it missed.
 */
#ifndef API_LIVE_LIVE_INT_H
#define API_LIVE_LIVE_INT_H

#include "api/answer_int.h"
#include "api/request_int.h"
#include "api/route_int.h"

/* ---- what a stream is about (topics.c) ---- */

/* One thing that a page shows. */
struct live_thing {
    enum live_kind kind; /* INSTANCES or ENTITIES. */
    uint64_t instance;
    str id; /* As events name it. */
};

struct live_topics {
    bool all[LIVE_KIND_COUNT]; /* Everything of that kind. */
    bool overview;             /* The numbers of the whole engine. */
    struct live_thing *thing;
    size_t thing_count;
};

/* "instances,tasks,entities/6b1…": the words of LIVE_MAP and "overview". */
enum status live_topics_read(str text, struct arena *arena, struct live_topics *ret_topics,
                             struct error *err);

/* The permission of a topic. */
enum permission live_needs(enum live_kind kind);
#define LIVE_OVERVIEW_NEEDS MAY_METRICS_READ

/* May the caller hear of all these topics? ST_FORBIDDEN. */
enum status live_topics_check(const struct live_topics *topics, const struct caller *caller,
                              struct error *err);

/* The kinds of which the caller may see a part only (a narrowed grant, a person's own tasks): bits 1 << kind.
 */
uint32_t live_narrowed(const struct caller *caller);
/* Does the id tell the object of the kind's permission? */
bool live_names_object(enum live_kind kind, str id, str *ret_object);

/* Has the thing changed in this round, as one of the tenant's? */
bool live_thing_changed(const struct live_thing *thing, int32_t tenant, const struct live_round *round);

/* ---- the hub (hub.c) ---- */

/* The handler of GET /api/live. */
route_fn live_get;

/* Member `openBy` of a draft, with a comma in front: the people whose pages have it open at this node.
 * Nothing if there are none. */
void live_put_readers(const struct api *api, int32_t tenant, str draft, struct buf *out);

/* Sends heartbeats and what was held back; ends the streams when the engine stops. */
void live_look(struct api *api);
void live_free(struct api *api);

#endif
