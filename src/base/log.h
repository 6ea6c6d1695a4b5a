/* base/log.h — one line per event, as text or as a JSON object, on standard error or in a file.
 *
 * Only runtime, net, trigger, api and cli log; library folders return errors instead.
 *
 *     log_write(LOG_INFO, "store opened", "path", path, "#version", "3", NULL);
 *
 * docs/logs.md lists every event, and a test compares the list with the code: an event is therefore a
 * literal at the call.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"

#include <stdarg.h>

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR, LOG_OFF };
enum log_format { LOG_JSON, LOG_TEXT };

void log_set_level(enum log_level level);
void log_set_format(enum log_format format);
bool log_level_parse(str word, enum log_level *ret_level);

/* Appends lines to this file from now on. Opens it anew if it is the one that is open: somebody may have
 * moved it away. On failure the lines go where they went. */
enum status log_open(const char *path, struct error *err);

/* Drops the lines of the calling thread from now on, or no longer: of a thread that plays an engine. */
void log_keep_quiet(bool quiet);

/* Key and value pairs of C strings, ended by NULL. Thread-safe: one write per line. A key that begins
 * with '#' has a number, in decimal digits, as its value. A pair whose value is empty is left out.
 *
 * Above LOG_DEBUG, the same event with the same values is written at most once a second. Values that only
 * say which one it was (its instance, its trace, …) may differ. Lines in between are counted, and the
 * last of them is written with "repeated". So are lines beyond LOG_EVENT_LINES_MAX of one event, and beyond
 * LOG_REPEATS_MAX of all.
 *
 * No thread waits for the log's reader: while a pipe is full, lines are counted as lost. */
__attribute__((sentinel)) void log_write(enum log_level level, const char *event, ...);

/* The same for pairs in an array, which ends with NULL; and the array of such arguments. More than
 * LOG_PAIRS_MAX are left out. */
void log_collect(va_list pairs, const char *ret_pair[2 * LOG_PAIRS_MAX + 1]);
void log_write_pairs(enum log_level level, const char *event, const char *const *pair);

/* Writes lines that were kept back for a second; all of them before the process ends. */
void log_flush(bool all);

#endif
