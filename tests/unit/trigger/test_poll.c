/* One question to a source, and the rows of its answer. The source is a performer that the test plays. */
#include "trigger/poll_int.h"

#include "base/array.h"
#include "trigger/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

struct rig {
    struct sources sources;
    struct polled polled;
    struct fetch fetch;
    struct perform_methods methods;
    const struct json *input; /* What the source was asked. */
    enum engine_job_end end;
    const struct json *value, *error;
    size_t done;
};

static struct rig *playing;

static void start(void *self, struct engine_job *job)
{
    struct rig *rig = self;
    rig->input = job->input;
    job->end = rig->end;
    job->value = rig->value;
    job->error = rig->error;
    job->done(job);
}

static void on_done(struct fetch *fetch)
{
    assert_ptr_equal(fetch, &playing->fetch);
    playing->done++;
}

static const struct json *parse(struct rig *rig, const char *text)
{
    const struct json *value;
    struct error err;
    assert_int_equal(json_parse(str_of(text), NULL, &rig->polled.arena, &value, &err), ST_OK);
    return value;
}

static int setup(void **state)
{
    struct rig *rig = calloc(1, sizeof *rig);
    playing = rig;
    arena_init(&rig->polled.arena, 0);
    arena_init(&rig->fetch.arena, 0);
    rig->methods.start = start;
    rig->sources = (struct sources){ .sql = &rig->methods, .sql_self = rig, .done = on_done };
    rig->fetch.polled = &rig->polled;
    rig->polled.config = parse(
        rig, "{\"sourceType\":\"SqlDatabase\",\"connectionRef\":\"vault:shop\",\"query\":\"select 1\"}");
    rig->end = ENGINE_JOB_COMPLETED;
    *state = rig;
    return 0;
}

static int teardown(void **state)
{
    struct rig *rig = *state;
    arena_done(&rig->fetch.arena);
    arena_done(&rig->polled.arena);
    free(rig);
    return 0;
}

static void ask(struct rig *rig)
{
    poll_fetch(&rig->sources, &rig->fetch);
    assert_int_equal(rig->done, 1);
    poll_read(&rig->fetch);
}

/* An answer with so many rows. */
static const struct json *rows(struct rig *rig, size_t count)
{
    struct json_builder value;
    json_builder_init(&value, &rig->polled.arena);
    json_open_object(&value);
    json_add_name(&value, STR("rows"));
    json_open_array(&value);
    for (size_t i = 0; i < count; i++) json_add_int(&value, (int64_t)i);
    json_close(&value);
    json_close(&value);
    return json_built(&value);
}

static void a_database_is_only_read(void **state)
{
    struct rig *rig = *state;
    rig->value = rows(rig, 2);
    ask(rig);
    assert_true(json_equal(
        rig->input, parse(rig, "{\"connectionRef\":\"vault:shop\",\"sql\":\"select 1\",\"readOnly\":true}")));
    assert_int_equal(json_count(rig->fetch.rows), 2);
    assert_int_equal(rig->fetch.why.n, 0);
}

static void rows_have_a_limit(void **state)
{
    struct rig *rig = *state;
    rig->value = rows(rig, POLL_ROWS_MAX);
    ask(rig);
    assert_int_equal(json_count(rig->fetch.rows), POLL_ROWS_MAX);
    rig->done = 0;
    rig->fetch.rows = NULL;
    rig->value = rows(rig, POLL_ROWS_MAX + 1);
    ask(rig);
    assert_null(rig->fetch.rows);
    assert_true(str_find(rig->fetch.why, STR("at most"), 0) != SIZE_MAX);
}

static void a_failure_says_why(void **state)
{
    struct rig *rig = *state;
    rig->end = ENGINE_JOB_FAILED;
    rig->error = parse(rig, "{\"name\":\"SQL_42P01\",\"message\":\"no such table\"}");
    ask(rig);
    assert_null(rig->fetch.rows);
    assert_true(str_equal(rig->fetch.why, STR("no such table")));
}

static void an_answer_without_rows_is_a_failure(void **state)
{
    struct rig *rig = *state;
    rig->value = parse(rig, "{\"row_count\":1}");
    ask(rig);
    assert_null(rig->fetch.rows);
    assert_true(str_equal(rig->fetch.why, STR("the source gave no rows")));
}

/* The answer of a URL: a text of so many bytes inside of so many arrays. */
static void answer_nested(struct rig *rig, size_t depth, size_t bytes)
{
    char *text = arena_alloc(&rig->polled.arena, 2 * depth + bytes + 2);
    memset(text, '[', depth);
    memset(text + depth, 'x', bytes + 2);
    text[depth] = text[depth + bytes + 1] = '"';
    memset(text + depth + bytes + 2, ']', depth);
    rig->fetch.by_http = true;
    rig->fetch.outcall = (struct outcall){ .arena = &rig->fetch.arena,
                                           .status = 200,
                                           .answer_type = STR("application/json"),
                                           .answer = { text, 2 * depth + bytes + 2 } };
}

static void a_path_that_selects_much_is_refused_before_it_is_copied(void **state)
{
    struct rig *rig = *state;
    rig->polled.config = parse(rig, "{\"sourceType\":\"RestApi\",\"query\":\"$..*..*\"}");
    answer_nested(rig, 100, 10);
    poll_read(&rig->fetch);
    assert_int_equal(json_count(rig->fetch.rows), 100 * 99 / 2);

    rig->fetch.rows = NULL;
    answer_nested(rig, 100, 64 << 10);
    poll_read(&rig->fetch);
    assert_null(rig->fetch.rows);
    assert_true(str_equal(rig->fetch.why,
                          STR("the path selects rows of more than 67108864 bytes (POLL_ROWS_BYTES_MAX)")));
    assert_true(rig->fetch.arena.used < POLL_ROWS_BYTES_MAX);

    rig->fetch.why = STR_NONE;
    rig->polled.config = parse(rig, "{\"sourceType\":\"RestApi\",\"query\":\"$..*..*..*\"}");
    answer_nested(rig, 100, 10);
    poll_read(&rig->fetch);
    assert_null(rig->fetch.rows);
    assert_true(
        str_equal(rig->fetch.why, STR("161700 rows; at most 10000 are taken at once (POLL_ROWS_MAX)")));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_database_is_only_read),
        TEST(rows_have_a_limit),
        TEST(a_failure_says_why),
        TEST(an_answer_without_rows_is_a_failure),
        TEST(a_path_that_selects_much_is_refused_before_it_is_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
