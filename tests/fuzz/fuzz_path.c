/* tests/fuzz/fuzz_path.c — JSONPath: a path, then perhaps a NUL and the document it looks at. */

#include "fuzz.h"

#include "base/utf8.h"

#include "jsonpath/jsonpath.h"

enum { FUEL = 5000, MEMORY = 4 << 20, NODES_MAX = 16 };

static const char usual_document[] =
    "{\"store\":{\"book\":[{\"title\":\"Sayings\",\"price\":8.95,\"tags\":[\"a\",\"b\"]},{\"title\":\"Moby\","
    "\"price\":8.99,"
    "\"isbn\":\"0-553\"},{\"title\":\"Lord\",\"price\":22.99,\"isbn\":\"0-395\"}],\"bicycle\":{\"color\":"
    "\"red\",\"price\":399}},"
    "\"a\":[0,1,[2,{\"b\":null}],\"x\"],\"o\":{\"j "
    "j\":{\"k.k\":3},\"'\":1,\"\":true,\"\xc3\xa4\":-0.5},\"e\":[],\"n\":null}";

struct selection {
    enum status status;
    int64_t fuel;
    const struct json *const *node;
    size_t count;
    struct error err;
};

static struct selection selected(const struct jsonpath *path, const struct json *root, int64_t fuel,
                                 struct arena *arena)
{
    struct selection selection = { .fuel = fuel };
    arena->budget = arena->used + MEMORY;
    selection.status = jsonpath_select(path, root, &selection.fuel, arena, &selection.node, &selection.count,
                                       &selection.err);
    arena->budget = 0;
    return selection;
}

static bool same_selection(const struct selection *a, const struct selection *b)
{
    if (a->status != b->status) return false;
    if (a->status != ST_OK) return strcmp(a->err.message, b->err.message) == 0;
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->node[i] != b->node[i]) return false;
    return true;
}

static const struct jsonpath *compiled(str text, enum jsonpath_mode mode, struct arena *arena)
{
    const struct jsonpath *path = NULL;
    struct error err = { 0 };
    enum status status = jsonpath_compile(text, mode, arena, &path, &err);
    if (status == ST_OK) return path;
    must((status == ST_INVALID || status == ST_LIMIT) && err.status == status && err.message[0]);
    must(status == ST_LIMIT || (err.line && err.column));
    must(utf8_is_valid(str_of(err.message)));
    return NULL;
}

static str printed(const struct jsonpath *path, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    jsonpath_print(path, &out);
    return buf_str(&out);
}

/* Its printed form is the same path. Texts may grow beyond the limit on the way. */
static const struct jsonpath *check_print(const struct jsonpath *path, struct arena *arena)
{
    str text = printed(path, arena);
    must(utf8_is_valid(text) && text.n && text.p[0] == '$');
    if (text.n > PATH_BYTES_MAX) return path;
    const struct jsonpath *again = compiled(text, JSONPATH_LENIENT, arena);
    must(again && str_equal(printed(again, arena), text));
    must(jsonpath_is_definite(again) == jsonpath_is_definite(path));
    return again;
}

static void check_node(const struct json *root, const struct json *node, struct arena *arena)
{
    str whole = json_encoded(root), part = json_encoded(node);
    must(part.p >= whole.p && part.p + part.n <= whole.p + whole.n);
    struct buf text;
    buf_init(&text, arena);
    jsonpath_print_node(root, node, &text);
    if (text.n > PATH_BYTES_MAX) return;
    const struct jsonpath *path = compiled(buf_str(&text), JSONPATH_STRICT, arena);
    must(path && jsonpath_is_definite(path));
    struct selection found = selected(path, root, FUEL, arena);
    must(found.status == ST_OK && found.count == 1 && found.node[0] == node);
}

static void check_value(const struct jsonpath *path, const struct json *root, const struct selection *nodes,
                        struct arena *arena)
{
    const struct json *value = NULL;
    int64_t fuel = FUEL;
    if (jsonpath_value(path, root, &fuel, arena, &value, NULL) != ST_OK) return;
    if (jsonpath_is_definite(path)) {
        must(nodes->count <= 1 && value == (nodes->count ? nodes->node[0] : NULL));
        return;
    }
    must(json_is(value, JSON_ARRAY) && json_count(value) == nodes->count);
    for (size_t i = 0; i < nodes->count && i < NODES_MAX; i++)
        must(fuzz_same_cells(json_item(value, i), nodes->node[i]));
    if (json_depth(value) <= JSON_DEPTH_MAX) fuzz_check_value(value, arena);
}

static void check_select(const struct jsonpath *path, const struct jsonpath *again, const struct json *root,
                         struct arena *arena)
{
    struct selection first = selected(path, root, FUEL, arena), second = selected(again, root, FUEL, arena);
    must(same_selection(&first, &second) && first.fuel == second.fuel);
    must(first.fuel >= 0 && first.fuel <= FUEL);
    if (first.status != ST_OK) {
        must(first.status == ST_LIMIT && first.err.message[0]);
        return;
    }
    int64_t used = FUEL - first.fuel;
    struct selection enough = selected(path, root, used, arena);
    must(same_selection(&first, &enough) && enough.fuel == 0);
    if (used > 0) must(selected(path, root, used - 1, arena).status == ST_LIMIT);
    for (size_t i = 0; i < first.count && i < NODES_MAX; i++) check_node(root, first.node[i], arena);
    check_value(path, root, &first, arena);
}

/* A placed value is found at its path, and only a value in the way prevents placing it. */
static void check_place(const struct jsonpath *path, const struct json *root, struct arena *arena)
{
    const struct json *placed = NULL, *value = json_of_int(arena, 4711);
    struct error err = { 0 };
    enum status status = jsonpath_place(root, path, value, arena, &placed, &err);
    if (status != ST_OK) {
        must((status == ST_INVALID || status == ST_LIMIT) && err.message[0]);
        return;
    }
    must(jsonpath_is_definite(path));
    struct selection found = selected(path, placed, FUEL, arena);
    must(found.status == ST_OK && found.count == 1 && json_equal(found.node[0], value));
    if (json_depth(placed) <= JSON_DEPTH_MAX) fuzz_check_value(placed, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str input = { (const char *)data, size }, text, document;
    struct arena arena;
    arena_init(&arena, 0);
    fuzz_split(input, &text, &document);
    const struct json *root = fuzz_parse(document, &arena);
    if (!root) {
        root = fuzz_parse(str_of(usual_document), &arena);
        text = input;
    }
    const struct jsonpath *strict = compiled(text, JSONPATH_STRICT, &arena);
    const struct jsonpath *lenient = compiled(text, JSONPATH_LENIENT, &arena);
    if (strict) must(lenient && str_equal(printed(strict, &arena), printed(lenient, &arena)));
    if (lenient) {
        check_select(lenient, check_print(lenient, &arena), root, &arena);
        check_place(lenient, root, &arena);
    }
    arena_done(&arena);
    return 0;
}
