/* cli/options_int.h — the functions that options_value.c, config.c and options.c share. */
#ifndef CLI_OPTIONS_INT_H
#define CLI_OPTIONS_INT_H

#include "cli/options.h"

/* Checks a value against its option's type and stores it; a list grows by one. `where` is the place as the
 * user knows it: "--listen", "PAWL_LISTEN", "pawl.conf:3". */
enum status options_set(struct options *options, enum option option, str text, const char *where,
                        struct error *err);

/* Applies `key = value` lines. An unknown key is an error; keys of other verbs are ignored. */
enum status config_apply(struct options *options, str text, const char *file, struct error *err);

/* Reads and applies the file. With `optional`, a file that does not exist, or that a client may not read,
 * counts as empty. */
enum status config_load(struct options *options, const char *file, bool optional, struct error *err);

#endif
