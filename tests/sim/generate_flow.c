/* tests/sim/generate_flow.c — random Serverless Workflow documents, and data and events for them.
 *
 * All state types, nested as the dialect allows. What flow.h says about names and conditions is
 * kept here. Whatever waits can be helped on: an EVENT state that could wait in vain for ever
 * (for one event and not another) has a second entry, and its name says which events it waits for,
 * so that a client who sees it stand there knows what to send.
 */
#include "generate.h"

#include "base/buf.h"

enum { SHARED_TRIGGERS = 5, OWN_TRIGGERS = 2, NESTING_MAX = 2, EVENT_LIFE_SECONDS_MAX = 20 };

struct flow_draft {
    struct world *world;
    struct arena *arena;
    const struct flow_children *children;
    LIST(str) functions;
    uint32_t names;     /* So many states so far. */
    uint32_t mentioned; /* Triggers, a bit each. */
    uint32_t depth;
    int budget; /* Blocks that may still be made. */
};

/* The states of one scope: the top level, or a branch. */
struct flow_scope {
    LIST(str) states;
};

#define text(draft, ...) arena_printf((draft)->arena, __VA_ARGS__)

static uint32_t below(struct flow_draft *draft, uint32_t n) { return world_below(draft->world, n); }
static bool odds(struct flow_draft *draft, uint32_t percent) { return below(draft, 100) < percent; }

static str sequence(struct flow_draft *draft, struct flow_scope *scope, str next, uint32_t count);

static str new_name(struct flow_draft *draft) { return text(draft, "s%u", ++draft->names); }

static str put_state(struct flow_draft *draft, struct flow_scope *scope, str name, const char *type, str more)
{
    *list_push(draft->arena, &scope->states) =
        text(draft, "{\"name\":\"%.*s\",\"type\":\"%s\"%.*s}", STR_ARG(name), type, STR_ARG(more));
    return name;
}

/* How a state is left; without a next one the scope ends. */
static str way(struct flow_draft *draft, str next)
{
    if (!next.n) return STR(",\"end\":true");
    if (odds(draft, 4))
        return text(draft, ",\"transition\":{\"nextState\":\"%.*s\",\"condition\":\"$.n < 9\"}",
                    STR_ARG(next));
    return odds(draft, 50) ? text(draft, ",\"transition\":\"%.*s\"", STR_ARG(next))
                           : text(draft, ",\"transition\":{\"nextState\":\"%.*s\"}", STR_ARG(next));
}

static const char *seconds(struct flow_draft *draft)
{
    static const char *const durations[] = { "PT1S", "PT2S", "PT5S", "PT20S", "PT2M" };
    return durations[below(draft, COUNT(durations))];
}

/* A state to go to when something went wrong. */
static str detour(struct flow_draft *draft, struct flow_scope *scope, str next)
{
    if (next.n && odds(draft, 40)) return next;
    if (odds(draft, 50)) return sequence(draft, scope, next, 1);
    return put_state(draft, scope, new_name(draft), "RELAY", way(draft, odds(draft, 50) ? next : STR_NONE));
}

static str on_error(struct flow_draft *draft, struct flow_scope *scope, str next)
{
    static const char *const conditions[] = { "$.exception != null", "$.exception.name eq 'E1'",
                                              "$.exception.name matches 'Timeout'" };
    if (!odds(draft, 40)) return STR_NONE;
    str to = detour(draft, scope, next);
    if (!to.n) return STR_NONE;
    return text(draft, ",\"onError\":[{\"condition\":\"%s\",\"transition\":\"%.*s\"}]",
                conditions[below(draft, COUNT(conditions))], STR_ARG(to));
}

static str loop(struct flow_draft *draft, uint32_t percent)
{
    if (!odds(draft, percent)) return STR_NONE;
    return text(draft, ",\"loop\":{\"inputCollection\":\"$.list\"%s%s%s}",
                odds(draft, 50) ? ",\"outputCollection\":\"$.out\"" : "",
                odds(draft, 30) ? ",\"timeDelay\":\"PT1S\"" : "",
                odds(draft, 30) ? ",\"completionCondition\":\"$.n == 7\"" : "");
}

/* ---- actions ---- */

static str retry(struct flow_draft *draft, struct flow_scope *scope, str next)
{
    static const char *const conditions[] = { "$.exception.name eq 'E1'", "$.exception.name eq 'E2'",
                                              "$.exception != null", "$.again == true" };
    struct buf out;
    buf_init(&out, draft->arena);
    for (uint32_t i = 0, count = 1 + below(draft, 2); i < count; i++) {
        buf_printf(&out, "%s{\"condition\":\"%s\"", i ? "," : ",\"retry\":[",
                   conditions[below(draft, COUNT(conditions))]);
        switch (below(draft, 5)) {
        case 0: buf_printf(&out, ",\"interval\":\"R%u/%s\"", below(draft, 3), "PT1S"); break;
        case 1: buf_printf(&out, ",\"interval\":\"R/%s\"", "PT2S"); break;
        case 2: buf_printf(&out, ",\"interval\":\"R3/PT1S\",\"max\":%u", below(draft, 5)); break;
        case 3: buf_printf(&out, ",\"max\":%u", below(draft, 4)); break;
        default:
            buf_printf(&out, ",\"interval\":\"%s\",\"max\":%u", seconds(draft), 1 + below(draft, 3));
            break;
        }
        str to = odds(draft, 40) ? detour(draft, scope, next) : STR_NONE;
        if (to.n) buf_printf(&out, ",\"transition\":\"%.*s\"", STR_ARG(to));
        buf_add_char(&out, '}');
    }
    buf_add_char(&out, ']');
    return buf_str(&out);
}

/* An action and its function; empty if there are no more job types. */
static str action(struct flow_draft *draft, struct flow_scope *scope, str next)
{
    static const char *const filters[] = { "", ",\"filter\":{\"resultPath\":\"$.r\"}",
                                           ",\"filter\":{\"outputPath\":\"$.n\"}" };
    uint32_t number = (uint32_t)draft->functions.count;
    if (number == FLOW_JOB_TYPE_COUNT) return STR_NONE;
    *list_push(draft->arena, &draft->functions) =
        odds(draft, 25) ? text(draft, "{\"name\":\"f%u\",\"resource\":\"http://x/f%u\"%s}", number, number,
                               odds(draft, 30) ? ",\"type\":\"cloudevent\"" : "")
                        : text(draft, "{\"name\":\"f%u\",\"resource\":\"local:j%u\"}", number, number);
    str again = odds(draft, 40) ? retry(draft, scope, next) : STR_NONE;
    return text(draft, "{\"functionref\":{\"refname\":\"f%u\"%s}%s%.*s%s}", number,
                odds(draft, 30) ? ",\"parameters\":{\"n\":\"$.n\",\"all\":\"$\"}" : "",
                odds(draft, 20) ? ",\"timeout\":\"PT5S\"" : "", STR_ARG(again),
                filters[odds(draft, 75) ? 0 : 1 + below(draft, 2)]);
}

static str actions(struct flow_draft *draft, struct flow_scope *scope, str next, uint32_t most)
{
    struct buf out;
    buf_init(&out, draft->arena);
    uint32_t count = 0;
    for (uint32_t i = below(draft, most + 1); i; i--) {
        str one = action(draft, scope, next);
        if (one.n) buf_printf(&out, "%s%.*s", count++ ? "," : "", STR_ARG(one));
    }
    return text(draft, ",\"actions\":[%.*s]%s", STR_ARG(buf_str(&out)),
                odds(draft, 40) ? ",\"actionMode\":\"PARALLEL\"" : "");
}

static str operation(struct flow_draft *draft, struct flow_scope *scope, str next)
{
    str name = new_name(draft);
    str work = actions(draft, scope, next, 3), repeated = loop(draft, 20),
        caught = on_error(draft, scope, next);
    str out = way(draft, next);
    const char *filter = odds(draft, 15) ? ",\"filter\":{\"resultPath\":\"$.r\"}" : "";
    return put_state(draft, scope, name, "OPERATION",
                     text(draft, "%.*s%.*s%.*s%s%.*s", STR_ARG(work), STR_ARG(repeated), STR_ARG(caught),
                          filter, STR_ARG(out)));
}

/* One action, until its result says that it was the last time. */
static str cycle(struct flow_draft *draft, struct flow_scope *scope, str next)
{
    uint32_t number = (uint32_t)draft->functions.count;
    if (!next.n || number == FLOW_JOB_TYPE_COUNT) return next;
    *list_push(draft->arena, &draft->functions) =
        text(draft, "{\"name\":\"f%u\",\"resource\":\"local:j%u\"}", number, number);
    str body = new_name(draft), check = new_name(draft),
        behind = sequence(draft, scope, check, below(draft, 2));
    put_state(draft, scope, body, "OPERATION",
              text(draft, ",\"actions\":[{\"functionref\":{\"refname\":\"f%u\"}}],\"transition\":\"%.*s\"",
                   number, STR_ARG(behind)));
    put_state(draft, scope, check, "SWITCH",
              text(draft,
                   ",\"choices\":[{\"path\":\"$.again\",\"operator\":\"Equals\",\"value\":true,"
                   "\"transition\":\"%.*s\"}],\"default\":\"%.*s\"",
                   STR_ARG(body), STR_ARG(next)));
    return body;
}

/* ---- events ---- */

uint32_t generate_own_trigger(const struct flow_children *children)
{
    return SHARED_TRIGGERS + OWN_TRIGGERS * children->index;
}

static str mention(struct flow_draft *draft, uint32_t trigger)
{
    draft->mentioned |= UINT32_C(1) << trigger;
    switch (below(draft, 8)) {
    case 0: return text(draft, "type eq 'ty%u'", trigger);
    case 1: return text(draft, "name eq 't%u'", trigger);
    default: return text(draft, "t%u", trigger);
    }
}

static str event_condition(struct flow_draft *draft, const uint32_t *trigger, bool *ret_negative)
{
    str a = mention(draft, trigger[0]), b = mention(draft, trigger[1]);
    *ret_negative = false;
    switch (below(draft, 6)) {
    case 0: return text(draft, "%.*s and %.*s", STR_ARG(a), STR_ARG(b));
    case 1: return text(draft, "%.*s or %.*s", STR_ARG(a), STR_ARG(b));
    case 2: *ret_negative = true; return text(draft, "%.*s and not %.*s", STR_ARG(a), STR_ARG(b));
    case 3: return text(draft, "(%.*s or %.*s) and %.*s", STR_ARG(a), STR_ARG(b), STR_ARG(b));
    default: return a;
    }
}

/* `own`: of triggers that only this definition has, because their events start instances of it. */
static str event_state(struct flow_draft *draft, struct flow_scope *scope, str next, bool own)
{
    uint32_t first = own ? generate_own_trigger(draft->children) : below(draft, SHARED_TRIGGERS);
    uint32_t trigger[2] = { first, own ? first + 1 : below(draft, SHARED_TRIGGERS) };
    str name = text(draft, "wait-t%u-t%u-%u", trigger[0], trigger[1], ++draft->names);
    bool negative, timed = odds(draft, 30);
    struct buf out;
    buf_init(&out, draft->arena);
    for (uint32_t i = 0, count = 1 + below(draft, 2); i < count; i++) {
        str condition = event_condition(draft, trigger, &negative);
        str work = actions(draft, scope, next, 1);
        if (negative && i + 1 == count) count++;
        if (i == 2) condition = text(draft, "t%u or t%u", trigger[0], trigger[1]);
        buf_printf(&out, "%s{\"condition\":\"%.*s\"%.*s", i ? "," : "", STR_ARG(condition), STR_ARG(work));
        if (timed) buf_printf(&out, ",\"timeout\":\"%s\"", seconds(draft));
        str to = i && next.n ? detour(draft, scope, next) : next;
        if (next.n) buf_printf(&out, ",\"transition\":\"%.*s\"", STR_ARG(to));
        buf_add_char(&out, '}');
        if (i == 2) break;
    }
    str caught = on_error(draft, scope, next), repeated = own ? STR_NONE : loop(draft, 10);
    return put_state(draft, scope, name, "EVENT",
                     text(draft, ",\"eventActions\":[%.*s]%.*s%.*s%s", STR_ARG(buf_str(&out)),
                          STR_ARG(caught), STR_ARG(repeated), next.n ? "" : ",\"end\":true"));
}

/* ---- the other states ---- */

static str choose(struct flow_draft *draft, struct flow_scope *scope, str next)
{
    static const char *const tests[] = { "\"path\":\"$.n\",\"operator\":\"LessThan\",\"value\":\"5\"",
                                         "\"path\":\"$.f\",\"operator\":\"Equals\",\"value\":\"true\"",
                                         "\"path\":\"$.who\",\"operator\":\"Exists\",\"value\":\"true\"" };
    if (!next.n) return next;
    str name = new_name(draft), to = sequence(draft, scope, next, 1 + below(draft, 2));
    return put_state(draft, scope, name, "SWITCH",
                     text(draft, ",\"choices\":[{%s,\"transition\":\"%.*s\"}],\"default\":\"%.*s\"",
                          tests[below(draft, COUNT(tests))], STR_ARG(to), STR_ARG(next)));
}

static str delay(struct flow_draft *draft, struct flow_scope *scope, str next)
{
    str name = new_name(draft), repeated = loop(draft, 10), out = way(draft, next);
    return put_state(
        draft, scope, name, "DELAY",
        text(draft, ",\"timeDelay\":\"%s\"%.*s%.*s", seconds(draft), STR_ARG(repeated), STR_ARG(out)));
}

static str relay(struct flow_draft *draft, struct flow_scope *scope, str next)
{
    str out = way(draft, next);
    return put_state(draft, scope, new_name(draft), "RELAY",
                     text(draft, ",\"inject\":{\"n\":%u,\"list\":[{\"n\":%u},{\"n\":7}]}%.*s",
                          below(draft, 10), below(draft, 10), STR_ARG(out)));
}

static str subflow(struct flow_draft *draft, struct flow_scope *scope, str next)
{
    const struct flow_children *children = draft->children;
    if (!children->count && odds(draft, 90)) return operation(draft, scope, next);
    str child = children->count && odds(draft, 96) ? children->child[below(draft, (uint32_t)children->count)]
                                                   : STR("nowhere");
    str name = new_name(draft), caught = on_error(draft, scope, next), repeated = loop(draft, 15);
    str out = way(draft, next);
    return put_state(draft, scope, name, "SUBFLOW",
                     text(draft, ",\"workflowId\":\"%.*s\"%s%.*s%.*s%.*s", STR_ARG(child),
                          odds(draft, 65) ? ",\"waitForCompletion\":true" : "", STR_ARG(caught),
                          STR_ARG(repeated), STR_ARG(out)));
}

static str print_scope(const struct flow_draft *draft, const struct flow_scope *scope)
{
    struct buf out;
    buf_init(&out, draft->arena);
    for (size_t i = 0; i < scope->states.count; i++)
        buf_printf(&out, "%s%.*s", i ? "," : "", STR_ARG(scope->states.item[i]));
    return buf_str(&out);
}

static str parallel(struct flow_draft *draft, struct flow_scope *scope, str next)
{
    if (draft->depth == NESTING_MAX) return operation(draft, scope, next);
    struct buf out;
    buf_init(&out, draft->arena);
    str name = new_name(draft), caught = on_error(draft, scope, next);
    draft->depth++;
    uint32_t awaited = below(draft, 3); /* None, all or some. */
    for (uint32_t i = 0, count = 1 + below(draft, 3); i < count; i++) {
        struct flow_scope branch = { 0 };
        str first = sequence(draft, &branch, STR_NONE, 1 + below(draft, 2));
        if (!first.n) first = relay(draft, &branch, STR_NONE);
        buf_printf(&out, "%s{\"name\":\"b%u\",\"startsAt\":\"%.*s\"%s,\"states\":[%.*s]}", i ? "," : "", i,
                   STR_ARG(first),
                   awaited == 1 || (awaited == 2 && odds(draft, 50)) ? ",\"waitForCompletion\":true" : "",
                   STR_ARG(print_scope(draft, &branch)));
    }
    draft->depth--;
    str onward = way(draft, next);
    return put_state(draft, scope, name, "PARALLEL",
                     text(draft, ",\"branches\":[%.*s]%.*s%.*s", STR_ARG(buf_str(&out)), STR_ARG(caught),
                          STR_ARG(onward)));
}

static str block(struct flow_draft *draft, struct flow_scope *scope, str next)
{
    if (draft->budget-- <= 0) return next;
    switch (below(draft, 20)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4: return operation(draft, scope, next);
    case 5:
    case 6:
    case 7: return event_state(draft, scope, next, false);
    case 8:
    case 9:
    case 10:
    case 11: return subflow(draft, scope, next);
    case 12: return choose(draft, scope, next);
    case 13: return delay(draft, scope, next);
    case 14: return relay(draft, scope, next);
    case 15: return cycle(draft, scope, next);
    default: return parallel(draft, scope, next);
    }
}

static str sequence(struct flow_draft *draft, struct flow_scope *scope, str next, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) next = block(draft, scope, next);
    return next;
}

/* ---- the document ---- */

static void print_triggers(struct flow_draft *draft, struct buf *out)
{
    static const char *const tokens[] = { "tok", "$.tok", "$.who" };
    uint32_t correlated = below(draft, 3); /* None, all or some. */
    bool first = true;
    for (uint32_t i = 0; i < SHARED_TRIGGERS + OWN_TRIGGERS * FLOWS_MAX; i++) {
        if (!(draft->mentioned >> i & 1) && !(i < SHARED_TRIGGERS && odds(draft, 10))) continue;
        buf_printf(out, "%s{\"name\":\"t%u\",\"source\":\"/sim\",\"type\":\"ty%u\"",
                   first ? ",\"triggers\":[" : ",", i, i);
        if (correlated == 1 || (correlated == 2 && odds(draft, 50)))
            buf_printf(out, ",\"correlationToken\":\"%s\"", tokens[below(draft, COUNT(tokens))]);
        buf_add_char(out, '}');
        first = false;
    }
    if (!first) buf_add_char(out, ']');
}

static void print_functions(const struct flow_draft *draft, struct buf *out)
{
    for (size_t i = 0; i < draft->functions.count; i++)
        buf_printf(out, "%s%.*s", i ? "," : ",\"functions\":[", STR_ARG(draft->functions.item[i]));
    if (draft->functions.count) buf_add_char(out, ']');
}

str generate_flow(struct world *world, str id, const struct flow_children *children)
{
    struct flow_draft draft = { .world = world,
                                .arena = &world->arena,
                                .children = children,
                                .budget = 3 + (int)world_below(world, 10) };
    struct flow_scope top = { 0 };
    if (odds(&draft, 20)) return generate_written_flow(world, id, children);
    str last = relay(&draft, &top, STR_NONE),
        caught = odds(&draft, 30) ? relay(&draft, &top, STR_NONE) : STR_NONE;
    str start = sequence(&draft, &top, last, 1 + below(&draft, 4));
    /* Only by events of its own: or what one instance waits for would start another. */
    if (str_starts(start, STR("wait-"))) start = relay(&draft, &top, start);
    if (odds(&draft, 35)) start = event_state(&draft, &top, start, true);
    struct buf out;
    buf_init(&out, draft.arena);
    buf_printf(&out, "{\"id\":\"%.*s\",\"name\":\"Flow %.*s\",\"startsAt\":\"%.*s\"", STR_ARG(id),
               STR_ARG(id), STR_ARG(start));
    if (odds(&draft, 50)) buf_printf(&out, ",\"version\":\"%u.%u\"", 1 + below(&draft, 2), below(&draft, 12));
    print_triggers(&draft, &out);
    print_functions(&draft, &out);
    if (caught.n)
        buf_printf(&out,
                   ",\"onError\":[{\"condition\":\"$.exception.name ne 'E1'\",\"transition\":\"%.*s\"}]",
                   STR_ARG(caught));
    buf_printf(&out, ",\"states\":[%.*s]}", STR_ARG(print_scope(&draft, &top)));
    return buf_str(&out);
}

/* ---- data ---- */

static void add_members(struct world *world, uint32_t op, bool again, struct json_builder *builder)
{
    json_add_name(builder, STR("op"));
    json_add_int(builder, op);
    json_add_name(builder, STR("n"));
    json_add_int(builder, world_below(world, 10));
    json_add_name(builder, STR("f"));
    json_add_bool(builder, world_below(world, 2));
    json_add_name(builder, STR("again"));
    json_add_bool(builder, again);
}

const struct json *generate_flow_input(struct world *world, uint32_t op)
{
    struct json_builder builder;
    json_builder_init(&builder, &world->arena);
    json_open_object(&builder);
    add_members(world, op, false, &builder);
    json_add_name(&builder, STR("list"));
    json_open_array(&builder);
    for (uint32_t i = world_below(world, 4); i; i--) {
        json_open_object(&builder);
        json_add_name(&builder, STR("n"));
        json_add_int(&builder, world_below(world, 10));
        json_close(&builder);
    }
    json_close(&builder);
    json_close(&builder);
    return json_built(&builder);
}

/* Mostly an object; in between whatever JSON has. */
const struct json *generate_flow_result(struct world *world, uint32_t op)
{
    uint32_t kind = world_below(world, world->calm ? 40 : 20);
    if (kind == 0) return NULL;
    if (kind == 1) return json_of_int(&world->arena, op);
    if (kind == 2) return json_of_string(&world->arena, STR("words"));
    if (kind == 3) return json_empty_array();
    struct json_builder builder;
    json_builder_init(&builder, &world->arena);
    json_open_object(&builder);
    add_members(world, op, world_below(world, 4) == 0, &builder);
    json_close(&builder);
    return json_built(&builder);
}

/* What a worker says when it could not do something; NULL: only words. */
const struct json *generate_flow_failure(struct world *world)
{
    static const char *const names[] = { "E1", "E2", "E3" };
    if (world_below(world, 6) == 0) return NULL;
    struct json_builder builder;
    json_builder_init(&builder, &world->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("name"));
    json_add_string(&builder, str_of(names[world_below(world, COUNT(names))]));
    if (world_below(world, 2)) {
        json_add_name(&builder, STR("data"));
        json_add_int(&builder, world_below(world, 10));
    }
    json_close(&builder);
    return json_built(&builder);
}

const struct json *generate_event(struct world *world, uint32_t number, uint32_t type,
                                  const struct json *token)
{
    struct json_builder builder;
    json_builder_init(&builder, &world->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("specversion"));
    json_add_string(&builder, STR("1.0"));
    json_add_name(&builder, STR("id"));
    json_add_string(&builder, arena_printf(&world->arena, "ev-%u", number));
    json_add_name(&builder, STR("source"));
    json_add_string(&builder, STR("/sim"));
    json_add_name(&builder, STR("type"));
    json_add_string(&builder, arena_printf(&world->arena, "ty%u", type));
    if (token) {
        json_add_name(&builder, STR("tok"));
        json_add(&builder, token);
    }
    if (!world_below(world, 3)) {
        json_add_name(&builder, STR("timetolive"));
        json_add_int(&builder, world_below(world, EVENT_LIFE_SECONDS_MAX));
    }
    json_add_name(&builder, STR("data"));
    json_open_object(&builder);
    add_members(world, number, false, &builder);
    if (token) {
        json_add_name(&builder, STR("who"));
        json_add(&builder, token);
    }
    json_close(&builder);
    json_close(&builder);
    return json_built(&builder);
}

uint32_t generate_event_type(struct world *world, uint32_t flow_count)
{
    uint32_t shared = world_below(world, SHARED_TRIGGERS);
    return world_below(world, 3) ? shared : SHARED_TRIGGERS + world_below(world, OWN_TRIGGERS * flow_count);
}
