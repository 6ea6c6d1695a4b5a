/* core/early.c — arrivals that come before their wait.
 *
 * A callback may be there before the answer of the call that asked for it. The instance keeps such
 * arrivals in order. The next wait for their trigger takes the oldest as if it arrived then, and none is used
 * twice; a loop to which the trigger adds items takes all. Only arrivals that a wait or a loop of the program
 * takes early are kept.
 */

#include "core/core_int.h"

static bool is_awaited_early(const struct step *step, uint32_t arrival)
{
    const struct program *program = step->program;
    for (size_t i = 0; i < program->node_count; i++) {
        const struct program_node *node = &program->node[i];
        if (program_takes_items(node, arrival)) return true;
        if (node->kind == NODE_WAIT && node->as.wait.what == WAIT_FOR_ARRIVAL &&
            node->as.wait.arrival == arrival && node->as.wait.takes_early)
            return true;
    }
    return false;
}

/* The oldest arrival of that name; SIZE_MAX: none. */
static size_t find_oldest(const struct instance *instance, str name)
{
    for (size_t i = 0; i < instance->mail_count; i++)
        if (str_equal(instance->mail[i].arrival, name)) return i;
    return SIZE_MAX;
}

static enum status has_room(const struct step *step, str name, const struct json *value, struct error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < step->instance->mail_count; i++)
        count += str_equal(step->instance->mail[i].arrival, name);
    if (count >= EARLY_ARRIVALS_MAX)
        return fail(err, ST_LIMIT, "", "the instance keeps %zu of this trigger, the most allowed (%s)", count,
                    "EARLY_ARRIVALS_MAX");
    return mail_has_room(step, value, err);
}

void early_keep(struct step *step, uint32_t arrival, const struct json *value)
{
    str name = step->program->rules->arrival[arrival].name;
    struct error err;
    step_spend(step, (int64_t)(step->program->node_count + step->instance->mail_count) / TOKENS_PER_FUEL);
    if (!json_is(value, JSON_OBJECT) || !is_awaited_early(step, arrival)) return;
    if (has_room(step, name, value, &err) != ST_OK) {
        note(step, &(struct entry){ .kind = ENTRY_KIND_WARN,
                                    .warning = arena_printf(
                                        step->arena, "not kept for a wait that follows: %s", err.message) });
        return;
    }
    note(step,
         &(struct entry){
             .kind = ENTRY_KIND_ARRIVAL_IN, .mail = note_number(step), .arrival = name, .event = value });
}

const struct mail *early_next(const struct step *step, uint32_t arrival)
{
    size_t i = find_oldest(step->instance, step->program->rules->arrival[arrival].name);
    return i == SIZE_MAX ? NULL : &step->instance->mail[i];
}

bool early_is_kept(const struct step *step, const struct program_node *node)
{
    return node->as.wait.takes_early && step->instance->mail_count &&
           !instance_status_ended(step->instance->status) &&
           find_oldest(step->instance, step->program->rules->arrival[node->as.wait.arrival].name) != SIZE_MAX;
}

/* If the data has no room for it, the arrival stays for a retry. */
void early_serve(struct step *step, uint32_t execution)
{
    const struct token *token = instance_find_token(step->instance, execution);
    const struct program_arrival *arrival =
        &step->program->rules->arrival[token_node(step, token)->as.wait.arrival];
    const struct mail mail = step->instance->mail[find_oldest(step->instance, arrival->name)];
    struct locals locals = { .count = 0 };
    struct error err;
    if (arrival_put(step, arrival, mail.event, &err) != ST_OK) {
        raise_failed(step, execution, &err);
        return;
    }
    locals_add(&locals, STR("answer"), mail.event);
    note(step, &(struct entry){ .kind = ENTRY_KIND_MAIL_OUT, .mail = mail.number, .execution = execution });
    exit_with(step, execution, &locals);
}
