/* export/pusher.h — pages of metrics go to a collector of OpenTelemetry.
 *
 *     the network's thread offers a page ──► one place ──► the pusher's thread ──► message ──► the collector
 *
 * At most one page waits and one is being sent. A newer page takes the place of one that waits, which is
 * counted: it has all that the older one had. So a collector that hangs, or is away for an hour, costs two
 * pages of memory, and nobody waits for it.
 */
#ifndef EXPORT_PUSHER_H
#define EXPORT_PUSHER_H

#include "export/exporter.h"

struct pusher;

/* Begins to push. The configuration is borrowed; its part about spans does not count. */
enum status pusher_new(const struct exporter_config *config, struct pusher **ret_pusher, struct error *err);
/* Takes a copy of a page in the text format of Prometheus. From any thread. */
void pusher_offer(struct pusher *pusher, str page);
/* Sends what there is if the collector takes it at once, and ends the thread. NULL is allowed. */
void pusher_stop(struct pusher *pusher);
/* When nobody offers any more. NULL is allowed. */
void pusher_free(struct pusher *pusher);
const struct push_counters *pusher_counters(const struct pusher *pusher);

#endif
