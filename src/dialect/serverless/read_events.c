/* dialect/serverless/read_events.c — triggers, and the entries of EVENT states. */
#include "dialect/serverless/read_int.h"

#include "base/ascii.h"
#include "base/utf8.h"

/* ---- triggers ---- */

static bool is_attribute_name(str text)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (!ascii_is_alphanumeric(c) && c != '_') return false;
    }
    return text.n > 0;
}

/* A path into the event, or a bare word: the attribute of that name. */
static void read_key(struct reading *reading, const struct read_place *at, struct trigger *trigger)
{
    str text = read_string(reading, at, "correlationToken", OPTIONAL);
    if (!text.p) return;
    trigger->correlated = true;
    if (is_attribute_name(text)) trigger->attribute = text;
    else if (text.n) trigger->key = read_path(reading, at, "correlationToken", REQUIRED, PATH_ANY, NULL);
    else read_missing(reading, at, "correlationToken", "leave it out if events need no token");
}

static void read_life(struct reading *reading, const struct read_place *at, struct trigger *trigger)
{
    trigger->life_ms = read_duration(reading, at, "timeToLive", OPTIONAL, EARLY_MS_DEFAULT);
    if (trigger->life_ms > EARLY_MS_MAX)
        problem_error(reading->problems, PROBLEM_TOO_LARGE, read_pointer(reading, at, "timeToLive"), NULL,
                      "an event is kept for at most one day (EARLY_MS_MAX)");
}

void read_triggers(struct reading *reading, const struct read_place *at)
{
    static const char *const names[] = { "name",     "source",     "type", "correlationToken",
                                         "envelope", "timeToLive", NULL };
    const struct json *list = read_list(reading, at, "triggers", OPTIONAL);
    struct workflow *workflow = reading->workflow;
    size_t count = json_count(list);
    if (count > DEFINITION_STEPS_MAX) {
        problem_error(reading->problems, PROBLEM_TOO_LARGE, read_pointer(reading, at, "triggers"), NULL,
                      "at most %d triggers, got %zu", DEFINITION_STEPS_MAX, count);
        return;
    }
    workflow->trigger_count = count;
    workflow->trigger = arena_make_n(reading->arena, struct trigger, count);
    for (size_t i = 0; i < count; i++) {
        struct trigger *trigger = &workflow->trigger[i];
        struct read_place place;
        if (!read_item(reading, at, "triggers", i, json_item(list, i), &place)) continue;
        trigger->pointer = place.pointer;
        trigger->name = read_name(reading, &place, "name", REQUIRED);
        trigger->source = read_string(reading, &place, "source", REQUIRED);
        trigger->type = read_string(reading, &place, "type", REQUIRED);
        read_key(reading, &place, trigger);
        trigger->envelope = read_flag(reading, &place, "envelope", false);
        read_life(reading, &place, trigger);
        read_only(reading, &place, names);
        for (size_t k = 0; trigger->name.n && k < i; k++) {
            if (!str_equal(workflow->trigger[k].name, trigger->name)) continue;
            problem_error(reading->problems, PROBLEM_DUPLICATE_NAME, read_pointer(reading, &place, "name"),
                          NULL, "two triggers are called %s", problem_quote(reading->scratch, trigger->name));
            break;
        }
    }
    reading->event_name = arena_make_n(reading->scratch, struct event_name, count);
    for (size_t i = 0; i < count; i++)
        reading->event_name[i] = (struct event_name){ .name = workflow->trigger[i].name,
                                                      .type = workflow->trigger[i].type,
                                                      .source = workflow->trigger[i].source };
}

/* ---- conditions over triggers ---- */

/* The operand that begins at a column of the text, which counts characters. */
static str operand_at(str text, uint32_t column)
{
    size_t from = utf8_offset(text, column ? column - 1 : 0);
    char quote = from < text.n && (text.p[from] == '\'' || text.p[from] == '"') ? text.p[from] : 0;
    if (quote) from++;
    size_t to = from;
    while (to < text.n && (quote ? text.p[to] != quote : !strchr(" \t\r\n()!&|=", text.p[to]))) to++;
    return str_slice(text, from, to);
}

static const char *nearest_trigger(struct reading *reading, const struct condition_text *condition,
                                   uint32_t column)
{
    if (!problems_have_room(reading->problems, false)) return NULL;
    struct nearest nearest;
    nearest_init(&nearest, operand_at(condition->text, column));
    for (size_t i = 0; i < reading->workflow->trigger_count; i++)
        nearest_offer(&nearest, reading->workflow->trigger[i].name);
    const char *hint = nearest_hint(&nearest, reading->scratch);
    return hint ? hint : "conditions of eventActions are about the names, types and sources of triggers";
}

static bool has_positive(const struct event_actions *entry, size_t trigger_count)
{
    for (size_t i = 0; i < trigger_count; i++)
        if (entry->operands.positive[i]) return true;
    return false;
}

static void read_when(struct reading *reading, const struct read_place *at, struct event_actions *entry)
{
    read_condition_text(reading, at, "condition", REQUIRED, &entry->condition);
    if (!entry->condition.text.p) return;
    size_t count = reading->workflow->trigger_count;
    struct error err = { 0 };
    enum status status = expr_parse_event_condition(entry->condition.text, reading->event_name, count,
                                                    reading->arena, &entry->when, &entry->operands, &err);
    if (status == ST_NOT_FOUND)
        read_condition_failed(reading, at, "condition", &entry->condition, PROBLEM_UNRESOLVED,
                              nearest_trigger(reading, &entry->condition, err.column), &err);
    else if (status != ST_OK)
        read_condition_failed(reading, at, "condition", &entry->condition,
                              status == ST_LIMIT ? PROBLEM_TOO_LARGE : PROBLEM_BAD_CONDITION, NULL, &err);
    else if (!has_positive(entry, count))
        problem_warning(reading->problems, PROBLEM_BAD_CONDITION, entry->condition.pointer,
                        "name at least one trigger without `not`",
                        "%scondition: no event can make it hold, so it never fires",
                        read_prefix(reading, at));
}

/* ---- eventActions ---- */

static void read_entry(struct reading *reading, const struct read_place *at, bool ends,
                       struct event_actions *entry)
{
    static const char *const fields[] = { "condition", "timeout",    "actionMode", "actions",
                                          "filter",    "transition", NULL };
    entry->pointer = at->pointer;
    read_when(reading, at, entry);
    entry->timeout_ms = read_duration(reading, at, "timeout", OPTIONAL, -1);
    read_actions(reading, at, &entry->actions);
    read_filter(reading, at, FILTER_OF_EVENT, &entry->filter);
    if (!ends && !read_member(at, "transition"))
        read_missing(reading, at, "transition", "name the next state, or set end of the state to true");
    read_transition(reading, at, "transition", OPTIONAL, &entry->transition);
    read_only(reading, at, fields);
}

void read_event_actions(struct reading *reading, const struct read_place *at, struct state *state)
{
    const struct json *list = read_list(reading, at, "eventActions", FILLED);
    size_t count = json_count(list);
    reading->event_action_count += count;
    if (reading->event_action_count > EVENT_ACTIONS_MAX) {
        problem_error(reading->problems, PROBLEM_TOO_LARGE, read_pointer(reading, at, "eventActions"), NULL,
                      "%smore than %d eventActions in one document", read_prefix(reading, at),
                      EVENT_ACTIONS_MAX);
        return;
    }
    state->as.event.count = count;
    state->as.event.entry = arena_make_n(reading->arena, struct event_actions, count);
    for (size_t i = 0; i < count; i++) {
        struct read_place place;
        if (read_item(reading, at, "eventActions", i, json_item(list, i), &place))
            read_entry(reading, &place, state->ends, &state->as.event.entry[i]);
    }
}
