/* dialect/serverless/read_workflow.c — the document as a whole. */
#include "dialect/serverless/read_int.h"

#include "base/ascii.h"

/* ---- who it is ---- */

static void read_identity(struct reading *reading, const struct read_place *at)
{
    struct workflow *workflow = reading->workflow;
    workflow->name = read_name(reading, at, "name", REQUIRED);
    workflow->id = read_string(reading, at, "id", OPTIONAL);
    read_limit_name(reading, at, "id", workflow->id, DEFINITION_ID_BYTES_MAX);
    bool refused = read_member(at, "id") && !workflow->id.p;
    if (refused || workflow->id.n) return;
    /* Engines before this one made another id of the name. */
    str stored = reading->problems->stored_id;
    workflow->id = stored.n ? arena_str(reading->arena, stored) : workflow->name;
}

/* The version is text. YAML makes a number of a version without quotes; its digits count as written. */
static str read_version(struct reading *reading, const struct read_place *at)
{
    const struct json *value = read_member(at, "version");
    if (!value) return STR("1.0");
    if (!json_is(value, JSON_NUMBER)) return read_string(reading, at, "version", REQUIRED);
    struct buf out;
    buf_init(&out, reading->arena);
    json_print(value, &out);
    return buf_str(&out);
}

/* ---- which version is the higher one ----
 *
 * Up to four numbers with dots between, those that are missing 0, become digits of a binary fraction that has
 * their order. Small numbers leave room for a large one, such as a date. Digits that do not fit are cut off:
 * then versions may come out as equal, but never in the wrong order. */

enum { VERSION_NUMBERS = 4, RANK_BITS = 63, LENGTH_BITS = 6 };

struct rank {
    uint64_t bits;
    unsigned room; /* How many more there may be. */
};

static void rank_add(struct rank *rank, uint64_t bits, unsigned count)
{
    unsigned fit = count < rank->room ? count : rank->room;
    rank->bits = rank->bits << fit | bits >> (count - fit);
    rank->room -= fit;
}

/* Writes the number of its binary digits, then the digits behind the first, which is 1. */
static void rank_add_number(struct rank *rank, uint64_t number)
{
    unsigned length = 0;
    while (number >> length) length++;
    rank_add(rank, length, LENGTH_BITS);
    if (length) rank_add(rank, number ^ UINT64_C(1) << (length - 1), length - 1);
}

static bool is_digit_at(str text, size_t at) { return at < text.n && ascii_is_digit(text.p[at]); }

static uint64_t take_number(str text, size_t *at)
{
    uint64_t number = 0;
    for (; is_digit_at(text, *at); (*at)++) {
        uint64_t digit = (uint64_t)(text.p[*at] - '0');
        number = number > (INT64_MAX - digit) / 10 ? INT64_MAX : number * 10 + digit;
    }
    return number;
}

static int64_t rank_of(str version)
{
    struct rank rank = { .room = RANK_BITS };
    size_t at = 0;
    for (int i = 0; i < VERSION_NUMBERS; i++) {
        bool dot = i > 0 && at < version.n && version.p[at] == '.' && is_digit_at(version, at + 1);
        if (dot) at++;
        rank_add_number(&rank, i == 0 || dot ? take_number(version, &at) : 0);
    }
    bool before_release = at < version.n && version.p[at] == '-'; /* 1.0-beta */
    rank_add(&rank, !before_release, 1);
    return (int64_t)(rank.bits << rank.room);
}

/* ---- extensions: kept in the document, and without effect ---- */

static void read_extensions(struct reading *reading, const struct read_place *at)
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
        struct read_place place;
        if (!read_item(reading, at, "extensions", i, json_item(list, i), &place)) continue;
        seen[i] = read_string(reading, &place, "extensionid", REQUIRED);
        for (size_t k = 0; seen[i].p && k < i; k++) {
            if (!str_equal(seen[i], seen[k])) continue;
            problem_error(reading->problems, PROBLEM_DUPLICATE_ID,
                          read_pointer(reading, &place, "extensionid"), NULL,
                          "two extensions have the extensionid %s", problem_quote(reading->scratch, seen[i]));
            break;
        }
    }
}

/* ---- all of it ---- */

static void read_document(struct reading *reading, const struct read_place *at)
{
    static const char *const names[] = {
        "id",       "name",       "description",        "version",  "schemaVersion",
        "startsAt", "execStatus", "expressionLanguage", "triggers", "functions",
        "states",   "onError",    "extensions",         "$schema",  "startableBy",
        "mcp",      NULL,
    };
    struct workflow *workflow = reading->workflow;
    read_identity(reading, at);
    workflow->description = read_string(reading, at, "description", OPTIONAL);
    workflow->version = read_version(reading, at);
    workflow->rank = rank_of(workflow->version);
    reading->understood = read_language(reading, at, true);
    read_triggers(reading, at);
    read_functions(reading, at);
    read_handlers(reading, at, &workflow->handler, &workflow->handler_count);
    read_scope(reading, at, NULL, &workflow->scope);
    read_extensions(reading, at);
    read_only(reading, at, names);
}

struct workflow *serverless_read(const struct json *document, struct arena *arena, struct problems *problems)
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
    /* Names and values of the workflow are parts of the document, so a copy of it lives with the workflow. */
    struct read_place place = { .object = json_copy(arena, document), .pointer = STR(""), .what = "" };
    read_document(&reading, &place);
    serverless_check(&reading);
    return problems->error_count == errors ? reading.workflow : NULL;
}
