/* base/log.h — one JSON line per event, on standard error or in a file.
 *
 * Only runtime, net, trigger, api and cli log; library folders return errors instead.
 *
 *     log_write(LOG_INFO, "store opened", "path", path, "version", "3", NULL);
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/status.h"
#include "base/str.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR, LOG_OFF };

void log_set_level(enum log_level level);
bool log_level_parse(str word, enum log_level *ret_level);

/* Appends lines to this file from now on. Opens it anew if it is the one that is open: somebody may have
 * moved it away. On failure the lines go where they went. */
enum status log_open(const char *path, struct error *err);

/* Drops the lines of the calling thread from now on, or no longer: of a thread that plays an engine. */
void log_keep_quiet(bool quiet);

/* Key and value pairs of C strings, ended by NULL. Thread-safe: one write per line. */
__attribute__((sentinel)) void log_write(enum log_level level, const char *event, ...);

#endif
