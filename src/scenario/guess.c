/* scenario/guess.c — simulating: the events that a token waits for, with data by chance. */
#include "scenario/scenario_int.h"

/* The correlation key that the instance's events have, or one for it to adopt. */
static const struct json *key_of(struct stage *stage, const struct actor *actor)
{
    const struct json *key;
    if (actor->state->correlation.n &&
        json_parse(actor->state->correlation, NULL, stage->arena, &key, NULL) == ST_OK)
        return key;
    return json_of_string(stage->arena, actor->name);
}

/* Puts the key where the trigger looks for it; where it cannot be put, the event has none. */
static const struct json *with_key(struct stage *stage, const struct actor *actor,
                                   const struct program_trigger *trigger, const struct json *event)
{
    const struct json *key = key_of(stage, actor), *data = json_get(event, STR("data")), *placed;
    if (!trigger->correlated) return event;
    if (!trigger->key) return json_set(stage->arena, event, trigger->attribute, key);
    struct buf path;
    buf_init(&path, stage->arena);
    jsonpath_print(trigger->key, &path);
    bool in_data = str_starts(buf_str(&path), STR("$['data']"));
    if (jsonpath_place(in_data ? event : data, trigger->key, key, stage->arena, &placed, NULL) != ST_OK)
        return event;
    return in_data ? placed : json_set(stage->arena, event, STR("data"), placed);
}

static const struct json *make_event(struct stage *stage, const struct actor *actor,
                                     const struct program_trigger *trigger)
{
    struct json_builder out;
    const struct hint *hints = hints_of_program(actor->program, stage->arena);
    json_builder_init(&out, stage->arena);
    json_open_object(&out);
    json_add_name(&out, STR("specversion"));
    json_add_string(&out, STR("1.0"));
    json_add_name(&out, STR("id"));
    json_add_string(&out, arena_printf(stage->arena, "simulated-%zu", stage->arrival_count + 1));
    json_add_name(&out, STR("source"));
    json_add_string(&out, trigger->source);
    json_add_name(&out, STR("type"));
    json_add_string(&out, trigger->type);
    json_add_name(&out, STR("data"));
    json_add(&out, hints_guess(hints, json_empty_object(), true, stage->choices, stage->arena));
    json_close(&out);
    return with_key(stage, actor, trigger, json_built(&out));
}

void guess_events(struct stage *stage, const struct actor *actor, uint32_t execution)
{
    const struct token *token = instance_find_token(actor->state, execution);
    if (!token || token->state != TOKEN_EVENT || token->node >= actor->program->node_count) return;
    const struct program_node *node = &actor->program->node[token->node];
    const struct program_event_case *chosen =
        &node->as.wait.event_case[choices_below(stage->choices, (uint32_t)node->as.wait.event_case_count)];
    size_t first = choices_below(stage->choices, (uint32_t)chosen->positive_count);
    for (size_t i = 0; i < chosen->positive_count && instance_find_token(actor->state, execution); i++) {
        uint32_t index = chosen->positive[(first + i) % chosen->positive_count];
        event_deliver(stage, make_event(stage, actor, &actor->program->trigger[index]));
        actors_follow(stage);
    }
}
