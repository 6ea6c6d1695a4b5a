/* Protobuf messages from outside, and values in them. */
#include "api/grpc/value_int.h"

#include <workflow/v1/engine.pb-c.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

static struct arena arena;

static const ProtobufCMessageDescriptor *const start_type = &workflow__v1__start_instance_request__descriptor;
static const ProtobufCMessageDescriptor *const struct_type = &google__protobuf__struct__descriptor;
static const ProtobufCMessageDescriptor *const list_type = &google__protobuf__list_value__descriptor;

static int begin(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

/* ---- values ---- */

static const struct json *parsed(const char *text)
{
    const struct json *value;
    struct error err;
    if (json_parse(str_of(text), NULL, &arena, &value, &err) != ST_OK) fail_msg("%s: %s", text, err.message);
    return value;
}

static const char *printed(const struct json *value)
{
    struct buf out;
    buf_init(&out, &arena);
    json_print(value, &out);
    return arena_str(&arena, buf_str(&out)).p;
}

/* The value after its way to a client and back: as bytes, too. */
static enum status travel(const struct json *object, bool *ret_exact, const struct json **ret_object,
                          struct error *err)
{
    Google__Protobuf__Struct *made;
    ProtobufCMessage *again;
    struct buf bytes;
    *ret_exact = value_write_struct(object, &arena, &made);
    buf_init(&bytes, &arena);
    message_pack(&made->base, &bytes);
    TRY(message_unpack(struct_type, buf_str(&bytes), &arena, &again, err));
    return value_read_struct((const Google__Protobuf__Struct *)again, "variables", &arena, ret_object, err);
}

static void values_come_back_as_they_were(void **state)
{
    static const struct {
        const char *value;
        const char *back; /* NULL: the same text. */
        bool exact;
    } cases[] = {
        { "{}", NULL, true },
        { "{\"z\":1,\"a\":[],\"m\":{\"x\":null,\"y\":[true,false,\"\"]}}", NULL, true }, /* In its order. */
        { "{\"n\":[0,-1,9007199254740992,-9007199254740992]}", NULL, true },
        { "{\"n\":0.1}", NULL, true },
        { "{\"n\":1.5e300}", NULL, true },
        { "{\"n\":1.0}", "{\"n\":1}", true }, /* The same number. */
        { "{\"n\":1e18}", "{\"n\":1000000000000000000}", true },
        { "{\"n\":9007199254740993}", "{\"n\":9007199254740992}", false },
        { "{\"n\":9223372036854775807}", "{\"n\":9223372036854776000}", false },
        { "{\"n\":[[{\"deep\":0.12345678901234567890}]]}", "{\"n\":[[{\"deep\":0.12345678901234568}]]}",
          false },
        { "{\"n\":1e400}", "{\"n\":1.7976931348623157e308}", false },
        { "{\"n\":-1e400}", "{\"n\":-1.7976931348623157e308}", false },
        { "{\"t\":\"a\\u0000b\"}",
          "{\"t\":\"a\xef\xbf\xbd"
          "b\"}",
          false },
        { "{\"a\\u0000\":\"\\u0000\"}", "{\"a\xef\xbf\xbd\":\"\xef\xbf\xbd\"}", false },
        { "{\"t\":\"\xf0\x9f\x8c\x8d \\\"\"}", NULL, true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *back;
        struct error err;
        bool exact;
        if (travel(parsed(cases[i].value), &exact, &back, &err) != ST_OK)
            fail_msg("%s: %s", cases[i].value, err.message);
        const struct json *want = parsed(cases[i].back ? cases[i].back : cases[i].value);
        if (!json_equal(back, want)) fail_msg("%s became %s", cases[i].value, printed(back));
        if (exact != cases[i].exact) fail_msg("%s: exact is %d", cases[i].value, exact);
        if (cases[i].exact && !cases[i].back) assert_string_equal(printed(back), cases[i].value);
    }
}

static Google__Protobuf__Value *number(double n)
{
    Google__Protobuf__Value *value = arena_alloc(&arena, sizeof *value);
    google__protobuf__value__init(value);
    value->kind_case = GOOGLE__PROTOBUF__VALUE__KIND_NUMBER_VALUE;
    value->number_value = n;
    return value;
}

static void numbers_come_in(void **state)
{
    static const struct {
        double number;
        const char *text; /* NULL: refused. */
    } cases[] = {
        { 5.0, "5" },
        { -0.0, "0" },
        { 0.5, "0.5" },
        { 1e15, "1000000000000000" },
        { 9007199254740994.0, "9007199254740994" },
        { -9.2233720368547748e18, "-9223372036854774784" },
        { NAN, NULL },
        { INFINITY, NULL },
        { -INFINITY, NULL },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *value;
        struct error err;
        enum status status = value_read(number(cases[i].number), "variables", &arena, &value, &err);
        assert_int_equal(status, cases[i].text ? ST_OK : ST_INVALID);
        if (cases[i].text) assert_string_equal(printed(value), cases[i].text);
        else assert_string_equal(err.message, "variables: NaN and the infinities are no numbers of JSON");
    }
}

static void a_value_without_a_kind_is_null(void **state)
{
    const struct json *value;
    struct error err;
    (void)state;
    /* variables { fields { key: "a" value {} } }, and without the value. */
    static const str cases[] = { STR_INIT("\x0a\x05\x0a\x01"
                                          "a\x12\x00"),
                                 STR_INIT("\x0a\x03\x0a\x01"
                                          "a") };
    for (size_t i = 0; i < COUNT(cases); i++) {
        ProtobufCMessage *message;
        assert_int_equal(message_unpack(struct_type, cases[i], &arena, &message, &err), ST_OK);
        assert_int_equal(
            value_read_struct((Google__Protobuf__Struct *)message, "variables", &arena, &value, &err), ST_OK);
        assert_true(json_is(json_get(value, STR("a")), JSON_NULL));
    }
    assert_int_equal(value_read_struct(NULL, "variables", &arena, &value, &err), ST_OK);
    assert_null(value);
}

/* Many entries and few: names are compared in two ways. */
static void of_entries_with_one_name_the_last_counts(void **state)
{
    (void)state;
    for (size_t others = 0; others < 40; others += 13) {
        struct buf bytes;
        buf_init(&bytes, &arena);
        for (size_t i = 0; i < others + 3; i++) {
            char name = i < 3 ? 'a' : (char)('b' + i % 20);
            buf_add_str(&bytes, STR("\x0a\x07\x0a\x01"));
            buf_add_char(&bytes, name);
            buf_add_str(&bytes, STR("\x12\x02\x20"));
            buf_add_char(&bytes, i == 2); /* Only the third is true. */
        }
        ProtobufCMessage *message;
        const struct json *object;
        struct error err;
        assert_int_equal(message_unpack(struct_type, buf_str(&bytes), &arena, &message, &err), ST_OK);
        assert_int_equal(value_read_struct((Google__Protobuf__Struct *)message, "v", &arena, &object, &err),
                         ST_OK);
        assert_true(json_bool(json_get(object, STR("a"))));
        assert_int_equal(json_count(object), 1 + (others < 20 ? others : 20));
    }
}

static void times_come_and_go(void **state)
{
    static const int64_t cases[] = {
        1, 999, 1000, -1, -1000, -1001, 1700000000123, INT64_C(253402300799999)
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t ms;
        Google__Protobuf__Timestamp *time = value_write_time(cases[i], &arena);
        assert_in_range(time->nanos, 0, 999000000);
        assert_true(value_read_time(time, &ms));
        assert_int_equal(ms, cases[i]);
    }
    assert_null(value_write_time(0, &arena));
    Google__Protobuf__Timestamp odd = GOOGLE__PROTOBUF__TIMESTAMP__INIT;
    int64_t ms;
    odd.nanos = -1;
    assert_false(value_read_time(&odd, &ms));
    odd.nanos = 1000000000;
    assert_false(value_read_time(&odd, &ms));
    odd.nanos = 999999999;
    odd.seconds = -1;
    assert_true(value_read_time(&odd, &ms));
    assert_int_equal(ms, -1);
    odd.seconds = INT64_MAX;
    assert_false(value_read_time(&odd, &ms));
}

/* ---- bytes from outside ---- */

static void bytes_that_are_no_message(void **state)
{
    static const struct {
        str bytes;
        enum status status;
        const char *message;
    } cases[] = {
        { STR_INIT(""), ST_OK, NULL },
        { STR_INIT("\x0a\x01"
                   "d\x10\x02\x22\x01k"),
          ST_OK, NULL },
        { STR_INIT("\xf8\x3f\x01\xc2\x3e\x02xy"), ST_OK, NULL },             /* Fields that we do not know. */
        { STR_INIT("\x08\x01"), ST_INVALID, "the bytes are not a message" }, /* definition_id as a number. */
        { STR_INIT("\x00"), ST_INVALID, "the bytes are not a message" },     /* Field 0. */
        { STR_INIT("\x0a"), ST_INVALID, "the bytes are not a message" },     /* No length, */
        { STR_INIT("\x0a\x02"
                   "d"),
          ST_INVALID, "the bytes are not a message" }, /* one that is too long, */
        { STR_INIT("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), ST_INVALID,
          "the bytes are not a message" },
        { STR_INIT("\x0b\x0c"), ST_INVALID, "the bytes are not a message" }, /* A group. */
        { STR_INIT("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), ST_INVALID, "not a message" },
        { STR_INIT("\xa9\x06\x01\x02"), ST_INVALID, "not a message" }, /* Half a double. */
        { STR_INIT("\x0a\x01\xff"), ST_INVALID, "definition_id is not in UTF-8" },
        { STR_INIT("\x0a\x03"
                   "a\0b"),
          ST_INVALID, "definition_id has a NUL character in it" },
        { STR_INIT("\x1a\x00\x1a\x00"), ST_INVALID, "variables is there more than once" },
        { STR_INIT("\x1a\x02\x0a\x05"), ST_INVALID, "the bytes are not a message" }, /* Beyond its parent. */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        ProtobufCMessage *message;
        struct error err = { 0 };
        enum status status = message_unpack(start_type, cases[i].bytes, &arena, &message, &err);
        if (status != cases[i].status || (cases[i].message && !strstr(err.message, cases[i].message)))
            fail_msg("case %zu: %d, %s", i, status, err.message);
    }
}

/* Bytes of lists, each in the one before. */
static str nested(size_t levels)
{
    struct buf bytes, outer;
    buf_init(&bytes, &arena);
    for (size_t i = 0; i < levels; i++) {
        struct buf value;
        buf_init(&value, &arena);
        buf_add_char(&value, 0x32); /* Value.list_value */
        buf_add_text(&value, buf_str(&bytes));
        buf_init(&outer, &arena);
        buf_add_char(&outer, 0x0a); /* ListValue.values */
        buf_add_text(&outer, buf_str(&value));
        bytes = outer;
    }
    return buf_str(&bytes);
}

static void depth_is_bounded(void **state)
{
    static const struct {
        size_t levels;
        enum status check, read;
    } cases[] = {
        { JSON_DEPTH_MAX - 1, ST_OK, ST_OK },
        { JSON_DEPTH_MAX, ST_OK, ST_LIMIT },
        { 2000, ST_LIMIT, ST_LIMIT },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        ProtobufCMessage *message;
        struct error err;
        enum status status = message_unpack(list_type, nested(cases[i].levels), &arena, &message, &err);
        assert_int_equal(status, cases[i].check);
        if (status != ST_OK) continue;
        Google__Protobuf__Value value = GOOGLE__PROTOBUF__VALUE__INIT;
        const struct json *read;
        value.kind_case = GOOGLE__PROTOBUF__VALUE__KIND_LIST_VALUE;
        value.list_value = (Google__Protobuf__ListValue *)message;
        assert_int_equal(value_read(&value, "v", &arena, &read, &err), cases[i].read);
    }
}

/* Two bytes a part, of which each takes a hundred when it is unpacked. */
static void memory_is_bounded(void **state)
{
    size_t count = 2 << 20;
    char *bytes = arena_alloc(&arena, 2 * count);
    struct error err;
    (void)state;
    for (size_t i = 0; i < count; i++) memcpy(bytes + 2 * i, "\x0a\x00", 2);
    assert_int_equal(message_check(list_type, (str){ bytes, 2 * count }, NULL, &err), ST_LIMIT);
    assert_int_equal(message_check(list_type, (str){ bytes, count / 4 }, NULL, &err), ST_OK);
}

/* A million entries with one name, or with names that are all different, take no longer than their bytes. */
static void many_entries_do_not_take_long(void **state)
{
    struct buf bytes;
    (void)state;
    for (int same = 0; same < 2; same++) {
        buf_init(&bytes, &arena);
        for (unsigned i = 0; i < 200000; i++) {
            char name[16];
            snprintf(name, sizeof name, "%08u", same ? 0 : i);
            buf_add_str(&bytes, STR("\x0a\x0e\x0a\x08"));
            buf_add_str(&bytes, str_of(name));
            buf_add_str(&bytes, STR("\x12\x02\x08\x00"));
        }
        ProtobufCMessage *message;
        const struct json *object;
        struct error err;
        clock_t before = clock();
        assert_int_equal(message_unpack(struct_type, buf_str(&bytes), &arena, &message, &err), ST_OK);
        assert_int_equal(value_read_struct((Google__Protobuf__Struct *)message, "v", &arena, &object, &err),
                         ST_OK);
        assert_int_equal(json_count(object), same ? 1 : 200000);
        assert_true((clock() - before) / CLOCKS_PER_SEC < 5);
    }
}

static uint64_t hash_of(const ProtobufCMessageDescriptor *type, str bytes)
{
    uint64_t hash;
    struct error err;
    assert_int_equal(message_check(type, bytes, &hash, &err), ST_OK);
    return hash;
}

static void the_hash_of_a_message_is_that_of_its_content(void **state)
{
    const str ab = STR("\x0a\x07\x0a\x01"
                       "a\x12\x02\x20\x01\x0a\x07\x0a\x01"
                       "b\x12\x02\x20\x00");
    const str ba = STR("\x0a\x07\x0a\x01"
                       "b\x12\x02\x20\x00\x0a\x07\x0a\x01"
                       "a\x12\x02\x20\x01");
    const str other = STR("\x0a\x07\x0a\x01"
                          "b\x12\x02\x20\x01\x0a\x07\x0a\x01"
                          "a\x12\x02\x20\x00");
    const str list = STR("\x0a\x02\x20\x00\x0a\x02\x20\x01"),
              turned = STR("\x0a\x02\x20\x01\x0a\x02\x20\x00");
    (void)state;
    assert_true(hash_of(struct_type, ab) == hash_of(struct_type, ba));
    assert_true(hash_of(struct_type, ab) != hash_of(struct_type, other));
    assert_true(hash_of(list_type, list) != hash_of(list_type, turned));
    assert_true(hash_of(start_type, STR("\x0a\x01x")) != hash_of(start_type, STR("\x22\x01x")));
    assert_true(hash_of(start_type, STR("\x0a\x01x")) != hash_of(start_type, STR("")));
}

static void parts_of_a_list_are_packed_one_by_one(void **state)
{
    struct buf whole, parts;
    Google__Protobuf__ListValue list = GOOGLE__PROTOBUF__LIST_VALUE__INIT;
    Google__Protobuf__Value *value[300];
    (void)state;
    for (size_t i = 0; i < COUNT(value); i++) value[i] = number((double)i);
    list.values = value;
    list.n_values = COUNT(value);
    buf_init(&whole, &arena);
    buf_init(&parts, &arena);
    message_pack(&list.base, &whole);
    for (size_t i = 0; i < COUNT(value); i++) message_pack_part(1, &value[i]->base, &parts);
    assert_true(str_equal(buf_str(&whole), buf_str(&parts)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_back_as_they_were),
        cmocka_unit_test(numbers_come_in),
        cmocka_unit_test(a_value_without_a_kind_is_null),
        cmocka_unit_test(of_entries_with_one_name_the_last_counts),
        cmocka_unit_test(times_come_and_go),
        cmocka_unit_test(bytes_that_are_no_message),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(many_entries_do_not_take_long),
        cmocka_unit_test(the_hash_of_a_message_is_that_of_its_content),
        cmocka_unit_test(parts_of_a_list_are_packed_one_by_one),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
