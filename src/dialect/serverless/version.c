/* dialect/serverless/version.c — which version of the specification a document is of.
 *
 * The specification changed its names with every version. Three fields declare a version; without
 * them the shape decides. A document of another version is refused with the name of that version and the
 * draft's names for its constructs.
 *
 *     document.dsl            1.x
 *     specVersion             0.7, 0.8, 0.9
 *     schemaVersion 0.x       that one
 *     shape                   the draft, its ancestor of 2019, 0.1, 0.5, 0.6
 */
#include "dialect/serverless/serverless_int.h"

#include "base/ascii.h"

static const char *const version_names[SPEC_COUNT] = {
    [SPEC_SEED] = "the draft of January 2020",
    [SPEC_KEBAB_2019] = "the draft of 2019",
    [SPEC_0_1] = "0.1",
    [SPEC_0_5] = "0.5",
    [SPEC_0_6] = "0.6",
    [SPEC_0_7] = "0.7",
    [SPEC_0_8] = "0.8",
    [SPEC_0_9] = "0.9",
    [SPEC_1_0] = "1.0",
    [SPEC_OTHER] = "a version we do not know",
};

/* ---- what later versions call things ---- */

static const struct construct {
    enum construct_kind kind;
    const char *name, *here;
} constructs[] = {
    { CONSTRUCT_FIELD, "start", "`startsAt`" },
    { CONSTRUCT_FIELD, "starts-at", "`startsAt`" },
    { CONSTRUCT_FIELD, "trigger-defs", "`triggers`" },
    { CONSTRUCT_FIELD, "events", "`triggers`" },
    { CONSTRUCT_FIELD, "event-expression", "`condition`" },
    { CONSTRUCT_FIELD, "eventsActions", "`eventActions`, each with a `condition` over triggers" },
    { CONSTRUCT_FIELD, "onEvents", "`eventActions`, each with a `condition` over triggers" },
    { CONSTRUCT_FIELD, "stateDataFilter", "`filter` with inputPath, resultPath and outputPath" },
    { CONSTRUCT_FIELD, "actionDataFilter", "`filter` with inputPath, resultPath and outputPath" },
    { CONSTRUCT_FIELD, "eventDataFilter", "`filter` with inputPath and resultPath" },
    { CONSTRUCT_FIELD, "errorDataFilter", "`filter` with inputPath, resultPath and outputPath" },
    { CONSTRUCT_FIELD, "dataConditions", "`choices` with path, operator and value" },
    { CONSTRUCT_FIELD, "eventConditions", "an EVENT state with an entry of `eventActions` each" },
    { CONSTRUCT_FIELD, "defaultCondition", "`default`" },
    { CONSTRUCT_FIELD, "onErrors", "`onError`, with a `condition` on the error" },
    { CONSTRUCT_FIELD, "data", "`inject`" },
    { CONSTRUCT_FIELD, "duration", "`timeDelay`" },
    { CONSTRUCT_FIELD, "arguments", "`parameters`" },
    { CONSTRUCT_FIELD, "operation", "`resource`" },
    { CONSTRUCT_FIELD, "subFlowRef", "a SUBFLOW state with `workflowId`" },
    { CONSTRUCT_FIELD, "retries", "`retry` of an action" },
    { CONSTRUCT_TYPE, "inject", "a RELAY state, with the data as `inject`" },
    { CONSTRUCT_TYPE, "sleep", "a DELAY state, with `timeDelay`" },
    { CONSTRUCT_TYPE, "foreach", "a `loop`, which every state but RELAY can have" },
    { CONSTRUCT_TYPE, "callback", "an OPERATION state followed by an EVENT state" },
    { CONSTRUCT_TASK, "do", "`states`" },
    { CONSTRUCT_TASK, "call", "an OPERATION state, with `functions`" },
    { CONSTRUCT_TASK, "set", "a RELAY state, with `inject`" },
    { CONSTRUCT_TASK, "switch", "a SWITCH state" },
    { CONSTRUCT_TASK, "for", "a `loop`, which every state but RELAY can have" },
    { CONSTRUCT_TASK, "fork", "a PARALLEL state" },
    { CONSTRUCT_TASK, "listen", "an EVENT state" },
    { CONSTRUCT_TASK, "emit", "a function of type emit" },
    { CONSTRUCT_TASK, "wait", "a DELAY state, with `timeDelay`" },
    { CONSTRUCT_TASK, "run", "a SUBFLOW state" },
    { CONSTRUCT_TASK, "try", "`onError` and `retry`" },
};

const char *version_instead(enum construct_kind kind, str name, struct arena *arena)
{
    for (size_t i = 0; i < COUNT(constructs); i++)
        if (constructs[i].kind == kind && str_equal_ignoring_case(name, str_of(constructs[i].name)))
            return arena_printf(arena, "in this draft it is %s", constructs[i].here).p;
    return NULL;
}

/* ---- signs of a version ---- */

struct sign {
    str pointer; /* p NULL: none was seen. */
    str text;    /* The sign itself: `specVersion "0.8"`. */
    bool declared;
};

struct signs {
    struct arena *arena;
    struct sign of[SPEC_COUNT];
    bool declared; /* A field declares some version. */
    bool braces;   /* ${ … } */
    bool lower;    /* A state of type delay or subflow. */
    bool construct[COUNT(constructs)];
};

static void see(struct signs *signs, enum spec_version version, str pointer, str text)
{
    if (!signs->of[version].pointer.p) signs->of[version] = (struct sign){ .pointer = pointer, .text = text };
}

static bool is_upper(str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (ascii_is_lower(text.p[i])) return false;
    return text.n > 0;
}

/* `{{ $.x }}` */
static bool has_template(str text)
{
    for (size_t at = 0; (at = str_find(text, STR("{{"), at)) != SIZE_MAX; at += 2)
        if (str_starts(str_trim(str_slice(text, at + 2, text.n)), STR("$"))) return true;
    return false;
}

/* ---- declared ---- */

/* The value of a field as text; a number (YAML writes 0.8 without quotes) as it is written. */
static str version_text(struct signs *signs, const struct json *value)
{
    if (json_is(value, JSON_STRING)) return str_trim(json_string(value));
    if (!json_is(value, JSON_NUMBER)) return STR("");
    struct buf out;
    buf_init(&out, signs->arena);
    json_print(value, &out);
    return buf_str(&out);
}

/* `0.8` of `0.8.0`, `v0.8`. */
static enum spec_version version_of_text(str text)
{
    static const struct {
        str prefix;
        enum spec_version version;
    } known[] = {
        { STR_INIT("0.1"), SPEC_0_1 }, { STR_INIT("0.5"), SPEC_0_5 }, { STR_INIT("0.6"), SPEC_0_6 },
        { STR_INIT("0.7"), SPEC_0_7 }, { STR_INIT("0.8"), SPEC_0_8 }, { STR_INIT("0.9"), SPEC_0_9 },
        { STR_INIT("1."), SPEC_1_0 },
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        str rest = str_slice(text, known[i].prefix.n, text.n);
        bool whole = !rest.n || !ascii_is_digit(rest.p[0]) || known[i].version == SPEC_1_0;
        if (str_starts(text, known[i].prefix) && whole) return known[i].version;
    }
    return SPEC_OTHER;
}

static void see_declared(struct signs *signs, const char *field, str pointer, const struct json *value)
{
    str text = version_text(signs, value);
    enum spec_version version = version_of_text(text);
    see(signs, version, pointer,
        arena_printf(signs->arena, "%s %s", field, problem_quote(signs->arena, text)));
    signs->of[version].declared = signs->declared = true;
}

/* 0.x, 0.x.y */
static bool looks_like_a_version(str text)
{
    if (!str_starts(text, STR("0.")) || text.n < 3) return false;
    for (size_t i = 2; i < text.n; i++)
        if (!ascii_is_digit(text.p[i]) && text.p[i] != '.') return false;
    return true;
}

static void look_at_declarations(struct signs *signs, const struct json *document)
{
    const struct json *dsl = json_get(json_get(document, STR("document")), STR("dsl"));
    if (dsl) see_declared(signs, "document.dsl", STR("/document/dsl"), dsl);
    const struct json *spec = json_get(document, STR("specVersion"));
    if (spec) see_declared(signs, "specVersion", STR("/specVersion"), spec);
    const struct json *schema = json_get(document, STR("schemaVersion"));
    if (looks_like_a_version(version_text(signs, schema)))
        see_declared(signs, "schemaVersion", STR("/schemaVersion"), schema);
}

/* ---- shape ---- */

static bool is_a_filter_of_the_draft(const struct json *value)
{
    return json_get(value, STR("inputPath")) || json_get(value, STR("resultPath")) ||
           json_get(value, STR("outputPath"));
}

static bool has_a_test(const struct json *choices)
{
    struct json_each each = json_each(choices);
    while (json_next(&each))
        if (json_get(each.value, STR("path")) || json_get(each.value, STR("operator"))) return true;
    return false;
}

static bool has_plain_paths(const struct json *filter)
{
    struct json_each each = json_each(filter);
    while (json_next(&each)) {
        bool path = str_equal(each.name, STR("dataInputPath")) || str_equal(each.name, STR("dataOutputPath"));
        if (path && json_is(each.value, JSON_STRING) &&
            str_find(json_string(each.value), STR("{{"), 0) == SIZE_MAX)
            return true;
    }
    return false;
}

/* Returns the version that a member of an object is a sign of. */
static enum spec_version sign_of(str name, const struct json *value, bool top)
{
    const struct json *kind;
    if (str_equal(name, STR("startsAt")) || str_equal(name, STR("eventActions"))) return SPEC_SEED;
    if (str_equal(name, STR("triggers")) && top) return SPEC_SEED;
    if (str_equal(name, STR("loop")) && json_is(value, JSON_OBJECT)) return SPEC_SEED;
    if (str_equal(name, STR("choices")) && has_a_test(value)) return SPEC_SEED;
    if (str_equal(name, STR("filter")) && is_a_filter_of_the_draft(value)) return SPEC_SEED;
    if (str_equal(name, STR("starts-at")) || str_equal(name, STR("trigger-defs")) ||
        str_equal(name, STR("event-expression")))
        return SPEC_KEBAB_2019;
    if (str_equal(name, STR("eventsActions"))) return SPEC_0_1;
    if (str_equal(name, STR("stateDataFilter")) && has_plain_paths(value)) return SPEC_0_1;
    if (str_equal(name, STR("start")) && (kind = json_get(value, STR("kind"))) && json_is(kind, JSON_STRING))
        return is_upper(json_string(kind)) ? SPEC_0_1 : SPEC_0_5;
    return SPEC_NONE;
}

/* Members whose content is the author's data and says nothing about the format. */
static bool is_free(str name)
{
    static const str free_names[] = {
        STR_INIT("inject"), STR_INIT("parameters"), STR_INIT("arguments"), STR_INIT("value"),
        STR_INIT("data"),   STR_INIT("extensions"), STR_INIT("metadata"),  STR_INIT("description"),
    };
    for (size_t i = 0; i < COUNT(free_names); i++)
        if (str_equal(name, free_names[i])) return true;
    return false;
}

static void look_at_text(struct signs *signs, str name, str text, str pointer)
{
    if (has_template(text)) see(signs, SPEC_0_5, pointer, STR("{{ $ … }}"));
    if (str_find(text, STR("${"), 0) != SIZE_MAX) signs->braces = true;
    if (!str_equal(name, STR("type"))) return;
    if (str_equal(text, STR("delay")) || str_equal(text, STR("subflow"))) signs->lower = true;
    for (size_t i = 0; i < COUNT(constructs); i++)
        if (constructs[i].kind == CONSTRUCT_TYPE && str_equal_ignoring_case(text, str_of(constructs[i].name)))
            signs->construct[i] = true;
}

/* Parsed values are JSON_DEPTH_MAX deep at most. */
static void look_inside(struct signs *signs, const struct json *value, str pointer, unsigned depth)
{
    must(depth <= JSON_DEPTH_MAX);
    bool object = json_is(value, JSON_OBJECT);
    struct json_each each = json_each(value);
    for (size_t i = 0; json_next(&each); i++) {
        str place = object ? problem_pointer(signs->arena, pointer, each.name)
                           : problem_pointer_index(signs->arena, pointer, i);
        if (object) {
            enum spec_version version = sign_of(each.name, each.value, !depth);
            if (version != SPEC_NONE) see(signs, version, place, each.name);
            for (size_t k = 0; k < COUNT(constructs); k++)
                if (constructs[k].kind != CONSTRUCT_TYPE && str_equal(each.name, str_of(constructs[k].name)))
                    signs->construct[k] = true;
            if (is_free(each.name)) continue;
        }
        if (json_is(each.value, JSON_STRING)) look_at_text(signs, each.name, json_string(each.value), place);
        else if (json_count(each.value)) look_inside(signs, each.value, place, depth + 1);
    }
}

static void look_at(struct signs *signs, const struct json *document)
{
    look_at_declarations(signs, document);
    look_inside(signs, document, STR(""), 0);
    const struct json *start = json_get(document, STR("start"));
    bool of_0_6 = start && signs->braces && signs->lower;
    if (of_0_6) see(signs, SPEC_0_6, STR("/start"), STR("start, ${ … }"));
    bool nothing = !of_0_6;
    for (size_t i = 0; i < SPEC_COUNT; i++)
        if (signs->of[i].pointer.p) nothing = false;
    if (nothing && start) see(signs, SPEC_0_6, STR("/start"), STR("start"));
}

/* ---- the verdict ---- */

/* A declared later version explains the shape of any later version; only the draft's own shape,
 * or its ancestor's, contradicts it. */
static bool counts(const struct signs *signs, size_t version)
{
    const struct sign *sign = &signs->of[version];
    if (!sign->pointer.p) return false;
    return !signs->declared || sign->declared || version == SPEC_SEED || version == SPEC_KEBAB_2019;
}

static const char *constructs_found(const struct signs *signs, enum spec_version version)
{
    struct buf out;
    buf_init(&out, signs->arena);
    for (size_t i = 0; i < COUNT(constructs); i++) {
        bool tasks = version == SPEC_1_0;
        if (!signs->construct[i] || (constructs[i].kind == CONSTRUCT_TASK) != tasks) continue;
        buf_printf(&out, "%s%s is here %s", out.n ? "; " : "", constructs[i].name, constructs[i].here);
    }
    if (!out.n) return "name the first state in startsAt and give states one of the draft's seven types";
    buf_add_char(&out, '\0');
    return out.p;
}

static void refuse(struct problems *problems, const struct signs *signs, enum spec_version version)
{
    const struct sign *sign = &signs->of[version];
    problem_error(
        problems, PROBLEM_UNSUPPORTED_VERSION, sign->pointer, constructs_found(signs, version),
        "this is a Serverless Workflow document of %s%s (%.*s); this engine runs the draft of January 2020: "
        "startsAt, states with upper-case types, filter.inputPath",
        version == SPEC_KEBAB_2019 || version == SPEC_OTHER ? "" : "version ", version_names[version],
        STR_ARG(sign->text));
}

static void refuse_mixture(struct problems *problems, const struct signs *signs, enum spec_version a,
                           enum spec_version b)
{
    const struct sign *one = &signs->of[a], *other = &signs->of[b];
    problem_error(problems, PROBLEM_UNSUPPORTED_VERSION, other->pointer,
                  "write all of it for the draft of January 2020, without a later version's fields",
                  "the document mixes versions of Serverless Workflow: %s (%.*s at %.*s) and %s (%.*s)",
                  version_names[a], STR_ARG(one->text), STR_ARG(one->pointer), version_names[b],
                  STR_ARG(other->text));
}

enum spec_version version_check(const struct json *document, struct problems *problems)
{
    struct signs signs = { .arena = problems->arena };
    look_at(&signs, document);
    enum spec_version first = SPEC_NONE, second = SPEC_NONE;
    for (size_t i = SPEC_SEED; i < SPEC_COUNT; i++) {
        if (!counts(&signs, i)) continue;
        if (first == SPEC_NONE) first = (enum spec_version)i;
        else if (second == SPEC_NONE) second = (enum spec_version)i;
    }
    if (second != SPEC_NONE) {
        refuse_mixture(problems, &signs, first, second);
        return SPEC_CONFLICT;
    }
    if (first == SPEC_NONE)
        problem_warning(
            problems, PROBLEM_UNUSUAL, STR(""), NULL,
            "nothing shows which version of Serverless Workflow this is; it is read as the draft of "
            "January 2020");
    else if (first != SPEC_SEED) refuse(problems, &signs, first);
    return first;
}

bool version_recognises(const struct json *document)
{
    static const str marks[] = { STR_INIT("startsAt"), STR_INIT("specVersion"), STR_INIT("starts-at"),
                                 STR_INIT("trigger-defs") };
    if (json_is(json_get(document, STR("steps")), JSON_ARRAY)) return false;
    if (json_is(json_get(document, STR("states")), JSON_ARRAY)) return true;
    if (json_get(json_get(document, STR("document")), STR("dsl"))) return true;
    for (size_t i = 0; i < COUNT(marks); i++)
        if (json_get(document, marks[i])) return true;
    return false;
}
