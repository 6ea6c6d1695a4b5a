/* base/hash.h — a fast 64-bit hash for checksums of stored bytes. Not for secrets. The
 * result is part of the store's format: it must never change. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/str.h"

uint64_t hash_bytes(str bytes);

#endif
