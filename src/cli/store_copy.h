/* cli/store_copy.h — `pawl store copy FROM TO`. */
#ifndef CLI_STORE_COPY_H
#define CLI_STORE_COPY_H

#include "cli/options.h"

/* Copies a store and prints what was copied and compared. Returns the exit code. */
int store_copy_run(const struct options *options);

#endif
