/* tests/fuzz/fuzz_picture.c — the picture of a document that is not published: a text, then perhaps a NUL, a
 * byte with the layout, and a byte with the kibibytes of white space behind the text.
 *
 * As `POST /api/pictures` gets it: the query thread's function is called with the text as a body. Must hold:
 * a refusal has a reason; a picture is a JSON object whose nodes have places and whose lines have two ends at
 * least; the same text, with any white space behind it, gives the same picture.
 */
#include "mutate.h"

#include "base/utf8.h"
#include "runtime/definitions/design.h"

enum { PADDING_KIB = 64 };

/* The picture in the arena, or an empty text: it was refused. */
static str draw(str text, bool own_places, struct arena *arena)
{
    struct query query = { .limits = limits_default() };
    struct call call = { .kind = CALL_PICTURE,
                         .arena = arena,
                         .as.picture = { .text = text, .format = SOURCE_ANY, .own_places = own_places } };
    struct error err = { 0 };
    enum status status = design_picture(&query, &call, &err);
    if (status == ST_OK) {
        must(call.value.design.text.n);
        return call.value.design.text;
    }
    must(status == ST_INVALID && err.message[0] && utf8_is_valid(str_of(err.message)));
    return STR_NONE;
}

static void check_places(const struct json *list, size_t names, const char *const *name)
{
    must(json_is(list, JSON_ARRAY));
    for (size_t i = 0; i < json_count(list); i++)
        for (size_t k = 0; k < names; k++)
            must(json_is(json_get(json_item(list, i), str_of(name[k])), JSON_NUMBER));
}

static void check_picture(str text, struct arena *arena)
{
    static const char *const place[] = { "x", "y", "width", "height" };
    const struct json *picture = fuzz_parse(text, arena);
    must(json_is(picture, JSON_OBJECT));
    check_places(json_get(picture, STR("nodes")), COUNT(place), place);
    const struct json *edges = json_get(picture, STR("edges"));
    must(json_is(edges, JSON_ARRAY));
    for (size_t i = 0; i < json_count(edges); i++) {
        const struct json *points = json_get(json_item(edges, i), STR("points"));
        must(json_is(points, JSON_ARRAY) && json_count(points) >= 2);
    }
}

/* White space behind YAML may belong to its last text. */
static bool is_json(str text)
{
    text = str_trim(text);
    return text.n && text.p[0] == '{';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str text, rest;
    struct arena arena;
    arena_init(&arena, 0);
    fuzz_split((str){ (const char *)data, size }, &text, &rest);
    bool own_places = rest.n && rest.p[0] & 1;
    size_t padding = rest.n > 1 ? (uint8_t)rest.p[1] % (PADDING_KIB + 1) << 10 : 0;
    str block = fuzz_block(text), picture = draw(block, own_places, &arena);
    if (picture.n) check_picture(picture, &arena);
    fuzz_block_free(block);
    if (picture.n && is_json(text)) {
        char *padded = malloc(text.n + padding + 1);
        must(padded);
        memcpy(padded, text.p, text.n);
        memset(padded + text.n, ' ', padding + 1);
        str again = draw((str){ padded, text.n + padding + 1 }, own_places, &arena);
        free(padded);
        must(str_equal(picture, again));
    }
    arena_done(&arena);
    return 0;
}
