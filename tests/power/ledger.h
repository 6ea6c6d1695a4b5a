/* tests/power/ledger.h — what the engine has promised by its answers, and whether it holds.
 *
 * A promise: a definition that was accepted is there; an instance that was shown is there, at
 * that revision with those contents or at a later one; a job whose end was accepted is not open
 * (unless its instance has failed: then the answer came too late, and a retry opens the job again).
 */
#ifndef TESTS_POWER_LEDGER_H
#define TESTS_POWER_LEDGER_H

#include "rig.h"

enum { LEDGER_INSTANCES_MAX = 2000, LEDGER_JOBS_MAX = 2000, LEDGER_DEFINITIONS_MAX = 20 };

struct ledger {
    struct {
        struct id id;
        uint32_t revision;
        uint64_t contents;
        bool may_be_gone;
    } instance[LEDGER_INSTANCES_MAX];
    struct {
        uint64_t instance;
        uint32_t number;
    } job[LEDGER_JOBS_MAX];
    struct {
        char id[32];
        int32_t version;
    } definition[LEDGER_DEFINITIONS_MAX];
    size_t instance_count, job_count, definition_count;
    size_t accepted, retryable, rejected; /* Answers, by kind. */
};

/* Notes an answered call. */
void ledger_note(struct ledger *ledger, struct rig *rig, const struct call *call);

/* Retention may now remove what ended long enough ago. */
void ledger_expire(struct ledger *ledger, struct rig *rig);

bool ledger_knows(const struct ledger *ledger, uint64_t instance);

/* Asks an engine about every promise; false and a sentence about the first that does not hold. */
bool ledger_holds(const struct ledger *ledger, struct rig *rig, char *ret_why, size_t why_bytes);

#endif
