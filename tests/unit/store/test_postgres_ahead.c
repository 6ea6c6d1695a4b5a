/* PostgreSQL: a check that reads ahead finds what one finds that asks for each row. */
#include "postgres_server.h"
#include "real_instances.h"

#include "base/buf.h"
#include "store/postgres/load_int.h"

enum { INSTANCES = 250 }; /* Some pages of a check. */

/* ---- a store that does not read ahead ---- */

static struct reader_ops plain_reader_ops;
static size_t read_ahead; /* How many histories and instances were. */

static enum status (*histories)(struct store_reader *reader, const struct instance_row *row, size_t count,
                                size_t bytes_max, struct arena *arena, struct history_ahead **ret_read,
                                size_t *ret_count, struct error *err);

static enum status count_histories(struct store_reader *reader, const struct instance_row *row, size_t count,
                                   size_t bytes_max, struct arena *arena, struct history_ahead **ret_read,
                                   size_t *ret_count, struct error *err)
{
    enum status status = histories(reader, row, count, bytes_max, arena, ret_read, ret_count, err);
    if (status == ST_OK) read_ahead += *ret_count;
    return status;
}

static bool reads_ahead;

static enum status open_reader(struct store *store, struct store_reader **ret_reader, struct error *err)
{
    TRY(postgres_reader_open(store, ret_reader, err));
    plain_reader_ops = *(*ret_reader)->ops;
    histories = plain_reader_ops.histories;
    plain_reader_ops.histories = reads_ahead ? count_histories : NULL;
    if (!reads_ahead) plain_reader_ops.instances_of = NULL;
    (*ret_reader)->ops = &plain_reader_ops;
    return ST_OK;
}

static void add_sentence(void *context, const char *sentence) { buf_printf(context, "%s\n", sentence); }

static str findings(struct fixture *f, bool ahead)
{
    struct store_ops ops = *f->store->ops;
    const struct store_ops *own = f->store->ops;
    struct buf found;
    int64_t instances;
    buf_init(&found, &f->arena);
    ops.reader_open = open_reader;
    f->store->ops = &ops;
    reads_ahead = ahead;
    assert_ok(f, store_check(f->store, true, compile, add_sentence, &found, &instances, &f->err));
    f->store->ops = own;
    assert_int_equal(instances, INSTANCES);
    return buf_str(&found);
}

/* Half of them wait for a worker, half for a person, with a timer. */
static void put_many(struct fixture *f)
{
    put_definition(f, 1, "order", 1);
    for (uint64_t id = 1; id <= INSTANCES; id++) {
        const struct instance *one = run(f, NULL,
                                         (struct command){ .kind = COMMAND_START,
                                                           .as.start.instance = id,
                                                           .as.start.definition = 1,
                                                           .data = json_empty_object() });
        if (id % 2)
            run(f, one,
                (struct command){ .kind = COMMAND_COMPLETE_JOB,
                                  .as.job.number = one->job[0].number,
                                  .data = json_empty_object() });
    }
}

static void a_sound_store_is_read_ahead(void **state)
{
    struct fixture *f = *state;
    put_many(f);
    read_ahead = 0;
    assert_str_equal(findings(f, true), STR(""));
    assert_int_equal(read_ahead, INSTANCES);
    assert_str_equal(findings(f, false), STR(""));
}

/* What cannot be read ahead is not read ahead, and everything else is. */
static void every_finding_is_the_same_as_row_by_row(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *damage, *sentence;
        size_t left_out;
    } cases[] = {
        { "DELETE FROM history WHERE instance = 51 AND revision = 1", "instance 51", 1 },
        { "DELETE FROM history WHERE instance = 60", "instance 60", 1 },
        { "UPDATE history SET blob = 'x' WHERE instance = 71 AND revision = 2",
          "instance 71: history row 2 is damaged", 0 },
        { "INSERT INTO history VALUES(81, 1, 3, 'x')", "instance 81 has 3 history rows, but revision 2", 1 },
        { "UPDATE history a SET blob = b.blob FROM history b WHERE a.instance = 91 AND b.instance = 91 AND "
          "a.revision = 2 AND b.revision = 1",
          "instance 91: history row 2 says revision 1", 0 },
        /* Too long, and too large together with others. */
        { "INSERT INTO history SELECT 101, 1, n, 'x' FROM generate_series(3, 1500) n;"
          "UPDATE instance SET revision = 1500 WHERE id = 101",
          "instance 101: history row 3 is damaged", 1 },
        { "UPDATE history SET blob = decode(repeat('00', 5000000), 'hex') WHERE instance = 240 AND revision "
          "= 1",
          "instance 240: history row 1 is damaged", 10 },
        { "UPDATE instance SET state = 'x' WHERE id = 111", "instance 111: its state is damaged", 0 },
        { "UPDATE instance SET state = decode(repeat('00', 5000000), 'hex') WHERE id = 121",
          "instance 121: its state is damaged", 0 },
        { "INSERT INTO timer VALUES(7, 9999, 1)", "a timer belongs to instance 9999, which is not there", 0 },
        { "INSERT INTO timer VALUES(7, 130, 1)", "timer 1 is not in the state of instance 130", 0 },
        { "INSERT INTO subscription VALUES(1, '', 9999)",
          "a subscription belongs to instance 9999, which is not there", 0 },
        { "INSERT INTO child VALUES(1, 1, 2, 1)",
          "instance 2 is no child of job 1 of instance 1 as its row says", 0 },
        { "INSERT INTO failure VALUES(1, 140, 1, 1, 1, NULL, '', '');"
          "INSERT INTO tally VALUES(1, 6, 77, 1)" /* Where none is counted, nobody looks. */,
          "instance 140: a row says why it failed, but it is ACTIVE", 0 },
        { "DELETE FROM task WHERE instance = 151", "instance 151: the open task at \"ask\" is in no list",
          0 },
    };
    size_t left_out = 0;
    put_many(f);
    for (size_t i = 0; i < COUNT(cases); i++) {
        libpq.clear(server_execute(server_conn, cases[i].damage));
        left_out += cases[i].left_out;
    }
    read_ahead = 0;
    str ahead = findings(f, true), plain = findings(f, false);
    assert_int_equal(read_ahead, INSTANCES - left_out);
    for (size_t i = 0; i < COUNT(cases); i++)
        if (str_find(ahead, str_of(cases[i].sentence), 0) == SIZE_MAX)
            fail_msg("nobody says \"%s\", but:\n%.*s", cases[i].sentence, STR_ARG(ahead));
    assert_str_equal(ahead, plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_sound_store_is_read_ahead, setup_postgres, teardown),
        cmocka_unit_test_setup_teardown(every_finding_is_the_same_as_row_by_row, setup_postgres, teardown),
    };
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
