/* base/probe_int.h — linear probing without tombstones, for both kinds of hash map.
 *
 * An entry lies at its home (the place its hash gives) or behind it, with no empty slot between. Removal
 * keeps that true by moving later entries of the run back. So lookups never get slower by use, and a table
 * that shrinks to nothing is as good as a new one.
 */
#ifndef BASE_PROBE_INT_H
#define BASE_PROBE_INT_H

#include "base/must.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROBE_CAP_FIRST = 16, PROBE_SLOT_BYTES = 64 /* No slot is larger. */ };

/* True if one more entry would fill more than three quarters. */
static inline bool probe_is_crowded(size_t count, size_t cap) { return count + 1 > cap - cap / 4; }

static inline size_t probe_cap_after(size_t cap)
{
    if (!cap) return PROBE_CAP_FIRST;
    must(cap <= SIZE_MAX / 2 / PROBE_SLOT_BYTES);
    return cap * 2;
}

/* True if the entry at `from` may move to the free slot at `to`: its home is not between. */
static inline bool probe_may_move(size_t home, size_t from, size_t to, size_t mask)
{
    return ((from - home) & mask) >= ((from - to) & mask);
}

#endif
