/* core/wait.c — what the exit of a wait sees: a person's answer, a time. */

#include "core/core_int.h"

#include "base/datetime.h"
#include "base/id.h"

static void add_time(struct json_builder *builder, const char *name, int64_t time_ms)
{
    char text[DATETIME_CHARS + 1];
    if (time_ms % 1000) datetime_print(time_ms, text);
    else datetime_print_seconds(time_ms, text);
    json_add_name(builder, str_of(name));
    json_add_string(builder, str_of(text));
}

/* `answered` or `waited` of a wait; in a test or a trial with the members that the program says. */
static const struct json *as_told(const struct step *step, const struct program_node *node,
                                  const struct json *told)
{
    bool is_test = step->instance->is_test;
    if (is_test && json_is(json_get(told, STR("by")), JSON_NULL))
        told = json_set(step->arena, told, STR("by"),
                        json_of_string(step->arena, STR("[TEST] Simulated output")));
    if (!node->rehearsal || !node->rehearsal->told || !(is_test || step->command->is_trial)) return told;
    return json_merge(told, node->rehearsal->told, step->arena);
}

void wait_add_due(struct step *step, const struct program_node *node, struct locals *locals, int64_t due_ms)
{
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_object(&builder);
    add_time(&builder, "due", due_ms);
    add_time(&builder, "at", step->command->now_ms);
    json_close(&builder);
    locals_add(locals, STR("waited"), as_told(step, node, json_built(&builder)));
}

void wait_add_answer(struct step *step, const struct token *token, struct locals *locals,
                     const struct json *answer)
{
    char task[ID_CHARS + 1];
    struct id id = { .ms = token->since_ms, .instance = step->instance->id, .number = token->execution };
    if (id.ms < 0 || id.ms > CLOCK_MS_MAX) id.ms = 0; /* The store is damaged. */
    if (id.instance > ID_INSTANCE_MAX) id.instance = 0;
    id_print(id, task);
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("by"));
    if (step->command->actor.n) json_add_string(&builder, step->command->actor);
    else json_add_null(&builder);
    add_time(&builder, "at", step->command->now_ms);
    json_add_name(&builder, STR("task"));
    json_add_string(&builder, str_of(task));
    json_close(&builder);
    locals_add(locals, STR("answer"), answer);
    locals_add(locals, STR("answered"), as_told(step, token_node(step, token), json_built(&builder)));
}
