/* dialect/triggers.c — reads the triggers of documents, and lowers them to terms of arrivals. */
#include "dialect/triggers.h"

#include "base/duration.h"
#include "base/must.h"
#include "dialect/limits.h"
#include "dialect/nearest.h"
#include "expr/build.h"
#include "expr/template/template.h"

/* The fields of a trigger: those of all types, then by type. tests/contract/test_fields.py reads the lists.
 */
static const char *const common_fields[] = {
    "id", "type", "onMatch", "correlationExpression", "filter", "filterExpression", NULL
};
static const char *const manual_fields[] = { "buttonLabel", "inputSchema", "requiredRoles", "openForm",
                                             NULL };
static const char *const http_fields[] = {
    "path",        "method",          "authType",         "secretRef", "responseMode",
    "successCode", "opaqueResponses", "deduplicationKey", NULL
};
static const char *const mqtt_fields[] = { "brokerRef",        "topic", "qos", "payloadFormat", "schemaRef",
                                           "deduplicationKey", NULL };
static const char *const cron_fields[] = {
    "cronExpression", "cron",         "timeZone",      "timezone", "scheduleMode",
    "intervalValue",  "intervalUnit", "misfirePolicy", NULL,
};
static const char *const poll_fields[] = {
    "sourceType", "connectionRef", "url", "query", "pollingInterval", "pollingUnit", "deduplicationKey", NULL,
};
static const char *const *const type_fields[ARRIVAL_TYPE_COUNT] = {
    [ARRIVAL_MANUAL] = manual_fields, [ARRIVAL_HTTP] = http_fields, [ARRIVAL_MQTT] = mqtt_fields,
    [ARRIVAL_CRON] = cron_fields,     [ARRIVAL_POLL] = poll_fields,
};

static bool is_among(const char *const *names, str name, struct nearest *nearest)
{
    for (; *names; names++) {
        if (str_equal(str_of(*names), name)) return true;
        nearest_offer(nearest, str_of(*names));
    }
    return false;
}

static void warn_of_unknown(const struct json *trigger, enum arrival_type type, str pointer,
                            struct problems *problems)
{
    struct json_each each = json_each(trigger);
    while (json_next(&each)) {
        struct nearest nearest;
        nearest_init(&nearest, each.name);
        if (is_among(common_fields, each.name, &nearest) || is_among(type_fields[type], each.name, &nearest))
            continue;
        problem_warning(problems, PROBLEM_UNKNOWN_FIELD, problem_pointer(problems->arena, pointer, each.name),
                        nearest_hint(&nearest, problems->arena),
                        "%s is no field of a trigger of type %s, and has no effect",
                        problem_quote(problems->arena, each.name), arrival_type_word(type));
    }
}

/* `trigger` := the arrival's value. People send the variables themselves, with whichever call they start. */
static void set_outputs(struct program_arrival *arrival, enum arrival_type type, struct arena *arena)
{
    must(!arrival->output_count);
    struct program_value *output = arena_make_n(arena, struct program_value, 2);
    if (type == ARRIVAL_MANUAL) {
        struct expr_tree *payload = tree_member(tree_variable(STR("arrival"), arena), STR("payload"), arena);
        output[arrival->output_count++].expr = expr_of_tree(
            tree_if(tree_is_object(payload, arena), payload, tree_literal(json_empty_object(), arena), arena),
            arena);
    }
    output[arrival->output_count++] =
        (struct program_value){ .name = STR("trigger"),
                                .expr = expr_of_tree(tree_variable(STR("arrival"), arena), arena) };
    must(arrival->output_count <= 2);
    arrival->output = output;
}

/* ---- filters ---- */

/* Warns of members of a condition that nobody knows, and of a right side that its op does not look at.
 * Recursion goes as deep as documents can be. */
static void check_condition(const struct json *condition, str pointer, struct problems *problems)
{
    static const char *const known[] = { "left", "op", "right", "all", "any", "not", NULL };
    if (!json_is(condition, JSON_OBJECT)) return;
    const struct json *op = json_get(condition, STR("op"));
    bool single = json_is(op, JSON_STRING) && expr_structured_is_single(json_string(op));
    struct json_each each = json_each(condition);
    while (json_next(&each)) {
        str place = problem_pointer(problems->arena, pointer, each.name);
        struct nearest nearest;
        nearest_init(&nearest, each.name);
        if (!is_among(known, each.name, &nearest))
            problem_warning(problems, PROBLEM_UNKNOWN_FIELD, place, nearest_hint(&nearest, problems->arena),
                            "%s is no field of a condition, and has no effect",
                            problem_quote(problems->arena, each.name));
        else if (single && str_equal(each.name, STR("right")))
            problem_warning(problems, PROBLEM_IGNORED, place, NULL,
                            "right has no effect: the op looks at left alone");
        if (str_equal(each.name, STR("left")) || str_equal(each.name, STR("right"))) continue; /* Values. */
        check_condition(each.value, place, problems);
        for (size_t i = 0; json_is(each.value, JSON_ARRAY) && i < json_count(each.value); i++)
            check_condition(json_item(each.value, i), problem_pointer_index(problems->arena, place, i),
                            problems);
    }
}

/* A filter has two names; the first one counts. */
static void check_filter(const struct json *trigger, str pointer, struct problems *problems)
{
    const char *name = json_get(trigger, STR("filter")) ? "filter" : "filterExpression";
    check_condition(json_get(trigger, str_of(name)), problem_pointer(problems->arena, pointer, str_of(name)),
                    problems);
}

/* ---- one trigger ---- */

static bool has_name(const struct program_arrival *arrival, size_t count, str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(arrival[i].name, name)) return true;
    return false;
}

static str read_id(const struct json *trigger, str pointer, const struct program_arrival *known, size_t count,
                   struct problems *problems)
{
    const struct json *id = json_get(trigger, STR("id"));
    str place = problem_pointer(problems->arena, pointer, STR("id")), name;
    if (!json_is(id, JSON_STRING) || !(name = json_string(id)).n) {
        problem_error(problems, PROBLEM_REQUIRED, place, NULL, "a trigger needs an id");
        return STR("");
    }
    if (name.n > NODE_NAME_BYTES_MAX)
        problem_error(problems, PROBLEM_BAD_ID, place, NULL,
                      "the id of a trigger has at most %d bytes, got %zu", NODE_NAME_BYTES_MAX, name.n);
    else if (has_name(known, count, name))
        problem_error(problems, PROBLEM_DUPLICATE_ID, place, NULL, "two triggers have the id %s",
                      problem_quote(problems->arena, name));
    return name;
}

static bool read_type(const struct json *trigger, str pointer, enum arrival_type *ret_type,
                      struct problems *problems)
{
    const struct json *type = json_get(trigger, STR("type"));
    if (json_is(type, JSON_STRING) && arrival_type_of(json_string(type), ret_type)) return true;
    struct buf words;
    buf_init(&words, problems->arena);
    for (int i = 0; i < ARRIVAL_TYPE_COUNT; i++)
        buf_printf(&words, "%s%s", i ? ", " : "", arrival_type_word((enum arrival_type)i));
    problem_error(problems, PROBLEM_BAD_VALUE, problem_pointer(problems->arena, pointer, STR("type")), NULL,
                  "the type of a trigger is one of %.*s", STR_ARG(buf_str(&words)));
    return false;
}

/* A living instance has no place for another arrival. */
static void check_policy(const struct json *trigger, str pointer, struct arrival_terms *terms,
                         struct problems *problems)
{
    const struct json *given = json_get(trigger, STR("onMatch"));
    if (!given || json_is(given, JSON_NULL)) {
        terms->policy = ARRIVAL_ALWAYS_CREATE;
        arrival_warn_of_idle_key(terms, pointer, problems);
        return;
    }
    if (terms->policy != ARRIVAL_ALWAYS_CREATE && terms->policy != ARRIVAL_MAP_OR_REPLACE)
        problem_error(problems, PROBLEM_INVALID_ON_MATCH,
                      problem_pointer(problems->arena, pointer, STR("onMatch")),
                      "only flow graphs take arrivals while they run",
                      "onMatch is AlwaysCreate or MapOrReplace here: an arrival starts an instance");
}

static void read_arrival(const struct json *trigger, enum arrival_type type, str name, str pointer,
                         struct arena *arena, struct triggers *triggers, struct problems *problems)
{
    struct program_arrival *arrival = &triggers->arrival[triggers->count++];
    *arrival = (struct program_arrival){ .name = name };
    set_outputs(arrival, type, arena);
    arrival_read(trigger, type, pointer, arena, &arrival->terms, &arrival->config, problems);
    check_policy(trigger, pointer, &arrival->terms, problems);
}

static void read_trigger(const struct json *trigger, str pointer, struct arena *arena,
                         struct triggers *triggers, struct problems *problems)
{
    enum arrival_type type;
    if (!json_is(trigger, JSON_OBJECT)) {
        problem_error(problems, PROBLEM_WRONG_TYPE, pointer, NULL, "a trigger is an object, and this is %s",
                      json_kind_name(json_kind(trigger)));
        return;
    }
    const struct json *kept = json_copy(arena, trigger);
    str name = read_id(kept, pointer, triggers->arrival, triggers->count, problems);
    if (!read_type(kept, pointer, &type, problems)) return;
    warn_of_unknown(kept, type, pointer, problems);
    check_filter(kept, pointer, problems);
    read_arrival(kept, type, name, pointer, arena, triggers, problems);
}

void triggers_read(const struct json *list, str pointer, struct arena *arena, struct triggers *ret_triggers,
                   struct problems *problems)
{
    size_t count = json_count(list);
    *ret_triggers = (struct triggers){ .count = 0 };
    if (count > TRIGGERS_MAX) {
        problem_error(problems, PROBLEM_TOO_LARGE, pointer, NULL, "at most %d triggers, got %zu",
                      TRIGGERS_MAX, count);
        return;
    }
    ret_triggers->arrival = arena_make_n(arena, struct program_arrival, count);
    for (size_t i = 0; i < count; i++)
        read_trigger(json_item(list, i), problem_pointer_index(problems->arena, pointer, i), arena,
                     ret_triggers, problems);
}

/* ---- a schedule alone ---- */

/* "PT15M" or "R/PT15M", whole seconds. */
static bool read_interval(const struct json *value, int64_t *ret_seconds)
{
    int64_t ms;
    if (!json_is(value, JSON_STRING)) return false;
    str text = json_string(value);
    if (str_starts(text, STR("R/"))) text = str_slice(text, 2, text.n);
    if (duration_parse(text, &ms, NULL, NULL) != ST_OK || ms < SECOND_MS || ms % SECOND_MS) return false;
    *ret_seconds = ms / SECOND_MS;
    return true;
}

static void keep_member(struct json_builder *builder, const struct json *schedule, const char *name)
{
    const struct json *value = json_get(schedule, str_of(name));
    if (!value) return;
    json_add_name(builder, str_of(name));
    json_add(builder, value);
}

void triggers_read_schedule(const struct json *schedule, str pointer, struct arena *arena,
                            struct triggers *ret_triggers, struct problems *problems)
{
    const struct json *interval = json_get(schedule, STR("interval"));
    bool by_cron = json_get(schedule, STR("cron")) != NULL;
    struct json_builder builder;
    int64_t seconds = 0;
    *ret_triggers = (struct triggers){ .arrival = arena_make(arena, struct program_arrival) };
    if (by_cron == (interval != NULL)) {
        problem_error(problems, PROBLEM_REQUIRED, pointer, NULL,
                      "a schedule has either an interval or a cron text");
        return;
    }
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    keep_member(&builder, schedule, "cron");
    keep_member(&builder, schedule, "timezone");
    keep_member(&builder, schedule, "timeZone");
    keep_member(&builder, schedule, "misfirePolicy");
    if (interval && !read_interval(interval, &seconds))
        problem_error(problems, PROBLEM_BAD_DURATION,
                      problem_pointer(problems->arena, pointer, STR("interval")), NULL,
                      "an interval is a duration of whole seconds like PT15M");
    if (seconds) {
        json_add_name(&builder, STR("intervalValue"));
        json_add_int(&builder, seconds);
        json_add_name(&builder, STR("intervalUnit"));
        json_add_string(&builder, STR("Seconds"));
    }
    json_close(&builder);
    read_arrival(json_built(&builder), ARRIVAL_CRON, STR("schedule"), pointer, arena, ret_triggers, problems);
}

/* ---- the program ---- */

void triggers_lower(const struct triggers *triggers, uint32_t start, struct program *program)
{
    must(start < program->node_count || !triggers->count);
    if (!triggers->count) return;
    struct program_rules *rules = arena_make(program_arena(program), struct program_rules);
    for (size_t i = 0; i < triggers->count; i++) triggers->arrival[i].start = start;
    *rules = *program->rules;
    rules->arrival = triggers->arrival;
    rules->arrival_count = triggers->count;
    program->rules = rules;
}
