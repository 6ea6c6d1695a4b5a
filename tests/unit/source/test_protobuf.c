#include "source/protobuf.h"

#include "base/base64.h"
#include "base/utf8.h"
#include "json/json_test.h"
#include "source/limits.h"

static str bytes_of(struct arena *arena, const struct json *text)
{
    str bytes;
    assert_true(base64_decode(json_string(text), arena, &bytes));
    return bytes;
}

static str the_schema(struct arena *arena)
{
    return bytes_of(arena, document_value("source/protobuf", "schema"));
}

static enum status parse_message(struct arena *arena, str type_name, str bytes, const struct json **ret_value,
                                 struct error *err)
{
    const struct protobuf_type *type;
    TRY(protobuf_read_schema(the_schema(arena), type_name, arena, &type, err));
    return protobuf_parse(type, bytes, arena, ret_value, err);
}

/* What is expected was written by another implementation. Numbers may have another form. */
static void messages_become_documents_or_are_refused(void **state)
{
    const struct json *rows = document_value("source/protobuf", "rows");
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *row = json_item(rows, i), *value = NULL, *want;
        struct error err = { 0 };
        enum status status = parse_message(*state, json_string(json_get(row, STR("type"))),
                                           bytes_of(*state, json_get(row, STR("bytes"))), &value, &err);
        if (json_get(row, STR("status"))) {
            assert_string_equal(status_word(status), document_member(row, "status"));
            continue;
        }
        if (status != ST_OK) fail_msg("%zu: %s", i, err.message);
        assert_int_equal(json_parse(json_string(json_get(row, STR("want"))), NULL, *state, &want, &err),
                         ST_OK);
        if (!json_equal(value, want))
            fail_msg("%zu: %s, not %s", i, print(*state, value), print(*state, want));
    }
}

/* Messages inside each other: field 24. */
static str nested(struct arena *arena, int depth)
{
    struct buf bytes, inner;
    buf_init(&bytes, arena);
    for (int i = 0; i < depth; i++) {
        buf_init(&inner, arena);
        buf_add_str(&inner, STR("\xc2\x01"));
        buf_add_varint(&inner, buf_str(&bytes).n);
        buf_add_str(&inner, buf_str(&bytes));
        bytes = inner;
    }
    return buf_str(&bytes);
}

static void messages_nest_so_deep(void **state)
{
    const struct json *value;
    struct error err;
    assert_int_equal(
        parse_message(*state, STR("acme.Reading"), nested(*state, PROTOBUF_DEPTH_MAX), &value, &err), ST_OK);
    assert_int_equal(
        parse_message(*state, STR("acme.Reading"), nested(*state, PROTOBUF_DEPTH_MAX + 1), &value, &err),
        ST_LIMIT);
}

/* A few bytes can stand for many values: each empty message has all its defaults. */
static void messages_have_so_many_values(void **state)
{
    const struct json *value;
    struct error err;
    struct buf bytes;
    buf_init(&bytes, *state);
    for (int i = 0; i < PROTOBUF_VALUES_MAX; i++) buf_add_str(&bytes, STR("\x92\x01\0"));
    assert_int_equal(parse_message(*state, STR("acme.Reading"), buf_str(&bytes), &value, &err), ST_LIMIT);
}

/* Every prefix of a schema, and every schema with one byte changed, is read or refused. */
static void damaged_schemas_are_refused(void **state)
{
    struct arena arena;
    struct error err;
    const struct protobuf_type *type;
    const struct json *value;
    str schema = the_schema(*state);
    str message =
        bytes_of(*state, json_get(json_item(document_value("source/protobuf", "rows"), 0), STR("bytes")));
    char *copy = malloc(schema.n);
    arena_init(&arena, 0);
    for (size_t i = 0; i < schema.n; i++) {
        protobuf_read_schema(str_slice(schema, 0, i), STR("acme.Reading"), &arena, &type, &err);
        memcpy(copy, schema.p, schema.n);
        for (int change = 1; change < 256; change *= 2) {
            copy[i] = (char)(schema.p[i] ^ change);
            if (protobuf_read_schema((str){ copy, schema.n }, STR("acme.Reading"), &arena, &type, &err) ==
                ST_OK)
                protobuf_parse(type, message, &arena, &value, &err);
            arena_reset(&arena);
        }
    }
    assert_int_equal(protobuf_read_schema(STR("{}"), STR("acme.Reading"), &arena, &type, &err), ST_INVALID);
    assert_int_equal(protobuf_read_schema(STR_NONE, STR("acme.Reading"), &arena, &type, &err), ST_INVALID);
    arena_done(&arena);
    free(copy);
}

/* ---- schemas that are made here ---- */

static void add_bytes(struct buf *out, unsigned number, str bytes)
{
    buf_add_varint(out, number << 3 | 2);
    buf_add_text(out, bytes);
}

static void add_number(struct buf *out, unsigned number, unsigned value)
{
    buf_add_varint(out, number << 3);
    buf_add_varint(out, value);
}

/* A message with so many fields of a type, and an enum ".acme.E" with as many values. */
static str schema_with(struct arena *arena, unsigned count, str type)
{
    struct buf message, values, file, set;
    buf_init(&message, arena), buf_init(&values, arena), buf_init(&file, arena), buf_init(&set, arena);
    add_bytes(&message, 1, STR("Reading"));
    add_bytes(&values, 1, STR("E"));
    for (unsigned i = 1; i <= count; i++) {
        struct buf field, value;
        buf_init(&field, arena), buf_init(&value, arena);
        add_bytes(&field, 1, arena_printf(arena, "f%u", i));
        add_number(&field, 3, i);
        add_number(&field, 5, 14);
        add_bytes(&field, 6, type);
        add_bytes(&message, 2, buf_str(&field));
        add_bytes(&value, 1, arena_printf(arena, "V%u", i));
        add_number(&value, 2, i);
        add_bytes(&values, 2, buf_str(&value));
    }
    add_bytes(&file, 2, STR("acme"));
    add_bytes(&file, 4, buf_str(&message));
    add_bytes(&file, 5, buf_str(&values));
    add_bytes(&set, 1, buf_str(&file));
    return buf_str(&set);
}

/* Memory grows with the schema, not with fields times values. */
static void fields_share_the_values_of_their_enum(void **state)
{
    struct arena arena;
    struct error err;
    const struct protobuf_type *type;
    const struct json *value;
    str schema = schema_with(*state, 2000, STR(".acme.E"));
    arena_init(&arena, 0);
    assert_int_equal(protobuf_read_schema(schema, STR("acme.Reading"), &arena, &type, &err), ST_OK);
    assert_true(arena.used < 100 * schema.n);
    assert_int_equal(protobuf_parse(type, STR("\x08\x07\x10\x02"), &arena, &value, &err), ST_OK);
    assert_string_equal(print(&arena, json_get(value, STR("f1"))), "\"V7\"");
    assert_string_equal(print(&arena, json_get(value, STR("f2"))), "\"V2\"");
    arena_done(&arena);
}

/* Messages of errors quote names, and are text. */
static void names_of_types_are_texts(void **state)
{
    struct error err;
    const struct protobuf_type *type;
    str unknown = schema_with(*state, 1, STR(".acme.F")), damaged = schema_with(*state, 1, STR(".acme.\xd5"));
    assert_int_equal(protobuf_read_schema(unknown, STR("acme.Reading"), *state, &type, &err), ST_INVALID);
    assert_non_null(strstr(err.message, "\".acme.F\" of the field \"f1\" is not in it"));
    assert_int_equal(protobuf_read_schema(damaged, STR("acme.Reading"), *state, &type, &err), ST_INVALID);
    assert_true(utf8_is_valid(str_of(err.message)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        json_test(messages_become_documents_or_are_refused),
        json_test(messages_nest_so_deep),
        json_test(messages_have_so_many_values),
        json_test(damaged_schemas_are_refused),
        json_test(fields_share_the_values_of_their_enum),
        json_test(names_of_types_are_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
