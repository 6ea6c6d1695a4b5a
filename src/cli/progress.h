/* cli/progress.h — a line that says how far long work has come, on a terminal only. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "base/str.h"

struct progress {
    const char *what; /* "cases" */
    size_t total;
    bool shown;      /* Standard error is a terminal. */
    int64_t next_us; /* The line is not written more often than a reader can follow. */
};

void progress_begin(struct progress *progress, const char *what, size_t total);
void progress_show(struct progress *progress, size_t done);
/* Removes the line, so that other text can be written. */
void progress_clear(const struct progress *progress);

#endif
