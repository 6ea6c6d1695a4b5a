/* tests/sim/flow_read.c — a document's states, ways, actions and triggers. */
#include "flow.h"

static str text_of(const struct json *object, const char *name)
{
    const struct json *value = json_get(object, str_of(name));
    return json_is(value, JSON_STRING) ? json_string(value) : STR_NONE;
}

static bool is_true(const struct json *object, const char *name)
{
    const struct json *value = json_get(object, str_of(name));
    return json_is(value, JSON_BOOL) && json_bool(value);
}

/* PT<number>S or M, which is all that is generated. */
static int64_t duration_ms(str text)
{
    if (!text.n) return 0;
    int64_t number = 0;
    must(str_starts(text, STR("PT")) && str_to_int64(str_slice(text, 2, text.n - 1), &number));
    return number * (text.p[text.n - 1] == 'M' ? 60000 : 1000);
}

static size_t find_state(const struct flow *flow, str name)
{
    for (size_t i = 0; i < flow->states.count; i++)
        if (str_equal(flow->states.item[i].name, name)) return i;
    return STATE_NONE;
}

/* ---- retries ---- */

static struct flow_policy read_policy(const struct json *from)
{
    struct flow_policy policy = { .on = ON_ANY_ERROR };
    str condition = text_of(from, "condition"), interval = text_of(from, "interval");
    str named = STR("$.exception.name eq '");
    if (str_equal(condition, STR("$.again == true"))) policy.on = ON_AGAIN;
    if (str_starts(condition, named)) {
        policy.on = ON_ERROR_NAMED;
        policy.name = str_slice(condition, named.n, condition.n - 1);
    }
    int64_t max = 0, repeats = -1;
    bool limited = json_get(from, STR("max")) && json_int64(json_get(from, STR("max")), &max);
    if (str_starts(interval, STR("R"))) { /* Rn/PT…, or R/PT… */
        size_t slash = str_find(interval, STR("/"), 0);
        str n = str_slice(interval, 1, slash);
        policy.unlimited = !n.n && !limited;
        if (n.n) must(str_to_int64(n, &repeats));
        interval = str_slice(interval, slash + 1, interval.n);
    }
    policy.interval_ms = duration_ms(interval);
    int64_t count = limited ? max : repeats >= 0 ? repeats : 0;
    if (limited && repeats >= 0 && repeats < count) count = repeats;
    policy.count = (uint32_t)count;
    return policy;
}

static void read_actions(struct flow *flow, const struct json *document, const struct json *list,
                         struct arena *arena)
{
    for (struct json_each each = json_each(list); json_next(&each);) {
        str name = text_of(json_get(each.value, STR("functionref")), "refname");
        const struct json *retry = json_get(each.value, STR("retry"));
        struct flow_action action = { .job_type = name,
                                      .performed = true,
                                      .timeout_ms = duration_ms(text_of(each.value, "timeout")),
                                      .policy = arena_make_n(arena, struct flow_policy, json_count(retry)) };
        for (struct json_each one = json_each(json_get(document, STR("functions"))); json_next(&one);) {
            str resource = text_of(one.value, "resource");
            if (!str_equal(text_of(one.value, "name"), name) || !str_starts(resource, STR("local:")))
                continue;
            action.job_type = str_slice(resource, 6, resource.n);
            action.performed = false;
        }
        for (struct json_each one = json_each(retry); json_next(&one);)
            action.policy[action.policy_count++] = read_policy(one.value);
        *list_push(arena, &flow->actions) = action;
    }
}

/* ---- ways ---- */

static void add_way(struct flow *flow, size_t from, const struct json *way, struct arena *arena)
{
    if (json_is(way, JSON_OBJECT)) way = json_get(way, STR("nextState"));
    if (!json_is(way, JSON_STRING)) return;
    size_t to = find_state(flow, json_string(way));
    must(to != STATE_NONE);
    *list_push(arena, &flow->states.item[from].to) = to;
}

/* The transition of each item of a list. */
static void add_ways(struct flow *flow, size_t from, const struct json *list, struct arena *arena)
{
    for (struct json_each each = json_each(list); json_next(&each);) {
        add_way(flow, from, json_get(each.value, STR("transition")), arena);
        const struct json *actions = json_get(each.value, STR("actions"));
        for (struct json_each one = json_each(actions); actions && json_next(&one);)
            add_ways(flow, from, json_get(one.value, STR("retry")), arena);
    }
}

static void read_ways(struct flow *flow, const struct json *document, const struct json *states, bool top,
                      struct arena *arena)
{
    for (struct json_each each = json_each(states); json_next(&each);) {
        const struct json *from = each.value;
        size_t state = find_state(flow, text_of(from, "name"));
        static const char *const lists[] = { "choices", "onError", "eventActions" };
        add_way(flow, state, json_get(from, STR("transition")), arena);
        add_way(flow, state, json_get(from, STR("default")), arena);
        for (size_t i = 0; i < COUNT(lists); i++)
            add_ways(flow, state, json_get(from, str_of(lists[i])), arena);
        for (struct json_each one = json_each(json_get(from, STR("actions"))); json_next(&one);)
            add_ways(flow, state, json_get(one.value, STR("retry")), arena);
        if (top) add_ways(flow, state, json_get(document, STR("onError")), arena);
        for (struct json_each one = json_each(json_get(from, STR("branches"))); json_next(&one);) {
            add_way(flow, state, json_get(one.value, STR("startsAt")), arena);
            read_ways(flow, document, json_get(one.value, STR("states")), false, arena);
        }
    }
}

/* ---- states ---- */

static void read_state(struct flow *flow, const struct json *document, const struct json *from, bool top,
                       struct arena *arena)
{
    const struct json *entries = json_get(from, STR("eventActions"));
    struct flow_state state = { .name = text_of(from, "name"),
                                .type = text_of(from, "type"),
                                .child = text_of(from, "workflowId"),
                                .awaited = is_true(from, "waitForCompletion"),
                                .top = top,
                                .entry = arena_make_n(arena, struct flow_entry, json_count(entries)) };
    uint32_t bit = 1;
    for (struct json_each each = json_each(json_get(from, STR("branches"))); json_next(&each); bit <<= 1)
        if (is_true(each.value, "waitForCompletion")) state.branches_awaited |= bit;
    for (struct json_each each = json_each(entries); json_next(&each);) {
        state.entry[state.entry_count++] = (struct flow_entry){ text_of(each.value, "condition"),
                                                                duration_ms(text_of(each.value, "timeout")) };
        read_actions(flow, document, json_get(each.value, STR("actions")), arena);
    }
    read_actions(flow, document, json_get(from, STR("actions")), arena);
    *list_push(arena, &flow->states) = state;
}

static void read_states(struct flow *flow, const struct json *document, const struct json *list, bool top,
                        struct arena *arena)
{
    for (struct json_each each = json_each(list); json_next(&each);) {
        read_state(flow, document, each.value, top, arena);
        for (struct json_each one = json_each(json_get(each.value, STR("branches"))); json_next(&one);)
            read_states(flow, document, json_get(one.value, STR("states")), false, arena);
    }
}

struct flow *flow_read(const struct json *document, struct arena *arena)
{
    const struct json *states = json_get(document, STR("states"));
    const struct json *triggers = json_get(document, STR("triggers"));
    if (!states) return NULL;
    struct flow *flow = arena_make(arena, struct flow);
    flow->trigger = arena_make_n(arena, struct flow_trigger, json_count(triggers));
    for (struct json_each each = json_each(triggers); json_next(&each);)
        flow->trigger[flow->trigger_count++] =
            (struct flow_trigger){ text_of(each.value, "name"), text_of(each.value, "source"),
                                   text_of(each.value, "type"), text_of(each.value, "correlationToken") };
    read_states(flow, document, states, true, arena);
    read_ways(flow, document, states, true, arena);
    flow->start = find_state(flow, text_of(document, "startsAt"));
    return flow;
}

/* ---- asking ---- */

size_t flow_state_of(const struct flow *flow, str node)
{
    if (str_equal(node, STR("end"))) return STATE_END;
    size_t found = STATE_NONE;
    for (size_t begin = 0; begin <= node.n;) {
        size_t slash = str_find(node, STR("/"), begin), end = slash == SIZE_MAX ? node.n : slash;
        size_t state = find_state(flow, str_slice(node, begin, end));
        if (state != STATE_NONE) found = state;
        begin = end + 1;
    }
    return found;
}

bool flow_leads_to(const struct flow *flow, size_t from, size_t to)
{
    if (from == to || to == STATE_END) return true;
    if (from >= flow->states.count) return false;
    const struct flow_state *state = &flow->states.item[from];
    for (size_t i = 0; i < state->to.count; i++)
        if (state->to.item[i] == to) return true;
    return false;
}

const struct flow_action *flow_action_of(const struct flow *flow, str job_type)
{
    for (size_t i = 0; i < flow->actions.count; i++)
        if (str_equal(flow->actions.item[i].job_type, job_type)) return &flow->actions.item[i];
    return NULL;
}

/* ---- events ---- */

const struct flow_trigger *flow_trigger_of(const struct flow *flow, const struct json *event)
{
    for (size_t i = 0; flow && i < flow->trigger_count; i++)
        if (str_equal(flow->trigger[i].type, text_of(event, "type")) &&
            str_equal(flow->trigger[i].source, text_of(event, "source")))
            return &flow->trigger[i];
    return NULL;
}

str flow_token(const struct flow_trigger *trigger, const struct json *event, struct arena *arena)
{
    if (!trigger->token.n) return STR_NONE;
    str name = str_starts(trigger->token, STR("$.")) ? str_slice(trigger->token, 2, trigger->token.n)
                                                     : trigger->token;
    const struct json *value = json_get(event, name);
    if (!value && name.n != trigger->token.n) value = json_get(json_get(event, STR("data")), name);
    if (!value || json_is(value, JSON_NULL)) return STR_NONE;
    struct buf out;
    buf_init(&out, arena);
    json_print_canonical(value, &out);
    return buf_str(&out);
}

bool flow_starts_by(const struct flow *flow, const struct flow_trigger *trigger)
{
    const struct flow_state *first = &flow->states.item[flow->start];
    for (size_t i = 0; i < first->entry_count; i++)
        if (flow_condition(flow, first->entry[i].condition, 0).mentioned >> (trigger - flow->trigger) & 1)
            return true;
    return false;
}

/* ---- conditions ---- */

struct reading {
    const struct flow *flow;
    str text;
    size_t at;
    uint32_t received, mentioned, positive;
    bool negated;
};

static str next_word(struct reading *reading)
{
    while (reading->at < reading->text.n && reading->text.p[reading->at] == ' ') reading->at++;
    size_t begin = reading->at;
    while (reading->at < reading->text.n && !strchr(" ()", reading->text.p[reading->at])) reading->at++;
    if (reading->at == begin && begin < reading->text.n) reading->at++; /* A parenthesis. */
    return str_slice(reading->text, begin, reading->at);
}

static bool skip_word(struct reading *reading, str word)
{
    size_t at = reading->at;
    if (str_equal(next_word(reading), word)) return true;
    reading->at = at;
    return false;
}

static bool read_or(struct reading *reading);

static bool read_operand(struct reading *reading)
{
    if (skip_word(reading, STR("("))) {
        bool holds = read_or(reading);
        must(skip_word(reading, STR(")")));
        return holds;
    }
    str name = next_word(reading);
    bool by_type = str_equal(name, STR("type")), by_name = str_equal(name, STR("name"));
    if (by_type || by_name) { /* type eq 'x' */
        must(skip_word(reading, STR("eq")));
        name = next_word(reading);
        name = str_slice(name, 1, name.n - 1);
    }
    for (size_t i = 0; i < reading->flow->trigger_count; i++) {
        const struct flow_trigger *trigger = &reading->flow->trigger[i];
        if (!str_equal(by_type ? trigger->type : trigger->name, name)) continue;
        reading->mentioned |= UINT32_C(1) << i;
        if (!reading->negated) reading->positive |= UINT32_C(1) << i;
        return reading->received >> i & 1;
    }
    must(!"a condition over a trigger that is not there");
    return false;
}

static bool read_not(struct reading *reading)
{
    if (!skip_word(reading, STR("not"))) return read_operand(reading);
    reading->negated = !reading->negated;
    bool holds = !read_not(reading);
    reading->negated = !reading->negated;
    return holds;
}

static bool read_and(struct reading *reading)
{
    bool holds = read_not(reading);
    while (skip_word(reading, STR("and"))) holds &= read_not(reading);
    return holds;
}

static bool read_or(struct reading *reading)
{
    bool holds = read_and(reading);
    while (skip_word(reading, STR("or"))) holds |= read_and(reading);
    return holds;
}

struct flow_held flow_condition(const struct flow *flow, str condition, uint32_t received)
{
    struct reading reading = { .flow = flow, .text = condition, .received = received };
    bool holds = read_or(&reading);
    return (struct flow_held){ holds && (received & reading.positive), reading.mentioned, reading.positive };
}
