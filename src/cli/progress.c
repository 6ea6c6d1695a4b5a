/* cli/progress.c — shows a line that counts, at most ten times a second. */
#include "cli/progress.h"

#include "base/clock.h"

#include <stdio.h>
#include <unistd.h>

enum { INTERVAL_US = 100000 };

void progress_begin(struct progress *progress, const char *what, size_t total)
{
    *progress = (struct progress){ .what = what, .total = total, .shown = isatty(STDERR_FILENO) };
}

void progress_show(struct progress *progress, size_t done)
{
    if (!progress->shown) return;
    int64_t now_us = clock_monotonic_us();
    if (now_us < progress->next_us) return;
    progress->next_us = now_us + INTERVAL_US;
    fprintf(stderr, "\r\033[K%zu of %zu %s", done, progress->total, progress->what);
    fflush(stderr);
}

void progress_clear(const struct progress *progress)
{
    if (!progress->shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
}
