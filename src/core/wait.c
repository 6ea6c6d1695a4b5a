/* core/wait.c — what the exit of a wait sees: a person's answer, a time. */

#include "core/core_int.h"

#include "base/datetime.h"
#include "base/id.h"

void wait_add_due(struct step *step, struct locals *locals, int64_t due_ms)
{
    char time[DATETIME_CHARS + 1];
    datetime_print(due_ms, time);
    locals_add(locals, STR("due"), json_of_string(step->arena, str_of(time)));
}

void wait_add_answer(struct step *step, const struct token *token, struct locals *locals,
                     const struct json *answer)
{
    char time[DATETIME_CHARS + 1], task[ID_CHARS + 1];
    datetime_print(step->command->now_ms, time);
    id_print((struct id){ .ms = token->since_ms, .instance = step->instance->id, .number = token->execution },
             task);
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("by"));
    if (step->command->actor.n) json_add_string(&builder, step->command->actor);
    else json_add_null(&builder);
    json_add_name(&builder, STR("at"));
    json_add_string(&builder, str_of(time));
    json_add_name(&builder, STR("task"));
    json_add_string(&builder, str_of(task));
    json_close(&builder);
    locals_add(locals, STR("answer"), answer);
    locals_add(locals, STR("answered"), json_built(&builder));
}
