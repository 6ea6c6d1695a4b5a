/* core/token_state.h — what a token of an instance is doing. The numbers are stored. */
#ifndef CORE_TOKEN_STATE_H
#define CORE_TOKEN_STATE_H

/* clang-format off */
#define TOKEN_STATE_MAP(XX)                                        \
    XX(READY,   "ready",   "about to run")                         \
    XX(JOB,     "job",     "a worker's result is awaited")         \
    XX(SIGNAL,  "signal",  "a signal is awaited")                  \
    XX(PERSON,  "person",  "a person's answer is awaited")         \
    XX(JOIN,    "join",    "the other branches are awaited")       \
    XX(RESTING, "resting", "done, with nowhere to go")             \
    XX(FAILED,  "failed",  "failed; a retry starts it again")      \
    XX(EVENT,   "event",   "events are awaited")                   \
    XX(TIME,    "time",    "a time is awaited")                    \
    XX(REGION,  "region",  "what was begun inside is awaited")     \
    XX(ARRIVAL, "arrival", "an arrival is awaited")                \
    XX(TRANSITION, "transition", "a transition is awaited")        \
    XX(REMAINDER, "remainder", "another token went on; the items that are left are awaited") \
    XX(MILESTONE, "milestone", "a point of the run is awaited")    \
    XX(LOCK,    "lock",    "a lock is awaited")
/* clang-format on */

enum token_state {
#define XX(NAME, word, meaning) TOKEN_##NAME,
    TOKEN_STATE_MAP(XX)
#undef XX
        TOKEN_STATE_COUNT
};

#endif
