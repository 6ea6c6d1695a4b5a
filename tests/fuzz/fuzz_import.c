/* tests/fuzz/fuzz_import.c — workflows of entities: a byte with the mode, a list of workflows that are
 * stored, a NUL, a list of workflows that come in.
 *
 * The set after an import is a list that can be stored. It is compiled or refused with problems, and printing
 * and reading it changes nothing. The same import once more changes nothing, and a set that is exported and
 * restored is the same set.
 */
#include "fuzz.h"

#include "base/utf8.h"
#include "dialect/entity/entity.h"
#include "program/problems.h"

/* A list of objects, as the API hands it over; NULL: it is none. */
static const struct json *read_list(str text, struct arena *arena)
{
    const struct json *list = fuzz_parse(text, arena);
    if (!json_is(list, JSON_ARRAY) || json_depth(list) > JSON_DEPTH_MAX - 4) return NULL;
    for (size_t i = 0; i < json_count(list); i++)
        if (!json_is(json_item(list, i), JSON_OBJECT)) return NULL;
    return list;
}

/* Has each a name of its own, by which the next import finds it? */
static bool are_named(const struct json *list)
{
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *name = json_get(json_item(list, i), STR("name"));
        if (!name) return false;
        for (size_t k = 0; k < i; k++)
            if (json_equal(name, json_get(json_item(list, k), STR("name")))) return false;
    }
    return true;
}

static void check_compiled(const struct json *set, struct arena *arena)
{
    struct problems problems;
    const struct json *document = entity_document(STR("m"), 1, set, arena), *normal = NULL;
    fuzz_check_value(document, arena);
    problems_init(&problems, arena);
    struct program *program = dialect_compile(document, &problems, &normal);
    must((program != NULL) == (problems.error_count == 0));
    struct buf out;
    buf_init(&out, arena);
    problems_print(&problems, STR("file"), &out);
    must(utf8_is_valid(buf_str(&out)));
    if (!program) return;
    must(program->node_count > 0 && str_equal(program->id, STR("m.1")));
    must(are_named(set));
    program_unref(program);
}

static void check_import(const struct json *stored, const struct json *incoming, enum entity_import_mode mode,
                         struct arena *arena)
{
    const struct json *set = entity_import(stored, incoming, mode, arena);
    must(json_is(set, JSON_ARRAY));
    check_compiled(set, arena);
    if (!are_named(set) || !are_named(incoming)) return;
    must(fuzz_same_cells(set, entity_import(set, incoming, mode, arena)));
    must(fuzz_same_cells(set, entity_import(NULL, set, ENTITY_RESTORE, arena)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str first, second;
    struct arena arena;
    if (!size) return 0;
    enum entity_import_mode mode = (enum entity_import_mode)(data[0] % (ENTITY_RESTORE + 1));
    arena_init(&arena, 0);
    fuzz_split((str){ (const char *)data + 1, size - 1 }, &first, &second);
    const struct json *stored = read_list(first, &arena), *incoming = read_list(second, &arena);
    if (stored) stored = entity_import(NULL, stored, ENTITY_RESTORE, &arena);
    if (incoming) check_import(stored, incoming, mode, &arena);
    arena_done(&arena);
    return 0;
}
