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

/* Rows whose action and object are numbers. Objects are what a reader gets. */
#define NUMBERED(NAME, word) .numbered = DID_##NAME, .action = STR_INIT(word)
static const struct audit_row answer = {
    .principal = STR_INIT("user:ada"),
    NUMBERED(TASK_COMPLETE, "task.complete"),
    .is_id = true,
    .id = { .ms = 1700000000000, .instance = 300 },
    .object = STR_INIT("01HF7YAT000000000JR0000000"),
    .outcome = STR_INIT("done"),
    .address = STR_INIT("10.0.0.1"),
    .details = STR_INIT("\"variables\":[\"approved\"],\"step\":\"ask\""),
    .count = 1,
};
static const struct audit_row last_answer = {
    .way = WAY_NODE,
    .principal = STR_INIT("engine"),
    NUMBERED(ENTITY_REMOVE, "entity.remove"),
    .is_id = true,
    .id = { (INT64_C(1) << 48) - 1, ID_INSTANCE_MAX, ID_NUMBER_MAX, 255 },
    .object = STR_INIT("7ZZZZZZZZZZZZZZZZZZZZZZZZZ"),
    .outcome = STR_INIT("refused"),
    .count = INT64_MAX,
};

/* A block with the four rows. */
static str block_of(struct arena *arena, uint64_t first, const struct audit_hash *before,
                    struct audit_hash *ret_hash)
{
    struct buf rows;
    buf_init(&rows, arena);
    audit_block_add(&rows, &row);
    audit_block_add(&rows, &refusals);
    audit_block_add(&rows, &answer);
    audit_block_add(&rows, &last_answer);
    return audit_block_encode(
        &(struct audit_block){
            .tenant = 7, .node = 3, .at_ms = row.at_ms, .first = first, .count = 4, .before = *before },
        buf_str(&rows), arena, ret_hash);
}

static void same_row(const struct audit_row *a, const struct audit_row *b)
{
    assert_true(a->way == b->way && a->count == b->count);
    assert_true(a->numbered == b->numbered && a->is_id == b->is_id);
    assert_true(a->id.ms == b->id.ms && a->id.instance == b->id.instance);
    assert_true(a->id.number == b->id.number && a->id.delivery == b->id.delivery);
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
    assert_true(block.first == 42 && block.count == 4);
    assert_memory_equal(&block.before, &before, sizeof before);
    same = audit_hash_of(value);
    assert_memory_equal(&hash, &same, sizeof hash);
    for (size_t i = 0; i < 4; i++) assert_true(block.row[i].tenant == 7 && block.row[i].at_ms == row.at_ms);
    same_row(&block.row[0], &row);
    same_row(&block.row[1], &refusals);
    same_row(&block.row[2], &answer);
    same_row(&block.row[3], &last_answer);
}

/* The words of numbers are in stores: whoever moves one changes what old rows say. */
static void numbers_of_actions_stay(void **state)
{
    (void)state;
    assert_true(str_equal(audit_action_word(DID_OTHER), STR("")));
    assert_true(str_equal(audit_action_word(1), STR("task.complete")));
    assert_true(str_equal(audit_action_word(9), STR("definition.restore")));
    assert_true(str_equal(audit_action_word(25), STR("entity.remove")));
}

/* The row of a task's answer has room in two pieces of SHA-256, with nine bytes for its end. */
static void the_block_of_a_task_answer_is_short(void **state)
{
    struct arena *arena = *state;
    struct audit_block block = { .tenant = 1, .node = 1, .at_ms = row.at_ms, .first = 100000, .count = 1 };
    struct audit_hash hash;
    struct buf rows;
    buf_init(&rows, arena);
    audit_block_add(&rows, &answer);
    assert_in_range(audit_block_encode(&block, buf_str(&rows), arena, &hash).n, 64, 128 - 9);
}

/* These bytes come from an engine that stored texts alone. */
static void a_block_of_an_older_engine_reads_back(void **state)
{
    struct arena *arena = *state;
    static const char bytes[] =
        "B\x07\x03\xfb\xd0\x95\xff\xbc\x31\x2a\x02\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c"
        "\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x1f\x01"
        "\x07key:7Hq\x0finstance.cancel\x05\x30\x31"
        "ABC\x03"
        "bob\x03r-1\x08\x31\x30.0.0.1\x17\"variables\":[\"a\"],\"n\":3"
        "\x60\x02\x06nobody\x0e"
        "access.refused\x07refused\x0c";
    struct audit_block block;
    struct audit_row first = row;
    first.for_whom = STR("bob");
    first.details = STR("\"variables\":[\"a\"],\"n\":3");
    assert_int_equal(audit_block_decode((str){ bytes, sizeof bytes - 1 }, arena, &block, NULL), ST_OK);
    assert_true(block.tenant == 7 && block.node == 3 && block.at_ms == row.at_ms && block.first == 42);
    assert_int_equal(block.count, 2);
    same_row(&block.row[0], &first);
    same_row(&block.row[1], &refusals);
    char *changed = (char *)(uintptr_t)arena_str(arena, (str){ bytes, sizeof bytes - 1 }).p;
    changed[44] |= 16; /* It knows no actions that are numbers. */
    assert_int_equal(audit_block_decode((str){ changed, sizeof bytes - 1 }, arena, &block, NULL), ST_INVALID);
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
        { 0, 'D' },
        { 1, 0 },
        { 9, 0 },
        { 10, 0 },
        { 10, 3 },
        { 10, 5 },
        { 10, 127 },
        { 44, 8 },
        { 44, WAY_GRPC | 16 },
        { 44, WAY_GRPC | 32 },
        { 44, WAY_GRPC | 64 },
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        str copy = arena_str(arena, value);
        ((char *)(uintptr_t)copy.p)[wrong[i].place] = wrong[i].byte;
        if (audit_block_decode(copy, arena, &block, &err) != ST_INVALID) fail_msg("case %zu", i);
    }
}

static void a_damaged_number_is_found(void **state)
{
    struct arena *arena = *state;
    static const struct {
        const char *row; /* flags, way and forms, no principal, the rest */
        size_t n;
        bool good;
    } cases[] = {
        { "\0\020\0\001", 4, true },
        { "\0\020\0\0", 4, false },                         /* No action has this number, … */
        { "\0\020\0\032", 4, false },                       /* … and none has this one yet. */
        { "\001\060\0\001\005\006", 6, true },              /* An id … */
        { "\0\060\0\001\005\006", 6, false },               /* … that is not announced. */
        { "\001\160\0\001\005\006\007\010", 8, true },      /* With a number and a delivery, … */
        { "\001\160\0\001\005\006\0\0", 8, false },         /* … which would be in the short form, … */
        { "\001\120\0\001\005\006\007\010", 8, false },     /* … or without an id. */
        { "\001\160\0\001\005\006\007\200\002", 9, false }, /* A delivery has eight bits, … */
        { "\001\160\0\001\005\006\200\200\200\200\001\0", 12, false },       /* … a number 28, … */
        { "\001\060\0\001\005\200\200\200\200\200\200\004", 12, false },     /* … an instance 44, … */
        { "\001\060\0\001\200\200\200\200\200\200\200\001\006", 13, false }, /* … and a time 48. */
    };
    const struct audit_block whole = { .tenant = 1, .node = 1, .at_ms = 5, .first = 1, .count = 1 };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct audit_hash hash;
        struct audit_block block;
        str value = audit_block_encode(&whole, (str){ cases[i].row, cases[i].n }, arena, &hash);
        bool good = audit_block_decode(value, arena, &block, NULL) == ST_OK;
        if (good != cases[i].good) fail_msg("case %zu", i);
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
        TEST(numbers_of_actions_stay),
        TEST(the_block_of_a_task_answer_is_short),
        TEST(a_block_of_an_older_engine_reads_back),
        TEST(the_newest_block_comes_last),
        TEST(every_byte_is_part_of_the_chain),
        TEST(a_damaged_block_is_found),
        TEST(a_damaged_number_is_found),
        TEST(a_row_of_an_older_store_reads_back),
        TEST(a_damaged_row_is_found),
        TEST(details_that_were_cut_are_a_text),
        TEST(texts_of_clients_never_make_an_answer_unreadable),
        TEST(a_head_reads_back),
        TEST(clients_see_names_and_no_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
