#include "cli/options.h"
#include "cli/suggest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORDS_MAX = 16 };

static const char *test_environment[8][2];

static const char *lookup(const char *name)
{
    for (size_t i = 0; i < COUNT(test_environment) && test_environment[i][0]; i++)
        if (strcmp(test_environment[i][0], name) == 0) return test_environment[i][1];
    return NULL;
}

static struct arena arena;

static int setup(void **state)
{
    (void)state;
    memset(test_environment, 0, sizeof test_environment);
    arena_init(&arena, 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

/* Words separated by blanks; "''" stands for an empty one. */
static enum status parse(enum verb verb, const char *line, struct options *ret_options, struct error *err)
{
    const struct options_sources sources = { lookup, NULL };
    char *word[WORDS_MAX];
    int count = 0;
    char *text = arena_alloc(&arena, strlen(line) + 1);
    strcpy(text, line);
    for (char *w = strtok(text, " "); w; w = strtok(NULL, " ")) {
        if (strcmp(w, "''") == 0) *w = '\0';
        assert_true(count < WORDS_MAX);
        word[count++] = w;
    }
    memset(err, 0, sizeof *err);
    return options_parse(verb, count, word, &sources, &arena, ret_options, err);
}

static const char *write_config(const char *text)
{
    static char path[] = "/tmp/pawl-test-options-XXXXXX";
    strcpy(path + sizeof path - 7, "XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    return path;
}

static void flags_are_read_in_every_form(void **state)
{
    static const char *const lines[] = {
        "loan --key K7 --wait 5 --json",
        "--key=K7 --wait=5 --json loan",
        "-k K7 -w 5 -j loan",
        "-jkK7 -w5 loan",
        "--json -k K7 --wait 5 -- loan",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(lines); i++) {
        struct options options;
        struct error err;
        assert_int_equal(parse(VERB_START, lines[i], &options, &err), ST_OK);
        assert_int_equal(options.argument_count, 1);
        assert_string_equal(options.argument[0].p, "loan");
        assert_string_equal(option_text(&options, OPTION_KEY).p, "K7");
        assert_int_equal(option_number(&options, OPTION_WAIT), 5);
        assert_true(option_on(&options, OPTION_JSON));
    }
}

static void mistakes_are_named(void **state)
{
    static const struct {
        enum verb verb;
        const char *line, *message;
    } cases[] = {
        { VERB_SERVE, "--lisen 1:2", "unknown option --lisen; did you mean --listen?" },
        { VERB_SERVE, "--zzz", "unknown option --zzz" },
        { VERB_PS, "--demo", "--demo is an option of \"pawl serve\", not of \"pawl ps\"" },
        { VERB_PS, "-z", "unknown option -z" },
        { VERB_PS, "--json=yes", "--json takes no value" },
        { VERB_PS, "--definition", "--definition needs a value: ID" },
        { VERB_PS, "--limit many", "--limit: \"many\" is not a number from 0 on" },
        { VERB_PS, "--limit -1", "--limit: \"-1\" is not a number from 0 on" },
        { VERB_PS, "--status waitng",
          "--status: \"waitng\" is not one of "
          "failed|completed|cancelled|running|person|waiting|ACTIVE|WAITING|"
          "COMPLETED|FAILED|CANCELLED; did you mean waiting?" },
        { VERB_PS, "extra", "ps does not know what to do with \"extra\"" },
        { VERB_START, "", "start needs DEFINITION" },
        { VERB_COMPLETE, "x", "complete needs INSTANCE STEP" },
        { VERB_SERVE, "--retention 5y",
          "--retention: \"5y\" is not a duration such as 90s, 15m, 12h, 30d or PT12H" },
        { VERB_SERVE, "--lease soon",
          "--lease: \"soon\" is not a duration such as 90s, 15m, 12h, 30d or PT12H" },
        { VERB_SERVE, "--data ''", "--data: not a path" },
        { VERB_SERVE, "--store postgres",
          "--store: \"postgres\" is not one of sqlite|memory|postgres://|postgresql://; did you mean "
          "postgres://?" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct options options;
        struct error err;
        assert_int_equal(parse(cases[i].verb, cases[i].line, &options, &err), ST_INVALID);
        assert_string_equal(err.message, cases[i].message);
    }
}

static void a_word_that_only_looks_like_a_flag_is_an_argument(void **state)
{
    struct options options;
    struct error err;
    (void)state;
    assert_int_equal(parse(VERB_VALIDATE, "- -- --json", &options, &err), ST_OK);
    assert_int_equal(options.argument_count, 2);
    assert_string_equal(options.argument[0].p, "-");
    assert_string_equal(options.argument[1].p, "--json");
    assert_false(option_on(&options, OPTION_JSON));
}

static void help_wins_over_missing_arguments(void **state)
{
    static const char *const lines[] = { "--help", "-h", "--wait 3 -h" };
    (void)state;
    for (size_t i = 0; i < COUNT(lines); i++) {
        struct options options;
        struct error err;
        assert_int_equal(parse(VERB_START, lines[i], &options, &err), ST_OK);
        assert_true(options.help);
    }
}

static void a_flag_wins_over_the_environment_over_the_file_over_the_default(void **state)
{
    struct options options;
    struct error err;
    (void)state;

    assert_int_equal(parse(VERB_SERVE, "", &options, &err), ST_OK);
    assert_string_equal(option_text(&options, OPTION_LISTEN).p, "127.0.0.1:8080");
    assert_false(options.value[OPTION_LISTEN].given);

    const char *file = write_config("listen = 127.0.0.1:1\ndata=/from/file\nretention = 1d\n");
    test_environment[0][0] = "PAWL_CONFIG";
    test_environment[0][1] = file;
    assert_int_equal(parse(VERB_SERVE, "", &options, &err), ST_OK);
    assert_string_equal(option_text(&options, OPTION_LISTEN).p, "127.0.0.1:1");
    assert_string_equal(option_path(&options, OPTION_DATA), "/from/file");
    assert_int_equal(option_number(&options, OPTION_RETENTION), 86400000);
    assert_true(options.value[OPTION_LISTEN].given);

    test_environment[1][0] = "PAWL_LISTEN";
    test_environment[1][1] = "127.0.0.1:2";
    assert_int_equal(parse(VERB_SERVE, "", &options, &err), ST_OK);
    assert_string_equal(option_text(&options, OPTION_LISTEN).p, "127.0.0.1:2");

    assert_int_equal(parse(VERB_SERVE, "-l 127.0.0.1:3", &options, &err), ST_OK);
    assert_string_equal(option_text(&options, OPTION_LISTEN).p, "127.0.0.1:3");
    assert_string_equal(option_path(&options, OPTION_DATA), "/from/file");
    unlink(file);
}

static void a_configuration_file_is_checked_line_by_line(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "# fine\n\nlisten = 127.0.0.1:1\nlisten\n", ":4: expected \"key = value\"" },
        { "lisen = 127.0.0.1:1\n", ":1: unknown key \"lisen\"; did you mean listen?" },
        { "\nconfig = /etc/other\n", ":2: unknown key \"config\"" },
        { "json = yes\n", ":1: unknown key \"json\"" },
        { "store = oracle", ":1: \"oracle\" is not one of sqlite|memory|postgres://|postgresql://" },
        { "= 3", ":1: unknown key \"\"" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct options options;
        struct error err;
        char want[200];
        const char *file = write_config(cases[i].text);
        const char *line = arena_printf(&arena, "--config %s", file).p;
        assert_int_equal(parse(VERB_SERVE, line, &options, &err), ST_INVALID);
        snprintf(want, sizeof want, "%s%s", file, cases[i].message);
        assert_string_equal(err.message, want);
        unlink(file);
    }
}

static void a_file_may_hold_settings_of_other_verbs(void **state)
{
    struct options options;
    struct error err;
    (void)state;
    const char *file = write_config("store = oracle\r\n  server = http://h:1  \r\n");
    test_environment[0][0] = "PAWL_CONFIG";
    test_environment[0][1] = file;
    assert_int_equal(parse(VERB_PS, "", &options, &err), ST_OK);
    assert_string_equal(option_text(&options, OPTION_SERVER).p, "http://h:1");
    unlink(file);
}

static void a_file_that_was_named_must_exist(void **state)
{
    struct options options;
    struct error err;
    (void)state;
    assert_int_equal(parse(VERB_SERVE, "--config /nonexistent/pawl.conf", &options, &err), ST_NOT_FOUND);
}

static void limits_add_up_and_the_last_one_counts(void **state)
{
    struct options options;
    struct limits limits;
    struct error err;
    (void)state;
    const char *file = write_config("limit = visits_max=5\nlimit = fuel_max = 6\n");
    test_environment[0][0] = "PAWL_CONFIG";
    test_environment[0][1] = file;
    test_environment[1][0] = "PAWL_LIMITS";
    test_environment[1][1] = "visits_max=7, page_size_max=8";
    assert_int_equal(parse(VERB_SERVE, "--limit page_size_max=9", &options, &err), ST_OK);
    assert_int_equal(options_limits(&options, &limits, &err), ST_OK);
    assert_int_equal(limits.visits_max, 7);
    assert_int_equal(limits.fuel_max, 6);
    assert_int_equal(limits.page_size_max, 9);
    assert_int_equal(limits.body_bytes_max, limits_default().body_bytes_max);
    unlink(file);
}

static void bad_limits_are_refused(void **state)
{
    static const struct {
        const char *line, *message;
    } cases[] = {
        { "--limit visit_max=5", "--limit: there is no limit \"visit_max\"; did you mean visits_max?" },
        { "--limit visits_max", "--limit: visits_max needs a number from 1 on: visits_max=VALUE" },
        { "--limit visits_max=0", "--limit: visits_max needs a number from 1 on: visits_max=VALUE" },
        { "--limit =4", "--limit: there is no limit \"\"" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct options options;
        struct limits limits;
        struct error err;
        assert_int_equal(parse(VERB_SERVE, cases[i].line, &options, &err), ST_OK);
        assert_int_equal(options_limits(&options, &limits, &err), ST_INVALID);
        assert_string_equal(err.message, cases[i].message);
    }
}

static void durations_have_units(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
    } cases[] = {
        { "0", 0 },
        { "0s", 0 },
        { "90s", 90000 },
        { "15m", 900000 },
        { "12h", 43200000 },
        { "30d", INT64_C(2592000000) },
        { "2w", 1209600000 },
        { "PT1H30M", 5400000 },
        { "P1D", 86400000 },
        { "", -1 },
        { "5", -1 },
        { "d", -1 },
        { "-1d", -1 },
        { "1.5h", -1 },
        { "9223372036854775807w", -1 },
        { "P", -1 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t ms = -1;
        struct error err;
        enum status status = options_duration(str_of(cases[i].text), &ms, &err);
        assert_int_equal(status, cases[i].ms < 0 ? ST_INVALID : ST_OK);
        assert_int_equal(ms, cases[i].ms);
    }
}

static void the_nearest_word_is_suggested(void **state)
{
    static const char *const words[] = { "serve", "start", "store", "show", "signal", NULL };
    static const struct {
        const char *word, *want;
    } cases[] = {
        { "sevre", "serve" },
        { "strat", "start" },
        { "stor", "store" },
        { "si", "signal" },
        { "shw", "show" },
        { "zzzzz", NULL },
        { "", NULL },
        { "x", NULL },
        { "a word that is much longer than any of the candidates could be", NULL },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *got = suggest_word(str_of(cases[i].word), words);
        if (cases[i].want) assert_string_equal(got, cases[i].want);
        else assert_null(got);
    }
}

/* The table itself: what no verb could tell apart must not be in it. */
static void no_verb_has_two_options_of_one_name(void **state)
{
    (void)state;
    for (enum option a = 0; a < OPTION_COUNT; a++) {
        const struct option_spec *one = &option_specs[a];
        assert_true(one->verbs != 0);
        assert_int_equal(one->value == NULL, one->type == OPTION_TYPE_FLAG);
        assert_true(one->letter != 'h');
        /* The collector of traces has the variable that OpenTelemetry gives it. */
        const char *prefix = a == OPTION_OTLP ? "OTEL_" : "PAWL_";
        if (one->environment) assert_int_equal(strncmp(one->environment, prefix, 5), 0);
        for (enum option b = a + 1; b < OPTION_COUNT; b++) {
            const struct option_spec *other = &option_specs[b];
            if (one->environment && other->environment)
                assert_string_not_equal(one->environment, other->environment);
            if (!(one->verbs & other->verbs)) continue;
            assert_string_not_equal(one->flag, other->flag);
            assert_false(one->letter && one->letter == other->letter);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(flags_are_read_in_every_form, setup, teardown),
        cmocka_unit_test_setup_teardown(mistakes_are_named, setup, teardown),
        cmocka_unit_test_setup_teardown(a_word_that_only_looks_like_a_flag_is_an_argument, setup, teardown),
        cmocka_unit_test_setup_teardown(help_wins_over_missing_arguments, setup, teardown),
        cmocka_unit_test_setup_teardown(a_flag_wins_over_the_environment_over_the_file_over_the_default,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_configuration_file_is_checked_line_by_line, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_may_hold_settings_of_other_verbs, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_that_was_named_must_exist, setup, teardown),
        cmocka_unit_test_setup_teardown(limits_add_up_and_the_last_one_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_limits_are_refused, setup, teardown),
        cmocka_unit_test(durations_have_units),
        cmocka_unit_test(the_nearest_word_is_suggested),
        cmocka_unit_test(no_verb_has_two_options_of_one_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
