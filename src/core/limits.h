/* core/limits.h — limits that only the core knows. */
#ifndef CORE_LIMITS_H
#define CORE_LIMITS_H

enum {
    /* An instance whose numbers have passed this takes no more commands. Ids have room for 28 bits,
     * and one command stays far below the other half. */
    NUMBERS_MAX = 1 << 27,
    REGION_STAGES_MAX = 4,       /* A region may hold its data this many times: once per stage of its node. */
    TABLE_COLUMNS_MAX = 1000,    /* Output columns of the rules of one table that match. */
    SHARED_BYTES_MIN = 64 << 10, /* Equal values of this size are stored once … */
    VARIABLES_COPIES_MAX = 4,    /* … and take so many times `variables_bytes_max` in memory at most. */
    LOCALS_MAX = 4,         /* Values that an expression sees besides the data; `result`, `error`, `frame`. */
    UNDO_ITEMS_MAX = 20000, /* Completed visits that an instance remembers, to undo them. */
    UNDO_BYTES_MAX = 16 << 20,
    CARRY_BASE_BYTES_MAX = 4096, /* For a carried value on which stored differences build: each may bring it
                                  * to memory once more. */
    ACTS_SHOWN_MAX = 1000,       /* Acts of people that the trail of an instance keeps. */
    TASK_MEMBERS_MAX = 100,      /* Details of a person's task. */
    TASK_REMINDED_MAX = 365,     /* A reminder that is repeated is not repeated more often. */
    NOTICE_ATTEMPTS_MAX = 5,     /* An e-mail about a task. */
    TASK_DETAILS_BYTES_MAX = 256 << 10,
    EARLY_ARRIVALS_MAX = 100,  /* Arrivals of one trigger that an instance keeps for a wait that follows. */
    PAST_BYTES_MAX = 4 << 20,  /* Data before the visits that a trail tells, besides the newest of it. */
    LOCKS_MAX = 1000,          /* Locks that an instance holds or waits for. */
    LOCK_NAME_BYTES_MAX = 200, /* The name of a lock. */
    BRANCHES_NAMED_MAX = 5,    /* Branches that core_explain() names; it counts the others. */
};

#endif
