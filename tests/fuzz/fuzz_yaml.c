/* tests/fuzz/fuzz_yaml.c — a text that may be YAML, JSON, both or neither. */

#include "fuzz.h"

#include "base/utf8.h"

#include "source/source.h"

enum { POINTERS_MAX = 200 };

static size_t line_count(str text)
{
    size_t count = 1;
    for (size_t i = 0; i < text.n; i++) count += text.p[i] == '\n';
    return count;
}

static bool parsed(str text, enum source_format format, struct arena *arena, struct source *ret_source)
{
    struct error err = { 0 };
    enum status status = source_parse(text, format, NULL, arena, ret_source, &err);
    if (status == ST_OK) return true;
    must((status == ST_INVALID || status == ST_LIMIT) && err.status == status && err.message[0]);
    must(err.line && err.line <= line_count(text) && err.column && err.column <= text.n + 1);
    must(utf8_is_valid(str_of(err.message)));
    return false;
}

/* ---- places ---- */

struct place {
    uint32_t line, column;
};

static struct place place_of(const struct source *source, str pointer)
{
    struct place place = { 0 };
    must(source_locate(source, pointer, &place.line, &place.column));
    must(place.line && place.column && place.line <= line_count(source->text_));
    return place;
}

/* Everything has a place, and nothing comes before what holds it, unless an alias moved it. */
static void check_places(const struct source *source, const struct json *value, str pointer, size_t *left,
                         struct arena *arena)
{
    struct place outer = place_of(source, pointer);
    bool aliases = source->yaml && memchr(source->text_.p, '*', source->text_.n);
    struct json_each each = json_each(value);
    for (size_t i = 0; json_next(&each) && *left; i++, --*left) {
        str inner_pointer = json_kind(value) == JSON_ARRAY ? problem_pointer_index(arena, pointer, i)
                                                           : problem_pointer(arena, pointer, each.name);
        must(json_pointer(source->document, inner_pointer) == each.value);
        struct place inner = place_of(source, inner_pointer);
        must(aliases || inner.line > outer.line ||
             (inner.line == outer.line && inner.column >= outer.column));
        check_places(source, each.value, inner_pointer, left, arena);
    }
}

static void check_document(const struct source *source, struct arena *arena)
{
    size_t left = POINTERS_MAX;
    fuzz_check_value(source->document, arena);
    must(json_depth(source->document) <= JSON_DEPTH_MAX);
    check_places(source, source->document, STR(""), &left, arena);
}

/* ---- JSON is YAML ---- */

/* But for what libyaml does not read: names of more than 1024 characters, pairs of \u for one
 * character, and characters that have to be escaped. */
static bool must_be_yaml(str json)
{
    for (size_t i = 0; i < json.n; i++)
        if ((unsigned char)json.p[i] >= 0x7f) return false;
    return json.n <= 1024;
}

static void check_printed(const struct source *source, struct arena *arena)
{
    str text = fuzz_printed(json_print, source->document, arena);
    struct source again;
    if (parsed(text, SOURCE_YAML, arena, &again)) must(fuzz_same_cells(again.document, source->document));
    else must(!must_be_yaml(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str text = { (const char *)data, size };
    struct arena arena;
    struct source json, yaml, any;
    arena_init(&arena, 0);
    bool is_json = parsed(text, SOURCE_JSON, &arena, &json);
    bool is_yaml = parsed(text, SOURCE_YAML, &arena, &yaml);
    bool is_any = parsed(text, SOURCE_ANY, &arena, &any);
    if (is_json) check_document(&json, &arena);
    if (is_yaml) {
        check_document(&yaml, &arena);
        check_printed(&yaml, &arena);
    }
    if (is_json && is_yaml) must(fuzz_same_cells(json.document, yaml.document));
    if (is_json) must(is_any && !any.yaml && fuzz_same_cells(any.document, json.document));
    if (is_any && any.yaml)
        must(is_yaml && json_is(any.document, JSON_OBJECT) && fuzz_same_cells(any.document, yaml.document));
    arena_done(&arena);
    return 0;
}
