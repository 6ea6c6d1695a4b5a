/* cli/documents/test.c — `pawl test`: runs the cases of scenario files, and their varied runs.
 *
 * Exit code: 0 all cases passed, 1 a case failed, 2 a file could not be read.
 */
#include "base/clock.h"
#include "base/log.h"
#include "cli/input.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "scenario/scenario.h"

enum { EXIT_FAILED = 1, EXIT_UNREADABLE = 2 };

struct testing {
    const struct options *options;
    struct report report;
    struct progress progress;
    size_t done;
    size_t chosen;
    size_t explored; /* Cases that had invariants, … */
    size_t runs;     /* … their varied runs … */
    size_t paths;    /* … and the different paths those took. */
    int code;
};

/* Files that a scenario names are looked for beside it. */
static enum status read_beside(void *context, str path, struct arena *arena, str *ret_text, struct error *err)
{
    str scenario_file = *(const str *)context;
    size_t slash = scenario_file.n;
    while (slash && scenario_file.p[slash - 1] != '/') slash--;
    str whole = path.n && path.p[0] == '/'
                    ? arena_str(arena, path)
                    : arena_printf(arena, "%.*s%.*s", (int)slash, scenario_file.p, STR_ARG(path));
    return input_read_file(whole.p, SCENARIO_BYTES_MAX, arena, ret_text, err);
}

static bool is_chosen(const struct testing *testing, str name)
{
    str only = option_text(testing->options, OPTION_ONLY);
    return !only.n || str_find(name, only, 0) != SIZE_MAX;
}

static void run_case(struct testing *testing, const struct suite *suite, size_t index)
{
    const struct options *options = testing->options;
    struct scenario_result result;
    struct exploration exploration = { 0 };
    struct arena arena;
    arena_init(&arena, 0);
    int64_t began_us = clock_monotonic_us();
    scenario_run(suite, index, &arena, &result);
    if (result.passed && option_number(options, OPTION_EXPLORE) > 0)
        scenario_explore(suite, index, (uint64_t)option_number(options, OPTION_SEED),
                         (size_t)option_number(options, OPTION_EXPLORE), &arena, &exploration);
    int64_t took_us = clock_monotonic_us() - began_us;
    testing->explored += exploration.run_count > 0;
    testing->runs += exploration.run_count;
    testing->paths += exploration.path_count;
    if (exploration.run_count) report_add_exploration(&testing->report, suite, index, &exploration, took_us);
    else report_add(&testing->report, suite, index, &result, took_us);
    arena_done(&arena);
}

/* Output for people is printed case by case; output for programs waits for the end. */
static void flush_text(struct testing *testing)
{
    struct buf *text = &testing->report.text;
    if (text->n && !option_on(testing->options, OPTION_JSON)) {
        progress_clear(&testing->progress);
        if (output_write(buf_str(text))) testing->code = EXIT_FAILED;
    }
    text->n = 0;
}

static void run_file(struct testing *testing, str file)
{
    struct arena *arena = testing->options->arena;
    struct suite suite;
    struct error err;
    str text;
    enum status status = input_read_file(file.p, SCENARIO_BYTES_MAX, arena, &text, &err);
    if (status == ST_OK) status = scenario_parse(text, file, read_beside, &file, arena, &suite, &err);
    if (status != ST_OK) {
        progress_clear(&testing->progress);
        output_fail(&err);
        testing->code = EXIT_UNREADABLE;
        return;
    }
    testing->progress.total += suite.count;
    for (size_t i = 0; i < suite.count; i++) {
        progress_show(&testing->progress, testing->done++);
        if (!is_chosen(testing, scenario_name(&suite, i))) continue;
        testing->chosen++;
        run_case(testing, &suite, i);
        flush_text(testing);
    }
}

static int print_json(struct testing *testing)
{
    struct arena *arena = testing->options->arena;
    struct json_builder whole;
    struct buf out;
    json_builder_init(&whole, arena);
    json_open_object(&whole);
    json_add_name(&whole, STR("passed"));
    json_add_int(&whole, (int64_t)testing->report.passed);
    json_add_name(&whole, STR("failed"));
    json_add_int(&whole, (int64_t)testing->report.failed);
    if (option_number(testing->options, OPTION_EXPLORE) > 0) {
        json_add_name(&whole, STR("runs"));
        json_add_int(&whole, (int64_t)testing->runs);
        json_add_name(&whole, STR("paths"));
        json_add_int(&whole, (int64_t)testing->paths);
    }
    json_add_name(&whole, STR("cases"));
    json_add(&whole, report_json(&testing->report));
    json_close(&whole);
    buf_init(&out, arena);
    json_print_pretty(json_built(&whole), &out);
    buf_add_char(&out, '\n');
    return output_write(buf_str(&out));
}

static int finish(struct testing *testing)
{
    const struct options *options = testing->options;
    struct report *report = &testing->report;
    const char *junit = option_path(options, OPTION_JUNIT);
    int code = testing->code;
    progress_clear(&testing->progress);
    if (!testing->chosen && !code) {
        output_complain(option_text(options, OPTION_ONLY).n ? "no case has \"%.*s\" in its name"
                                                            : "there are no cases",
                        STR_ARG(option_text(options, OPTION_ONLY)));
        code = EXIT_FAILED;
    }
    if (option_number(options, OPTION_EXPLORE) > 0 && testing->chosen && !testing->explored &&
        !report->failed)
        output_complain("--explore: none of the cases has invariants to check");
    if (report->failed && !code) code = EXIT_FAILED;
    if (junit) {
        struct buf xml;
        buf_init(&xml, options->arena);
        report_junit(report, &xml);
        if (output_write_file(junit, buf_str(&xml)) && !code) code = EXIT_FAILED;
    }
    int written;
    if (option_on(options, OPTION_JSON)) {
        written = print_json(testing);
    } else {
        str runs = STR("");
        if (testing->explored)
            runs = arena_printf(options->arena, "%zu varied run%s of %zu case%s took %zu different path%s\n",
                                testing->runs, testing->runs == 1 ? "" : "s", testing->explored,
                                testing->explored == 1 ? "" : "s", testing->paths,
                                testing->paths == 1 ? "" : "s");
        str line = arena_printf(options->arena, "%.*s%zu passed, %zu failed\n", STR_ARG(runs), report->passed,
                                report->failed);
        written = output_write(line);
    }
    return code ? code : written;
}

int verb_test(const struct options *options)
{
    struct testing testing = { .options = options };
    log_set_level(LOG_OFF); /* Turns the engine's own log off: the results are printed here. */
    report_init(&testing.report, options->arena);
    testing.report.verbose = option_on(options, OPTION_VERBOSE);
    testing.report.colours = output_colours();
    progress_begin(&testing.progress, "cases", 0);
    for (size_t i = 0; i < options->argument_count; i++) run_file(&testing, options->argument[i]);
    return finish(&testing);
}
