/* cli/options_int.h — what options.c and config.c share. */
#ifndef CLI_OPTIONS_INT_H
#define CLI_OPTIONS_INT_H

#include "cli/options.h"

/* Checks a value against its option's type and keeps it; a list grows by one. `where` is
 * how the user knows the place: "--listen", "PAWL_LISTEN", "pawl.conf:3". */
enum status options_set(struct options *options, enum option option, str text, const char *where,
                        struct error *err);

/* Applies `key = value` lines. Unknown keys are errors; keys of other verbs are not looked at. */
enum status config_apply(struct options *options, str text, const char *file, struct error *err);

/* Reads and applies the file. `optional`: one that is not there, or that a client may not
 * read, is none. */
enum status config_load(struct options *options, const char *file, bool optional, struct error *err);

#endif
