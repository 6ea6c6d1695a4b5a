/* dialect/serverless/read_workflow.c — the document as a whole. */
#include "dialect/serverless/read_int.h"

/* ---- who it is ---- */

static bool is_kept(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.' || (unsigned char)c >= 0x80;
}

/* ASCII letters and digits, `-`, `_`, `.` and whatever is not ASCII stay as they are; what is
 * between becomes one `-`, and nothing at both ends. "Hello World!" is Hello-World. */
static str slug(str name, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    bool gap = false;
    for (size_t i = 0; i < name.n; i++) {
        if (is_kept(name.p[i])) {
            if (gap && out.n) buf_add_char(&out, '-');
            buf_add_char(&out, name.p[i]);
        }
        gap = !is_kept(name.p[i]);
    }
    return buf_str(&out);
}

static void read_identity(struct reading *reading, const struct place *at)
{
    struct workflow *workflow = reading->workflow;
    workflow->name = read_name(reading, at, "name", REQUIRED);
    workflow->id = read_string(reading, at, "id", OPTIONAL);
    read_limit_name(reading, at, "id", workflow->id, DEFINITION_ID_BYTES_MAX);
    bool refused = read_member(at, "id") && !workflow->id.p;
    if (refused || workflow->id.n || !workflow->name.n) return;
    workflow->id = slug(workflow->name, reading->arena);
    if (!workflow->id.n)
        read_missing(reading, at, "id", "a name without letters and digits does not make one");
}

/* Text; a number, as YAML makes of a version without quotes, counts as it is written. */
static str read_version(struct reading *reading, const struct place *at)
{
    const struct json *value = read_member(at, "version");
    if (!value) return STR("1.0");
    if (!json_is(value, JSON_NUMBER)) return read_string(reading, at, "version", REQUIRED);
    struct buf out;
    buf_init(&out, reading->arena);
    json_print(value, &out);
    return buf_str(&out);
}

/* ---- extensions: kept in the document, and without effect ---- */

static void read_extensions(struct reading *reading, const struct place *at)
{
    const struct json *list = read_list(reading, at, "extensions", OPTIONAL);
    size_t count = json_count(list);
    if (count > DEFINITION_STEPS_MAX) {
        problem_error(reading->problems, PROBLEM_TOO_LARGE, read_pointer(reading, at, "extensions"), NULL,
                      "at most %d extensions, got %zu", DEFINITION_STEPS_MAX, count);
        return;
    }
    str *seen = arena_make_n(reading->scratch, str, count);
    for (size_t i = 0; i < count; i++) {
        struct place place;
        if (!read_item(reading, at, "extensions", i, json_item(list, i), &place)) continue;
        seen[i] = read_string(reading, &place, "extensionid", REQUIRED);
        for (size_t k = 0; seen[i].p && k < i; k++) {
            if (!str_equal(seen[i], seen[k])) continue;
            problem_error(reading->problems, PROBLEM_DUPLICATE_ID, read_pointer(reading, &place, "extensionid"), NULL,
                          "two extensions have the extensionid %s", problem_quote(reading->scratch, seen[i]));
            break;
        }
    }
}

/* ---- all of it ---- */

static void read_document(struct reading *reading, const struct place *at)
{
    static const char *const names[] = {
        "id",       "name",      "description", "version", "schemaVersion", "startsAt",   "execStatus",
        "expressionLanguage",    "triggers",    "functions", "states",      "onError",    "extensions", NULL,
    };
    struct workflow *workflow = reading->workflow;
    read_identity(reading, at);
    workflow->description = read_string(reading, at, "description", OPTIONAL);
    workflow->version = read_version(reading, at);
    reading->understood = read_language(reading, at, true);
    read_triggers(reading, at);
    read_functions(reading, at);
    read_handlers(reading, at, &workflow->handler, &workflow->handler_count);
    read_scope(reading, at, NULL, &workflow->scope);
    read_extensions(reading, at);
    read_only(reading, at, names);
}

struct workflow *workflow_read(const struct json *document, struct arena *arena, struct problems *problems)
{
    size_t errors = problems->error_count;
    enum spec_version version = version_check(document, problems);
    if (version != SPEC_SEED && version != SPEC_NONE) return NULL;

    struct reading reading = {
        .arena = arena,
        .scratch = problems->arena,
        .problems = problems,
        .workflow = arena_make(arena, struct workflow),
    };
    /* Names and values of the workflow are parts of the document, which must live as long. */
    struct place place = { .object = json_copy(arena, document), .pointer = STR(""), .what = "" };
    read_document(&reading, &place);
    workflow_check(&reading);
    return problems->error_count == errors ? reading.workflow : NULL;
}
