/* scenario/events.c — events that arrive, and their outcomes.
 *
 * An event is checked as the API checks it, and submitted alone: each is decided before the next
 * one comes. Its outcome is the word the API answers with.
 */
#include "scenario/scenario_int.h"

#include "runtime/call/call.h"
#include "runtime/call/cloud_event.h"

/* ---- delivering ---- */

static struct call *call_of(struct stage *stage, const struct json *event)
{
    struct call *call = world_call(stage, CALL_EVENTS);
    const struct json *checked;
    call->status = cloud_event_check(event, stage->arena, &checked, &call->error);
    if (call->status != ST_OK) return call;
    call->as.events.event = arena_make(stage->arena, struct call_event);
    call->as.events.event->event = checked;
    call->as.events.event_count = 1;
    return call;
}

static bool has_text(const struct json *event, const char *name, str text)
{
    const struct json *value = json_get(event, str_of(name));
    return json_is(value, JSON_STRING) && str_equal(json_string(value), text);
}

/* Hints from the conditions of the definitions that take such events. A state's filter may place the
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

/* Exploring: changes values in the event's data, so that conditions see other ones. */
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

str event_outcome(const struct call *call)
{
    enum event_outcome outcome = call->status == ST_OK ? call->as.events.event->outcome : EVENT_REFUSED;
    return str_of(call_event_outcome_word(outcome));
}

const char *event_refusal(const struct call *call)
{
    return call->status == ST_OK ? call->as.events.event->error.message : call->error.message;
}

static void note_arrival(struct stage *stage, const struct json *event, const struct call *call)
{
    bool refused = str_equal(event_outcome(call), STR("refused"));
    arrivals_add(stage, event_outcome(call));
    stage_record(stage, "event", STR_NONE, "%.*s from %.*s, id %.*s: %.*s%s%s",
                 STR_ARG(json_text(event, STR("type"))), STR_ARG(json_text(event, STR("source"))),
                 STR_ARG(json_text(event, STR("id"))), STR_ARG(event_outcome(call)), refused ? ": " : "",
                 refused ? event_refusal(call) : "");
}

void event_note(struct stage *stage, const struct op *op, const struct call *call)
{
    note_arrival(stage, json_get(op->body, STR("event")), call);
}

struct call *event_deliver(struct stage *stage, const struct json *event)
{
    struct call *call = call_of(stage, event);
    if (call->status == ST_OK) world_submit(stage, call);
    note_arrival(stage, event, call);
    return call;
}
