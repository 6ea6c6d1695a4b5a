/* The published schema of flow graphs has the node types of the table: their names, fields and words. */
#include "dialect/compile.h"
#include "dialect/golden.h"
#include "dialect/graph/node_types.h"

static const struct json *read_schema(struct arena *arena)
{
    const struct json *schema;
    str text = golden_read("contract/schema/graph.schema.json", arena);
    assert_int_equal(json_parse(text, NULL, arena, &schema, NULL), ST_OK);
    return schema;
}

static const struct json *config_of(const struct json *schema, const struct graph_type *type,
                                    struct arena *arena)
{
    str name = arena_printf(arena, "config_%.*s", STR_ARG(type->name));
    const struct json *config = json_get(json_get(schema, STR("$defs")), name);
    if (!config) fail_msg("no %.*s", STR_ARG(name));
    return json_get(config, STR("properties"));
}

/* "a|b" against ["a", "b", null]. */
static void compare_words(const struct graph_param *param, const struct json *property, struct arena *arena)
{
    const struct json *list = json_get(json_item(json_get(property, STR("anyOf")), 0), STR("enum"));
    struct buf words;
    buf_init(&words, arena);
    for (size_t i = 0; i + 1 < json_count(list); i++)
        buf_printf(&words, "%s%.*s", i ? "|" : "", STR_ARG(json_string(json_item(list, i))));
    if (!str_equal(buf_str(&words), str_of(param->words)))
        fail_msg("%s: %.*s", param->name, STR_ARG(buf_str(&words)));
}

static bool has_text(const struct json *list, str text)
{
    struct json_each each = json_each(list);
    while (json_next(&each))
        if (json_is(each.value, JSON_STRING) && str_equal(json_string(each.value), text)) return true;
    return false;
}

static void the_schema_has_the_table(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    const struct json *schema = read_schema(&arena);
    const struct json *types = json_pointer(schema, STR("/$defs/node/properties/type/anyOf/0/enum")),
                      *rules = json_pointer(schema, STR("/$defs/node/allOf"));
    assert_int_equal(json_count(types), GRAPH_TYPE_COUNT);
    assert_int_equal(json_count(rules), GRAPH_TYPE_COUNT);
    for (size_t i = 0; i < GRAPH_TYPE_COUNT; i++) {
        const struct graph_type *type = graph_type((enum graph_type_id)i);
        const struct json *properties = config_of(schema, type, &arena);
        if (!has_text(types, type->name)) fail_msg("no type %.*s", STR_ARG(type->name));
        if (json_count(properties) != type->param_count) fail_msg("fields of %.*s", STR_ARG(type->name));
        for (size_t k = 0; k < type->param_count; k++) {
            const struct graph_param *param = &type->param[k];
            const struct json *property = json_get(properties, str_of(param->name));
            if (!property) fail_msg("%.*s has no %s", STR_ARG(type->name), param->name);
            if (param->kind == GRAPH_PARAM_CHOICE) compare_words(param, property, &arena);
        }
    }
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_schema_has_the_table) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
