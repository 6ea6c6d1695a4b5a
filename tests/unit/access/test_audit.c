#include "access/record/audit_block.h"

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

/* ---- blocks ---- */

static const struct audit_row refusals = {
    .way = WAY_UI,
    .principal = STR_INIT("nobody"),
    .action = STR_INIT("access.refused"),
    .outcome = STR_INIT("refused"),
    .count = 12,
};

/* A block with the two rows. */
static str block_of(struct arena *arena, uint64_t first, const struct audit_hash *before,
                    struct audit_hash *ret_hash)
{
    struct buf rows;
    buf_init(&rows, arena);
    audit_block_add(&rows, &row);
    audit_block_add(&rows, &refusals);
    return audit_block_encode(
        &(struct audit_block){
            .tenant = 7, .node = 3, .at_ms = row.at_ms, .first = first, .count = 2, .before = *before },
        buf_str(&rows), arena, ret_hash);
}

static void same_row(const struct audit_row *a, const struct audit_row *b)
{
    assert_true(a->way == b->way && a->count == b->count);
    assert_true(str_equal(a->principal, b->principal) && str_equal(a->for_whom, b->for_whom));
    assert_true(str_equal(a->action, b->action) && str_equal(a->object, b->object));
    assert_true(str_equal(a->outcome, b->outcome) && str_equal(a->request_id, b->request_id));
    assert_true(str_equal(a->address, b->address) && str_equal(a->details, b->details));
}

static void a_block_reads_back(void **state)
{
    struct arena *arena = *state;
    struct audit_hash before = { { 1, 2, 3 } }, hash, same;
    struct audit_block block;
    struct error err;
    str value = block_of(arena, 42, &before, &hash);
    assert_int_equal(audit_block_decode(value, arena, &block, &err), ST_OK);
    assert_true(block.tenant == 7 && block.node == 3 && block.at_ms == row.at_ms);
    assert_true(block.first == 42 && block.count == 2);
    assert_memory_equal(&block.before, &before, sizeof before);
    same = audit_hash_of(value);
    assert_memory_equal(&hash, &same, sizeof hash);
    for (size_t i = 0; i < 2; i++) assert_true(block.row[i].tenant == 7 && block.row[i].at_ms == row.at_ms);
    same_row(&block.row[0], &row);
    same_row(&block.row[1], &refusals);
}

/* Keys of blocks are in the order of the ids of their rows, turned round. */
static void the_newest_block_comes_last(void **state)
{
    struct arena *arena = *state;
    static const struct {
        int64_t at_ms, node;
        uint64_t first;
    } newest_first[] = { { 2000, 1, 3 }, { 1001, 1, 7 }, { 1001, 1, 6 }, { 1001, 2, 9 }, { 1000, 0, 5 } };
    for (size_t i = 0; i < COUNT(newest_first); i++) {
        int64_t at_ms, node;
        uint64_t first;
        str key = audit_block_key(newest_first[i].at_ms, newest_first[i].node, newest_first[i].first, arena);
        assert_true(audit_block_key_parse(key, &at_ms, &node, &first));
        assert_true(at_ms == newest_first[i].at_ms && node == newest_first[i].node &&
                    first == newest_first[i].first);
        assert_true(str_compare(audit_block_time(at_ms, arena), key) < 0);
        assert_true(str_compare(audit_block_time(at_ms + 1, arena), key) > 0);
        if (!i) continue;
        str newer = audit_block_key(newest_first[i - 1].at_ms, newest_first[i - 1].node,
                                    newest_first[i - 1].first, arena);
        assert_true(str_compare(newer, key) > 0);
        assert_true(str_compare(audit_key(newest_first[i - 1].at_ms, newest_first[i - 1].node,
                                          newest_first[i - 1].first, arena),
                                audit_key(at_ms, node, first, arena)) < 0);
        assert_false(audit_block_key_parse(str_slice(key, 0, 23), &at_ms, &node, &first));
    }
    int64_t at_ms, node;
    uint64_t first;
    assert_false(audit_block_key_parse(STR("\377aaaaaaaaaaaaaaaaaaaaaaa"), &at_ms, &node, &first));
}

/* A change of any byte of a block breaks the chain. */
static void every_byte_is_part_of_the_chain(void **state)
{
    struct arena *arena = *state;
    struct audit_hash none = { { 0 } }, first, changed;
    str one = block_of(arena, 1, &none, &first);
    for (size_t i = 0; i < one.n; i++) {
        str copy = arena_str(arena, one);
        ((char *)(uintptr_t)copy.p)[i] ^= 1;
        changed = audit_hash_of(copy);
        assert_memory_not_equal(&changed, &first, sizeof first);
    }
}

static void a_damaged_block_is_found(void **state)
{
    struct arena *arena = *state;
    struct audit_hash none = { { 0 } }, hash;
    struct audit_block block;
    struct error err;
    str value = block_of(arena, 1, &none, &hash);
    for (size_t n = 0; n < value.n; n++) /* Cut off anywhere. */
        assert_int_equal(audit_block_decode(str_slice(value, 0, n), arena, &block, &err), ST_INVALID);
    struct buf more;
    buf_init(&more, arena);
    buf_add_str(&more, value);
    buf_add_char(&more, 'x');
    assert_int_equal(audit_block_decode(buf_str(&more), arena, &block, &err), ST_INVALID);
    /* A count that the bytes cannot have must not be believed: place 10 has it. */
    static const struct {
        size_t place;
        char byte;
    } wrong[] = {
        { 0, 'C' }, { 1, 0 }, { 9, 0 }, { 10, 0 }, { 10, 3 }, { 10, 127 }, { 43, 127 }, { 44, 99 }
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        str copy = arena_str(arena, value);
        ((char *)(uintptr_t)copy.p)[wrong[i].place] = wrong[i].byte;
        if (audit_block_decode(copy, arena, &block, &err) != ST_INVALID) fail_msg("case %zu", i);
    }
}

/* ---- rows of older stores ---- */

#define NO_HASH "0000000000000000000000000000000000000000000000000000000000000000"

static void a_row_of_an_older_store_reads_back(void **state)
{
    struct arena *arena = *state;
    static const char text[] =
        "{\"number\":42,\"tenant\":7,\"at\":1700000000123,\"principal\":\"key:7Hq\",\"for\":\"bob "
        "\\\"the\\\" "
        "builder\",\"way\":\"grpc\",\"action\":\"instance.cancel\",\"object\":\"01ABC\",\"outcome\":\"done\","
        "\"requestId\":\"r-1\",\"address\":\"10.0.0.1\",\"details\":{\"variables\":[\"a\",\"b\"],"
        "\"instances\":3},\"before\":\"01" NO_HASH; /* Two digits too many. */
    struct audit_hash before, hash, same;
    struct audit_row read;
    uint64_t number;
    str value = arena_printf(arena, "%.*s\"}", (int)(sizeof text - 3), text);
    assert_int_equal(audit_decode(value, arena, &read, &number, &before, &hash, NULL), ST_OK);
    assert_true(number == 42 && read.tenant == 7 && read.at_ms == row.at_ms && before.bytes[0] == 1);
    same = audit_hash_of(value);
    assert_memory_equal(&hash, &same, sizeof hash);
    same_row(&read, &row);
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
        "{\"number\":0,\"tenant\":1,\"at\":1,\"way\":\"rest\",\"before\":\"" NO_HASH "\"}",
        "{\"number\":1,\"tenant\":1,\"at\":1,\"way\":\"window\",\"before\":\"" NO_HASH "\"}",
        "{\"number\":1,\"tenant\":99999999999,\"at\":1,\"way\":\"rest\",\"before\":\"" NO_HASH "\"}",
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

/* ---- for clients ---- */

static str shown(const struct audit_row *changed, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    audit_put(changed, STR("i"), &out);
    return buf_str(&out);
}

static void details_that_were_cut_are_a_text(void **state)
{
    struct arena *arena = *state;
    static const struct {
        const char *details, *want;
    } cases[] = {
        { ",\"a\":1", "\"details\":{\"a\":1}" },
        { "\"a\":", "\"details\":{\"text\":\"\\\"a\\\":\"}" },
        { "\"a\":1},\"number\":7,\"x\":{",
          "\"details\":{\"text\":\"\\\"a\\\":1},\\\"number\\\":7,\\\"x\\\":{\"}" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct audit_row changed = row;
        changed.details = str_of(cases[i].details);
        assert_int_not_equal(str_find(shown(&changed, arena), str_of(cases[i].want), 0), SIZE_MAX);
    }
}

static void texts_of_clients_never_make_an_answer_unreadable(void **state)
{
    struct arena *arena = *state;
    struct audit_row changed = row;
    changed.request_id = STR("a\xff\"b\x01");
    changed.object = STR("\xc3");
    changed.details = STR("\"a\":\"\xff\"");
    const struct json *read = parsed(arena, arena_str(arena, shown(&changed, arena)).p);
    assert_true(str_equal(json_text(read, STR("requestId")), STR("a?\"b\x01")));
    assert_true(str_equal(json_text(read, STR("object")), STR("?")));
}

static void a_head_reads_back(void **state)
{
    struct arena *arena = *state;
    struct audit_head head = { .at_ms = 5, .number = 9, .purged = 4, .hash = { { 1 } }, .anchor = { { 2 } } },
                      read;
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
    audit_put(&refusals, STR("id2"), &out);
    buf_add_char(&out, '\0');
    expect_json(arena, parsed(arena, out.p),
                "{'id':'id2','at':'1970-01-01T00:00:00.000000Z','principal':'nobody','way':'ui','action':"
                "'access.refused','outcome':'refused','count':12}");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, arena_begin, arena_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_newest_row_comes_first),
        TEST(a_block_reads_back),
        TEST(the_newest_block_comes_last),
        TEST(every_byte_is_part_of_the_chain),
        TEST(a_damaged_block_is_found),
        TEST(a_row_of_an_older_store_reads_back),
        TEST(a_damaged_row_is_found),
        TEST(details_that_were_cut_are_a_text),
        TEST(texts_of_clients_never_make_an_answer_unreadable),
        TEST(a_head_reads_back),
        TEST(clients_see_names_and_no_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
