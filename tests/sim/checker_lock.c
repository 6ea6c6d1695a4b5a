/* tests/sim/checker_lock.c — named locks: who holds them and who waits, followed from the histories alone.
 *
 * A lock has never more holders than the size that the one who gets it asks for. It goes to the first who
 * waits, by priority and then by the time of asking. Whoever asked in the transaction that is looked at is
 * not known to the engine yet. Instances that have failed keep what they hold, and do not wait.
 */
#include "record.h"

#include <inttypes.h>

static struct model_lock *find(const struct checker *checker, uint64_t instance, uint32_t execution)
{
    for (size_t i = 0; i < checker->locks.count; i++)
        if (checker->locks.item[i].instance == instance && checker->locks.item[i].execution == execution)
            return &checker->locks.item[i];
    return NULL;
}

static size_t count_holders(const struct checker *checker, str name)
{
    size_t count = 0;
    for (size_t i = 0; i < checker->locks.count; i++)
        count += checker->locks.item[i].is_held && str_equal(checker->locks.item[i].name, name);
    return count;
}

static bool comes_before(const struct model_lock *a, const struct model_lock *b)
{
    if (a->priority != b->priority) return a->priority > b->priority;
    if (a->asked_ms != b->asked_ms) return a->asked_ms < b->asked_ms;
    return a->instance != b->instance ? a->instance < b->instance : a->number < b->number;
}

static bool waits(const struct checker *checker, const struct model_lock *lock)
{
    const struct model_instance *instance = model_instance_of(checker, lock->instance);
    return !lock->is_held && instance && model_live(instance);
}

/* The waiter that should have come before it, or NULL. */
static const struct model_lock *first_before(const struct checker *checker, const struct model_lock *lock)
{
    for (size_t i = 0; i < checker->locks.count; i++) {
        const struct model_lock *other = &checker->locks.item[i];
        if (other != lock && str_equal(other->name, lock->name) && waits(checker, other) &&
            other->asked_commit < checker->commit_count && comes_before(other, lock))
            return other;
    }
    return NULL;
}

bool checker_lock_is_free(const struct checker *checker, uint64_t instance, uint32_t execution)
{
    const struct model_lock *lock = find(checker, instance, execution);
    if (!lock) return true;
    for (size_t i = 0; i < checker->locks.count; i++) {
        const struct model_lock *other = &checker->locks.item[i];
        if (other != lock && str_equal(other->name, lock->name) && waits(checker, other) &&
            comes_before(other, lock))
            return false;
    }
    return count_holders(checker, lock->name) < lock->size;
}

void lock_ask(struct record *record, const struct entry *entry)
{
    const struct model_token *token = record_token(record, entry->execution);
    if (!token || !record_number(record, entry->number)) return;
    const struct graph_node *node = graph_node_at(record, token->step);
    if (token->state != TOKEN_READY || !node->lock.n || !str_equal(node->lock, entry->text) ||
        node->lock_size != entry->value || find(record->checker, record->instance->id, token->execution))
        bad(record, "\"%.*s\" asks for the lock \"%.*s\"", STR_ARG(token->node), STR_ARG(entry->text));
    *list_push(&record->checker->arena, &record->checker->locks) =
        (struct model_lock){ .instance = record->instance->id,
                             .execution = token->execution,
                             .number = entry->number,
                             .size = entry->value,
                             .name = node->lock,
                             .priority = record_graph(record)->priority,
                             .asked_ms = record->history->at_ms,
                             .asked_commit = record->checker->commit_count };
}

void lock_park(struct record *record, struct model_token *token)
{
    const struct model_lock *lock = find(record->checker, record->instance->id, token->execution);
    if (token->state != TOKEN_READY || !lock || lock->is_held)
        bad(record, "a token at \"%.*s\" waits for no lock", STR_ARG(token->node));
    token->state = TOKEN_LOCK;
}

void lock_grant(struct record *record, const struct entry *entry)
{
    struct checker *checker = record->checker;
    struct model_lock *lock = NULL;
    for (size_t i = 0; i < checker->locks.count && !lock; i++)
        if (checker->locks.item[i].instance == record->instance->id &&
            checker->locks.item[i].number == entry->number)
            lock = &checker->locks.item[i];
    struct model_token *token = lock ? record_token(record, lock->execution) : NULL;
    if (!token || lock->is_held || token->state != TOKEN_LOCK || record->history->command != COMMAND_GRANT) {
        bad(record, "a lock was granted that nobody waits for");
        return;
    }
    const struct model_lock *before = first_before(checker, lock);
    if (before)
        bad(record, "instance %" PRIu64 " asked for the lock \"%.*s\" before", before->instance,
            STR_ARG(lock->name));
    if (count_holders(checker, lock->name) >= lock->size)
        bad(record, "the lock \"%.*s\" has %zu holders already", STR_ARG(lock->name),
            count_holders(checker, lock->name));
    lock->is_held = true;
    token->state = TOKEN_READY;
    record->granted = token->execution;
}

void lock_check_held(struct record *record, const struct model_token *token)
{
    const struct graph_node *node = graph_node_at(record, token->step);
    const struct model_lock *lock = find(record->checker, record->instance->id, token->execution);
    if (node->lock.n && record->instance->undo_host != token->execution && (!lock || !lock->is_held))
        bad(record, "\"%.*s\" begins without its lock", STR_ARG(token->node));
}

void lock_drop(struct record *record, uint32_t execution)
{
    struct model_lock *lock = find(record->checker, record->instance->id, execution);
    if (lock) list_cut(&record->checker->locks, (size_t)(lock - record->checker->locks.item));
}

void lock_drop_all(struct record *record)
{
    struct checker *checker = record->checker;
    for (size_t i = checker->locks.count; i-- > 0;)
        if (checker->locks.item[i].instance == record->instance->id) list_cut(&checker->locks, i);
}
