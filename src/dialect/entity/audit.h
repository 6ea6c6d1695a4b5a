/* dialect/entity/audit.h — what happened to an entity, told from its history.
 *
 * Nothing is recorded for this: the history has where the entity's token went and why, and the program of
 * that time has the transitions that were tried before. So a read never changes what is told, and a write
 * that was undone has left nothing.
 */
#ifndef DIALECT_ENTITY_AUDIT_H
#define DIALECT_ENTITY_AUDIT_H

#include "dialect/entity/entity.h"

/* clang-format off */
#define ENTITY_EVENT_MAP(XX)                                                                        \
    XX(START,       "STATE_MACHINE_START")                                                          \
    XX(SKIP,        "WORKFLOW_SKIP")                  /* A workflow's criterion did not match. */   \
    XX(FOUND,       "WORKFLOW_FOUND")                                                               \
    XX(NO_MATCH,    "TRANSITION_NOT_MATCH_CRITERION")                                               \
    XX(PAUSE,       "PAUSE_FOR_PROCESSING")                                                         \
    XX(RESULT,      "STATE_PROCESS_RESULT")                                                         \
    XX(MAKE,        "TRANSITION_MAKE")                                                              \
    XX(CANCEL,      "CANCEL")                         /* A transition was given up on its way. */   \
    XX(FINISH,      "STATE_MACHINE_FINISH")                                                         \
    XX(ARM,         "SCHEDULED_TRANSITION_ARM")                                                     \
    XX(FIRE,        "SCHEDULED_TRANSITION_FIRE")                                                    \
    XX(EXPIRE,      "SCHEDULED_TRANSITION_EXPIRE")                                                  \
    XX(DISARM,      "SCHEDULED_TRANSITION_CANCEL")                                                  \
    XX(CREATED,     "CREATE")                         /* These are changes of the entity. */        \
    XX(UPDATED,     "UPDATE")                                                                       \
    XX(DELETED,     "DELETE")
/* clang-format on */

enum entity_event_kind {
#define XX(NAME, word) ENTITY_EVENT_##NAME,
    ENTITY_EVENT_MAP(XX)
#undef XX
};

const char *entity_event_word(enum entity_event_kind kind);

/* True of the last three kinds: the others are of the state machine. */
static inline bool entity_event_is_change(enum entity_event_kind kind)
{
    return kind >= ENTITY_EVENT_CREATED;
}

struct entity_event {
    enum entity_event_kind kind;
    bool is_warning;         /* Something did not go as its author wanted. */
    str state;               /* The entity's state before the event; after it with FINISH and FIRE. */
    str details;             /* A sentence. */
    const struct json *data; /* An object; NULL: none. */
};

/* The version of the definition with which the first of the histories was made: they are newest first. 0:
 * only older ones tell. */
int64_t entity_audit_version(const struct history *history, size_t count);

/* The transaction of the command with which the run began that the first of the histories goes on with: its
 * own, unless it answers a processor that was asked behind a commit. False: that takes older histories. */
bool entity_audit_origin(const struct history *history, size_t count, bool is_whole, str *ret_transaction);

/* The program of a version of a definition, as long as the telling goes on; NULL: it is not to be had. */
struct entity_programs {
    const struct program *(*find)(void *context, int64_t version);
    void *context;
};

/* The events of the first of the histories, oldest first. False: that takes older histories. `is_whole`:
 * there are no older ones. Without the program of entity_audit_version() less is told. All lives in the
 * arena. */
bool entity_audit_tell(const struct entity_programs *programs, const struct history *history, size_t count,
                       bool is_whole, struct arena *arena, struct entity_event **ret_event,
                       size_t *ret_count);

#endif
