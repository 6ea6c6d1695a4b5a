/* The stored forms: what is damaged is refused, whatever the bytes are. */

#include "core/driver.h"

#include "base/hash.h"
#include "core/limits.h"

#include <inttypes.h>
#include <stdlib.h>

#define RICH                                                                                            \
    FORK("f", "'a','b','p'", "j")                                                                       \
    TASK_WITH("a", "'nextStep':'j','retryCount':3")                                                     \
    TASK_WITH("b", "'nextStep':'j'," TIMERS(TIMER("PT1H", "true", "x") "," TIMER("P1D", "false", "x"))) \
    TASK("x", "j") PERSON("p", "j") JOIN("j", "end") END("end")

/* A state with everything in it: scope, jobs with three kinds of payload, timers, a join. */
static void begin_rich(struct driver *d)
{
    driver_begin(d, RICH);
    start(d, "{'n':1,'text':'grün','list':[1,2.50,null,true,{'k':{}}]}");
    send(d, COMMAND_COMPLETE_TASK, "p", "{'n':2}");
    d->now_ms += 77;
    fail_job(d, "a", "again", true);
}

/* A fixed sequence: the same bytes on every run. */
static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

static void sign(char *bytes, size_t n)
{
    uint64_t checksum = hash_bytes((str){ bytes, n - 8 });
    memcpy(bytes + n - 8, &checksum, 8);
}

static void every_flipped_bit_of_a_state_is_noticed(void **state)
{
    struct driver d;
    struct error err;
    (void)state;
    begin_rich(&d);
    str good = driver_encoded(&d, d.instance);
    char *bad = arena_alloc(&d.arena, good.n);
    for (size_t i = 0; i < good.n * 8; i++) {
        const struct instance *instance = NULL;
        memcpy(bad, good.p, good.n);
        bad[i / 8] = (char)(bad[i / 8] ^ (1 << i % 8));
        assert_int_equal(core_decode((str){ bad, good.n }, d.program, &d.arena, &instance, &err),
                         ST_INTERNAL);
        assert_null(instance);
    }
    driver_end(&d);
}

static void every_cut_of_a_state_is_noticed(void **state)
{
    struct driver d;
    struct error err;
    (void)state;
    begin_rich(&d);
    str good = driver_encoded(&d, d.instance);
    for (size_t n = 0; n < good.n; n++) {
        const struct instance *instance = NULL;
        /* On the heap, so that a read behind the end is seen by the sanitizer. */
        struct buf copy;
        buf_init(&copy, NULL);
        buf_add(&copy, good.p, n);
        if (n > 8) sign(copy.p, n);
        assert_int_equal(core_decode(buf_str(&copy), d.program, &d.arena, &instance, &err), ST_INTERNAL);
        buf_done(&copy);
    }
    driver_end(&d);
}

/* driver_do() compares the state with what its bytes and its history come to. */
static void an_origin_is_kept(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, RICH);
    struct command command = { .kind = COMMAND_START,
                               .as.start.instance = 7,
                               .as.start.definition = 3,
                               .data = json_empty_object(),
                               .as.start.root = UINT64_C(1) << 40,
                               .as.start.depth = 3,
                               .as.start.chained_from = 5 };
    assert_int_equal(driver_do(&d, command), ST_OK);
    complete(&d, "a", NULL);
    const struct instance *decoded;
    struct error err;
    assert_int_equal(core_decode(driver_encoded(&d, d.instance), d.program, &d.arena, &decoded, &err), ST_OK);
    assert_int_equal(decoded->root, UINT64_C(1) << 40);
    assert_int_equal(decoded->depth, 3);
    assert_int_equal(decoded->chained_from, 5);
    driver_end(&d);
}

/* With a right checksum anything may come: what decodes must be fit to go on with. */
static void states_that_lie_are_safe(void **state)
{
    struct driver d;
    uint64_t seed = 1;
    size_t decoded = 0;
    (void)state;
    begin_rich(&d);
    str good = driver_encoded(&d, d.instance);
    for (int round = 0; round < 20000; round++) {
        struct arena arena;
        struct error err;
        struct outcome outcome;
        const struct instance *instance = NULL;
        char *bad = memcpy(arena_alloc(&d.arena, good.n), good.p, good.n);
        arena_init(&arena, 0);
        for (uint32_t flips = 1 + next_random(&seed) % 3; flips > 0; flips--)
            bad[1 + next_random(&seed) % (good.n - 9)] = (char)next_random(&seed);
        sign(bad, good.n);
        if (core_decode((str){ bad, good.n }, d.program, &arena, &instance, &err) == ST_OK) {
            decoded++;
            struct command command = { .kind = COMMAND_COMPLETE_JOB, .now_ms = d.now_ms };
            if (instance->job_count) command.as.job.number = instance->job[0].number;
            (void)core_step(d.program, instance, &command, &d.limits, &arena, &outcome, &err);
            command.kind = COMMAND_FIRE_TIMER;
            if (instance->timer_count) command.as.timer.number = instance->timer[0].number;
            (void)core_step(d.program, instance, &command, &d.limits, &arena, &outcome, &err);
        }
        arena_done(&arena);
    }
    assert_true(decoded > 100);
    driver_end(&d);
}

static void histories_that_lie_are_safe(void **state)
{
    struct driver d;
    uint64_t seed = 2;
    (void)state;
    begin_rich(&d);
    const struct instance *before = d.instance;
    complete(&d, "b", "{'done':true}");
    struct buf good;
    buf_init(&good, &d.arena);
    history_encode(&d.outcome.history, &good);
    for (size_t i = 0; i < good.n; i++) {
        struct history history;
        struct error err;
        char *bad = memcpy(arena_alloc(&d.arena, good.n), good.p, good.n);
        bad[i] = (char)(bad[i] ^ 0x10);
        assert_int_equal(history_decode((str){ bad, good.n }, &d.arena, &history, &err), ST_INTERNAL);
    }
    for (int round = 0; round < 20000; round++) {
        struct arena arena;
        struct error err;
        struct history history;
        const struct instance *after = NULL;
        struct execution *row;
        size_t count;
        arena_init(&arena, 0);
        char *bad = memcpy(arena_alloc(&arena, good.n), good.p, good.n);
        bad[1 + next_random(&seed) % (good.n - 9)] = (char)next_random(&seed);
        sign(bad, good.n);
        if (history_decode((str){ bad, good.n }, &arena, &history, &err) == ST_OK) {
            (void)core_replay(d.program, before, NULL, &history, &arena, &after, &err);
            (void)core_executions(d.program, &history, 1, &arena, &row, &count, &err);
        }
        arena_done(&arena);
    }
    driver_end(&d);
}

static void a_state_needs_the_nodes_of_its_program(void **state)
{
    struct driver d, other;
    struct error err;
    const struct instance *instance = NULL;
    (void)state;
    begin_rich(&d);
    driver_begin(&other, TASK("zz", "end") END("end"));
    str bytes = driver_encoded(&d, d.instance);
    assert_int_equal(core_decode(bytes, other.program, &d.arena, &instance, &err), ST_INTERNAL);
    assert_non_null(strstr(err.message, "that the program lacks"));
    assert_int_equal(core_decode(bytes, NULL, &d.arena, &instance, &err), ST_OK);
    assert_int_equal(instance->token[0].node, NODE_NONE);
    assert_true(str_equal(instance->token[0].node_name, d.instance->token[0].node_name));
    assert_true(str_equal(instance->business_key, STR("key-1")));
    driver_end(&other);
    driver_end(&d);
}

static void replay_refuses_what_does_not_follow(void **state)
{
    struct driver d;
    struct error err;
    const struct instance *after = NULL;
    const struct created created = { .id = 7 };
    (void)state;
    driver_begin(&d, TASK("a", "b") TASK("b", "end") END("end"));
    start(&d, NULL);
    const struct instance *first = d.instance;
    complete(&d, "a", NULL);
    const struct history *history = d.history;
    assert_int_equal(core_replay(d.program, NULL, &created, &history[1], &d.arena, &after, &err),
                     ST_INTERNAL);
    assert_int_equal(core_replay(d.program, first, NULL, &history[0], &d.arena, &after, &err), ST_INTERNAL);
    assert_int_equal(core_replay(d.program, d.instance, NULL, &history[1], &d.arena, &after, &err),
                     ST_INTERNAL);
    struct history skipped = history[1];
    skipped.revision++;
    assert_int_equal(core_replay(d.program, first, NULL, &skipped, &d.arena, &after, &err), ST_INTERNAL);
    assert_null(after);
    assert_int_equal(core_replay(d.program, first, NULL, &history[1], &d.arena, &after, &err), ST_OK);
    driver_end(&d);
}

static void each_entry_that_does_not_fit_is_refused(void **state)
{
    struct driver d;
    (void)state;
    begin_rich(&d);
    uint32_t free_number = d.instance->next_number, execution = d.instance->token[0].execution;
    const struct entry cases[] = {
        { .kind = ENTRY_KIND_ENTER, .execution = execution, .node = STR("a") },
        { .kind = ENTRY_KIND_ENTER, .execution = free_number, .node = STR("zz") },
        { .kind = ENTRY_KIND_ENTER, .execution = free_number, .node = STR("a"), .scope = 999 },
        { .kind = ENTRY_KIND_ENTER, .execution = UINT32_MAX, .node = STR("a") },
        { .kind = ENTRY_KIND_PARK, .execution = 999, .value = TOKEN_JOB },
        { .kind = ENTRY_KIND_PARK, .execution = execution, .value = TOKEN_READY },
        { .kind = ENTRY_KIND_PARK, .execution = execution, .value = 99 },
        { .kind = ENTRY_KIND_LEAVE, .execution = 999 },
        { .kind = ENTRY_KIND_SCOPE_OPEN, .scope = free_number, .from = 999, .node = STR("f") },
        { .kind = ENTRY_KIND_SCOPE_OPEN, .scope = 1, .node = STR("f") },
        { .kind = ENTRY_KIND_SCOPE_CLOSE, .scope = 999 },
        { .kind = ENTRY_KIND_JOB_OPEN, .execution = 999, .number = free_number, .from = 1 },
        { .kind = ENTRY_KIND_JOB_OPEN, .execution = execution, .number = 1, .from = 1 },
        { .kind = ENTRY_KIND_JOB_OPEN, .execution = execution, .number = free_number, .from = 2 },
        { .kind = ENTRY_KIND_JOB_CLOSE, .number = 999 },
        { .kind = ENTRY_KIND_TIMER_OPEN, .execution = 999, .number = free_number },
        { .kind = ENTRY_KIND_TIMER_OPEN, .execution = execution, .number = 1 },
        { .kind = ENTRY_KIND_TIMER_CLOSE, .number = 999 },
        { .kind = ENTRY_KIND_DATA },
        { .kind = ENTRY_KIND_DATA, .json = json_empty_array() },
        { .kind = ENTRY_KIND_DATA, .json = json_empty_object(), .value = 9 },
        { .kind = ENTRY_KIND_STATUS, .value = INSTANCE_STATUS_COUNT },
        { .kind = ENTRY_KIND_CHAIN, .number = 1 },
        { .kind = ENTRY_KIND_CONTINUE, .number = 1 },
        { .kind = ENTRY_KIND_REACH, .execution = 999 },
        { .kind = ENTRY_KIND_BEGIN, .execution = 999 },
        { .kind = ENTRY_KIND_BEGIN, .execution = execution },
        { .kind = ENTRY_KIND_LOCK_ASK,
          .execution = 999,
          .number = free_number,
          .value = 1,
          .text = STR("x") },
        { .kind = ENTRY_KIND_LOCK_ASK, .execution = execution, .number = free_number, .text = STR("x") },
        { .kind = ENTRY_KIND_LOCK_ASK, .execution = execution, .number = free_number, .value = 1 },
        { .kind = ENTRY_KIND_LOCK_ASK, .execution = execution, .number = 1, .value = 1, .text = STR("x") },
        { .kind = ENTRY_KIND_LOCK_GRANT, .number = 999 },
        { .kind = ENTRY_KIND_COUNT },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct instance *after = NULL;
        struct error err;
        struct history history = { .command = COMMAND_SIGNAL,
                                   .revision = d.instance->revision + 1,
                                   .entry = &cases[i],
                                   .entry_count = 1 };
        if (core_replay(d.program, d.instance, NULL, &history, &d.arena, &after, &err) != ST_INTERNAL)
            fail_msg("case %zu was accepted", i);
    }
    driver_end(&d);
}

/* Breaks one invariant at a time. */
static void verify_finds_what_is_broken(void **state)
{
    struct driver d;
    struct error err;
    (void)state;
    begin_rich(&d);
    for (int i = 0; i < 16; i++) {
        const struct instance *copy = driver_decoded(&d, driver_encoded(&d, d.instance), d.program);
        struct instance broken = *copy;
        switch (i) {
        case 0: broken.token[0].state = TOKEN_READY; break;
        case 1: broken.token[0].state = TOKEN_FAILED; break;
        case 2: broken.token[0].state = TOKEN_PERSON; break;
        case 3: broken.token[0].scope = 999; break;
        case 4: broken.token[1].execution = broken.token[0].execution; break;
        case 5: broken.token[0].node = NODE_NONE; break;
        case 6: broken.job[0].execution = broken.job[1].execution; break;
        case 7: broken.job_count--; break;
        case 8: broken.job[1].attempt = 0; break;
        case 9: broken.timer[0].execution = 999; break;
        case 10: broken.timer[0].index = 2; break;
        case 11: broken.scope[0].parent = 999; break;
        case 12: broken.scope[0].fork = 1; break;
        case 13: broken.status = INSTANCE_WAITING; break;
        case 14: broken.status = INSTANCE_COMPLETED; break;
        case 15: broken.data = json_empty_array(); break;
        }
        if (core_verify(d.program, &broken, &err) != ST_INTERNAL) fail_msg("case %d holds", i);
    }
    driver_end(&d);
}

static void a_small_state_is_small(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK("a", "end") END("end"));
    d.now_ms = INT64_C(1794714611123);
    start(&d, NULL);
    assert_true(driver_encoded(&d, d.instance).n <= 64);
    driver_end(&d);
}

static void assert_stored(size_t kinds, size_t bytes_want, uint64_t hash_want)
{
    struct arena arena;
    struct entry entries[ENTRY_KIND_COUNT];
    struct history history = { .command = COMMAND_START, .at_ms = 1000, .revision = 1, .entry = entries };
    struct buf bytes;
    arena_init(&arena, 0);
    buf_init(&bytes, &arena);
    for (size_t i = 0; i < kinds; i++)
        entries[history.entry_count++] = (struct entry){ .kind = (enum entry_kind)i,
                                                         .execution = 10,
                                                         .number = 200,
                                                         .node = STR("node"),
                                                         .scope = 30000,
                                                         .from = 4,
                                                         .value = 5000000,
                                                         .time_ms = 6789,
                                                         .text = STR("text"),
                                                         .json = json_empty_object() };
    history_encode(&history, &bytes);
    assert_int_equal(bytes.n, bytes_want);
    uint64_t hash = hash_bytes(buf_str(&bytes));
    if (hash != hash_want) fail_msg("%zu kinds have the hash %" PRIx64, kinds, hash);
    arena_done(&arena);
}

/* Old stores must open: the bytes of an entry of each kind, with every slot filled, are those of schema 3
 * and, for the kinds that flow graphs brought, of the version that brought them. */
static void entries_are_stored_as_ever(void **state)
{
    (void)state;
    assert_stored(ENTRY_KIND_DATA_CUT + 1, 353, UINT64_C(0xefbee3fa4a2f2df9));
    assert_stored(ENTRY_KIND_VISITED + 1, 511, UINT64_C(0x83223cedd9b9f5b9));
    assert_stored(ENTRY_KIND_FIRE + 1, 520, UINT64_C(0x392509496caa7a04));
    assert_stored(ENTRY_KIND_SIMULATE + 1, 535, UINT64_C(0x9621ea54e929fc3b));
    assert_stored(ENTRY_KIND_CODE + 1, 541, UINT64_C(0x306a806765c04270));
    assert_stored(ENTRY_KIND_ARRIVAL_IN + 1, 558, UINT64_C(0x0566d01768330288));
    assert_stored(ENTRY_KIND_MIGRATE + 1, 575, UINT64_C(0x47b227fe7c4e658b));
    assert_stored(ENTRY_KIND_EACH_ADD + 1, 586, UINT64_C(0xfd331c37a869db40));
    assert_stored(ENTRY_KIND_CONTINUE + 1, 607, UINT64_C(0xd890e75c0b8d0b0e));
    assert_stored(ENTRY_KIND_BEGIN + 1, 616, UINT64_C(0x5961871b4561023a));
    assert_stored(ENTRY_KIND_LOCK_GRANT + 1, 632, UINT64_C(0xe437a99906ff660f));
    assert_stored(ENTRY_KIND_REMARK + 1, 638, UINT64_C(0xaa8661fa3520f745));
    assert_int_equal(ENTRY_KIND_REMARK + 1, ENTRY_KIND_COUNT);
}

static const struct json *value_of(struct arena *arena, const char *text)
{
    const struct json *value;
    struct error err;
    assert_int_equal(json_parse(str_of(text), NULL, arena, &value, &err), ST_OK);
    return value;
}

/* Stores values that one command lets a token carry, and reads them back. The bytes that they take. */
static size_t assert_carried(struct arena *arena, const char *const *text, size_t count)
{
    struct entry entry[8];
    struct history history = { .command = COMMAND_START, .revision = 1, .entry = entry }, read;
    struct buf bytes;
    struct error err;
    buf_init(&bytes, arena);
    for (size_t i = 0; i < count; i++)
        entry[history.entry_count++] = (struct entry){ .kind = ENTRY_KIND_CARRY,
                                                       .execution = (uint32_t)i + 1,
                                                       .carried = text[i] ? value_of(arena, text[i]) : NULL };
    history_encode(&history, &bytes);
    assert_int_equal(history_decode(buf_str(&bytes), arena, &read, &err), ST_OK);
    assert_int_equal(read.entry_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(read.entry[i].kind, ENTRY_KIND_CARRY);
        assert_int_equal(read.entry[i].execution, i + 1);
        assert_int_equal(!read.entry[i].carried, !text[i]);
        if (text[i])
            assert_true(str_equal(json_encoded(read.entry[i].carried), json_encoded(entry[i].carried)));
    }
    return bytes.n;
}

static void what_a_token_carries_is_stored_as_a_difference(void **state)
{
    static const char first[] = "{\"id\":\"0123456789012345678901234567890123456789\",\"state\":\"\"}";
    static const char second[] = "{\"id\":\"0123456789012345678901234567890123456789\",\"state\":\"NEW\"}";
    static const char third[] =
        "{\"id\":\"0123456789012345678901234567890123456789\",\"state\":\"NEW\",\"workflow\":\"sale\"}";
    const char *const grows[] = { first, second, third, third };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    size_t alone = assert_carried(&arena, grows, 1), all = assert_carried(&arena, grows, COUNT(grows));
    assert_true(all - alone < 120); /* 400 bytes, if each were stored whole. */
    static const char *const odd[][4] = {
        { third, second, first, "{}" },                            /* Members go. */
        { "{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", "{\"b\":3}" }, /* They change places. */
        { "{\"a\":1}", "{\"a\":1.0}", "{\"a\":1}" },               /* Equal, but not the same. */
        { "{}", "{\"a\":null}", "{\"a\":{\"b\":[]}}", "{}" },
        { "7", "{\"a\":1}", "[1]", "{\"a\":2}" }, /* What is no object is stored whole. */
        { NULL, "{\"a\":1}", NULL, "{\"a\":1}" },
    };
    for (size_t i = 0; i < COUNT(odd); i++) assert_carried(&arena, odd[i], COUNT(odd[i]));
    arena_done(&arena);
}

/* An object of one long text, whose cells take so many bytes. */
static const char *object_of_bytes(struct arena *arena, size_t bytes)
{
    const char *text = "{\"a\":\"\"}";
    for (size_t n = 0; json_bytes(value_of(arena, text)) < bytes; n++)
        text = arena_printf(arena, "{\"a\":\"%0*d\"}", (int)n + 1, 0).p;
    assert_int_equal(json_bytes(value_of(arena, text)), bytes);
    return text;
}

static void a_large_value_is_no_base_of_differences(void **state)
{
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t over = 0; over <= sizeof(uint32_t); over += sizeof(uint32_t)) {
        const char *text = object_of_bytes(&arena, CARRY_BASE_BYTES_MAX + over);
        const char *const twice[] = { text, text };
        size_t again = assert_carried(&arena, twice, 2) - assert_carried(&arena, twice, 1);
        if (over) assert_true(again > CARRY_BASE_BYTES_MAX);
        else assert_true(again < 32);
    }
    arena_done(&arena);
}

/* Objects that have one large value in `count` places, at two depths. */
static const char *data_of_repeats(struct arena *arena, size_t count)
{
    struct buf text;
    char *large = arena_alloc(arena, SHARED_BYTES_MIN + 1);
    memset(large, 'x', SHARED_BYTES_MIN);
    large[SHARED_BYTES_MIN] = 0;
    buf_init(&text, arena);
    buf_add_str(&text, STR("{'n':1"));
    for (size_t i = 0; i < count; i++)
        buf_printf(&text, i % 2 ? ",'v%zu':'%s'" : ",'v%zu':{'deep':['%s',%zu]}", i, large, i);
    buf_add(&text, ",'z':2}", sizeof ",'z':2}");
    return text.p;
}

static void large_values_that_repeat_are_stored_once(void **state)
{
    struct driver d;
    struct error err;
    (void)state;
    driver_begin(&d, TASK("a", "end") END("end"));
    d.limits.variables_bytes_max = 8 << 20;
    start(&d, data_of_repeats(&d.arena, 5));
    struct buf history;
    buf_init(&history, &d.arena);
    history_encode(&d.outcome.history, &history);
    str stored[] = { driver_encoded(&d, d.instance), buf_str(&history) };
    for (size_t i = 0; i < COUNT(stored); i++) assert_true(stored[i].n < SHARED_BYTES_MIN * 3 / 2);
    const struct instance *instance;
    struct history told;
    assert_int_equal(core_decode(stored[0], d.program, &d.arena, &instance, &err), ST_OK);
    assert_true(str_equal(json_encoded(instance->data), json_encoded(d.instance->data)));
    assert_int_equal(history_decode(stored[1], &d.arena, &told, &err), ST_OK);
    driver_end(&d);
}

/* The bytes around the large value, and places of copies behind it, may say anything. */
static void places_of_copies_that_lie_are_safe(void **state)
{
    struct driver d;
    uint64_t seed = 3;
    (void)state;
    driver_begin(&d, TASK("a", "end") END("end"));
    start(&d, data_of_repeats(&d.arena, 3));
    str good = driver_encoded(&d, d.instance);
    for (int round = 0; round < 2000; round++) {
        struct arena arena;
        struct error err;
        const struct instance *instance;
        char *bad = memcpy(malloc(good.n), good.p, good.n);
        arena_init(&arena, 0);
        size_t at = round % 2 ? 1 + next_random(&seed) % 200 : good.n - 9 - next_random(&seed) % 100;
        bad[at] = (char)next_random(&seed);
        sign(bad, good.n);
        if (core_decode((str){ bad, good.n }, d.program, &arena, &instance, &err) == ST_OK)
            assert_true(json_is(instance->data, JSON_OBJECT));
        arena_done(&arena);
        free(bad);
    }
    driver_end(&d);
}

/* Bytes of a history whose only entry is a difference. */
static void a_difference_needs_a_value_before_it(void **state)
{
    struct arena arena;
    struct buf bytes;
    struct history history;
    struct error err;
    const struct entry entry = { .kind = ENTRY_KIND_CARRY, .execution = 1, .carried = json_empty_object() };
    (void)state;
    arena_init(&arena, 0);
    buf_init(&bytes, &arena);
    history_encode(&(struct history){ .revision = 1, .entry = &entry, .entry_count = 1 }, &bytes);
    char *kind = memchr(bytes.p, ENTRY_KIND_CARRY, bytes.n);
    *kind = 127;
    sign(bytes.p, bytes.n);
    assert_int_equal(history_decode(buf_str(&bytes), &arena, &history, &err), ST_INTERNAL);
    *kind = ENTRY_KIND_CARRY;
    sign(bytes.p, bytes.n);
    assert_int_equal(history_decode(buf_str(&bytes), &arena, &history, &err), ST_OK);
    arena_done(&arena);
}

static void every_kind_of_entry_uses_slots_once(void **state)
{
    (void)state;
    for (int i = 0; i < ENTRY_KIND_COUNT; i++) {
        uint32_t slots = entry_slots((enum entry_kind)i);
        assert_int_not_equal(slots, 0);
        /* Both are the same eight bytes. */
        assert_false((slots & ENTRY_TIME) && (slots & ENTRY_INSTANCE));
        assert_true(strlen(entry_word((enum entry_kind)i)) > 2);
    }
    assert_int_equal(entry_slots(ENTRY_KIND_LEAVE), ENTRY_EXECUTION);
    assert_int_equal(entry_slots(ENTRY_KIND_BORN), ENTRY_NUMBER | ENTRY_VALUE | ENTRY_INSTANCE);
    assert_int_equal(entry_slots(ENTRY_KIND_TIMER_OPEN),
                     ENTRY_EXECUTION | ENTRY_NUMBER | ENTRY_VALUE | ENTRY_TIME);
    const struct entry open = { .kind = ENTRY_KIND_JOB_OPEN, .job = 7, .attempt = 2, .retries_left = 1 };
    assert_int_equal(open.number, 7);
    assert_int_equal(open.from, 2);
    assert_int_equal(open.value, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_flipped_bit_of_a_state_is_noticed),
        cmocka_unit_test(an_origin_is_kept),
        cmocka_unit_test(every_cut_of_a_state_is_noticed),
        cmocka_unit_test(states_that_lie_are_safe),
        cmocka_unit_test(histories_that_lie_are_safe),
        cmocka_unit_test(a_state_needs_the_nodes_of_its_program),
        cmocka_unit_test(replay_refuses_what_does_not_follow),
        cmocka_unit_test(each_entry_that_does_not_fit_is_refused),
        cmocka_unit_test(verify_finds_what_is_broken),
        cmocka_unit_test(a_small_state_is_small),
        cmocka_unit_test(entries_are_stored_as_ever),
        cmocka_unit_test(what_a_token_carries_is_stored_as_a_difference),
        cmocka_unit_test(a_large_value_is_no_base_of_differences),
        cmocka_unit_test(large_values_that_repeat_are_stored_once),
        cmocka_unit_test(places_of_copies_that_lie_are_safe),
        cmocka_unit_test(a_difference_needs_a_value_before_it),
        cmocka_unit_test(every_kind_of_entry_uses_slots_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
