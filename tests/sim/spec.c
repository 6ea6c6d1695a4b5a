#include "spec.h"

static const char *const type_names[STEP_TYPE_COUNT] = {
    [SERVICE_TASK] = "SERVICE_TASK",
    [USER_TASK] = "USER_TASK",
    [WAIT] = "WAIT",
    [DECISION] = "DECISION",
    [DECISION_TABLE] = "DECISION_TABLE",
    [TRANSFORMATION] = "TRANSFORMATION",
    [PARALLEL_GATEWAY] = "PARALLEL_GATEWAY",
    [JOIN_GATEWAY] = "JOIN_GATEWAY",
    [END] = "END",
};

static str text_of(const struct json *object, const char *name)
{
    const struct json *value = json_get(object, str_of(name));
    return json_is(value, JSON_STRING) ? json_string(value) : STR_NONE;
}

static int64_t number_of(const struct json *object, const char *name, int64_t otherwise)
{
    const struct json *value = json_get(object, str_of(name));
    int64_t number;
    return value && json_int64(value, &number) ? number : otherwise;
}

/* PT<number>H, M or S, which is all that is generated. */
static int64_t duration_ms(str text)
{
    if (!text.n) return 0;
    must(str_starts(text, STR("PT")));
    double number = 0, place = 0;
    for (size_t i = 2; i + 1 < text.n; i++) {
        if (text.p[i] == '.') place = 1;
        else if (place > 0) number += (text.p[i] - '0') * (place /= 10);
        else number = number * 10 + (text.p[i] - '0');
    }
    char unit = text.p[text.n - 1];
    return (int64_t)(number * (unit == 'H' ? 3600000 : unit == 'M' ? 60000 : 1000) + 0.5);
}

size_t spec_find(const struct spec *spec, str id)
{
    for (size_t i = 0; i < spec->step_count; i++)
        if (str_equal(spec->step[i].id, id)) return i;
    return STEP_NONE;
}

static void read_timers(const struct spec *spec, struct spec_step *step, const struct json *list,
                        struct arena *arena)
{
    step->timer = arena_make_n(arena, struct spec_timer, json_count(list));
    for (struct json_each each = json_each(list); json_next(&each);) {
        const struct json *interrupting = json_get(each.value, STR("interrupting"));
        step->timer[step->timer_count++] = (struct spec_timer){
            .delay_ms = duration_ms(text_of(each.value, "duration")),
            .interrupting = interrupting && json_bool(interrupting),
            .target = spec_find(spec, text_of(each.value, "targetStepId")),
        };
    }
}

static void read_step(const struct spec *spec, struct spec_step *step, const struct json *from,
                      struct arena *arena)
{
    str type = text_of(from, "type"), next = text_of(from, "nextStep"), join = text_of(from, "joinStep");
    while (!str_equal(type, str_of(type_names[step->type]))) step->type++;
    step->next = next.n ? spec_find(spec, next) : STEP_NONE;
    step->join = join.n ? spec_find(spec, join) : STEP_NONE;
    step->branches = json_get(from, STR("conditionalNextSteps"));
    const struct json *parallel = json_get(from, STR("parallelNextSteps"));
    if (parallel) {
        step->parallel = arena_make_n(arena, size_t, json_count(parallel));
        for (struct json_each each = json_each(parallel); json_next(&each);)
            step->parallel[step->parallel_count++] = spec_find(spec, json_string(each.value));
    }
    const struct json *timers = json_get(from, STR("boundaryEvents"));
    if (timers) read_timers(spec, step, timers, arena);
    step->job_type = text_of(from, "jobType");
    step->retry_count = (uint32_t)number_of(from, "retryCount", 0);
    const struct json *backoff = json_get(from, STR("retryBackoff"));
    if (backoff) {
        step->backoff_ms = duration_ms(text_of(backoff, "initial"));
        step->backoff_max_ms = duration_ms(text_of(backoff, "max"));
        step->backoff_factor = number_of(backoff, "factor", 2);
    }
    step->assignments = json_get(from, STR("transformations"));
    step->rules = json_get(json_get(from, STR("decisionTable")), STR("rules"));
    step->policy = text_of(from, "hitPolicy");
    step->needs_op = json_get(from, STR("outputs_schema")) != NULL;
    const struct json *chain = json_get(from, STR("chain"));
    step->successor = json_get(from, STR("continueAs"));
    step->chains = step->type == END && !step->successor && (!chain || json_bool(chain));
    step->alone = str_equal(text_of(from, "ends"), STR("branch"));
}

/* "2.1"; without one it is "1.0". Of steps all are the same. */
static int64_t rank_of(str version)
{
    int64_t major = 1, minor = 0;
    size_t dot = str_find(version, STR("."), 0);
    if (version.n)
        must(str_to_int64(str_slice(version, 0, dot), &major) &&
             str_to_int64(str_slice(version, dot + 1, version.n), &minor));
    return major * 1000 + minor;
}

/* An interval in seconds, or a cron text that begins with "*" and a step of seconds: all that is generated.
 */
static void read_schedule(struct spec *spec, const struct json *trigger)
{
    if (!trigger) return;
    str cron = text_of(trigger, "cronExpression");
    int64_t seconds = number_of(trigger, "intervalValue", 0);
    spec->by_cron = cron.n > 0;
    if (spec->by_cron) must(str_to_int64(str_slice(cron, 2, str_find(cron, STR(" "), 0)), &seconds));
    spec->tick_ms = seconds * 1000;
    spec->fires_missed = str_equal(text_of(trigger, "misfirePolicy"), STR("FireImmediately"));
}

struct spec *spec_read(str source, struct arena *arena)
{
    struct spec *spec = arena_make(arena, struct spec);
    const struct json *document;
    must(json_parse(source, NULL, arena, &document, NULL) == ST_OK);
    spec->source = source;
    spec->graph = graph_of_document(document, arena);
    spec->id = text_of(document, spec->graph ? "definitionId" : "id");
    if (spec->graph) return spec;
    spec->flow = flow_read(document, arena);
    spec->rank = rank_of(text_of(document, "version"));
    if (spec->flow) return spec;
    const struct json *automatic = json_get(document, STR("autoStartNextWorkflow"));
    if (automatic && json_bool(automatic)) spec->next_definition = text_of(document, "nextWorkflowId");
    spec->needs_n = json_get(document, STR("input_schema")) != NULL;
    read_schedule(spec, json_item(json_get(document, STR("triggers")), 0));
    const struct json *steps = json_get(document, STR("steps"));
    spec->step_count = json_count(steps);
    spec->step = arena_make_n(arena, struct spec_step, spec->step_count);
    for (size_t i = 0; i < spec->step_count; i++) spec->step[i].id = text_of(json_item(steps, i), "id");
    for (size_t i = 0; i < spec->step_count; i++) read_step(spec, &spec->step[i], json_item(steps, i), arena);
    return spec;
}

enum way spec_way(const struct spec *spec, const struct spec_step *step, const struct json *data,
                  struct arena *arena, size_t *ret_to)
{
    if (!step->branches) {
        *ret_to = step->next;
        return step->next == STEP_NONE ? WAY_NOWHERE : WAY_TO;
    }
    for (struct json_each each = json_each(step->branches); json_next(&each);) {
        struct result held = evaluate(each.name, data, arena);
        if (held.is == UNSURE) return WAY_UNSURE;
        if (held.is == WRONG || !json_is(held.value, JSON_BOOL)) return WAY_FAILS;
        if (!json_bool(held.value)) continue;
        *ret_to = spec_find(spec, json_string(each.value));
        return WAY_TO;
    }
    return WAY_FAILS;
}

bool spec_leads_to(const struct spec *spec, const struct spec_step *step, size_t to)
{
    if (!step->branches) return step->next == to;
    for (struct json_each each = json_each(step->branches); json_next(&each);)
        if (spec_find(spec, json_string(each.value)) == to) return true;
    return false;
}

bool spec_accepts(const struct spec *spec, const struct json *data)
{
    int64_t number;
    const struct json *n = json_get(data, STR("n"));
    return !spec->needs_n || (json_is(n, JSON_NUMBER) && json_int64(n, &number));
}
