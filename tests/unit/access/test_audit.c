#include "access/record/audit.h"

#include "access_test.h"

static int arena_begin(void **state)
{
    static struct arena arena;
    arena_init(&arena, 0);
    *state = &arena;
    return 0;
}

static int arena_end(void **state)
{
    arena_done(*state);
    return 0;
}

static const struct audit_row row = {
    .at_ms = 1700000000123,
    .tenant = 7,
    .principal = STR_INIT("key:7Hq"),
    .for_whom = STR_INIT("bob \"the\" builder"),
    .way = WAY_GRPC,
    .action = STR_INIT("instance.cancel"),
    .object = STR_INIT("01ABC"),
    .outcome = STR_INIT("done"),
    .request_id = STR_INIT("r-1"),
    .address = STR_INIT("10.0.0.1"),
    .details = STR_INIT("\"variables\":[\"a\",\"b\"],\"instances\":3"),
    .count = 1,
};

static void the_newest_row_comes_first(void **state)
{
    struct arena *arena = *state;
    str early = audit_key(1000, 1, 5, arena), late = audit_key(1001, 1, 6, arena);
    str same = audit_key(1001, 1, 7, arena), other = audit_key(1001, 2, 1, arena);
    assert_true(str_compare(late, early) < 0);
    assert_true(str_compare(same, late) < 0);
    assert_true(str_compare(late, other) < 0);
    int64_t at_ms, node;
    uint64_t number;
    assert_true(audit_key_parse(other, &at_ms, &node, &number));
    assert_true(at_ms == 1001 && node == 2 && number == 1);
    assert_true(audit_key_parse(audit_key(0, -1, UINT64_MAX, arena), &at_ms, &node, &number));
    assert_true(at_ms == 0 && node == -1 && number == UINT64_MAX);
    assert_false(audit_key_parse(STR(""), &at_ms, &node, &number));
    assert_false(audit_key_parse(str_slice(other, 0, 47), &at_ms, &node, &number));
    assert_false(
        audit_key_parse(STR("0000000000000000000000000000000000000000000000x0"), &at_ms, &node, &number));
    assert_false(
        audit_key_parse(STR("ffffffffffffffff00000000000000000000000000000000"), &at_ms, &node, &number));
    assert_false(
        audit_key_parse(STR("000000000000000000000000000000000000000000000000"), &at_ms, &node, &number));
}

static void a_row_reads_back(void **state)
{
    struct arena *arena = *state;
    struct audit_hash before = { { 1, 2, 3 } }, hash, read_before, read_hash;
    struct audit_row read;
    uint64_t number;
    struct error err;
    str value = audit_encode(&row, 42, &before, arena, &hash);
    assert_int_equal(audit_decode(value, arena, &read, &number, &read_before, &read_hash, &err), ST_OK);
    assert_int_equal(number, 42);
    assert_memory_equal(&before, &read_before, sizeof before);
    assert_memory_equal(&hash, &read_hash, sizeof hash);
    assert_int_equal(read.at_ms, row.at_ms);
    assert_int_equal(read.tenant, row.tenant);
    assert_int_equal(read.way, row.way);
    assert_int_equal(read.count, 1);
    assert_true(str_equal(read.principal, row.principal) && str_equal(read.for_whom, row.for_whom));
    assert_true(str_equal(read.action, row.action) && str_equal(read.object, row.object));
    assert_true(str_equal(read.outcome, row.outcome) && str_equal(read.request_id, row.request_id));
    assert_true(str_equal(read.address, row.address) && str_equal(read.details, row.details));
}

/* Whoever changes any byte of a row, or takes one out, breaks the chain. */
static void every_byte_is_part_of_the_chain(void **state)
{
    struct arena *arena = *state;
    struct audit_hash none = { { 0 } }, first, second, hash, before;
    struct audit_row read;
    uint64_t number;
    str one = audit_encode(&row, 1, &none, arena, &first);
    str two = audit_encode(&row, 2, &first, arena, &second);
    assert_memory_not_equal(&first, &second, sizeof first);
    assert_int_equal(audit_decode(two, arena, &read, &number, &before, &hash, NULL), ST_OK);
    assert_memory_equal(&before, &first, sizeof first);
    for (size_t i = 0; i < one.n; i++) {
        str copy = arena_str(arena, one);
        ((char *)(uintptr_t)copy.p)[i] ^= 1;
        if (audit_decode(copy, arena, &read, &number, &before, &hash, NULL) == ST_OK)
            assert_memory_not_equal(&hash, &first, sizeof first);
    }
}

static void a_damaged_row_is_found(void **state)
{
    struct arena *arena = *state;
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "{}",
        "{\"number\":1,\"tenant\":1,\"at\":1,\"way\":\"rest\",\"before\":\"00\"}",
        "{\"number\":0,\"tenant\":1,\"at\":1,\"way\":\"rest\",\"before\":"
        "\"0000000000000000000000000000000000000000000000000000000000000000\"}",
        "{\"number\":1,\"tenant\":1,\"at\":1,\"way\":\"window\",\"before\":"
        "\"0000000000000000000000000000000000000000000000000000000000000000\"}",
        "{\"number\":1,\"tenant\":99999999999,\"at\":1,\"way\":\"rest\",\"before\":"
        "\"0000000000000000000000000000000000000000000000000000000000000000\"}",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct audit_row read;
        struct audit_hash hash, before;
        uint64_t number;
        struct error err;
        assert_int_equal(audit_decode(str_of(texts[i]), arena, &read, &number, &before, &hash, &err),
                         ST_INVALID);
    }
}

static void details_that_were_cut_are_a_text(void **state)
{
    struct arena *arena = *state;
    static const struct {
        const char *details, *want;
    } cases[] = {
        { "", "" },
        { ",\"a\":1", "\"a\":1" },
        { "\"a\":", "\"text\":\"\\\"a\\\":\"" },
        { "\"a\":1},\"number\":7,\"x\":{", "\"text\":\"\\\"a\\\":1},\\\"number\\\":7,\\\"x\\\":{\"" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct audit_row changed = row, read;
        struct audit_hash none = { { 0 } }, hash;
        uint64_t number;
        changed.details = str_of(cases[i].details);
        str value = audit_encode(&changed, 1, &none, arena, &hash);
        assert_int_equal(audit_decode(value, arena, &read, &number, &none, &hash, NULL), ST_OK);
        assert_true(str_equal(read.details, str_of(cases[i].want)));
    }
}

static void texts_of_clients_never_make_a_row_unreadable(void **state)
{
    struct arena *arena = *state;
    struct audit_row changed = row, read;
    struct audit_hash none = { { 0 } }, hash;
    uint64_t number;
    changed.request_id = STR("a\xff\"b\x01");
    changed.object = STR("\xc3");
    changed.details = STR("\"a\":\"\xff\"");
    str value = audit_encode(&changed, 1, &none, arena, &hash);
    assert_int_equal(audit_decode(value, arena, &read, &number, &none, &hash, NULL), ST_OK);
    assert_true(str_equal(read.request_id, STR("a?\"b\x01")));
    assert_true(str_equal(read.object, STR("?")));
}

static void a_head_reads_back(void **state)
{
    struct arena *arena = *state;
    struct audit_head head = { .number = 9, .purged = 4, .hash = { { 1 } }, .anchor = { { 2 } } }, read;
    struct error err;
    assert_int_equal(audit_head_decode(audit_head_encode(&head, arena), &read, &err), ST_OK);
    assert_memory_equal(&head, &read, sizeof head);
    assert_int_equal(audit_head_decode(STR("{}"), &read, &err), ST_INVALID);
    assert_int_equal(audit_head_decode(STR("{\"number\":1,\"purged\":2}"), &read, &err), ST_INVALID);
    assert_int_equal(audit_head_decode(STR("x"), &read, &err), ST_INVALID);
}

static void clients_see_names_and_no_hash(void **state)
{
    struct arena *arena = *state;
    struct audit_row refused = { .tenant = 1,
                                 .way = WAY_REST,
                                 .principal = STR("nobody"),
                                 .action = STR("access.refused"),
                                 .outcome = STR("refused"),
                                 .count = 12 };
    struct buf out;
    buf_init(&out, arena);
    audit_put_of_tenant(&row, STR("id1"), STR("acme"), &out);
    buf_add_char(&out, '\0');
    expect_json(
        arena, parsed(arena, out.p),
        "{'id':'id1','at':'2023-11-14T22:13:20.123000Z','tenant':'acme','principal':'key:7Hq','for':'bob "
        "\\'the\\' builder','way':'grpc','action':'instance.cancel','object':'01ABC','outcome':'done',"
        "'requestId':'r-1','address':'10.0.0.1','details':{'variables':['a','b'],'instances':3}}");
    out.n = 0;
    audit_put(&refused, STR("id2"), &out);
    buf_add_char(&out, '\0');
    expect_json(arena, parsed(arena, out.p),
                "{'id':'id2','at':'1970-01-01T00:00:00.000000Z','principal':'nobody','way':'rest','action':"
                "'access.refused','outcome':'refused','count':12}");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, arena_begin, arena_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_newest_row_comes_first),
        TEST(a_row_reads_back),
        TEST(every_byte_is_part_of_the_chain),
        TEST(a_damaged_row_is_found),
        TEST(details_that_were_cut_are_a_text),
        TEST(texts_of_clients_never_make_a_row_unreadable),
        TEST(a_head_reads_back),
        TEST(clients_see_names_and_no_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
