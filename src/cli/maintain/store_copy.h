/* cli/maintain/store_copy.h — `pawl store copy FROM TO`. */
#ifndef CLI_MAINTAIN_STORE_COPY_H
#define CLI_MAINTAIN_STORE_COPY_H

#include "base/status.h"
#include "cli/options.h"

/* Copies a store and prints what was copied and compared. Returns the exit code. */
int store_copy_run(const struct options *options);

/* The place of a store by the name that people give it: a database's URI, a file of SQLite, or a data
 * directory. A name of nothing that exists is a file if it ends with ".db". `*ret_directory`: the data
 * directory, if it is not there. */
enum status store_copy_place(str name, struct arena *arena, const char **ret_path, const char **ret_directory,
                             struct error *err);

#endif
