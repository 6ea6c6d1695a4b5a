/* compute/limits.h — limits of calculation nodes and their requests. */
#ifndef COMPUTE_LIMITS_H
#define COMPUTE_LIMITS_H

#include "base/limits.h"

enum {
    COMPUTE_MEMBERS_MAX = 1000, /* Includes the members of other nodes. */
    COMPUTE_TAGS_MAX = 64,      /* For one member, and for one request. */
    COMPUTE_TAG_BYTES_MAX = 256,
    /* Requests under way, all together and at one member, and the bytes of their texts. */
    COMPUTE_REQUESTS_MAX = 10000,
    COMPUTE_MEMBER_REQUESTS_MAX = 2000,
    COMPUTE_BYTES_MAX = 256 << 20,
    /* Requests of an earlier run of the engine that wait for a member. More are offered again later. */
    COMPUTE_WAITING_MAX = 1000,
    COMPUTE_WAITING_BYTES_MAX = 64 << 20,
    /* A request whose members are lost one after the other goes out so often. */
    COMPUTE_SENDS_MAX = 5,
    COMPUTE_WAIT_MS_MAX = 600 * 1000, /* So long a request may wait for a member at most. */
    COMPUTE_TIMEOUT_MS_DEFAULT = 30 * 1000,
    /* A member of another node gets a request if the best of our own has more than so many times its work. */
    COMPUTE_REMOTE_FACTOR = 4,
    COMPUTE_AVOIDED_MS = 500, /* A member of another node that has refused a request gets none for so long. */
};

#endif
