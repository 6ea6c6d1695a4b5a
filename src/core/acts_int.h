/* core/acts_int.h — the acts of a trail, while it is told (core/trail.h). */
#ifndef CORE_ACTS_INT_H
#define CORE_ACTS_INT_H

#include "core/core_int.h"
#include "core/trail.h"

/* The person who has the task of a visit. */
struct act_holder {
    uint32_t execution;
    str name; /* Empty: nobody. */
};

struct acts {
    struct arena *arena;
    struct act *act;
    size_t count, cap;
    size_t total; /* With those that are not kept. */
    struct act_holder *holder;
    size_t holder_count, holder_cap;
};

/* Tells the acts of one history. `node` is where it happened. `omits`: there is no room, and it is only
 * counted. */
void acts_tell(struct acts *acts, const struct history *history, str node, bool omits);

/* The entry that changes the details of a task; NULL: none does. */
const struct entry *acts_task_entry(const struct history *history);

#endif
