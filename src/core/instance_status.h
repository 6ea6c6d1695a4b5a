/* core/instance_status.h — the statuses of an instance. Other folders see them through core.h. */
#ifndef CORE_INSTANCE_STATUS_H
#define CORE_INSTANCE_STATUS_H

#include "base/must.h"
#include "base/str.h"

/* clang-format off */
#define INSTANCE_STATUS_MAP(XX)                                    \
    XX(ACTIVE,    "ACTIVE",    false, "something can go on by itself")     \
    XX(WAITING,   "WAITING",   false, "a person, a signal or an event is awaited") \
    XX(COMPLETED, "COMPLETED", true,  "an end was reached")                \
    XX(FAILED,    "FAILED",    true,  "stopped by an error; can be retried") \
    XX(CANCELLED, "CANCELLED", true,  "stopped by a user")
/* clang-format on */

enum instance_status {
#define XX(NAME, word, ended, meaning) INSTANCE_##NAME,
    INSTANCE_STATUS_MAP(XX)
#undef XX
        INSTANCE_STATUS_COUNT
};

const char *instance_status_word(enum instance_status status);
bool instance_status_parse(str word, enum instance_status *ret_status);

/* Every command asks this dozens of times, so there is no call and no table. */
static inline bool instance_status_ended(enum instance_status status)
{
    enum {
#define XX(NAME, word, ended, meaning) NAME##_BIT = (int)(ended) << INSTANCE_##NAME,
        INSTANCE_STATUS_MAP(XX)
#undef XX
#define XX(NAME, word, ended, meaning) | NAME##_BIT
            ENDED = 0 INSTANCE_STATUS_MAP(XX)
#undef XX
    };
    must((unsigned)status < INSTANCE_STATUS_COUNT);
    return ENDED >> status & 1;
}

#endif
