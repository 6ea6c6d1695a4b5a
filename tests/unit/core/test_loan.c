/* The loan workflows of examples/, to each end that their author's table promises. */

#include "core/driver.h"

static str read_example(struct arena *arena, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s: run the tests from the project's root", path);
    struct buf text;
    buf_init(&text, arena);
    char part[4096];
    size_t n;
    while ((n = fread(part, 1, sizeof part, file)) > 0) buf_add(&text, part, n);
    fclose(file);
    return buf_str(&text);
}

static void begin_example(struct driver *d, const char *path)
{
    struct arena arena;
    arena_init(&arena, 0);
    driver_begin_document(d, read_example(&arena, path));
    arena_done(&arena);
}

static const char *last_step(struct driver *d)
{
    size_t count;
    const struct execution *row = driver_rows(d, &count);
    return arena_str(&d->arena, row[count - 1].node_name).p;
}

static bool chained(const struct driver *d)
{
    const struct history *last = &d->outcome.history;
    return last->entry[last->entry_count - 1].kind == ENTRY_KIND_CHAIN;
}

struct scenario {
    const char *name;
    long long amount;
    int credit_score;
    const char *fraud_score;
    const char *review; /* What the underwriter says; NULL: silence. */
    const char *senior; /* The same for the senior officer. */
    const char *application_end;
    const char *disbursement_end; /* NULL: not started. */
};

static const char *run_application(struct driver *d, const struct scenario *s)
{
    begin_example(d, "examples/loan-application.json");
    start(d, "{'applicantId':'APP-1'}");
    assert_at(d, "ACTIVE validate-application");
    str amount = arena_printf(&d->arena, "{'loanAmount':%lld,'applicantEmail':'a@example.com'}", s->amount);
    d->now_ms += 100;
    complete(d, "validate-application", amount.p);
    assert_at(d, "ACTIVE credit-score-check fraud-screening");
    fail_job(d, "fraud-screen", "service is down", true);
    complete(d, "credit-score", arena_printf(&d->arena, "{'creditScore':%d}", s->credit_score).p);
    assert_at(d, "ACTIVE fraud-screening merge-risk-results");
    d->now_ms += 100;
    complete(d, "fraud-screen", arena_printf(&d->arena, "{'fraudScore':%s}", s->fraud_score).p);
    if (d->instance->status == INSTANCE_WAITING) {
        assert_at(d, "WAITING manual-review-task");
        if (s->review) {
            send(d, COMMAND_COMPLETE_TASK, "manual-review-task",
                 arena_printf(&d->arena, "{'reviewDecision':'%s'}", s->review).p);
        } else {
            fire(d, "manual-review-task", 0);
            assert_at(d, "WAITING manual-review-task escalate-review");
            complete(d, "escalate-review", NULL);
        }
    }
    if (d->instance->status == INSTANCE_ACTIVE) {
        assert_at(d, "ACTIVE auto-approve");
        complete(d, "approve-loan", "{'loanId':'LOAN-1'}");
    }
    assert_int_equal(d->instance->status, INSTANCE_COMPLETED);
    return last_step(d);
}

static const char *run_disbursement(struct driver *d, const struct scenario *s, const char *data)
{
    begin_example(d, "examples/loan-disbursement.json");
    start(d, data);
    if (d->instance->status == INSTANCE_WAITING) {
        assert_at(d, "WAITING senior-approval-task");
        if (s->senior) {
            send(d, COMMAND_COMPLETE_TASK, "senior-approval-task",
                 arena_printf(&d->arena, "{'seniorDecision':'%s'}", s->senior).p);
        } else {
            fire(d, "senior-approval-task", 0);
            complete(d, "notify-approval-overdue", NULL);
        }
    }
    if (d->instance->status == INSTANCE_ACTIVE) {
        assert_at(d, "ACTIVE prepare-disbursement");
        complete(d, "prepare-disbursement", "{'disbursementId':'DISB-1'}");
        complete(d, "transfer-funds", "{'transferRef':'TXN-1'}");
        complete(d, "notify-disbursement", NULL);
    }
    assert_int_equal(d->instance->status, INSTANCE_COMPLETED);
    return last_step(d);
}

static void every_scenario_ends_where_the_table_says(void **state)
{
    static const struct scenario scenarios[] = {
        { "approved, small", 200000000, 720, "0.12", NULL, NULL, "end-approved", "end-disbursed" },
        { "approved, senior approves", 600000000, 800, "0.12", NULL, "APPROVED", "end-approved",
          "end-disbursed" },
        { "approved, senior rejects", 600000000, 650, "0.12", NULL, "REJECTED", "end-approved",
          "end-disbursement-rejected" },
        { "approved, senior silent", 600000000, 720, "0.12", NULL, NULL, "end-approved",
          "end-disbursement-timeout" },
        { "bad credit", 200000000, 499, "0.12", NULL, NULL, "end-rejected", NULL },
        { "fraud", 200000000, 720, "0.81", NULL, NULL, "end-rejected", NULL },
        { "review approves", 200000000, 649, "0.8", "APPROVED", NULL, "end-approved", "end-disbursed" },
        { "review rejects", 200000000, 500, "0.12", "REJECTED", NULL, "end-rejected", NULL },
        { "review silent", 200000000, 600, "0.12", NULL, NULL, "end-escalated", NULL },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(scenarios); i++) {
        const struct scenario *s = &scenarios[i];
        struct driver application, disbursement;
        print_message("%s\n", s->name);
        assert_string_equal(run_application(&application, s), s->application_end);
        assert_int_equal(chained(&application), s->disbursement_end != NULL);
        if (s->disbursement_end) {
            struct buf data;
            buf_init(&data, &application.arena);
            json_print(application.instance->data, &data);
            buf_add_char(&data, '\0');
            assert_string_equal(run_disbursement(&disbursement, s, data.p), s->disbursement_end);
            assert_false(chained(&disbursement));
            driver_end(&disbursement);
        }
        driver_end(&application);
    }
}

static void fees_are_exact(void **state)
{
    static const struct scenario s = { "fees", 200000000, 720, "0.1", NULL, NULL, NULL, NULL };
    struct driver d;
    (void)state;
    run_disbursement(&d, &s, "{'loanAmount':200000001}");
    assert_json(&d, json_get(d.instance->data, STR("disbursementFee")), "2000000.01");
    assert_json(&d, json_get(d.instance->data, STR("netAmount")), "198000000.99");
    driver_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scenario_ends_where_the_table_says),
        cmocka_unit_test(fees_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
