/* runtime/jobs/modify.c — repair of one instance by hand: done, or only shown. The core decides what is
 * allowed. This file looks up tokens that were named by a public id, and shows the tokens before and after.
 */
#include "runtime/jobs/jobs_int.h"

#include "base/must.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

/* The visit that a public id names, or 0: a step may well have a name of that form. */
static uint32_t visit_of(const struct program *program, const struct instance *instance, str text)
{
    struct id id;
    if (program_find(program, text) != NODE_NONE || !id_parse(text, &id)) return 0;
    const struct token *token =
        id.instance == instance->id && !id.delivery ? instance_find_token(instance, id.number) : NULL;
    return token && token->since_ms == id.ms ? token->execution : 0;
}

static struct command command_of(struct turn *turn, const struct call *call, const struct program *program,
                                 const struct instance *instance)
{
    struct modification *list =
        arena_make_n(&turn->arena, struct modification, call->as.modify.modification_count);
    for (size_t i = 0; i < call->as.modify.modification_count; i++) {
        list[i] = call->as.modify.modification[i];
        list[i].execution = list[i].at.n ? visit_of(program, instance, list[i].at) : 0;
    }
    return command_modify(turn->now_ms, call->as.modify.actor, call->as.modify.data,
                          (struct command_modify){ .unset = call->as.modify.unset,
                                                   .modification = list,
                                                   .modification_count = call->as.modify.modification_count,
                                                   .if_revision = call->as.modify.if_revision,
                                                   .reason = call->as.modify.text });
}

static void show_tokens(struct turn *turn, const struct call *call, const struct definition *definition,
                        const struct instance *instance, struct token_view **ret_token, size_t *ret_count)
{
    explain_tokens(turn, call, definition, instance, TOKENS_SHOWN_MAX, ret_token, ret_count);
}

/* Takes the same step and throws the result away. */
static enum status preview(struct turn *turn, struct definition *definition, const struct instance *instance,
                           const struct command *command, const struct instance **ret_after,
                           struct error *err)
{
    must(!turn->arena.budget);
    struct outcome outcome = { .fuel = 0 };
    enum status status =
        core_step(definition->program, instance, command, &turn->engine->limits, &turn->arena, &outcome, err);
    catalogue_note_cost(definition, outcome.fuel);
    turn->spent += outcome.fuel + FUEL_COMMAND;
    if (status == ST_OK) *ret_after = outcome.instance;
    return status;
}

enum status modify_call(struct turn *turn, struct call *call, struct error *err)
{
    struct answer_instances *answer = &call->value.instances;
    const struct instance *instance;
    struct definition *definition;
    TRY(found_needed(target_load(turn, call, call->as.modify.id, &instance, &definition, err)));
    if (instance->status == INSTANCE_FAILED) TRY(target_check_key(turn->engine, instance, definition, err));
    show_tokens(turn, call, definition, instance, &answer->token_before, &answer->token_before_count);
    struct command command = command_of(turn, call, definition->program, instance);
    struct transition *transition = NULL;
    if (call->as.modify.dry_run) {
        TRY(preview(turn, definition, instance, &command, &instance, err));
    } else {
        TRY(follow_command(turn, definition, instance, &command, &transition, err));
        /* Something may have followed, such as a child that ended at once. */
        TRY(found_needed(transact_load(turn, call->as.modify.id.instance, &instance, &definition, err)));
    }
    show_tokens(turn, call, definition, instance, &answer->token, &answer->token_count);
    target_answer(turn, call, instance, definition);
    return ST_OK;
}
