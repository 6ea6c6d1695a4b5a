/* runtime/transact/follow.c — a command, and everything that follows from it in the same transaction.
 *
 * An instance that ends may start the next one of its chain; a job may be a child's; a child that ends
 * completes or fails its parent's job. All of that commits together with the command, up to a bound
 * (children.c).
 */
#include "runtime/transact/transact_int.h"

#include "runtime/memory/memory.h"

enum status follow_command(struct turn *turn, struct definition *definition, const struct instance *before,
                           const struct command *command, struct transition **ret_transition,
                           struct error *err)
{
    TRY(transact_step(turn, definition, before, command, ret_transition, err));
    if (!*ret_transition) return ST_OK;
    TRY(start_chained(turn, *ret_transition, definition->ns, err));
    return children_follow(turn, err);
}

enum status follow_migrate(struct turn *turn, struct definition *definition, const struct instance *before,
                           const struct command *command, struct transition **ret_transition,
                           struct error *err)
{
    TRY(transact_migrate(turn, definition, before, command, ret_transition, err));
    if (!*ret_transition) return ST_OK;
    TRY(start_chained(turn, *ret_transition, definition->ns, err));
    return children_follow(turn, err);
}

enum status follow_start(struct turn *turn, const struct start *start, struct transition **ret_transition,
                         struct definition **ret_definition, struct error *err)
{
    TRY(start_step(turn, start, ret_transition, ret_definition, err));
    return children_follow(turn, err);
}
