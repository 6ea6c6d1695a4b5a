/* scenario/view_serverless.c — an instance in the words of the serverless dialect: its states
 * by name, its branches, its error as an object. */
#include "scenario/view_int.h"

str view_serverless_word(const struct actor *actor, enum instance_status status, const struct json *error)
{
    const struct json *name = json_get(error, STR("name"));
    bool timeout =
        json_is(name, JSON_STRING) && str_equal(json_string(name), actor->program->error_names.timeout);
    switch (status) {
    case INSTANCE_COMPLETED: return STR("Success");
    case INSTANCE_FAILED: return timeout ? STR("Timeout") : STR("Fail");
    case INSTANCE_CANCELLED: return STR("Cancelled");
    case INSTANCE_WAITING: return STR("Waiting");
    default: return STR("Running");
    }
}

void view_add_states(struct viewing *viewing, const char *name)
{
    json_add_name(&viewing->out, str_of(name));
    json_open_array(&viewing->out);
    for (size_t i = 0; i < viewing->visit_count; i++)
        if (!viewing->visit[i].scope) json_add_string(&viewing->out, viewing->visit[i].title);
    json_close(&viewing->out);
}

static bool is_first_of_branch(const struct viewing *viewing, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (viewing->visit[i].scope && str_equal(viewing->visit[i].region, viewing->visit[index].region))
            return false;
    return true;
}

/* {branch: [states]}. Branches of the same name, in several states or rounds of a loop, are one list. */
static void add_branches(struct viewing *viewing)
{
    json_add_name(&viewing->out, STR("branchPaths"));
    json_open_object(&viewing->out);
    for (size_t i = 0; i < viewing->visit_count; i++) {
        if (!viewing->visit[i].scope || !is_first_of_branch(viewing, i)) continue;
        json_add_name(&viewing->out, viewing->visit[i].region);
        json_open_array(&viewing->out);
        for (size_t k = i; k < viewing->visit_count; k++)
            if (viewing->visit[k].scope && str_equal(viewing->visit[k].region, viewing->visit[i].region))
                json_add_string(&viewing->out, viewing->visit[k].title);
        json_close(&viewing->out);
    }
    json_close(&viewing->out);
}

static void add_pending_events(struct viewing *viewing)
{
    static const char *const shown[] = { "id", "source", "type" };
    json_add_name(&viewing->out, STR("pendingEvents"));
    json_open_array(&viewing->out);
    for (size_t i = 0; i < viewing->state->mail_count; i++) {
        json_open_object(&viewing->out);
        for (size_t k = 0; k < COUNT(shown); k++)
            view_add_value(viewing, shown[k], json_get(viewing->state->mail[i].event, str_of(shown[k])));
        json_close(&viewing->out);
    }
    json_close(&viewing->out);
}

/* The label of each state in which something stands, once. */
static void add_current(struct viewing *viewing)
{
    const struct instance *state = viewing->state;
    json_add_name(&viewing->out, STR("currentStates"));
    json_open_array(&viewing->out);
    for (size_t i = 0; i < viewing->visit_count; i++) {
        const struct execution *visit = &viewing->visit[i];
        if (visit->status == EXECUTION_RUNNING && instance_find_token(state, visit->number))
            json_add_string(&viewing->out, visit->title);
    }
    json_close(&viewing->out);
}

static void add_history(struct viewing *viewing)
{
    json_add_name(&viewing->out, STR("history"));
    json_open_array(&viewing->out);
    for (size_t i = 0; i < viewing->visit_count; i++) {
        const struct execution *visit = &viewing->visit[i];
        json_open_object(&viewing->out);
        view_add_text(viewing, "state", visit->title);
        view_add_text_if(viewing, "branch", visit->region);
        view_add_text(viewing, "type", visit->type);
        view_add_text(viewing, "status", str_of(execution_status_word(visit->status)));
        view_add_int(viewing, "attempt", visit->attempt);
        view_add_time(viewing, "startedAt", visit->started_ms);
        view_add_seconds(viewing, "at", visit->started_ms - viewing->state->created_ms);
        if (visit->ended_ms) view_add_time(viewing, "endedAt", visit->ended_ms);
        view_add_text_if(viewing, "failureReason", visit->failure);
        view_add_value(viewing, "input", visit->input);
        if (visit->output) view_add_value(viewing, "output", visit->output);
        json_close(&viewing->out);
    }
    json_close(&viewing->out);
}

const struct json *view_serverless(struct stage *stage, const struct actor *actor)
{
    struct viewing viewing;
    const struct instance *state = actor->state;
    view_begin(&viewing, stage, actor);
    if (state->status == INSTANCE_COMPLETED) view_add_value(&viewing, "output", state->data);
    if (state->status == INSTANCE_FAILED && state->error) view_add_value(&viewing, "error", state->error);
    view_add_states(&viewing, "path");
    add_branches(&viewing);
    add_current(&viewing);
    add_history(&viewing);
    add_pending_events(&viewing);
    view_add_text_if(&viewing, "correlation", state->correlation);
    view_add_common(&viewing);
    return view_end(&viewing);
}
