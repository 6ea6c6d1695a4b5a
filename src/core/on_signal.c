/* core/on_signal.c — a signal for a waiting node, or (early) for one that will wait. */

#include "core/core_int.h"

static enum status keep(struct step *step, uint32_t node, struct error *rejection)
{
    const struct json *data = step->command->data ? step->command->data : json_empty_object();
    TRY(mail_has_room(step, data, rejection));
    note_at(step,
            &(struct entry){ .kind = ENTRY_KIND_SIGNAL_IN,
                             .mail = note_number(step),
                             .node = step->command->as.node.node,
                             .event = data },
            node);
    return ST_OK;
}

enum status on_signal(struct step *step, struct error *rejection)
{
    str name = step->command->as.node.node, word = step->program->node_word;
    uint32_t index = program_find(step->program, name);
    if (index == NODE_NONE)
        return fail(rejection, ST_CONFLICT, "", "%.*s \"%.*s\" not found", STR_ARG(word), STR_ARG(name));
    const struct program_node *node = &step->program->node[index];
    if (node->kind != NODE_WAIT || node->as.wait.what != WAIT_FOR_SIGNAL)
        return fail(rejection, ST_INVALID, "", "%.*s \"%.*s\" does not wait for signals: it is of type %.*s",
                    STR_ARG(word), STR_ARG(name), STR_ARG(node->type));
    bool early = step->command->as.node.early;
    if (early && step->instance->status == INSTANCE_FAILED) return keep(step, index, rejection);
    TRY(instance_reject_ended(step->instance, rejection));
    const struct token *token = token_at(step, index, TOKEN_SIGNAL);
    if (!token && early) return keep(step, index, rejection);
    if (!token)
        return fail(rejection, ST_CONFLICT, "", "%.*s \"%.*s\" is not waiting for a signal", STR_ARG(word),
                    STR_ARG(name));

    uint32_t execution = token->execution;
    TRY(data_take(step, execution, step->command->data, MERGE_SHALLOW, rejection));
    return exit_or_refuse(step, execution, NULL, rejection);
}
