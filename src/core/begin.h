/* core/begin.h — for what visits of an instance wait before they begin. */
#ifndef CORE_BEGIN_H
#define CORE_BEGIN_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* The last visit to a node that is a milestone of others. */
struct reached_node {
    uint32_t node;
    uint32_t execution;
    str node_name;
};

/* A lock that a token waits for or holds, as long as its visit lasts. A visit that is complete or has failed,
 * and the end of the instance, give it up; other tokens of a failed instance keep theirs for the retry. */
struct lock {
    uint32_t number;
    uint32_t execution;
    str name;
    uint32_t size; /* It is granted when fewer than so many others hold one of the name. */
    bool is_held;
    int64_t asked_ms, granted_ms; /* Not held: 0. */
};

struct instance;

/* True if the visit is in a region of that other visit, or of one inside of it, or is the same. */
bool instance_is_inside(const struct instance *instance, uint32_t execution, uint32_t host);

#endif
