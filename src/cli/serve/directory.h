/* cli/serve/directory.h — directories for data. */
#ifndef CLI_SERVE_DIRECTORY_H
#define CLI_SERVE_DIRECTORY_H

#include "base/arena.h"
#include "base/status.h"

/* Like mkdir -p, but new directories are durable. */
enum status directory_make(const char *path, struct arena *arena, struct error *err);

#endif
