/* dialect/show/view_int.h — the parts of the API's views that dialects have in common.
 *
 * Every family's instances are served under /v1/instances, so that lists can mix them. A dialect writes
 * these parts and adds members of its own at the places that are named here.
 */
#ifndef DIALECT_SHOW_VIEW_INT_H
#define DIALECT_SHOW_VIEW_INT_H

#include "dialect/show/view.h"
#include "json/put.h"

/* Begins an instance: the opening brace and the members that instances of all families have. Returns false
 * if the data was left out because the text would be longer than `bytes_max`. */
bool view_put_head(struct buf *out, const struct instance_view *view, enum instance_style style,
                   int64_t bytes_max);

/* Adds the instances that it comes from and that it started. Members without a value are left out. */
void view_put_relatives(struct buf *out, const struct instance_view *view);

/* Adds the signals that came before their node waits for them. */
void view_put_signals(struct buf *out, const struct instance_view *view);
/* `pendingArrivals`: those that came before their wait. */
void view_put_arrivals(struct buf *out, const struct instance_view *view);

/* Adds members of a visit that only one dialect has, each with a comma before it. */
typedef void view_more_fn(struct buf *out, const struct execution *visit);

/* Writes a visit whole. `more` may be NULL. */
void view_put_visit(struct buf *out, const struct history_view *history, const struct execution *visit,
                    view_more_fn *more);

#endif
