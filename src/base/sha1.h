/* base/sha1.h — SHA-1 (RFC 3174), for names that a standard makes of it: UUIDs of version 5. Not for secrets:
 * collisions can be made. Our own, because folders that may not use OpenSSL need it. */
#ifndef BASE_SHA1_H
#define BASE_SHA1_H

#include "base/str.h"

enum { SHA1_BYTES = 20 };

/* The digest of both texts, one behind the other. */
void sha1_digest(str first, str second, uint8_t ret_digest[SHA1_BYTES]);

#endif
