/* core/lock.c — visits that hold a named lock.
 *
 *     enters ──► asks, TOKEN_LOCK ──granted──► READY ──► as any visit ──► over: given up
 *                       └──too late, or too many wait──► error
 *
 * Whether a lock is free is known outside of the core: the engine sees the locks of all instances, and the
 * command GRANT says that one is, or that too many wait for it. A token cannot forget its lock, because the
 * entries that end its visit drop it (apply_lock.c). In a test, or a trial, nobody waits: nothing is done
 * outside, so nothing has to be kept apart.
 */

#include "core/core_int.h"

/* True if a visit around the token has the lock: the token would wait for itself. */
static bool is_held_around(const struct instance *instance, const struct token *token, str name)
{
    const struct scope *region = scope_region(instance, token->scope);
    while (region && region->host) {
        const struct lock *lock = instance_lock_of(instance, region->host);
        if (lock && str_equal(lock->name, name)) return true;
        region = scope_region(instance, instance_find_token(instance, region->host)->scope);
    }
    return false;
}

static enum status lock_name(struct step *step, const struct token *token, const struct program_node *node,
                             str *ret_name, struct error *err)
{
    const struct json *value;
    TRY(expression_at(step, program_lock(step->program, node)->name, token, NULL, &value, err));
    if (!json_is(value, JSON_STRING))
        return fail(err, ST_INVALID, "", "the name of a lock is a text, not %s",
                    json_kind_name(json_kind(value)));
    str name = json_string(value);
    if (!name.n || name.n > LOCK_NAME_BYTES_MAX)
        return fail(err, ST_INVALID, "",
                    "the name of a lock has 1 to %d bytes (LOCK_NAME_BYTES_MAX), not %zu",
                    LOCK_NAME_BYTES_MAX, name.n);
    for (size_t i = 0; i < name.n; i++)
        if ((unsigned char)name.p[i] < ' ' || name.p[i] == 0x7f)
            return fail(err, ST_INVALID, "", "the name of a lock is one line without control characters");
    if (step->instance->lock_count >= LOCKS_MAX)
        return fail(err, ST_LIMIT, "", "one more lock is too many: an instance has at most %d (LOCKS_MAX)",
                    LOCKS_MAX);
    *ret_name = name;
    return ST_OK;
}

static void ask(struct step *step, const struct token *token, const struct program_node *node, str name)
{
    struct error err;
    note(step, &(struct entry){ .kind = ENTRY_KIND_LOCK_ASK,
                                .execution = token->execution,
                                .lock = note_number(step),
                                .size = program_lock(step->program, node)->size,
                                .lock_name = name });
    if (timer_open_for_lock(step, token, node, &err) != ST_OK) raise_failed(step, token->execution, &err);
    else token_park(step, token->execution, TOKEN_LOCK);
}

bool lock_lets_begin(struct step *step, const struct token *token, const struct program_node *node)
{
    struct error err;
    str name = STR_NONE;
    if (!program_lock(step->program, node)) return true;
    if (step->instance->is_test || step->command->is_trial) return true;
    if (instance_lock_of(step->instance, token->execution)) return true;
    if (lock_name(step, token, node, &name, &err) != ST_OK) {
        raise_failed(step, token->execution, &err);
        return false;
    }
    if (is_held_around(step->instance, token, name)) {
        raise_error(step, token->execution, program_lock(step->program, node)->cycle,
                    arena_printf(step->arena,
                                 "what this is inside of has the lock \"%.*s\": it would wait for itself",
                                 STR_ARG(name)),
                    NULL);
        return false;
    }
    ask(step, token, node, name);
    return false;
}

void lock_give_up(struct step *step, const struct token *token)
{
    const struct lock *lock = instance_lock_of(step->instance, token->execution);
    raise_error(step, token->execution, program_lock(step->program, token_node(step, token))->late,
                arena_printf(step->arena, "the lock \"%.*s\" was not free in time",
                             STR_ARG(lock ? lock->name : STR_NONE)),
                NULL);
}

void lock_refuse(struct step *step, uint32_t execution, str why)
{
    const struct token *token = instance_find_token(step->instance, execution);
    raise_error(step, execution, program_lock(step->program, token_node(step, token))->full, why, NULL);
}
