/* scenario/events.c — events that arrive, and what they did.
 *
 * An event is checked as the API checks it, and submitted alone: each is decided before the next
 * one comes. Its outcome is the word the API answers with.
 */
#include "scenario/scenario_int.h"

#include "runtime/cloud_event.h"

/* The time that `at` counts from: that of the first instance. */
static int64_t first_start_ms(const struct stage *stage)
{
    return stage->actor_count ? stage->actor[0]->id.ms : stage->start_ms;
}

bool event_wait(struct stage *stage, const struct op *op)
{
    const struct json *at = json_get(op->body, STR("at"));
    struct error err;
    int64_t ms;
    if (!at) return true;
    if (read_span(at, &ms, &err) != ST_OK)
        return stage_stop(stage, "%.*s: %s", STR_ARG(op->where), err.message);
    int64_t until_ms = first_start_ms(stage) + ms;
    return until_ms <= stage->now_ms || work_until(stage, until_ms);
}

/* ---- delivering ---- */

static struct call *call_of(struct stage *stage, const struct json *event)
{
    struct call *call = world_call(stage, CALL_EVENTS);
    const struct json *checked;
    call->status = cloud_event_check(event, stage->arena, &checked, &call->error);
    if (call->status != ST_OK) return call;
    call->event = arena_make(stage->arena, struct call_event);
    call->event->event = checked;
    call->event_count = 1;
    return call;
}

static bool has_text(const struct json *event, const char *name, str text)
{
    const struct json *value = json_get(event, str_of(name));
    return json_is(value, JSON_STRING) && str_equal(json_string(value), text);
}

/* What conditions of the definitions that take such events look at. A state's filter may place the
 * data somewhere inside its own. */
static const struct hint *hints_for(struct stage *stage, const struct json *event)
{
    for (const struct known_definition *known = stage->definitions; known; known = known->next) {
        const struct program *program = world_program(stage, known->id, 0);
        for (size_t i = 0; program && i < program->trigger_count; i++)
            if (has_text(event, "source", program->trigger[i].source) &&
                has_text(event, "type", program->trigger[i].type))
                return hints_inside(hints_of_program(program, stage->arena), stage->arena);
    }
    return NULL;
}

/* Exploring: other values in the data, so that conditions see them. */
static const struct json *varied(struct stage *stage, const struct json *event)
{
    const struct json *data = json_get(event, STR("data"));
    if (stage->variation != VARY_EXPLORE || !json_is(data, JSON_OBJECT)) return event;
    return json_set(stage->arena, event, STR("data"),
                    generate_mutation(data, hints_for(stage, event), stage->choices, stage->arena));
}

struct call *event_call(struct stage *stage, const struct op *op)
{
    return call_of(stage, varied(stage, json_get(op->body, STR("event"))));
}

/* ---- what came of it ---- */

static str outcome_of(const struct call *call)
{
    enum event_outcome outcome = call->status == ST_OK ? call->event->outcome : EVENT_REFUSED;
    return str_of(event_outcome_word(outcome));
}

static const char *refusal_of(const struct call *call)
{
    return call->status == ST_OK ? call->event->error.message : call->error.message;
}

static str attribute(const struct json *event, const char *name)
{
    const struct json *value = json_get(event, str_of(name));
    return json_is(value, JSON_STRING) ? json_string(value) : STR_NONE;
}

static void note_arrival(struct stage *stage, const struct json *event, const struct call *call)
{
    struct arrival *arrival = arena_make(stage->arena, struct arrival);
    bool refused = str_equal(outcome_of(call), STR("refused"));
    arrival->outcome = outcome_of(call);
    if (stage->last_arrival) stage->last_arrival->next = arrival;
    else stage->first_arrival = arrival;
    stage->last_arrival = arrival;
    stage->arrival_count++;
    stage_record(stage, "event", STR_NONE, "%.*s from %.*s, id %.*s: %.*s%s%s",
                 STR_ARG(attribute(event, "type")), STR_ARG(attribute(event, "source")),
                 STR_ARG(attribute(event, "id")), STR_ARG(arrival->outcome), refused ? ": " : "",
                 refused ? refusal_of(call) : "");
}

void event_note(struct stage *stage, const struct op *op, const struct call *call)
{
    note_arrival(stage, json_get(op->body, STR("event")), call);
}

static bool check_outcome(struct stage *stage, const struct op *op, str got)
{
    const struct json *one = json_get(op->body, STR("expectOutcome")),
                      *several = json_get(op->body, STR("expectOutcomes"));
    size_t before = stage->difference_count;
    if (stage->variation != VARY_NOTHING) return true;
    const struct json *word = json_of_string(stage->arena, got);
    if (one)
        match(stage, one, word, false, arena_printf(stage->arena, "%.*s.expectOutcome", STR_ARG(op->where)));
    if (several) {
        struct json_builder list;
        json_builder_init(&list, stage->arena);
        json_open_array(&list);
        json_add(&list, word);
        json_close(&list);
        match(stage, several, json_built(&list), false,
              arena_printf(stage->arena, "%.*s.expectOutcomes", STR_ARG(op->where)));
    }
    if (stage->difference_count == before) return true;
    return stage_stop(stage, "%.*s: not the expected outcome", STR_ARG(op->where));
}

bool event_check(struct stage *stage, const struct op *op, const struct call *call)
{
    enum { ACCEPTED = 202 };
    static const char *const expectations[] = { "expectStatus", "expectCode", "expectOutcome",
                                                "expectOutcomes" };
    bool expected = false;
    for (size_t i = 0; i < COUNT(expectations); i++)
        expected |= json_get(op->body, str_of(expectations[i])) != NULL;
    str outcome = outcome_of(call);
    if (str_equal(outcome, STR("refused")) && !expected && stage->variation == VARY_NOTHING)
        return stage_stop(stage, "%.*s was refused: %s", STR_ARG(op->where), refusal_of(call));
    return op_check_status(stage, op, call, ACCEPTED) && check_outcome(stage, op, outcome);
}

struct call *event_deliver(struct stage *stage, const struct json *event)
{
    struct call *call = call_of(stage, event);
    if (call->status == ST_OK) world_submit(stage, call);
    note_arrival(stage, event, call);
    return call;
}

/* ---- by chance ---- */

/* The token that the instance's events have, or one for it to adopt. */
static const struct json *token_of(struct stage *stage, const struct actor *actor)
{
    const struct json *token;
    if (actor->state->correlation.n &&
        json_parse(actor->state->correlation, NULL, stage->arena, &token, NULL) == ST_OK)
        return token;
    return json_of_string(stage->arena, actor->name);
}

/* Puts the token where the trigger looks for it; where it cannot be put the event has none. */
static const struct json *with_token(struct stage *stage, const struct actor *actor,
                                     const struct program_trigger *trigger, const struct json *event)
{
    const struct json *token = token_of(stage, actor), *data = json_get(event, STR("data")), *placed;
    if (!trigger->correlated) return event;
    if (!trigger->token) return json_set(stage->arena, event, trigger->attribute, token);
    struct buf path;
    buf_init(&path, stage->arena);
    jsonpath_print(trigger->token, &path);
    bool in_data = str_starts(buf_str(&path), STR("$['data']"));
    if (jsonpath_place(in_data ? event : data, trigger->token, token, stage->arena, &placed, NULL) != ST_OK)
        return event;
    return in_data ? placed : json_set(stage->arena, event, STR("data"), placed);
}

static const struct json *guess(struct stage *stage, const struct actor *actor,
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
    return with_token(stage, actor, trigger, json_built(&out));
}

void events_guess(struct stage *stage, const struct actor *actor, uint32_t execution)
{
    const struct token *token = instance_find_token(actor->state, execution);
    if (!token || token->state != TOKEN_EVENT || token->node >= actor->program->node_count) return;
    const struct program_node *node = &actor->program->node[token->node];
    const struct program_event_case *chosen =
        &node->as.wait.event_case[choose(stage->choices, (uint32_t)node->as.wait.event_case_count)];
    size_t first = choose(stage->choices, (uint32_t)chosen->positive_count);
    for (size_t i = 0; i < chosen->positive_count && instance_find_token(actor->state, execution); i++) {
        uint32_t index = chosen->positive[(first + i) % chosen->positive_count];
        event_deliver(stage, guess(stage, actor, &actor->program->trigger[index]));
        actors_follow(stage);
    }
}
