/* tests/sim/trace.c — what happened, line by line, and a hash over all of it. */
#include "world.h"

#include "base/hash.h"
#include "server.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { LINE_BYTES = 1000 };

void trace_bytes(struct world *world, str bytes)
{
    world->trace_hash = (world->trace_hash ^ hash_bytes(bytes)) * UINT64_C(0x9E3779B97F4A7C15);
    world->trace_hash ^= world->trace_hash >> 29;
}

void trace(struct world *world, const char *format, ...)
{
    char line[LINE_BYTES];
    int n = snprintf(line, sizeof line, "%9" PRId64 " ", world->now_ms);
    if (world_is_shared(world) && world->server)
        n += snprintf(line + n, sizeof line - (size_t)n, "node %" PRIu32 " ", world->server->place);
    va_list args;
    va_start(args, format);
    int more = vsnprintf(line + n, sizeof line - (size_t)n, format, args);
    va_end(args);
    n += more;
    if (n >= (int)sizeof line) n = sizeof line - 1;
    trace_bytes(world, (str){ line, (size_t)n });
    world->trace_lines++;
    if (world->verbose) printf("%.*s\n", n, line);
}

void violated(struct world *world, const char *format, ...)
{
    if (world->failed) return;
    world->failed = true;
    int n = snprintf(world->failure, sizeof world->failure, "at %" PRId64 " ms%s: ", world->now_ms,
                     world->calm ? " (after the faults)" : "");
    va_list args;
    va_start(args, format);
    vsnprintf(world->failure + n, sizeof world->failure - (size_t)n, format, args);
    va_end(args);
    trace(world, "VIOLATED %s", world->failure);
}
