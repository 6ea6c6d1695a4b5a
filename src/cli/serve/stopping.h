/* cli/serve/stopping.h — a process that was told to stop ends in any case, and says what it still waited for.
 *
 *     stopping_begin() ──► stopping_wait_for(), one part after the other ──► stopping_done()
 *                                        └── the time is up: the part is named, and the process ends with 1
 *
 * Used by one thread. The end may come on any thread, because it comes with a signal.
 */
#ifndef CLI_SERVE_STOPPING_H
#define CLI_SERVE_STOPPING_H

#include <stddef.h>

/* The process ends in so many seconds, unless stopping_done() comes first. */
void stopping_begin(unsigned seconds);

/* Counts what is still open of a part. It runs while a signal is handled, so it may only read. */
typedef size_t stopping_count_fn(const void *context);

/* The part that must come to an end next. The text is copied. `count` may be NULL. */
void stopping_wait_for(const char *what, stopping_count_fn *count, const void *context);

/* Something that may hold up every part: it is named, too, if it counts more than 0 when the time is up.
 * Before the context goes, it must be taken back, with NULL for all. */
void stopping_suspect(const char *what, stopping_count_fn *count, const void *context);

/* All parts have come to an end. All later work of the process, such as a sanitizer's search for leaks, may
 * take its time. */
void stopping_done(void);

#endif
