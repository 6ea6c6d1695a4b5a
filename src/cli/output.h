/* cli/output.h — writes to the terminal and to files. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "base/buf.h"
#include "base/status.h"

/* Writes to standard output and flushes. Returns an exit code: 0, or 1 if it cannot be
 * written (quietly if the reader has gone, as `| head` does). */
int output_write(str text);

/* Writes to standard error, as it is. */
void output_write_error(str text);

/* Replaces the file. Returns an exit code, after complaining if it is not 0. */
int output_write_file(const char *path, str text);

/* "pawl: message" on standard error. */
__attribute__((format(printf, 1, 2))) void output_complain(const char *format, ...);

/* The same for an error; returns the exit code of its status. */
int output_fail(const struct error *err);

/* True if standard output is a terminal with colours and they are not turned off. */
bool output_colours(void);

/* Appends text from elsewhere: control characters, which could steer a terminal, become '?'. */
void output_add_safe(struct buf *out, str text, bool keep_newlines);

#endif
