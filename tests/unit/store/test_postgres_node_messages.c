/* PostgreSQL: node messages and notices between nodes. */
#include "postgres_server.h"
#include "node_fixture.h"

#include "base/clock.h"
#include "base/hash.h"
#include "store/node_messages.h"
#include "store/postgres/node_messages_int.h"

#include <poll.h>
#include <stdlib.h>

/* ---- two nodes ---- */

struct end {
    struct store *store;
    struct node_messages *node_messages;
    atomic_int wakes;
};

static struct end one, two;

/* ---- proofs ---- */

/* No secret is in them. A text that begins with "unprovable" has none. */
static enum status make_proof(void *context, str head, str text, unsigned char *ret_proof, struct error *err)
{
    (void)context;
    if (str_starts(text, STR("unprovable"))) return (fail)(err, ST_FORBIDDEN, "key", "no key");
    uint64_t sum[] = { hash_bytes(head), hash_bytes(text) };
    memset(ret_proof, 0, NODE_MESSAGE_PROOF_BYTES);
    memcpy(ret_proof, sum, sizeof sum);
    return ST_OK;
}

static enum node_message_doubt check_proof(void *context, str head, str text, const unsigned char *proof)
{
    unsigned char right[NODE_MESSAGE_PROOF_BYTES];
    struct error err;
    bool same = make_proof(context, head, text, right, &err) == ST_OK &&
                memcmp(right, proof, NODE_MESSAGE_PROOF_BYTES) == 0;
    return same ? NODE_MESSAGE_BELIEVED : NODE_MESSAGE_FORGED;
}

static const struct node_message_proofs proofs = { make_proof, check_proof, NULL };

static void note_wake(void *context) { atomic_fetch_add(&((struct end *)context)->wakes, 1); }

static void open_end(struct fixture *f, struct end *end, struct store *store)
{
    end->store = store;
    assert_true(node_messages_are_possible(store));
    assert_ok(f, node_messages_open(store, &proofs, note_wake, end, &end->node_messages, &f->err));
}

static void open_both(struct fixture *f)
{
    open_end(f, &one, f->store);
    open_end(f, &two, join_node(f));
}

static void close_end(struct end *end)
{
    node_messages_close(end->node_messages);
    end->node_messages = NULL;
}

static void close_both(void)
{
    close_end(&one);
    close_end(&two);
    store_close(two.store);
}

/* Waits until the condition holds; it is looked at again every millisecond. */
#define UNTIL(condition)                                                             \
    do {                                                                             \
        int64_t until_us_ = clock_monotonic_us() + 60 * INT64_C(1000000);            \
        while (!(condition)) {                                                       \
            if (clock_monotonic_us() > until_us_) fail_msg("never: %s", #condition); \
            poll(NULL, 0, 1);                                                        \
        }                                                                            \
    } while (0)

static void execute(const char *sql) { libpq.clear(server_execute(server_conn, sql)); }

static int64_t ask(const char *sql)
{
    PGresult *result = server_execute(server_conn, sql);
    int64_t number = strtoll(libpq.getvalue(result, 0, 0), NULL, 10);
    libpq.clear(result);
    return number;
}

/* Writes a row as the node would, in hexadecimal, for a place of our choice. */
static const char *row_of(struct fixture *f, struct node_message_place place, str text)
{
    struct buf out;
    char mark[NODE_MESSAGE_MARK_BYTES];
    buf_init(&out, &f->arena);
    assert_ok(f, node_messages_mark(one.node_messages, place, text, mark, &f->err));
    for (size_t i = 0; i < sizeof mark; i++) buf_printf(&out, "%02x", (unsigned char)mark[i]);
    for (size_t i = 0; i < text.n; i++) buf_printf(&out, "%02x", (unsigned char)text.p[i]);
    buf_add_char(&out, '\0');
    return out.p;
}

static void insert_row(struct fixture *f, struct node_message_place place, const char *hex)
{
    execute(arena_printf(&f->arena,
                         "INSERT INTO errand(target, sender, number, until, text) VALUES(%lld, %lld, %llu, "
                         "now() + interval '1 hour', '\\x%s')%c",
                         (long long)place.target, (long long)place.sender, (unsigned long long)place.number,
                         hex, 0)
                .p);
}

static void send_to(struct fixture *f, struct end *from, const struct end *to, str text)
{
    assert_ok(f, node_messages_send(from->node_messages, store_node(to->store), text, 60000, &f->err));
}

static struct node_message take_from(struct fixture *f, struct end *end)
{
    struct node_message node_message;
    UNTIL(node_messages_take(end->node_messages, &f->arena, &node_message));
    return node_message;
}

/* ---- node messages ---- */

static void node_messages_arrive_once_and_in_order(void **state)
{
    struct fixture *f = *state;
    struct node_message none;
    open_both(f);
    for (int i = 0; i < 1000; i++) send_to(f, &one, &two, arena_printf(&f->arena, "%d", i));
    send_to(f, &two, &one, STR("back"));
    send_to(f, &two, &two, STR("to myself"));
    for (int i = 0; i < 1000; i++) {
        struct node_message node_message = take_from(f, &two);
        if (node_message.from == store_node(two.store)) i--;
        else assert_true(str_equal(node_message.text, arena_printf(&f->arena, "%d", i)));
    }
    struct node_message back = take_from(f, &one);
    assert_true(str_equal(back.text, STR("back")));
    assert_int_equal(back.from, store_node(two.store));
    UNTIL(ask("SELECT count(*) FROM errand") == 0);
    assert_false(node_messages_take(one.node_messages, &f->arena, &none));
    assert_int_equal(node_messages_stats(one.node_messages).sent, 1000);
    assert_int_equal(node_messages_stats(one.node_messages).taken, 1);
    assert_int_equal(node_messages_stats(two.node_messages).taken, 1001);
    assert_true(two.wakes > 0);
    close_both();
}

static void an_node_message_may_be_large_and_has_a_limit(void **state)
{
    struct fixture *f = *state;
    size_t bytes = 12 << 20;
    char *text = calloc(1, NODE_MESSAGE_BYTES_MAX + 1);
    open_both(f);
    text[0] = 'a';
    text[bytes - 1] = 'z';
    for (int i = 0; i < 3; i++) send_to(f, &one, &two, (str){ text, bytes });
    for (int i = 0; i < 3; i++) {
        struct node_message node_message = take_from(f, &two);
        assert_int_equal(node_message.text.n, bytes);
        assert_memory_equal(node_message.text.p, text, bytes);
    }
    str too_long = { text, NODE_MESSAGE_BYTES_MAX + 1 };
    assert_int_equal(node_messages_send(one.node_messages, store_node(two.store), too_long, 1000, &f->err),
                     ST_LIMIT);
    assert_int_equal(node_messages_stats(one.node_messages).refused, 1);
    send_to(f, &one, &two, STR_NONE); /* No bytes are a node message, too. */
    assert_int_equal(take_from(f, &two).text.n, 0);
    close_both();
    free(text);
}

static void an_outbox_that_is_full_refuses(void **state)
{
    struct fixture *f = *state;
    enum status status = ST_OK;
    open_both(f);
    execute("BEGIN; LOCK TABLE errand");
    for (int i = 0; i <= NODE_MESSAGES_MAX + NODE_MESSAGES_SENT_MAX && status == ST_OK; i++)
        status = node_messages_send(one.node_messages, store_node(two.store), STR("x"), 60000, &f->err);
    assert_int_equal(status, ST_OVERLOAD);
    assert_false(node_messages_has_room(one.node_messages));
    assert_true(node_messages_stats(one.node_messages).waiting >= NODE_MESSAGES_MAX);
    execute("COMMIT");
    UNTIL(node_messages_has_room(one.node_messages));
    close_both();
}

/* The answer to what was sent is lost: the node message is sent again, and arrives once. */
static void a_lost_answer_costs_no_node_message_and_doubles_none(void **state)
{
    struct fixture *f = *state;
    open_both(f);
    send_to(f, &one, &two, STR("first"));
    take_from(f, &two);
    UNTIL(ask("SELECT count(*) FROM errand") == 0);
    int64_t from = store_node(one.store), to = store_node(two.store);
    /* The row of a node message that was sent and whose answer was lost. */
    const struct node_message_place place = { from, to, 2 };
    insert_row(f, place, row_of(f, place, STR("second")));
    send_to(f, &one, &two, STR("second"));
    send_to(f, &one, &two, STR("third"));
    assert_true(str_equal(take_from(f, &two).text, STR("second")));
    assert_true(str_equal(take_from(f, &two).text, STR("third")));
    UNTIL(ask("SELECT count(*) FROM errand") == 0);
    close_both();
}

/* A transaction sees the sessions as they were at its first look, unless it asks for another one. */
static int64_t sends_that_wait(void)
{
    execute("SELECT pg_stat_clear_snapshot()");
    return ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INSERT "
               "INTO errand%' AND pid <> pg_backend_pid()");
}

/* The same, but the sender was taken for dead in between. Under its new number nobody would know the node
 * message.
 */
static void a_lost_answer_doubles_no_node_message_of_a_former_number(void **state)
{
    struct fixture *f = *state;
    open_both(f);
    send_to(f, &two, &one, STR("first"));
    take_from(f, &one);
    UNTIL(ask("SELECT count(*) FROM errand") == 0);
    int64_t from = store_node(two.store), to = store_node(one.store);
    execute("BEGIN; LOCK TABLE errand");
    send_to(f, &two, &one, STR("second"));
    UNTIL(sends_that_wait() == 1);
    send_to(f, &two, &one, STR("waits behind it"));
    const struct node_message_place place = { from, to, 2 };
    insert_row(f, place, row_of(f, place, STR("second")));
    assert_ok(f, store_rejoin(two.store, &f->err));
    execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query "
            "LIKE '%INSERT INTO errand%' AND pid <> pg_backend_pid()");
    send_to(f, &two, &one, STR("third"));
    execute("COMMIT");
    struct node_message second = take_from(f, &one), third = take_from(f, &one);
    assert_true(second.from == from && str_equal(second.text, STR("second")));
    assert_true(third.from == store_node(two.store) && str_equal(third.text, STR("third")));
    UNTIL(ask("SELECT count(*) FROM errand") == 0);
    assert_int_equal(node_messages_stats(one.node_messages).taken, 3);
    assert_int_equal(node_messages_stats(two.node_messages).expired, 2);
    close_both();
}

static void a_lost_connection_is_made_again(void **state)
{
    struct fixture *f = *state;
    open_both(f);
    node_messages_tell(one.node_messages, STR("here"));
    send_to(f, &one, &two, STR("first"));
    take_from(f, &two);
    for (int i = 0; i < 3; i++) {
        execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'pawl node "
            "%' AND query LIKE '%errand%' AND pid <> pg_backend_pid()");
        send_to(f, &one, &two, arena_printf(&f->arena, "again %d", i));
        assert_true(str_equal(take_from(f, &two).text, arena_printf(&f->arena, "again %d", i)));
    }
    close_both();
}

static void what_nobody_takes_in_time_goes(void **state)
{
    struct fixture *f = *state;
    open_both(f);
    int64_t dead = store_node(two.store) + 1000;
    assert_ok(f, node_messages_send(one.node_messages, dead, STR("nobody"), 3600000, &f->err));
    UNTIL(node_messages_stats(one.node_messages).sent == 1);
    UNTIL(ask("SELECT count(*) FROM errand") == 0);
    close_both();
}

/* ---- rows that no node has written ---- */

/* A proof is good for one row: the same sender, target, number, text and database. */
static void a_row_that_no_node_has_written_reaches_nobody(void **state)
{
    struct fixture *f = *state;
    open_both(f);
    int64_t from = store_node(one.store), to = store_node(two.store);
    const struct node_message_place good = { from, to, 7 };
    const struct {
        struct node_message_place written, proven;
        const char *hex; /* NULL: a proof. */
    } rows[] = {
        { good, good, "" },
        { good, good, "63" },                  /* As nodes of the version before wrote them. */
        { good, good, "500000" },              /* Too short for a proof. */
        { good, { from + 1, to, 7 }, NULL },   /* Another sender, */
        { good, { from, from, 7 }, NULL },     /* another target, */
        { good, { from, to, 6 }, NULL },       /* another number, */
        { good, { from, 0, 7 }, NULL },        /* a notice, */
        { { from, to, 1000000 }, good, NULL }, /* a number that would hide all that follow. */
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        insert_row(f, rows[i].written, rows[i].hex ? rows[i].hex : row_of(f, rows[i].proven, STR("x")));
    UNTIL(node_messages_stats(two.node_messages).doubted == COUNT(rows));
    strcpy(one.node_messages->identity, "another database");
    insert_row(f, good, row_of(f, good, STR("x")));
    node_messages_identify(one.node_messages, &f->err);
    UNTIL(node_messages_stats(two.node_messages).doubted == COUNT(rows) + 1);
    assert_int_equal(node_messages_stats(two.node_messages).doubt, NODE_MESSAGE_FORGED);
    assert_int_equal(node_messages_stats(two.node_messages).doubted_node, from);
    send_to(f, &one, &two, STR("a real one"));
    assert_true(str_equal(take_from(f, &two).text, STR("a real one")));
    assert_int_equal(node_messages_stats(two.node_messages).taken, 1);
    UNTIL(ask("SELECT count(*) FROM errand") == 0); /* Those that are refused go, too. */
    close_both();
}

static void a_row_that_was_taken_is_not_taken_again(void **state)
{
    struct fixture *f = *state;
    open_both(f);
    int64_t from = store_node(one.store), to = store_node(two.store);
    execute("CREATE TABLE recorded(target int8, sender int8, number int8, until timestamptz, text bytea); "
            "CREATE FUNCTION record() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO recorded "
            "VALUES(NEW.target, NEW.sender, NEW.number, NEW.until, NEW.text); RETURN NEW; END $$; "
            "CREATE TRIGGER record AFTER INSERT ON errand FOR EACH ROW WHEN (pg_trigger_depth() = 0) "
            "EXECUTE FUNCTION record()");
    send_to(f, &one, &two, STR("once"));
    take_from(f, &two);
    execute("DROP TRIGGER record ON errand");
    /* Many other nodes have come and gone since. */
    for (int64_t other = 1; other <= 2 * NODES_MAX; other++) {
        const struct node_message_place place = { to + other, to, 1 };
        insert_row(f, place, row_of(f, place, STR("x")));
    }
    for (int64_t other = 1; other <= 2 * NODES_MAX; other++)
        assert_int_equal(take_from(f, &two).from, to + other);
    uint64_t taken = node_messages_stats(two.node_messages).taken;
    execute("INSERT INTO errand(target, sender, number, until, text) SELECT * FROM recorded");
    execute(
        arena_printf(&f->arena,
                     "INSERT INTO errand(target, sender, number, until, text) SELECT target, %lld, number, "
                     "until, text FROM recorded%c",
                     (long long)from + 1, 0)
            .p);
    UNTIL(ask("SELECT count(*) FROM errand") == 0);
    assert_int_equal(node_messages_stats(two.node_messages).taken, taken);
    execute("DROP TABLE recorded; DROP FUNCTION record()");
    close_both();
}

static void a_node_that_can_prove_nothing_sends_nothing(void **state)
{
    struct fixture *f = *state;
    open_both(f);
    node_messages_tell(one.node_messages, STR("unprovable"));
    UNTIL(node_messages_send(one.node_messages, store_node(two.store), STR("x"), 60000, &f->err) == ST_STORE);
    assert_non_null(strstr(f->err.message, "no key"));
    node_messages_tell(one.node_messages, STR("provable"));
    UNTIL(node_messages_send(one.node_messages, store_node(two.store), STR("x"), 60000, &f->err) == ST_OK);
    take_from(f, &two);
    close_both();
}

/* ---- notices ---- */

static size_t hear(struct fixture *f, struct end *end, struct node_message_notice **notice)
{
    size_t count;
    UNTIL(node_messages_heard(end->node_messages, &f->arena, notice, &count));
    return count;
}

static void a_notice_is_seen_by_the_next_look(void **state)
{
    struct fixture *f = *state;
    struct node_message_notice *notice;
    size_t count;
    open_both(f);
    for (int i = 0; i < 20; i++) {
        str text = arena_printf(&f->arena, "notice %d", i);
        uint64_t told = node_messages_tell(one.node_messages, text);
        UNTIL(node_messages_told(one.node_messages) >= told);
        uint64_t look = node_messages_look(two.node_messages);
        UNTIL(node_messages_looked(two.node_messages) >= look);
        assert_true(node_messages_heard(two.node_messages, &f->arena, &notice, &count));
        assert_int_equal(count, 1);
        assert_true(notice[0].is_new && notice[0].node == store_node(one.store));
        assert_true(str_equal(notice[0].text, text));
    }
    assert_false(node_messages_heard(two.node_messages, &f->arena, &notice, &count));
    node_messages_tell(two.node_messages, STR("me, too"));
    assert_int_equal(hear(f, &one, &notice), 1);
    assert_true(str_equal(notice[0].text, STR("me, too")));
    close_end(&one); /* It takes its notice back. */
    assert_int_equal(hear(f, &two, &notice), 0);
    close_end(&two);
    store_close(two.store);
}

static void a_node_that_is_dead_has_no_notice(void **state)
{
    struct fixture *f = *state;
    struct node_message_notice *notice;
    open_both(f);
    node_messages_tell(two.node_messages, STR("here"));
    assert_int_equal(hear(f, &one, &notice), 1);
    assert_ok(f, store_fence_node(one.store, store_node(two.store), &f->err));
    assert_int_equal(hear(f, &one, &notice), 0);

    int64_t before = store_node(two.store);
    assert_ok(f, store_rejoin(two.store, &f->err));
    assert_int_equal(node_messages_node(two.node_messages), store_node(two.store));
    assert_int_not_equal(store_node(two.store), before);
    assert_int_equal(hear(f, &one, &notice), 1); /* It tells the same under its new number. */
    assert_int_equal(notice[0].node, store_node(two.store));
    assert_true(str_equal(notice[0].text, STR("here")));
    send_to(f, &one, &two, STR("to the new number"));
    assert_true(str_equal(take_from(f, &two).text, STR("to the new number")));
    close_both();
}

static void write_notice(struct fixture *f, struct node_message_place place, const char *hex)
{
    execute(arena_printf(&f->arena, "UPDATE notice SET version = %llu, text = '\\x%s' WHERE node = %lld%c",
                         (unsigned long long)place.number, hex, (long long)place.sender, 0)
                .p);
}

static void a_notice_that_no_node_has_written_says_nothing(void **state)
{
    struct fixture *f = *state;
    struct node_message_notice *notice;
    open_both(f);
    node_messages_tell(one.node_messages, STR("before"));
    node_messages_tell(one.node_messages, STR("here"));
    UNTIL(hear(f, &two, &notice) == 1 && str_equal(notice[0].text, STR("here")));
    assert_true(notice[0].is_proven);
    const struct node_message_place next = { store_node(one.store), 0, 3 }, first = { next.sender, 0, 1 };
    const struct {
        struct node_message_place written;
        const char *hex;
        enum node_message_doubt doubt;
    } rows[] = { { next, "0100", NODE_MESSAGE_UNPROVEN }, /* As nodes of the version before told. */
                 { { next.sender, 0, 4 }, row_of(f, first, STR("before")), NODE_MESSAGE_FORGED },
                 { first, row_of(f, first, STR("before")), NODE_MESSAGE_OLD } };
    for (size_t i = 0; i < COUNT(rows); i++) {
        write_notice(f, rows[i].written, rows[i].hex);
        assert_int_equal(hear(f, &two, &notice), 1);
        assert_true(notice[0].is_new && !notice[0].is_proven && !notice[0].text.n);
        assert_int_equal(node_messages_stats(two.node_messages).doubt, rows[i].doubt);
        assert_true(*node_message_doubt_reason(rows[i].doubt));
    }
    node_messages_tell(one.node_messages, STR("again"));
    assert_int_equal(hear(f, &two, &notice), 1);
    assert_true(notice[0].is_proven && str_equal(notice[0].text, STR("again")));
    close_both();
}

/* A crash of the server empties the tables. */
static void a_notice_that_is_lost_is_told_again(void **state)
{
    struct fixture *f = *state;
    struct node_message_notice *notice;
    open_both(f);
    node_messages_tell(two.node_messages, STR("here"));
    assert_int_equal(hear(f, &one, &notice), 1);
    execute("DELETE FROM notice; DELETE FROM errand");
    assert_int_equal(hear(f, &one, &notice), 0);
    execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'pawl node %'"
            " AND pid <> pg_backend_pid()");
    assert_int_equal(hear(f, &one, &notice), 1);
    assert_true(str_equal(notice[0].text, STR("here")));
    close_both();
}

static void a_store_in_memory_has_none(void **state)
{
    struct fixture *f = *state;
    struct store *memory;
    assert_ok(f, store_open_memory(&memory, &f->err));
    assert_false(node_messages_are_possible(memory));
    store_close(memory);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_postgres, teardown)
    const struct CMUnitTest tests[] = {
        TEST(node_messages_arrive_once_and_in_order),
        TEST(a_row_that_no_node_has_written_reaches_nobody),
        TEST(a_row_that_was_taken_is_not_taken_again),
        TEST(a_node_that_can_prove_nothing_sends_nothing),
        TEST(a_notice_that_no_node_has_written_says_nothing),
        TEST(an_node_message_may_be_large_and_has_a_limit),
        TEST(an_outbox_that_is_full_refuses),
        TEST(a_lost_answer_costs_no_node_message_and_doubles_none),
        TEST(a_lost_answer_doubles_no_node_message_of_a_former_number),
        TEST(a_lost_connection_is_made_again),
        TEST(what_nobody_takes_in_time_goes),
        TEST(a_notice_is_seen_by_the_next_look),
        TEST(a_node_that_is_dead_has_no_notice),
        TEST(a_notice_that_is_lost_is_told_again),
        TEST(a_store_in_memory_has_none),
    };
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
