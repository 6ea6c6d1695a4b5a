/* News of people's tasks: whom it concerns, what is kept, and who must read the list again. */
#include "driver.h"

#include "runtime/limits.h"
#include "runtime/memory/task_feed.h"

enum { NOW_MS = 1000 };

struct rig {
    struct arena arena;
    struct deadlines deadlines;
    struct task_feed task_feed;
};

static int setup(void **state)
{
    struct rig *rig = calloc(1, sizeof *rig);
    arena_init(&rig->arena, 0);
    task_feed_init(&rig->task_feed, &rig->deadlines, NOW_MS);
    *state = rig;
    return 0;
}

static int teardown(void **state)
{
    struct rig *rig = *state;
    while (task_feed_take_any(&rig->task_feed)) {
    }
    task_feed_done(&rig->task_feed);
    deadlines_done(&rig->deadlines);
    arena_done(&rig->arena);
    free(rig);
    return 0;
}

/* ---- writes ---- */

static struct task_row task(struct rig *rig, uint32_t execution, const char *details)
{
    const struct json *value;
    struct error err;
    assert_int_equal(json_parse(str_of(details), NULL, &rig->arena, &value, &err), ST_OK);
    return (struct task_row){ .ns = NAMESPACE_DEFAULT,
                              .instance = 7,
                              .execution = execution,
                              .created_ms = NOW_MS,
                              .node = STR("ask"),
                              .title = STR("Ask"),
                              .details = json_encoded(value) };
}

static void tell(struct rig *rig, struct task_row *closed, size_t closed_count, struct task_row *opened,
                 size_t opened_count)
{
    const struct definition definition = { .id = STR("d") };
    const struct effects effects = { .task_closed = closed,
                                     .task_closed_count = closed_count,
                                     .task_opened = opened,
                                     .task_opened_count = opened_count };
    task_feed_publish(&rig->task_feed, &effects, &definition);
}

static void open_for(struct rig *rig, const char *details)
{
    struct task_row row = task(rig, 1, details);
    tell(rig, NULL, 0, &row, 1);
}

/* ---- those who watch ---- */

static struct call *watch(struct rig *rig, const char *person, uint64_t epoch, uint64_t after)
{
    struct call *call = call_new(CALL_WATCH_TASKS, &rig->arena, NULL, NULL);
    call->as.watch_tasks =
        (struct call_watch_tasks){ .person = str_of(person), .epoch = epoch, .after = after };
    return call;
}

/* Says that it is there: from now on news is kept. */
static void begin(struct rig *rig)
{
    struct call *call = watch(rig, "", 0, 0);
    assert_true(task_feed_answer(&rig->task_feed, call));
    assert_int_equal(call->value.task_feed.epoch, NOW_MS);
    assert_false(call->value.task_feed.is_reset);
}

static size_t count_for(struct rig *rig, const char *person, const str *group, size_t groups)
{
    struct call *call = watch(rig, person, NOW_MS, 0);
    call->as.watch_tasks.group = group;
    call->as.watch_tasks.group_count = groups;
    bool any = task_feed_answer(&rig->task_feed, call);
    assert_int_equal(any, call->value.task_feed.count > 0);
    return call->value.task_feed.count;
}

static bool says(const struct call *call, size_t item, const char *words)
{
    return str_find(call->value.task_feed.item[item].text, str_of(words), 0) != SIZE_MAX;
}

/* ---- tests ---- */

static void nothing_is_kept_before_somebody_watches(void **state)
{
    struct rig *rig = *state;
    open_for(rig, "{\"assignee\":\"ada\"}");
    assert_int_equal(rig->task_feed.last, 0);
    begin(rig);
    open_for(rig, "{\"assignee\":\"ada\"}");
    assert_int_equal(rig->task_feed.last, 1);
}

static void news_is_for_those_whom_it_concerns(void **state)
{
    struct rig *rig = *state;
    const str sales[] = { STR("it"), STR("sales") }, ada[] = { STR("ada") };
    begin(rig);
    open_for(rig, "{\"assignees\":[\"ada\",\"bob\"],\"groups\":[\"sales\"]}");
    assert_int_equal(count_for(rig, "ada", NULL, 0), 1);
    assert_int_equal(count_for(rig, "bob", NULL, 0), 1);
    assert_int_equal(count_for(rig, "eve", NULL, 0), 0);
    assert_int_equal(count_for(rig, "", sales, 2), 1);
    assert_int_equal(count_for(rig, "eve", sales, 1), 0);
    assert_int_equal(count_for(rig, "", NULL, 0), 1); /* Who names nobody sees everything. */
    assert_int_equal(count_for(rig, "", ada, 1), 0);  /* A person's name is no group's. */
}

/* One write closes a task, opens one and changes one, who goes from one person to another. */
static void a_write_tells_what_was_opened_changed_and_closed(void **state)
{
    struct rig *rig = *state;
    begin(rig);
    struct task_row closed[] = { task(rig, 1, "{\"assignee\":\"ada\"}"),
                                 task(rig, 3, "{\"assignee\":\"ada\"}") };
    struct task_row opened[] = { task(rig, 2, "{\"assignee\":\"ada\"}"),
                                 task(rig, 3, "{\"assignee\":\"bob\"}") };
    tell(rig, closed, 2, opened, 2);
    struct call *call = watch(rig, "ada", NOW_MS, 0);
    assert_true(task_feed_answer(&rig->task_feed, call));
    assert_int_equal(call->value.task_feed.count, 3);
    assert_true(says(call, 0, "\"what\":\"closed\"") && says(call, 1, "\"what\":\"opened\""));
    assert_true(says(call, 2, "\"what\":\"changed\"") && says(call, 2, "\"assignee\":\"bob\""));
    assert_int_equal(count_for(rig, "bob", NULL, 0), 1);
}

static void who_has_missed_news_is_told(void **state)
{
    struct rig *rig = *state;
    begin(rig);
    for (int i = 0; i < 3; i++) open_for(rig, "{}");
    static const struct {
        uint64_t epoch, after;
        bool is_reset;
    } cases[] = {
        { NOW_MS, 0, false },
        { NOW_MS, 2, false },
        { NOW_MS, 4, true },     /* A number that nobody gave out. */
        { NOW_MS - 1, 2, true }, /* Of an engine before this one. */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct call *call = watch(rig, "", cases[i].epoch, cases[i].after);
        assert_true(task_feed_answer(&rig->task_feed, call));
        assert_int_equal(call->value.task_feed.is_reset, cases[i].is_reset);
        if (!cases[i].is_reset) assert_int_equal(call->value.task_feed.count, 3 - cases[i].after);
    }
}

static void memory_is_bounded_and_who_is_behind_starts_again(void **state)
{
    struct rig *rig = *state;
    begin(rig);
    for (int i = 0; i < TASK_FEED_BYTES_MAX / 1024; i++) { /* A piece of news takes more than that. */
        open_for(rig, "{}");
        arena_reset(&rig->arena);
    }
    assert_true(rig->task_feed.bytes <= TASK_FEED_BYTES_MAX);
    struct call *behind = watch(rig, "", NOW_MS, 0);
    assert_true(task_feed_answer(&rig->task_feed, behind) && behind->value.task_feed.is_reset);
}

/* An answer is cut off, and the next one goes on where it ended. */
static void a_round_is_bounded(void **state)
{
    struct rig *rig = *state;
    uint64_t seen = 0, rounds = 0;
    begin(rig);
    for (int i = 0; i < 2500; i++) open_for(rig, "{}");
    for (; seen < rig->task_feed.last; rounds++) {
        struct call *call = watch(rig, "", NOW_MS, seen);
        assert_true(task_feed_answer(&rig->task_feed, call));
        assert_int_equal(call->value.task_feed.item[0].number, seen + 1);
        seen = call->value.task_feed.last;
    }
    assert_true(rounds > 1);
}

static void a_call_waits_for_its_news_or_its_time(void **state)
{
    struct rig *rig = *state;
    begin(rig);
    struct call *ada = watch(rig, "ada", NOW_MS, 0), *bob = watch(rig, "bob", NOW_MS, 0);
    assert_false(task_feed_answer(&rig->task_feed, ada) || task_feed_answer(&rig->task_feed, bob));
    task_feed_wait(&rig->task_feed, ada, NOW_MS + 10);
    task_feed_wait(&rig->task_feed, bob, NOW_MS + 5);
    assert_null(task_feed_take_told(&rig->task_feed));
    open_for(rig, "{\"assignee\":\"ada\"}");
    assert_ptr_equal(task_feed_take_told(&rig->task_feed), ada);
    assert_int_equal(ada->value.task_feed.count, 1);
    assert_null(task_feed_take_told(&rig->task_feed));
    struct deadline *first = deadlines_first(&rig->deadlines);
    assert_int_equal(first->at_ms, NOW_MS + 5);
    assert_ptr_equal(task_feed_take_late(&rig->task_feed, first), bob);
    /* It has seen that the news was not for it. */
    assert_int_equal(bob->value.task_feed.count, 0);
    assert_int_equal(bob->value.task_feed.last, 1);
    assert_null(task_feed_take_any(&rig->task_feed));
}

static void more_people_than_the_limit_are_left_out(void **state)
{
    struct rig *rig = *state;
    struct buf details;
    char last[16];
    buf_init(&details, &rig->arena);
    buf_add_str(&details, STR("{\"assignees\":["));
    for (int i = 0; i <= TASK_FEED_LISTENERS_MAX; i++) buf_printf(&details, "%s\"p%d\"", i ? "," : "", i);
    buf_add_str(&details, STR("]}"));
    buf_add_char(&details, '\0');
    begin(rig);
    open_for(rig, details.p);
    snprintf(last, sizeof last, "p%d", TASK_FEED_LISTENERS_MAX - 1);
    assert_int_equal(count_for(rig, last, NULL, 0), 1);
    snprintf(last, sizeof last, "p%d", TASK_FEED_LISTENERS_MAX);
    assert_int_equal(count_for(rig, last, NULL, 0), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_kept_before_somebody_watches),
        TEST(news_is_for_those_whom_it_concerns),
        TEST(a_write_tells_what_was_opened_changed_and_closed),
        TEST(who_has_missed_news_is_told),
        TEST(memory_is_bounded_and_who_is_behind_starts_again),
        TEST(a_round_is_bounded),
        TEST(a_call_waits_for_its_news_or_its_time),
        TEST(more_people_than_the_limit_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
