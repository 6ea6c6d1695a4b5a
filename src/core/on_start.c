/* core/on_start.c — create an instance and run it. */

#include "core/core_int.h"

#include "base/datetime.h"
#include "base/id.h"

/* Where it comes from: its parent, its family, the instance it was chained from. */
static void note_origin(struct step *step)
{
    const struct command *command = step->command;
    if (command->as.start.parent)
        note(step, &(struct entry){
                       .kind = ENTRY_KIND_BORN,
                       .parent = command->as.start.parent,
                       .parent_job = command->as.start.parent_job,
                       .parent_waits = command->as.start.parent_waits,
                   });
    if (command->as.start.root)
        note(step, &(struct entry){ .kind = ENTRY_KIND_FAMILY,
                                    .root = command->as.start.root,
                                    .depth = command->as.start.depth });
    if (command->as.start.chained_from)
        note(step,
             &(struct entry){ .kind = ENTRY_KIND_CHAINED, .chained_from = command->as.start.chained_from });
}

/* {id, definitionId, businessKey, createdAt, isTest} */
static const struct json *about_instance(struct step *step)
{
    const struct instance *instance = step->instance;
    char id[ID_CHARS + 1], time[DATETIME_CHARS + 1];
    id_print((struct id){ .ms = instance->created_ms, .instance = instance->id }, id);
    datetime_print(instance->created_ms, time);
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("id"));
    json_add_string(&builder, str_of(id));
    json_add_name(&builder, STR("definitionId"));
    json_add_string(&builder, step->program->id);
    json_add_name(&builder, STR("businessKey"));
    if (instance->business_key.n) json_add_string(&builder, instance->business_key);
    else json_add_null(&builder);
    json_add_name(&builder, STR("createdAt"));
    json_add_string(&builder, str_of(time));
    json_add_name(&builder, STR("isTest"));
    json_add_bool(&builder, instance->is_test);
    json_close(&builder);
    return json_built(&builder);
}

static enum status put_start_data(struct step *step, struct error *rejection)
{
    const struct expr *expr = step->program->rules->start_data;
    if (!expr) return ST_OK;
    const struct token nobody = { .execution = 0 };
    const struct json *data;
    struct locals locals = { .count = 0 };
    locals_add(&locals, STR("instance"), about_instance(step));
    TRY(expression_at(step, expr, &nobody, &locals, &data, rejection));
    return data_put(step, 0, 0, data, MERGE_REPLACE, rejection);
}

/* Is the input as the program declares it? A start that is refused anyway keeps what it brings. */
static enum status check_input(struct step *step, const struct json *input, struct error *rejection)
{
    struct error err;
    if (step->command->as.start.refusal.n ||
        program_fields_check(&step->program->inputs, input, &err) == ST_OK)
        return ST_OK;
    return fail(rejection, ST_INVALID, err.where, "%.*s violation: %s", STR_ARG(step->program->inputs.word),
                err.message);
}

/* Puts the input or the arrival into the data, and says where the instance begins. */
static enum status put_input(struct step *step, uint32_t *ret_start, struct error *rejection)
{
    const struct command_start *asked = &step->command->as.start;
    const struct json *data = step->command->data ? step->command->data : json_empty_object();
    TRY(put_start_data(step, rejection));
    *ret_start = step->program->start;
    if (!asked->arrival.n) {
        TRY(check_input(step, data, rejection));
        return data_take(step, 0, data, MERGE_SHALLOW, rejection);
    }
    uint32_t index = program_find_arrival(step->program, asked->arrival);
    if (index == ARRIVAL_NONE)
        return fail(rejection, ST_NOT_FOUND, "", "the definition has no trigger \"%.*s\"",
                    STR_ARG(asked->arrival));
    const struct program_arrival *arrival = &step->program->rules->arrival[index];
    if (arrival->start == NODE_NONE)
        return fail(rejection, ST_INVALID, "", "the trigger \"%.*s\" starts nothing",
                    STR_ARG(asked->arrival));
    *ret_start = arrival->start;
    const struct json *payload = json_get(data, STR("payload"));
    if (arrival->terms.type == ARRIVAL_MANUAL)
        TRY(check_input(step, json_is(payload, JSON_OBJECT) ? payload : json_empty_object(), rejection));
    TRY(arrival_put(step, arrival, data, rejection));
    note(step, &(struct entry){ .kind = ENTRY_KIND_ARRIVE, .arrival = arrival->name });
    return ST_OK;
}

static void note_deadline(struct step *step)
{
    int64_t deadline_ms = step->program->rules->deadline_ms;
    if (deadline_ms > 0)
        note(step, &(struct entry){ .kind = ENTRY_KIND_TIMER_OPEN,
                                    .due_ms = time_after(step->command->now_ms, deadline_ms) });
}

enum status on_start(struct step *step, struct error *rejection)
{
    const struct command_start *asked = &step->command->as.start;
    uint32_t start;
    note_origin(step);
    if (asked->correlation.n)
        note(step, &(struct entry){ .kind = ENTRY_KIND_CORRELATE, .correlation = asked->correlation });
    if (asked->is_test) note(step, &(struct entry){ .kind = ENTRY_KIND_TEST, .is_test = true });
    if (asked->is_held) note(step, &(struct entry){ .kind = ENTRY_KIND_HOLD, .is_held = true });
    TRY(put_input(step, &start, rejection));
    note_deadline(step);
    uint32_t first = token_enter(step, start, 0, 0);
    if (step->program->rules->moves) fire_begin(step, first, STR_NONE);
    token_stamp(step, first);
    if (asked->refusal.n) budget_stop(step, first, asked->refusal);
    return ST_OK;
}
