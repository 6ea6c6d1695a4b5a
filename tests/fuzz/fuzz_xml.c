/* tests/fuzz/fuzz_xml.c — XML as a JSON document.
 *
 * A text is read or refused with a reason and a place inside it. A document that was read can be stored.
 * White space, a comment and a byte order mark around it change nothing, and inside another element it is the
 * same value. A lower limit only leads to a refusal.
 */
#include "fuzz.h"

#include "base/utf8.h"
#include "source/xml.h"

static const struct json *read_text(str text, size_t bytes_max, struct arena *arena)
{
    const struct json *value = NULL;
    struct error err = { 0 };
    enum status status = xml_parse(text, bytes_max, arena, &value, &err);
    if (status == ST_OK) {
        must(value && json_decode(json_encoded(value), arena)); /* UTF-8, no name twice, not too deep. */
        return value;
    }
    must((status == ST_INVALID || status == ST_LIMIT) && err.status == status && err.message[0]);
    must(utf8_is_valid(str_of(err.message)));
    return NULL;
}

static str joined(const char *before, str text, const char *behind, struct arena *arena)
{
    return arena_printf(arena, "%s%.*s%s", before, STR_ARG(text), behind);
}

static bool has_declaration(str text)
{
    return str_starts(text, STR("<?xml")) || str_starts(text, STR("\xEF\xBB\xBF"));
}

static void check_around(str text, const struct json *value, struct arena *arena)
{
    static const struct {
        const char *before, *behind;
        bool first; /* Nothing may be before a declaration. */
    } around[] = { { "", " \n", false },         { "", "<!--x-->", false },      { "", "<?a b?>\n", false },
                   { "\n\t", "", true },         { "<!-- - -->\r\n", "", true }, { "<?a?>", "", true },
                   { "\xEF\xBB\xBF", "", false } };
    for (size_t i = 0; i < COUNT(around); i++) {
        if (around[i].first && has_declaration(text)) continue;
        if (around[i].before[0] == '\xEF' && str_starts(text, STR("\xEF"))) continue;
        const struct json *again =
            read_text(joined(around[i].before, text, around[i].behind, arena), 0, arena);
        must(again && fuzz_same_cells(value, again));
    }
}

/* The outermost element's name is not kept, so two of the same kind in one element are two values. */
static void check_inside(str text, const struct json *value, struct arena *arena)
{
    if (has_declaration(text)) return;
    const struct json *outer = read_text(joined("<w>", text, "</w>", arena), 0, arena);
    if (!outer) return; /* Too deep now, or with one element too many. */
    must(json_is(outer, JSON_OBJECT) && json_count(outer) == 1);
    struct json_each each = json_each(outer);
    must(json_next(&each));
    bool empty = json_is(value, JSON_OBJECT) && !json_count(value); /* Else it is the empty text. */
    must(empty || fuzz_same_cells(each.value, value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str text = fuzz_block((str){ (const char *)data, size });
    struct arena arena;
    arena_init(&arena, 0);
    const struct json *value = read_text(text, 0, &arena);
    if (size > 1) must(!read_text(text, size - 1, &arena));
    if (value) {
        fuzz_check_value(value, &arena);
        check_around(text, value, &arena);
        check_inside(text, value, &arena);
        must(fuzz_same_cells(value, read_text(text, size, &arena)));
    }
    arena_done(&arena);
    fuzz_block_free(text);
    return 0;
}
