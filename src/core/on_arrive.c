/* core/on_arrive.c — something arrived for the instance: a request, a message, a tick.
 *
 * Its value goes into the data. Then it wakes the oldest token that waits for it, else adds an item to the
 * oldest loop that takes more from it, else lets a new token in. While visits are undone it does none of
 * these. An arrival that leads nowhere is kept for a wait that follows (early.c).
 */

#include "core/core_int.h"

/* The oldest token that waits for the arrival, or NULL. */
static const struct token *find_waiter(const struct step *step, uint32_t arrival)
{
    const struct instance *instance = step->instance;
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if (token->state == TOKEN_ARRIVAL && token_node(step, token)->as.wait.arrival == arrival)
            return token;
    }
    return NULL;
}

/* The oldest token whose items the arrival adds to, or NULL. */
static const struct token *find_loop(const struct step *step, uint32_t arrival)
{
    const struct instance *instance = step->instance;
    for (size_t i = 0; i < instance->each_count; i++) {
        const struct token *host = instance_find_token(instance, instance->each[i].host);
        if (program_takes_items(token_node(step, host), arrival)) return host;
    }
    return NULL;
}

static void note_arrival(struct step *step, uint32_t execution, const struct json *event)
{
    note(step, &(struct entry){ .kind = ENTRY_KIND_ARRIVE,
                                .execution = execution,
                                .arrival = step->command->as.arrive.arrival,
                                .event = event });
}

/* True if a token at the start of the arrival has somewhere to go. */
static bool leads_on(const struct step *step, const struct program_arrival *arrival)
{
    return arrival->start != NODE_NONE && step->program->node[arrival->start].edge_count;
}

static enum status let_in(struct step *step, const struct program_arrival *arrival, struct error *rejection)
{
    if (step->instance->token_count >= TOKENS_MAX)
        return fail(rejection, ST_LIMIT, "",
                    "one more token is too many: an instance has at most %d (TOKENS_MAX)", TOKENS_MAX);
    note_arrival(step, token_enter(step, arrival->start, 0, 0), NULL);
    return ST_OK;
}

enum status on_arrive(struct step *step, struct error *rejection)
{
    const struct program_rules *rules = step->program->rules;
    const struct json *value = step->command->data ? step->command->data : json_empty_object();
    TRY(instance_reject_ended(step->instance, rejection));
    uint32_t index = program_find_arrival(step->program, step->command->as.arrive.arrival);
    if (index == ARRIVAL_NONE) { /* The version that the instance runs has no such arrival. */
        TRY(arrival_put_unknown(step, step->command->as.arrive.arrival, value, rejection));
        note_arrival(step, 0, value);
        return ST_OK;
    }
    const struct program_arrival *arrival = &rules->arrival[index];
    TRY(arrival_put(step, arrival, value, rejection));
    const struct token *waiter = find_waiter(step, index);
    if (waiter) {
        struct locals locals = { .count = 0 };
        uint32_t execution = waiter->execution;
        locals_add(&locals, STR("answer"), value);
        note_arrival(step, execution, NULL);
        exit_with(step, execution, &locals);
        return ST_OK;
    }
    const struct token *loop = find_loop(step, index);
    if (loop) {
        TRY(node_each_add(step, loop->execution, value, rejection));
        note_arrival(step, loop->execution, NULL);
        return ST_OK;
    }
    if (arrival->start != NODE_NONE && !step->instance->undo.error) TRY(let_in(step, arrival, rejection));
    else note_arrival(step, 0, NULL);
    if (!leads_on(step, arrival)) early_keep(step, index, value);
    return ST_OK;
}
