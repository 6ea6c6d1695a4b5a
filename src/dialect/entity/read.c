/* dialect/entity/read.c — the document of a model's workflows becomes structs. */
#include "dialect/entity/entity_int.h"

#include "base/must.h"
#include "model/model.h"

enum { TIMEOUT_DEFAULT_MS = 30000 };

/* ---- members by type ---- */

static const struct json *member(const struct json *object, const char *name)
{
    const struct json *value = json_get(object, str_of(name));
    return value && !json_is(value, JSON_NULL) ? value : NULL;
}

static str pointer_to(struct entity *entity, str base, const char *name)
{
    return problem_pointer(entity->scratch, base, str_of(name));
}

static void wrong_type(struct entity *entity, str pointer, const char *name, const char *expected,
                       const struct json *value)
{
    problem_error(entity->problems, PROBLEM_WRONG_TYPE, pointer_to(entity, pointer, name), NULL,
                  "%s must be %s, not %s", name, expected, json_kind_name(json_kind(value)));
}

static str text_of(struct entity *entity, const struct json *object, str pointer, const char *name)
{
    const struct json *value = member(object, name);
    if (!value) return STR_NONE;
    if (json_is(value, JSON_STRING)) return arena_str(entity->arena, json_string(value));
    wrong_type(entity, pointer, name, "a text", value);
    return STR_NONE;
}

static bool flag_of(struct entity *entity, const struct json *object, str pointer, const char *name,
                    bool otherwise)
{
    const struct json *value = member(object, name);
    if (!value) return otherwise;
    if (json_is(value, JSON_BOOL)) return json_bool(value);
    wrong_type(entity, pointer, name, "true or false", value);
    return otherwise;
}

static int64_t integer_of(struct entity *entity, const struct json *object, str pointer, const char *name,
                          int64_t otherwise)
{
    const struct json *value = member(object, name);
    int64_t number;
    if (!value) return otherwise;
    if (json_int64(value, &number)) return number;
    wrong_type(entity, pointer, name, "an integer", value);
    return otherwise;
}

static const struct json *list_of(struct entity *entity, const struct json *object, str pointer,
                                  const char *name)
{
    const struct json *value = member(object, name);
    if (!value || json_is(value, JSON_ARRAY)) return value;
    wrong_type(entity, pointer, name, "a list", value);
    return NULL;
}

/* Names end up in names of nodes. */
static str name_of(struct entity *entity, const struct json *object, str pointer, const char *what)
{
    str name = text_of(entity, object, pointer, "name");
    if (!name.n)
        problem_error(entity->problems, PROBLEM_REQUIRED, pointer_to(entity, pointer, "name"), NULL,
                      "a %s needs a name", what);
    if (name.n > ENTITY_NAME_BYTES_MAX)
        problem_error(entity->problems, PROBLEM_BAD_ID, pointer_to(entity, pointer, "name"), NULL,
                      "the name of a %s has %zu bytes; the most is %d", what, name.n, ENTITY_NAME_BYTES_MAX);
    return name;
}

/* ---- calls ---- */

static enum entity_mode mode_of(str word)
{
    static const char *const words[] = {
#define XX(NAME, word, meaning) [ENTITY_MODE_##NAME] = word,
        ENTITY_MODE_MAP(XX)
#undef XX
    };
    for (size_t i = 0; i < COUNT(words); i++)
        if (str_equal(word, str_of(words[i]))) return (enum entity_mode)i;
    return ENTITY_MODE_SYNC; /* Any other word means this, and is kept. */
}

/* The names of policies are the platform's: there are two. */
static bool reads_retry(struct entity *entity, const struct json *config, str pointer)
{
    str policy = text_of(entity, config, pointer, "retryPolicy");
    bool is_fixed = str_equal(policy, STR("FIXED"));
    if (policy.n && !is_fixed && !str_equal(policy, STR("NONE")))
        problem_error(entity->problems, PROBLEM_BAD_VALUE, pointer_to(entity, pointer, "retryPolicy"),
                      "there are NONE and FIXED; empty is NONE", "there is no retry policy %s",
                      problem_quote(entity->scratch, policy));
    return is_fixed;
}

/* Fields of the original that it refuses itself. Every answer is waited for. */
static void refuse_async(struct entity *entity, const struct json *object, str pointer)
{
    if (flag_of(entity, object, pointer, "asyncResult", false))
        problem_error(entity->problems, PROBLEM_UNSUPPORTED, pointer_to(entity, pointer, "asyncResult"),
                      "leave it out, and use the mode COMMIT_BEFORE_DISPATCH for slow work",
                      "a write waits for the answer of its processors: asyncResult is not supported");
    if (member(object, "crossoverToAsyncMs"))
        problem_error(entity->problems, PROBLEM_UNSUPPORTED,
                      pointer_to(entity, pointer, "crossoverToAsyncMs"),
                      "leave it out, and use the mode COMMIT_BEFORE_DISPATCH for slow work",
                      "a write waits for the answer of its processors: crossoverToAsyncMs is not supported");
}

static void read_config(struct entity *entity, const struct json *config, str pointer,
                        struct entity_call *call)
{
    if (config && !json_is(config, JSON_OBJECT)) {
        problem_error(entity->problems, PROBLEM_WRONG_TYPE, pointer, NULL, "config must be an object, not %s",
                      json_kind_name(json_kind(config)));
        config = NULL;
    }
    call->tags = text_of(entity, config, pointer, "calculationNodesTags");
    call->context = text_of(entity, config, pointer, "context");
    call->attaches = flag_of(entity, config, pointer, "attachEntity", true);
    call->is_retried = reads_retry(entity, config, pointer);
    refuse_async(entity, config, pointer);
    call->timeout_ms = integer_of(entity, config, pointer, "responseTimeoutMs", 0);
    if (call->timeout_ms <= 0) call->timeout_ms = TIMEOUT_DEFAULT_MS;
    if (call->timeout_ms > ENTITY_TIMEOUT_MS_MAX)
        problem_error(entity->problems, PROBLEM_TOO_LARGE, pointer_to(entity, pointer, "responseTimeoutMs"),
                      NULL, "a processor has at most %d ms to answer", ENTITY_TIMEOUT_MS_MAX);
}

static void check_processor(struct entity *entity, const struct json *given, const struct entity_call *call)
{
    str type = text_of(entity, given, call->pointer, "type");
    bool external = !type.n || str_equal(type, STR("EXTERNAL")) || str_equal(type, STR("externalized"));
    if (!external)
        problem_error(entity->problems, PROBLEM_BAD_VALUE, pointer_to(entity, call->pointer, "type"),
                      "the only type is EXTERNAL", "there is no type of processor %s",
                      problem_quote(entity->scratch, type));
    if (call->has_new_tx && call->mode != ENTITY_MODE_COMMIT_BEFORE)
        problem_error(entity->problems, PROBLEM_NOT_ALLOWED_HERE, call->pointer, NULL,
                      "startNewTxOnDispatch is only for processors of mode COMMIT_BEFORE_DISPATCH");
}

static void read_processor(struct entity *entity, const struct json *given, str pointer,
                           struct entity_call *ret_call)
{
    struct entity_call *call = ret_call;
    *call = (struct entity_call){ .pointer = pointer };
    if (!json_is(given, JSON_OBJECT)) {
        problem_error(entity->problems, PROBLEM_WRONG_TYPE, pointer, NULL,
                      "a processor must be an object, not %s", json_kind_name(json_kind(given)));
        return;
    }
    const struct json *config = member(given, "config");
    call->name = name_of(entity, given, pointer, "processor");
    call->mode_word = text_of(entity, given, pointer, "executionMode");
    call->mode = mode_of(call->mode_word);
    read_config(entity, config, pointer_to(entity, pointer, "config"), call);
    /* The page has it beside the mode, the original's code inside of config. */
    call->has_new_tx =
        flag_of(entity, given, pointer, "startNewTxOnDispatch", false) ||
        flag_of(entity, json_is(config, JSON_OBJECT) ? config : NULL, pointer, "startNewTxOnDispatch", false);
    refuse_async(entity, given, pointer);
    check_processor(entity, given, call);
}

/* ---- criteria ---- */

static void read_criterion(struct entity *entity, const struct json *object, str base,
                           struct entity_criterion *ret_criterion)
{
    static const struct predicate_options options = { .lifecycle_name = STR_INIT("carried"),
                                                      .allows_function = true };
    const struct json *condition = member(object, "criterion");
    str pointer = pointer_to(entity, base, "criterion");
    struct predicate_function function;
    struct error err;
    *ret_criterion = (struct entity_criterion){ .when = NULL };
    if (!condition) return;
    if (predicate_is_function(condition, &function)) {
        struct entity_call *call = &ret_criterion->function;
        *call = (struct entity_call){ .name = arena_str(entity->arena, function.name), .pointer = pointer };
        if (!call->name.n)
            problem_error(entity->problems, PROBLEM_REQUIRED, pointer, NULL, "a function needs a name");
        read_config(entity, function.config,
                    pointer_to(entity, pointer_to(entity, pointer, "function"), "config"), call);
        return;
    }
    if (expr_predicate(condition, &options, entity->arena, &ret_criterion->when, &err) != ST_OK)
        problem_error(entity->problems, PROBLEM_BAD_CONDITION,
                      arena_printf(entity->scratch, "%.*s%s", STR_ARG(pointer), err.where), NULL, "%s",
                      err.message);
}

/* ---- transitions, states, workflows ---- */

/* A function that says when the transition is due. */
static void read_schedule_function(struct entity *entity, const struct json *schedule, str base,
                                   struct entity_transition *made)
{
    const struct json *function = member(schedule, "function");
    struct entity_call *call = &made->schedule;
    *call = (struct entity_call){ .pointer = pointer_to(entity, base, "function") };
    if (!json_is(function, JSON_OBJECT)) {
        wrong_type(entity, base, "function", "an object", function);
        return;
    }
    call->name = name_of(entity, function, call->pointer, "function");
    read_config(entity, function, call->pointer, call);
    str kind = text_of(entity, function, call->pointer, "resultKind");
    if (kind.n && !str_equal(kind, STR("Schedule")))
        problem_error(entity->problems, PROBLEM_BAD_VALUE, pointer_to(entity, call->pointer, "resultKind"),
                      NULL, "the result of a schedule's function is of kind \"Schedule\", not %s",
                      problem_quote(entity->scratch, kind));
    if (member(schedule, "delayMs") || member(schedule, "timeoutMs"))
        problem_error(entity->problems, PROBLEM_NOT_ALLOWED_HERE, base, NULL,
                      "a schedule has either delayMs, perhaps with timeoutMs, or a function");
    if (made->disabled) return;
    entity->has_schedules = true;
}

static void read_schedule(struct entity *entity, const struct json *object, struct entity_transition *made)
{
    const struct json *schedule = member(object, "schedule");
    str pointer = pointer_to(entity, made->pointer, "schedule");
    if (!schedule) return;
    if (!json_is(schedule, JSON_OBJECT)) {
        wrong_type(entity, made->pointer, "schedule", "an object", schedule);
        return;
    }
    made->is_scheduled = true;
    if (member(schedule, "function")) {
        read_schedule_function(entity, schedule, pointer, made);
    } else {
        made->delay_ms = integer_of(entity, schedule, pointer, "delayMs", 0);
        made->late_ms = integer_of(entity, schedule, pointer, "timeoutMs", -1);
        if (made->delay_ms <= 0)
            problem_error(entity->problems, PROBLEM_BAD_DURATION, pointer_to(entity, pointer, "delayMs"),
                          NULL, "a schedule needs delayMs, a number of milliseconds above 0, or a function");
    }
    if (made->manual)
        problem_error(entity->problems, PROBLEM_NOT_ALLOWED_HERE, pointer, NULL,
                      "a manual transition cannot be scheduled");
}

static void read_processors(struct entity *entity, const struct json *object, struct entity_transition *made)
{
    const struct json *list = list_of(entity, object, made->pointer, "processors");
    str pointer = pointer_to(entity, made->pointer, "processors");
    size_t count = list ? json_count(list) : 0;
    struct entity_call *call = arena_make_n(entity->arena, struct entity_call, count);
    for (size_t i = 0; i < count; i++)
        read_processor(entity, json_item(list, i), problem_pointer_index(entity->arena, pointer, i),
                       &call[i]);
    made->processor = call;
    made->processor_count = count;
}

static void read_transition(struct entity *entity, const struct json *given, str pointer,
                            struct entity_transition *ret_transition)
{
    struct entity_transition *made = ret_transition;
    *made = (struct entity_transition){ .pointer = pointer, .late_ms = -1, .target = NODE_NONE };
    if (!json_is(given, JSON_OBJECT)) {
        problem_error(entity->problems, PROBLEM_WRONG_TYPE, pointer, NULL,
                      "a transition must be an object, not %s", json_kind_name(json_kind(given)));
        return;
    }
    made->name = name_of(entity, given, pointer, "transition");
    made->next = text_of(entity, given, pointer, "next");
    made->manual = flag_of(entity, given, pointer, "manual", false);
    made->disabled = flag_of(entity, given, pointer, "disabled", false);
    read_criterion(entity, given, pointer, &made->criterion);
    read_processors(entity, given, made);
    read_schedule(entity, given, made);
}

static void read_state(struct entity *entity, const struct entity_workflow *workflow, str name,
                       const struct json *given, str pointer, struct entity_state *ret_state)
{
    struct entity_state *state = ret_state;
    *state = (struct entity_state){ .name = arena_str(entity->arena, name),
                                    .pointer = pointer,
                                    .base = problem_pointer(entity->arena, workflow->base, name) };
    if (!name.n || name.n > ENTITY_NAME_BYTES_MAX)
        problem_error(entity->problems, PROBLEM_BAD_ID, pointer, NULL,
                      "the name of a state has 1 to %d bytes, not %zu", ENTITY_NAME_BYTES_MAX, name.n);
    if (!json_is(given, JSON_OBJECT)) {
        problem_error(entity->problems, PROBLEM_WRONG_TYPE, pointer, NULL,
                      "a state must be an object, not %s", json_kind_name(json_kind(given)));
        return;
    }
    const struct json *list = list_of(entity, given, pointer, "transitions");
    str base = pointer_to(entity, pointer, "transitions");
    state->transition_count = list ? json_count(list) : 0;
    state->transition = arena_make_n(entity->arena, struct entity_transition, state->transition_count);
    for (size_t i = 0; i < state->transition_count; i++)
        read_transition(entity, json_item(list, i), problem_pointer_index(entity->arena, base, i),
                        &state->transition[i]);
}

static void read_states(struct entity *entity, const struct json *given, struct entity_workflow *workflow)
{
    const struct json *states = member(given, "states");
    str pointer = pointer_to(entity, workflow->pointer, "states");
    if (!json_is(states, JSON_OBJECT)) {
        problem_error(entity->problems, PROBLEM_REQUIRED, pointer, NULL,
                      "a workflow needs states, an object with a member for each state");
        return;
    }
    workflow->state = arena_make_n(entity->arena, struct entity_state, json_count(states));
    struct json_each each = json_each(states);
    while (json_next(&each))
        read_state(entity, workflow, each.name, each.value,
                   problem_pointer(entity->arena, pointer, each.name),
                   &workflow->state[workflow->state_count++]);
    must(workflow->state_count == json_count(states));
}

static void read_workflow(struct entity *entity, const struct json *given, str pointer,
                          struct entity_workflow *workflow)
{
    *workflow = (struct entity_workflow){ .pointer = pointer };
    if (!json_is(given, JSON_OBJECT)) {
        problem_error(entity->problems, PROBLEM_WRONG_TYPE, pointer, NULL,
                      "a workflow must be an object, not %s", json_kind_name(json_kind(given)));
        return;
    }
    workflow->name = name_of(entity, given, pointer, "workflow");
    workflow->base = problem_pointer(entity->arena, STR_NONE, workflow->name);
    workflow->initial = text_of(entity, given, pointer, "initialState");
    workflow->active = flag_of(entity, given, pointer, "active", true);
    workflow->allows_cycles = flag_of(entity, given, pointer, "allowCycles", false);
    read_criterion(entity, given, pointer, &workflow->criterion);
    read_states(entity, given, workflow);
}

/* NONE ─NEW─► CREATED ─UPDATE─► CREATED, CREATED ─DELETE─► DELETED. */
static void add_built_in(struct entity *entity, struct entity_workflow *workflow)
{
    static const char text[] =
        "{\"name\":\"default\",\"initialState\":\"NONE\",\"states\":{"
        "\"NONE\":{\"transitions\":[{\"name\":\"NEW\",\"next\":\"CREATED\"}]},"
        "\"CREATED\":{\"transitions\":[{\"name\":\"UPDATE\",\"next\":\"CREATED\",\"manual\":true},"
        "{\"name\":\"DELETE\",\"next\":\"DELETED\",\"manual\":true}]},"
        "\"DELETED\":{}}}";
    const struct json *given;
    struct error err;
    must(json_parse(str_of(text), NULL, entity->arena, &given, &err) == ST_OK);
    read_workflow(entity, given, STR_NONE, workflow);
    must(workflow->active && workflow->state_count && !workflow->criterion.when);
    workflow->base = problem_pointer(entity->arena, STR_NONE, STR_NONE);
    for (size_t i = 0; i < workflow->state_count; i++)
        workflow->state[i].base = problem_pointer(entity->arena, workflow->base, workflow->state[i].name);
}

static void read_identity(struct entity *entity, const struct json *document)
{
    int64_t version = integer_of(entity, document, STR_NONE, "modelVersion", 1);
    entity->name = text_of(entity, document, STR_NONE, "entityName");
    if (!member(document, "entityName") && entity->workflow_count > 1)
        entity->name = entity->workflow[0].name;
    if (!entity_name_is_sound(entity->name))
        problem_error(entity->problems, PROBLEM_REQUIRED, STR("/entityName"), NULL,
                      "workflows need entityName, the name of their model, of 1 to %d bytes without "
                      "control characters",
                      ENTITY_NAME_BYTES_MAX);
    if (version < 1 || version > INT32_MAX)
        problem_error(entity->problems, PROBLEM_BAD_VALUE, STR("/modelVersion"), NULL,
                      "modelVersion is an integer from 1 on");
    entity->version = (int32_t)version;
}

static void check_dialect(struct entity *entity, const struct json *document)
{
    str dialect = text_of(entity, document, STR_NONE, "dialect");
    if (!dialect.n || str_equal(dialect, STR("entity")) || str_equal(dialect, STR("entity/1"))) return;
    problem_error(entity->problems, PROBLEM_UNSUPPORTED_VERSION, STR("/dialect"), "write \"entity/1\"",
                  "dialect %s is not one that is read here", problem_quote(entity->scratch, dialect));
}

/* Reads the document's settings for its deployment. */
static void read_deployment(struct entity *entity, const struct json *document)
{
    str mode = text_of(entity, document, STR_NONE, "importMode");
    str level = text_of(entity, document, STR_NONE, "changeLevel");
    const struct json *sample = member(document, "sample");
    enum entity_import_mode any_mode;
    enum model_level any_level;
    const struct model_schema *schema;
    struct error err;
    if (!entity_import_mode_parse(mode, &any_mode))
        problem_error(entity->problems, PROBLEM_BAD_VALUE, STR("/importMode"),
                      "there are MERGE, REPLACE and ACTIVATE", "there is no import mode %s",
                      problem_quote(entity->scratch, mode));
    if (level.n && !model_level_find(level, &any_level))
        problem_error(entity->problems, PROBLEM_BAD_VALUE, STR("/changeLevel"),
                      "there are ARRAY_LENGTH, ARRAY_ELEMENTS, TYPE and STRUCTURAL",
                      "there is no change level %s", problem_quote(entity->scratch, level));
    if (sample && model_infer(sample, entity->scratch, &schema, &err) != ST_OK)
        problem_error(entity->problems, err.status == ST_LIMIT ? PROBLEM_TOO_LARGE : PROBLEM_WRONG_TYPE,
                      STR("/sample"), NULL, "the sample makes no model: %s", err.message);
}

bool entity_read(struct entity *entity, const struct json *document)
{
    bool is_single = entity_is_single(document);
    const struct json *list = is_single ? NULL : list_of(entity, document, STR_NONE, "workflows");
    size_t count = is_single ? 1 : list ? json_count(list) : 0;
    if (count > ENTITY_WORKFLOWS_MAX) {
        problem_error(entity->problems, PROBLEM_TOO_LARGE, STR("/workflows"), NULL,
                      "%zu workflows; the most is %d", count, ENTITY_WORKFLOWS_MAX);
        return false;
    }
    entity->workflow = arena_make_n(entity->arena, struct entity_workflow, count + 1);
    for (size_t i = 0; i < count; i++)
        read_workflow(entity, is_single ? document : json_item(list, i),
                      is_single ? STR_NONE : problem_pointer_index(entity->arena, STR("/workflows"), i),
                      &entity->workflow[i]);
    bool allows_cycles = !is_single && flag_of(entity, document, STR_NONE, "allowCycles", false);
    for (size_t i = 0; i < count; i++) entity->workflow[i].allows_cycles |= allows_cycles;
    add_built_in(entity, &entity->workflow[count]);
    entity->workflow_count = count + 1;
    check_dialect(entity, document);
    read_identity(entity, document);
    read_deployment(entity, document);
    return true;
}
