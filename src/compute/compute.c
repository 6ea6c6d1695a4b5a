/* compute/compute.c — the hub as a whole. */
#include "compute/compute_int.h"

#include "base/must.h"

#include <stdlib.h>

struct compute *compute_new(struct clock clock)
{
    struct compute *compute = calloc(1, sizeof *compute);
    must(compute);
    compute->clock = clock;
    map_init(&compute->by_id);
    return compute;
}

void compute_free(struct compute *compute)
{
    if (!compute) return;
    compute_break_off(compute);
    while (compute->first) compute_leave(compute->first);
    map_done(&compute->by_id);
    free(compute);
}

size_t compute_room(const struct compute *compute)
{
    size_t taken = compute->stats.under_way + compute->looking + compute->patient;
    if (compute->bytes >= COMPUTE_BYTES_MAX || taken >= COMPUTE_REQUESTS_MAX) return 0;
    return COMPUTE_REQUESTS_MAX - taken;
}

void compute_set_wait(struct compute *compute, int64_t wait_ms) { compute->wait_ms = wait_ms; }

struct compute_stats compute_stats(const struct compute *compute) { return compute->stats; }
