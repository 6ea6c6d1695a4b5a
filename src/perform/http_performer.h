/* perform/http_performer.h — the performers of HTTP functions (row HTTP) and of event sinks (row EMIT).
 *
 * Their configuration is {function, type, resource}; perform/http_function.h says what these mean. Both rows
 * share the thread, the connections and the limit per host of one struct outcalls, but each has room for
 * config->calls_max jobs of its own.
 */
#ifndef PERFORM_HTTP_PERFORMER_H
#define PERFORM_HTTP_PERFORMER_H

#include "perform/outcall.h"
#include "perform/worker.h"

/* Registers both. The thread, and libcurl, come with the first job: most engines never call anything. */
void http_performer_add(struct engine_worker *worker, const struct outcalls_config *config);

#endif
