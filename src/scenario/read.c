/* scenario/read.c — the text of a scenario file becomes cases.
 *
 * A file that is no scenario file is refused as a whole. A mistake within a case is that
 * case's own: it fails with the reason, and the others run. Unknown fields are mistakes, because a misspelt
 * expectation would always be met. Every mistake is reported with its place in the file.
 */
#include "scenario/scenario_int.h"

#include "base/ascii.h"
#include "base/datetime.h"
#include "base/duration.h"
#include "source/source.h"

#define CLOCK_START_MS INT64_C(1767225600000) /* 2026-01-01T00:00:00Z */

static const struct op_spec {
    const char *word;
    const char *fields;
    const char *later;
} op_specs[OP_COUNT] = {
#define XX(NAME, word, fields, later) [OP_##NAME] = { word, fields, later },
    OP_MAP(XX)
#undef XX
};

struct suite_reading {
    struct arena *arena;
    str file;
    scenario_read_fn *read;
    void *context;
    int64_t start_ms;
    struct source source;
    const struct json *document;
    str body;    /* JSON Pointer of the case that is being read; of the file at first: "". */
    str pointer; /* The part of it that is being read. */
};

static void now_at(struct suite_reading *reading, str base, const char *name)
{
    reading->pointer = problem_pointer(reading->arena, base, str_of(name));
}

static void now_at_item(struct suite_reading *reading, str base, const char *list, size_t index)
{
    str pointer = problem_pointer(reading->arena, base, str_of(list));
    reading->pointer = problem_pointer_index(reading->arena, pointer, index);
}

/* "file:3:7: what is wrong" */
static str placed(const struct suite_reading *reading, const struct error *why)
{
    uint32_t line = 0, column = 0;
    source_locate(&reading->source, reading->pointer, &line, &column);
    return arena_printf(reading->arena, "%.*s:%u:%u: %s", STR_ARG(reading->file), line, column, why->message);
}

/* Is it one of the words, which blanks separate? */
static bool is_among(str word, const char *words)
{
    str list = str_of(words);
    for (size_t at = 0; at < list.n;) {
        size_t end = str_find(list, STR(" "), at);
        if (end == SIZE_MAX) end = list.n;
        if (str_equal(str_slice(list, at, end), word)) return true;
        at = end + 1;
    }
    return false;
}

/* ---- durations ---- */

/* "9m59s": numbers and units, in any order. */
static bool parse_short_span(str text, int64_t *ret_ms)
{
    static const struct {
        const char *unit;
        int64_t ms;
    } units[] = {
        { "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 }, { "d", 86400000 }, { "w", 604800000 },
    };
    int64_t total = 0;
    size_t at = 0;
    while (at < text.n) {
        int64_t number = 0;
        size_t digits = at;
        while (at < text.n && ascii_is_digit(text.p[at]) && at - digits < 9)
            number = number * 10 + (text.p[at++] - '0');
        if (at == digits) return false;
        size_t end = at;
        while (end < text.n && !ascii_is_digit(text.p[end])) end++;
        size_t i = 0;
        while (i < COUNT(units) && !str_equal(str_slice(text, at, end), str_of(units[i].unit))) i++;
        if (i == COUNT(units)) return false;
        total += number * units[i].ms;
        at = end;
    }
    *ret_ms = total;
    return text.n > 0;
}

enum status read_span(const struct json *value, int64_t *ret_ms, struct error *err)
{
    if (!json_is(value, JSON_STRING))
        return fail(err, ST_INVALID, "duration", "a duration is a text such as \"PT2H\" or \"90s\"");
    str text = json_string(value);
    if (parse_short_span(text, ret_ms)) return ST_OK;
    struct error why;
    if (duration_parse(text, ret_ms, NULL, &why) == ST_OK) return ST_OK;
    return fail(err, ST_INVALID, "duration", "\"%.*s\" is no duration: %s", STR_ARG(text), why.message);
}

/* ---- steps ---- */

/* A field of the wrong type would be ignored, and the step would mean something else. */
static enum status check_type(str name, const struct json *value, struct error *err)
{
    static const struct {
        const char *names;
        enum json_kind kind;
    } types[] = {
        { "instance step name transition ifMatch as at businessKey reason actor idempotencyKey trigger "
          "method "
          "path topic raw "
          "expectCode "
          "expectOutcome",
          JSON_STRING },
        { "version index expectStatus", JSON_NUMBER },
        { "gone vary default isTest retained", JSON_BOOL },
        { "count set secrets headers query", JSON_OBJECT },
        { "expectOutcomes unset move add cancel", JSON_ARRAY },
    };
    for (size_t i = 0; i < COUNT(types); i++)
        if (is_among(name, types[i].names) && json_kind(value) != types[i].kind)
            return fail(err, ST_INVALID, "steps", "\"%.*s\" is %s %s, not %s", STR_ARG(name),
                        types[i].kind == JSON_ARRAY || types[i].kind == JSON_OBJECT ? "an" : "a",
                        json_kind_name(types[i].kind), json_kind_name(json_kind(value)));
    return ST_OK;
}

static enum status check_fields(const struct json *body, const struct op_spec *spec, struct error *err)
{
    struct json_each each = json_each(body);
    while (json_next(&each)) {
        bool known =
            is_among(each.name, "op note expectStatus expectCode") || is_among(each.name, spec->fields);
        if (known) TRY(check_type(each.name, each.value, err));
        if (known) continue;
        if (is_among(each.name, spec->later))
            return fail(err, ST_UNSUPPORTED, "steps",
                        "\"%.*s\" is not supported by the dialects this program knows", STR_ARG(each.name));
        return fail(err, ST_INVALID, "steps", "there is no field \"%.*s\" here; known are: %s",
                    STR_ARG(each.name), *spec->fields ? spec->fields : "none");
    }
    return ST_OK;
}

static enum status read_inner_step(const struct json *step, size_t number, struct arena *arena,
                                   struct op *ret_op, struct error *err)
{
    TRY(read_op(step, number, arena, ret_op, err));
    switch (ret_op->kind) {
    case OP_START:
    case OP_SIGNAL:
    case OP_TASK:
    case OP_RETRY:
    case OP_MODIFY:
    case OP_RESUME:
    case OP_HTTP:
    case OP_MQTT:
    case OP_TRANSITION:
    case OP_CANCEL: return ST_OK;
    case OP_EVENT:
        if (!json_get(step, STR("at"))) return ST_OK;
        return fail(err, ST_INVALID, "steps", "what happens at once has no \"at\" of its own");
    default:
        return fail(err, ST_INVALID, "steps",
                    "only start, signal, task, resume, transition, retry, cancel, modify, event, http and "
                    "mqtt happen at "
                    "once");
    }
}

/* Bare events, requests and messages stand for steps that deliver them. */
static const struct json *step_of_event(const struct json *event, struct arena *arena)
{
    if (!json_is(event, JSON_OBJECT) || json_get(event, STR("op"))) return event;
    bool http = json_get(event, STR("path")) != NULL, mqtt = json_get(event, STR("topic")) != NULL;
    str op = http ? STR("http") : mqtt ? STR("mqtt") : STR("event");
    const struct json *step = json_set(arena, json_empty_object(), STR("op"), json_of_string(arena, op));
    if (http || mqtt) return json_merge(step, event, arena);
    if (!json_get(event, STR("event"))) return json_set(arena, step, STR("event"), event);
    return json_merge(step, event, arena);
}

static enum status read_inner(const struct json *body, struct arena *arena, struct op *op, struct error *err)
{
    const struct json *steps = json_get(body, STR("steps")), *events = json_get(body, STR("events"));
    if ((!steps && !events) || (steps && !json_is(steps, JSON_ARRAY)))
        return fail(err, ST_INVALID, "steps", "\"steps\" is a list of steps");
    if (events && !json_is(events, JSON_ARRAY))
        return fail(err, ST_INVALID, "steps", "\"events\" is a list of events");
    size_t step_count = steps ? json_count(steps) : 0, event_count = events ? json_count(events) : 0;
    struct op *inner = arena_make_n(arena, struct op, step_count + event_count);
    for (size_t i = 0; i < step_count; i++)
        TRY(read_inner_step(json_item(steps, i), i + 1, arena, &inner[i], err));
    for (size_t i = 0; i < event_count; i++)
        TRY(read_inner_step(step_of_event(json_item(events, i), arena), step_count + i + 1, arena,
                            &inner[step_count + i], err));
    op->inner = inner;
    op->inner_count = step_count + event_count;
    return ST_OK;
}

enum status read_op(const struct json *body, size_t number, struct arena *arena, struct op *ret_op,
                    struct error *err)
{
    const struct json *word = json_get(body, STR("op"));
    struct error why;
    struct op op = { .body = body, .where = arena_printf(arena, "step %zu", number) };
    if (!json_is(word, JSON_STRING))
        return fail(err, ST_INVALID, "steps", "step %zu: a step is an object with \"op\"", number);
    while (op.kind < OP_COUNT && !str_equal(json_string(word), str_of(op_specs[op.kind].word))) op.kind++;
    if (op.kind == OP_COUNT)
        return fail(err, ST_INVALID, "steps", "step %zu: unknown op \"%.*s\"", number,
                    STR_ARG(json_string(word)));
    op.where = arena_printf(arena, "step %zu (%s)", number, op_specs[op.kind].word);
    enum status status = check_fields(body, &op_specs[op.kind], &why);
    const struct json *definition = json_get(body, STR("definition"));
    if (status == ST_OK && op.kind == OP_START && definition && !json_is(definition, JSON_STRING))
        status = fail(&why, ST_INVALID, "steps", "\"definition\" is the id of a definition");
    if (status == ST_OK && op.kind == OP_EVENT && !json_is(json_get(body, STR("event")), JSON_OBJECT))
        status = fail(&why, ST_INVALID, "steps", "\"event\" is a CloudEvent, an object");
    if (status == ST_OK && op.kind == OP_CONCURRENT) status = read_inner(body, arena, &op, &why);
    if (status != ST_OK) return fail(err, status, "steps", "%.*s: %s", STR_ARG(op.where), why.message);
    *ret_op = op;
    return ST_OK;
}

static enum status read_ops(struct suite_reading *reading, const struct json *body, struct scenario *scenario,
                            struct error *err)
{
    const struct json *setup = json_get(reading->document, STR("setup")),
                      *steps = json_get(body, STR("steps"));
    now_at(reading, STR(""), "setup");
    if (setup && !json_is(setup, JSON_ARRAY))
        return fail(err, ST_INVALID, "setup", "\"setup\" is a list of steps");
    now_at(reading, reading->body, "steps");
    if (steps && !json_is(steps, JSON_ARRAY)) return fail(err, ST_INVALID, "steps", "\"steps\" is a list");
    size_t setup_count = setup ? json_count(setup) : 0, count = steps ? json_count(steps) : 0;
    struct op *op = arena_make_n(reading->arena, struct op, setup_count + count);
    for (size_t i = 0; i < setup_count; i++) {
        now_at_item(reading, STR(""), "setup", i);
        TRY(read_op(json_item(setup, i), i + 1, reading->arena, &op[i], err));
        op[i].where = arena_printf(reading->arena, "setup %.*s", STR_ARG(op[i].where));
    }
    for (size_t i = 0; i < count; i++) {
        now_at_item(reading, reading->body, "steps", i);
        TRY(read_op(json_item(steps, i), i + 1, reading->arena, &op[setup_count + i], err));
    }
    scenario->op = op;
    scenario->op_count = setup_count + count;
    return ST_OK;
}

/* ---- definitions ---- */

static enum status read_definition(struct suite_reading *reading, const struct json *item,
                                   struct published *ret_published, struct error *err)
{
    struct buf text;
    if (json_is(item, JSON_OBJECT)) {
        buf_init(&text, reading->arena);
        json_print_pretty(item, &text);
        *ret_published = (struct published){ .text = buf_str(&text) };
        return ST_OK;
    }
    if (!json_is(item, JSON_STRING))
        return fail(err, ST_INVALID, "definitions",
                    "a definition is a document or the name of a file with one");
    ret_published->file = json_string(item);
    return reading->read(reading->context, ret_published->file, reading->arena, &ret_published->text, err);
}

static enum status read_definitions(struct suite_reading *reading, const struct json *body,
                                    struct scenario *scenario, struct error *err)
{
    const struct json *list[] = { json_get(reading->document, STR("definitions")),
                                  json_get(body, STR("definitions")) };
    const str holder[] = { STR(""), reading->body };
    size_t count = 0;
    for (size_t i = 0; i < COUNT(list); i++) {
        now_at(reading, holder[i], "definitions");
        if (list[i] && !json_is(list[i], JSON_ARRAY))
            return fail(err, ST_INVALID, "definitions", "\"definitions\" is a list");
        count += list[i] ? json_count(list[i]) : 0;
    }
    struct published *published = arena_make_n(reading->arena, struct published, count);
    size_t made = 0;
    for (size_t i = 0; i < COUNT(list); i++)
        for (size_t k = 0; list[i] && k < json_count(list[i]); k++) {
            now_at_item(reading, holder[i], "definitions", k);
            TRY(read_definition(reading, json_item(list[i], k), &published[made++], err));
        }
    scenario->definition = published;
    scenario->definition_count = count;
    return ST_OK;
}

/* ---- cases ---- */

static enum status read_invariants(struct suite_reading *reading, const struct json *body,
                                   struct scenario *scenario, struct error *err)
{
    const struct json *list[] = { json_get(reading->document, STR("invariants")),
                                  json_get(body, STR("invariants")) };
    struct invariant *part[COUNT(list)] = { 0 };
    size_t count[COUNT(list)] = { 0 };
    for (size_t i = 0; i < COUNT(list); i++) {
        now_at(reading, i ? reading->body : STR(""), "invariants");
        if (list[i]) TRY(invariants_read(list[i], reading->arena, &part[i], &count[i], err));
    }
    struct invariant *all = arena_make_n(reading->arena, struct invariant, count[0] + count[1]);
    if (count[0]) memcpy(all, part[0], count[0] * sizeof *all);
    if (count[1]) memcpy(all + count[0], part[1], count[1] * sizeof *all);
    scenario->invariant = all;
    scenario->invariant_count = count[0] + count[1];
    return ST_OK;
}

static enum status read_case(struct suite_reading *reading, const struct json *body,
                             struct scenario *scenario, struct error *err)
{
    if (!json_is(body, JSON_OBJECT)) return fail(err, ST_INVALID, "cases", "a case is an object");
    struct json_each each = json_each(body);
    while (json_next(&each)) {
        reading->pointer = problem_pointer(reading->arena, reading->body, each.name);
        if (!is_among(each.name, "name category note definitions steps expect inputs invariants testOutputs"))
            return fail(err, ST_INVALID, "cases", "a case has no field \"%.*s\"", STR_ARG(each.name));
    }
    scenario->start_ms = reading->start_ms;
    scenario->expect = json_get(body, STR("expect"));
    scenario->inputs = json_get(body, STR("inputs"));
    now_at(reading, reading->body, "testOutputs");
    const struct json *test_outputs = json_get(body, STR("testOutputs"));
    if (test_outputs && !json_is(test_outputs, JSON_BOOL))
        return fail(err, ST_INVALID, "testOutputs", "\"testOutputs\" is true or false");
    scenario->test_outputs = test_outputs && json_bool(test_outputs);
    now_at(reading, reading->body, "expect");
    if (scenario->expect && !json_is(scenario->expect, JSON_OBJECT))
        return fail(err, ST_INVALID, "expect", "\"expect\" is an object");
    now_at(reading, reading->body, "inputs");
    if (scenario->inputs) TRY(generate_check(scenario->inputs, err));
    TRY(read_definitions(reading, body, scenario, err));
    TRY(read_invariants(reading, body, scenario, err));
    return read_ops(reading, body, scenario, err);
}

static enum status read_clock(struct suite_reading *reading, struct error *err)
{
    const struct json *clock = json_get(reading->document, STR("clockStart"));
    reading->start_ms = CLOCK_START_MS;
    now_at(reading, STR(""), "clockStart");
    if (!clock) return ST_OK;
    if (!json_is(clock, JSON_STRING) || !datetime_parse(json_string(clock), &reading->start_ms))
        return fail(err, ST_INVALID, "clockStart",
                    "\"clockStart\" is a time such as \"2026-01-01T00:00:00Z\"");
    return ST_OK;
}

/* Reports mistakes of the file as a whole, once it has parsed. */
static enum status read_head(struct suite_reading *reading, struct error *err)
{
    if (dialect_has_body(reading->document) && !json_get(reading->document, STR("cases"))) {
        reading->pointer = STR("");
        return fail(err, ST_INVALID, "file",
                    "this is a definition, not a scenario file; pawl validate checks it, pawl run tries it");
    }
    struct json_each each = json_each(reading->document);
    while (json_next(&each)) {
        reading->pointer = problem_pointer(reading->arena, STR(""), each.name);
        if (!is_among(each.name, "clockStart cases definitions setup invariants note description $schema"))
            return fail(err, ST_INVALID, "file", "a scenario file has no field \"%.*s\"", STR_ARG(each.name));
    }
    now_at(reading, STR(""), "cases");
    if (!json_is(json_get(reading->document, STR("cases")), JSON_ARRAY))
        return fail(err, ST_INVALID, "file", "a scenario file is an object with a list \"cases\"");
    return read_clock(reading, err);
}

static enum status read_document(struct suite_reading *reading, str text, struct error *err)
{
    const struct source_limits limits = { .bytes_max = FILE_BYTES_MAX };
    struct error why;
    if (source_parse(text, source_format_of(reading->file), &limits, reading->arena, &reading->source,
                     &why) != ST_OK)
        return fail(err, ST_INVALID, "file", "%.*s:%u:%u: not %s: %s", STR_ARG(reading->file), why.line,
                    why.column, reading->source.yaml ? "YAML" : "JSON", why.message);
    reading->document = reading->source.document;
    enum status status = read_head(reading, &why);
    return status == ST_OK ? ST_OK : fail(err, status, "file", "%.*s", STR_ARG(placed(reading, &why)));
}

enum status scenario_parse(str text, str file, scenario_read_fn *read, void *context, struct arena *arena,
                           struct suite *ret_suite, struct error *err)
{
    struct suite_reading reading = { .arena = arena, .file = file, .read = read, .context = context };
    TRY(read_document(&reading, text, err));
    const struct json *cases = json_get(reading.document, STR("cases"));
    size_t count = json_count(cases);
    struct scenario *scenario = arena_make_n(arena, struct scenario, count);
    for (size_t i = 0; i < count; i++) {
        const struct json *body = json_item(cases, i), *name = json_get(body, STR("name"));
        struct error why;
        now_at_item(&reading, STR(""), "cases", i);
        reading.body = reading.pointer;
        scenario[i].name = json_is(name, JSON_STRING) && json_string(name).n
                               ? json_string(name)
                               : arena_printf(arena, "case %zu", i + 1);
        if (read_case(&reading, body, &scenario[i], &why) != ST_OK)
            scenario[i].problem = placed(&reading, &why);
    }
    *ret_suite = (struct suite){ .file = arena_str(arena, file), .scenario = scenario, .count = count };
    return ST_OK;
}

str scenario_name(const struct suite *suite, size_t index) { return suite->scenario[index].name; }
