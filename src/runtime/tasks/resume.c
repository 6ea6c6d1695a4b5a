/* runtime/tasks/resume.c — the task that a resume means. */
#include "runtime/tasks/resume.h"

#include "base/must.h"
#include "json/json.h"
#include "runtime/call/sight.h"
#include "runtime/memory/memory.h"
#include "runtime/tasks/tasks_int.h"
#include "runtime/transact/transact.h"

enum status resume_read(const struct json *body, struct id instance, struct call *call, struct error *err)
{
    const struct json *task = json_get(body, STR("taskId"));
    if (!json_is(body, JSON_OBJECT)) return fail(err, ST_INVALID, "", "the body is a JSON object");
    if (task && !json_is(task, JSON_STRING) && !json_is(task, JSON_NULL))
        return fail(err, ST_INVALID, "taskId", "taskId is a text");
    call->as.instance = (struct call_instance){
        .id = instance,
        .resumes = true,
        .task = json_is(task, JSON_STRING) ? json_string(task) : STR_NONE,
        .data = task ? json_without(call->arena, body, STR("taskId")) : body,
    };
    return ST_OK;
}

/* An instance, as far as the caller sees its tasks. */
struct seen_instance {
    const struct instance *instance;
    str definition_id;
    struct sight sight;
};

static bool is_open(const struct seen_instance *seen, const struct token *token)
{
    return token->state == TOKEN_PERSON && instance_reaches(seen->instance, token->execution) &&
           sight_has_task(&seen->sight, seen->definition_id, token->task);
}

static struct id id_of(const struct instance *instance, const struct token *token)
{
    return (struct id){ .ms = token->since_ms, .instance = instance->id, .number = token->execution };
}

static enum status find_named(const struct seen_instance *seen, str name, const struct token **ret_token,
                              struct error *err)
{
    const struct instance *instance = seen->instance;
    struct id id;
    bool known = id_parse(name, &id) && id.instance == instance->id && id.number && !id.delivery &&
                 id.number < instance->next_number;
    const struct token *token = known ? instance_find_token(instance, id.number) : NULL;
    if (token && token->since_ms != id.ms) known = false;
    if (token && !sight_has_task(&seen->sight, seen->definition_id, token->task)) known = false;
    if (!known || (token && token->state != TOKEN_PERSON))
        return fail_code(err, ST_NOT_FOUND, "TASK_NOT_FOUND", "the instance has no task of this id");
    if (!token || !is_open(seen, token))
        return fail_code(err, ST_CONFLICT, "TASK_ALREADY_COMPLETED",
                         "the task is not open any more: it was completed, or it expired, or it was "
                         "cancelled");
    *ret_token = token;
    return ST_OK;
}

static enum status refuse_several(const struct seen_instance *seen, struct error *err)
{
    const struct instance *instance = seen->instance;
    enum { SHOWN = 10 };
    char list[SHOWN * (ID_CHARS + 2) + 1];
    size_t count = 0, at = 0;
    for (size_t i = 0; i < instance->token_count; i++) {
        if (!is_open(seen, &instance->token[i]) || count++ >= SHOWN) continue;
        list[at++] = ' ';
        id_print(id_of(instance, &instance->token[i]), list + at);
        at += ID_CHARS;
    }
    list[at] = '\0';
    return fail_code(err, ST_CONFLICT, "AMBIGUOUS_TASK",
                     "%zu tasks are open; name one of them as taskId:%s%s", count, list,
                     count > SHOWN ? " …" : "");
}

static enum status find_only(const struct seen_instance *seen, const struct token **ret_token,
                             struct error *err)
{
    const struct instance *instance = seen->instance;
    const struct token *found = NULL;
    for (size_t i = 0; i < instance->token_count; i++) {
        if (!is_open(seen, &instance->token[i])) continue;
        if (found) return refuse_several(seen, err);
        found = &instance->token[i];
    }
    if (!found) return fail_code(err, ST_CONFLICT, "NOT_WAITING", "the instance waits for no person");
    *ret_token = found;
    return ST_OK;
}

enum status resume_find(struct turn *turn, const struct call *call, struct id *ret_visit, struct error *err)
{
    const struct instance *instance;
    const struct token *token = NULL;
    struct definition *definition;
    bool is_there;
    TRY(found_asked(target_load(turn, call, call->as.instance.id, &instance, &definition, err), &is_there));
    if (!is_there)
        return fail_code(err, ST_NOT_FOUND, "INSTANCE_NOT_FOUND", "there is no instance of this id");
    const struct seen_instance seen = { instance, definition->id, sight_of_tasks(call) };
    if (call->as.instance.task.n) TRY(find_named(&seen, call->as.instance.task, &token, err));
    else TRY(find_only(&seen, &token, err));
    must(token->state == TOKEN_PERSON);
    *ret_visit = id_of(instance, token);
    return ST_OK;
}
