/* trigger/poll.h — sources that are asked now and then: a URL or a database, whose rows are arrivals.
 *
 *     trigger is due ──► ask its source ──► one ARRIVE for each row
 *           ▲                   │
 *           └── one interval ───┘
 *
 * One thread asks all sources, side by side, through the machinery of performers: addresses are guarded,
 * statements are read only, answers are limited. A source that is slow or down delays only itself: its
 * failure is logged, and it is asked again after its interval, or later while it goes on failing. A trigger
 * is first asked after one interval, or after a minute if that is shorter.
 *
 * The engine decides which rows count: with a deduplicationKey a row whose key was seen counts again only if
 * its data has changed, and a crash in the middle asks again and loses nothing. Without one every row is an
 * arrival every time.
 *
 * RestApi: GET of `url`, or of what the secret `connectionRef` says: a URL, or {"url", "headers"}. The answer
 * is JSON; `query` is a JSONPath to the rows, else the items of an array, or the value itself. SqlDatabase:
 * `query` is the statement, and `connectionRef` names the database (perform/sql/sql.h).
 */
#ifndef TRIGGER_POLL_H
#define TRIGGER_POLL_H

#include "perform/outcall.h"
#include "perform/sql/sql.h"
#include "runtime/runtime.h"

struct poll_config {
    struct runtime *runtime;
    struct vault *vault; /* NULL: there are no secrets. */
    struct outcalls_config calls;
    struct sql_config databases;
};

struct polling;

/* Starts the thread. */
struct polling *poll_new(const struct poll_config *config);

/* The thread ends soon. Returns immediately. NULL is allowed. */
void poll_leave(struct polling *polling);

/* Breaks off what is under way and waits for the thread. Before the runtime is freed. NULL is allowed. */
void poll_free(struct polling *polling);

#endif
