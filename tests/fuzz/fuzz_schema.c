/* tests/fuzz/fuzz_schema.c — JSON Schema: a schema, then perhaps a NUL and the value it checks. */

#include "fuzz.h"

#include "schema/schema.h"

#include "schema/limits.h"

enum { FUEL = 20000, MEMORY = 64 << 20 };

static const char usual_value[] =
    "{\"id\":7,\"name\":\"Ada\",\"tags\":[\"a\",\"b\",\"a\"],\"price\":19.99,\"home\":"
    "{\"city\":\"London\",\"zip\":null},\"paid\":true,\"\":[[],{}],\"at\":\"2026-11-16\"}";

struct verdict {
    enum status status;
    const struct schema_problem *problem;
    size_t count;
    int64_t fuel;
    struct error err;
};

static struct verdict checked(const struct schema *schema, const struct json *value, int64_t fuel,
                              struct arena *arena)
{
    struct verdict verdict = { .fuel = fuel };
    verdict.status =
        schema_check(schema, value, &verdict.fuel, arena, &verdict.problem, &verdict.count, &verdict.err);
    return verdict;
}

static bool same(const struct verdict *a, const struct verdict *b)
{
    if (a->status != b->status || a->fuel != b->fuel || a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (!str_equal(a->problem[i].where, b->problem[i].where) ||
            !str_equal(a->problem[i].message, b->problem[i].message))
            return false;
    return true;
}

/* Every run gives the same, the fuel used is exactly the fuel needed, and a problem's place is in the value.
 */
static void check_value(const struct schema *schema, const struct json *value, struct arena *arena)
{
    struct verdict first = checked(schema, value, FUEL, arena), second = checked(schema, value, FUEL, arena);
    must(first.status == second.status && first.fuel == second.fuel);
    if (first.status != ST_OK) {
        must((first.status == ST_LIMIT || first.status == ST_INVALID) && first.err.message[0]);
        return;
    }
    must(same(&first, &second) && first.count <= SCHEMA_PROBLEMS_MAX);
    int64_t used = FUEL - first.fuel;
    struct verdict enough = checked(schema, value, used, arena);
    must(enough.status == ST_OK && enough.fuel == 0);
    must(checked(schema, value, used - 1, arena).status == ST_LIMIT);
    for (size_t i = 0; i < first.count; i++) {
        must(json_pointer(value, first.problem[i].where));
        must(first.problem[i].message.n);
    }
}

/* What not(schema) says is the opposite, and allOf, anyOf and oneOf of one schema say the same. */
static void check_wrapped(const struct json *document, const struct json *value, bool valid,
                          struct arena *arena)
{
    static const struct {
        const char *keyword;
        bool list, negates;
    } wraps[] = {
        { "not", false, true }, { "allOf", true, false }, { "anyOf", true, false }, { "oneOf", true, false }
    };
    if (json_is(document, JSON_OBJECT) &&
        (json_get(document, STR("$id")) || json_get(document, STR("$schema"))))
        return;
    for (size_t i = 0; i < COUNT(wraps); i++) {
        struct json_builder builder;
        json_builder_init(&builder, arena);
        json_open_object(&builder);
        json_add_name(&builder, str_of(wraps[i].keyword));
        if (wraps[i].list) json_open_array(&builder);
        json_add(&builder, document);
        if (wraps[i].list) json_close(&builder);
        json_close(&builder);
        const struct schema *schema;
        /* References into the document lead elsewhere now: most are refused, and others change what it means.
         */
        struct buf text;
        buf_init(&text, arena);
        json_print(document, &text);
        if (str_find(buf_str(&text), STR("Ref\""), 0) != SIZE_MAX ||
            str_find(buf_str(&text), STR("$ref\""), 0) != SIZE_MAX)
            return;
        if (schema_compile(json_built(&builder), arena, &schema, NULL) != ST_OK) continue;
        struct verdict verdict = checked(schema, value, 4 * FUEL, arena);
        must(verdict.status == ST_OK && (verdict.count == 0) == (valid != wraps[i].negates));
    }
}

static void run(const struct json *document, const struct json *value, const struct schema_options *options,
                struct arena *arena)
{
    const struct schema *schema = NULL;
    struct error err = { 0 };
    enum status status = schema_compile_with(document, options, arena, &schema, &err);
    if (status != ST_OK) {
        must((status == ST_INVALID || status == ST_LIMIT) && err.message[0] && !schema);
        return;
    }
    check_value(schema, value, arena);
    check_value(schema, document, arena);
    struct verdict verdict = checked(schema, value, FUEL, arena);
    if (!options && verdict.status == ST_OK) check_wrapped(document, value, !verdict.count, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct schema_options strict = { .formats = true },
                                       old = { .draft = SCHEMA_DRAFT_07, .formats = true };
    str text, value_text;
    struct arena arena;
    arena_init(&arena, MEMORY);
    fuzz_split((str){ (const char *)data, size }, &text, &value_text);
    const struct json *document = fuzz_parse(text, &arena), *value = fuzz_parse(value_text, &arena);
    if (!value) value = fuzz_parse(str_of(usual_value), &arena);
    if (document) {
        run(document, value, NULL, &arena);
        run(document, value, &strict, &arena);
        run(document, value, &old, &arena);
    }
    arena_done(&arena);
    return 0;
}
