/* cli/documents/run.c — `pawl run`: runs a definition in this process, once by hand or many times at random.
 *
 * Exit code: 0 the instance completed, 1 it failed or waits for something that nobody answers, 2 a file or an
 * option is wrong.
 */
#include "base/datetime.h"
#include "base/duration.h"
#include "base/log.h"
#include "cli/documents/document.h"
#include "cli/input.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "scenario/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { EXIT_STUCK = 1, DURATION_CHARS = 64 };

/* ---- what is to be run ---- */

static enum status read_mocks(const struct options *options, const struct json **ret_mocks, struct error *err)
{
    const char *path = option_path(options, OPTION_MOCKS);
    *ret_mocks = NULL;
    if (!path) return ST_OK;
    const struct json *value;
    TRY(input_json(arena_printf(options->arena, "@%s", path), "--mock", options->arena, &value, err));
    if (json_get(value, STR("mocks"))) value = json_get(value, STR("mocks"));
    if (!json_is(value, JSON_ARRAY))
        return fail(err, ST_INVALID, path, "%s: mocks are a list of {\"job\": …, \"results\": […]}", path);
    *ret_mocks = value;
    return ST_OK;
}

/* Each file holds an event, or a list of them. */
static enum status read_events(const struct options *options, struct trial_setup *setup, struct error *err)
{
    const struct option_value *given = &options->value[OPTION_EVENTS];
    const struct json **file = arena_make_n(options->arena, const struct json *, given->list_count);
    size_t count = 0;
    for (size_t i = 0; i < given->list_count; i++) {
        str path = arena_printf(options->arena, "@%.*s", STR_ARG(given->list[i]));
        TRY(input_json(path, "--event", options->arena, &file[i], err));
        count += json_is(file[i], JSON_ARRAY) ? json_count(file[i]) : 1;
    }
    const struct json **event = arena_make_n(options->arena, const struct json *, count);
    count = 0;
    for (size_t i = 0; i < given->list_count; i++) {
        if (!json_is(file[i], JSON_ARRAY)) event[count++] = file[i];
        for (size_t k = 0; json_is(file[i], JSON_ARRAY) && k < json_count(file[i]); k++)
            event[count++] = json_item(file[i], k);
    }
    setup->event = event;
    setup->event_count = count;
    return ST_OK;
}

/* Definitions are checked here first, so that problems are shown with their places. */
static int read_setup(const struct options *options, struct trial_setup *ret_setup)
{
    str *definition = arena_make_n(options->arena, str, options->argument_count);
    struct error err;
    for (size_t i = 0; i < options->argument_count; i++) {
        struct document document;
        int code = document_open(&document, options->argument[i].p, options->arena);
        if (code) return code;
        struct buf text;
        buf_init(&text, options->arena);
        json_print(document.normal, &text);
        definition[i] = buf_str(&text);
        document_done(&document);
    }
    *ret_setup = (struct trial_setup){ .definition = definition,
                                       .definition_count = options->argument_count,
                                       .seed = (uint64_t)option_number(options, OPTION_SEED) };
    if (read_mocks(options, &ret_setup->mocks, &err) != ST_OK) return output_fail(&err);
    if (read_events(options, ret_setup, &err) != ST_OK) return output_fail(&err);
    if (input_variables(options, &ret_setup->input, &err) != ST_OK) return output_fail(&err);
    return 0;
}

/* ---- by hand ---- */

static void print_waits(const struct trial_want *want, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct buf line;
        buf_init(&line, NULL);
        output_add_safe(&line, want[i].instance, false);
        buf_add_str(&line, STR(": "));
        output_add_safe(&line, want[i].node, false);
        buf_add_char(&line, ' ');
        output_add_safe(&line, want[i].why, false);
        fprintf(stderr, "  %.*s\n", (int)line.n, line.p);
        buf_done(&line);
    }
}

static const struct trial_want *find_want(const struct trial_want *want, size_t count, str node)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(want[i].node, node)) return &want[i];
    return NULL;
}

/* "{…}" answers the first, "step {…}" that one. False if the line makes no sense. */
static bool answer_line(struct trial *trial, str line, const struct trial_want *want, size_t count,
                        struct arena *arena)
{
    const struct trial_want *chosen = &want[0];
    const struct json *variables;
    struct error err;
    if (line.p[0] != '{') {
        size_t blank = str_find(line, STR(" "), 0);
        chosen = find_want(want, count, str_slice(line, 0, blank));
        line = blank == SIZE_MAX ? STR("{}") : str_trim(str_slice(line, blank, line.n));
    }
    if (!chosen) {
        output_complain("none of these steps waits by that name");
        return false;
    }
    if (input_json(line, "answer", arena, &variables, &err) != ST_OK) {
        output_complain("%s", err.message);
        return false;
    }
    if (!json_is(variables, JSON_OBJECT)) {
        output_complain("variables are a JSON object");
        return false;
    }
    if (trial_answer(trial, chosen, variables, &err) == ST_OK) return true;
    output_complain("%s", err.message);
    return false;
}

/* Asks the user at the terminal. False if no more answers will come. */
static bool ask(struct trial *trial, const struct trial_want *want, size_t count, struct arena *arena)
{
    char *line = NULL;
    size_t cap = 0;
    fputs("waits for you:\n", stderr);
    print_waits(want, count);
    fprintf(stderr, "variables as JSON, or a step and JSON; an empty line lets time pass; Ctrl-D stops\n> ");
    ssize_t n = getline(&line, &cap, stdin);
    str text = n < 0 ? STR_NONE : str_trim((str){ line, (size_t)n });
    bool more = n >= 0;
    if (more && text.n) answer_line(trial, arena_str(arena, text), want, count, arena);
    else if (more && !trial_pass_time(trial)) output_complain("nothing will happen by itself");
    free(line);
    return more;
}

/* Runs until all instances have ended (true) or nothing more can happen (false). */
static bool go(struct trial *trial, struct arena *arena)
{
    bool terminal = isatty(STDIN_FILENO);
    while (!trial_ended(trial) && !trial_problem(trial).n) {
        const struct trial_want *want;
        size_t count = terminal ? trial_wants(trial, &want) : 0;
        if (count) terminal = ask(trial, want, count, arena);
        else if (!trial_pass_time(trial)) return trial_ended(trial);
    }
    return trial_ended(trial);
}

static void complain_stuck(struct trial *trial)
{
    const struct trial_want *want;
    size_t count;
    if (trial_problem(trial).n) {
        output_complain("%.*s", STR_ARG(trial_problem(trial)));
        return;
    }
    output_complain(
        "it cannot go on by itself; --mock can answer for workers, people and signals, --event bring events");
    count = trial_wants(trial, &want);
    print_waits(want, count);
    count = trial_stuck(trial, &want);
    print_waits(want, count);
}

static int print_outcome(const struct options *options, const struct trial_outcome *outcome)
{
    char took[DURATION_CHARS];
    struct buf out;
    buf_init(&out, options->arena);
    if (option_on(options, OPTION_JSON)) {
        json_print_pretty(outcome->view, &out);
        buf_add_char(&out, '\n');
        return output_write(buf_str(&out));
    }
    report_records(outcome->record, "", &out);
    duration_print(outcome->took_ms, took, sizeof took);
    buf_add_str(&out, STR("\npath       "));
    output_add_safe(&out, outcome->path, false);
    buf_add_str(&out, STR("\nstatus     "));
    table_print_word(outcome->status, output_colours(), &out);
    if (outcome->own_status.n) buf_printf(&out, " (%.*s)", STR_ARG(outcome->own_status));
    buf_printf(&out, " after %s\n%-9.*s  ", took, STR_ARG(outcome->data_word));
    json_print_pretty(outcome->data, &out);
    buf_add_char(&out, '\n');
    return output_write(buf_str(&out));
}

static int run_by_hand(const struct options *options, const struct trial_setup *setup)
{
    struct trial *trial;
    struct trial_outcome outcome;
    struct error err;
    if (trial_open(setup, options->arena, &trial, NULL, &err) != ST_OK) return output_fail(&err);
    bool ended = go(trial, options->arena);
    trial_outcome(trial, &outcome);
    int code = print_outcome(options, &outcome);
    if (!ended) complain_stuck(trial);
    if (!ended || !outcome.succeeded) code = EXIT_STUCK;
    trial_close(trial);
    return code;
}

/* ---- by chance ---- */

static void add_times(const struct simulation *simulation, struct buf *out)
{
    static const char *const names[] = { "least", "half", "90 %", "99 %", "most" };
    buf_add_str(out, STR("virtual time:"));
    for (size_t i = 0; i < COUNT(names); i++) {
        char text[DURATION_CHARS];
        duration_print(simulation->took_ms[i], text, sizeof text);
        buf_printf(out, "%s %s %s", i ? "," : "", names[i], text);
    }
    buf_add_char(out, '\n');
}

static void add_paths(const struct simulation *simulation, struct arena *arena, struct buf *out)
{
    static const char *const headings[] = { "RUNS", "SHARE", "STATUS", "SEED", "PATH", NULL };
    struct text_table table;
    table_init(&table, arena, headings);
    for (size_t i = 0; i < simulation->path_count && i < PATHS_SHOWN_MAX; i++) {
        const struct simulation_path *path = &simulation->path[i];
        str why = path->why.n ? arena_printf(arena, " (%.*s)", STR_ARG(path->why)) : STR_NONE;
        table_add(&table, (str[]){ arena_printf(arena, "%zu", path->count),
                                   arena_printf(arena, "%.1f%%",
                                                100.0 * (double)path->count / (double)simulation->run_count),
                                   path->status, arena_printf(arena, "%llu", (unsigned long long)path->seed),
                                   arena_printf(arena, "%.*s%.*s", STR_ARG(path->path), STR_ARG(why)) });
    }
    table_print(&table, output_colours(), out);
    if (simulation->path_count > PATHS_SHOWN_MAX)
        buf_printf(out, "and %zu paths more\n", simulation->path_count - PATHS_SHOWN_MAX);
}

static void add_stuck(const struct options *options, const struct simulation *simulation, struct buf *out)
{
    const struct simulation_path *first = NULL;
    for (size_t i = 0; i < simulation->path_count; i++)
        if (str_equal(simulation->path[i].status, STR("stuck")) &&
            (!first || simulation->path[i].seed < first->seed))
            first = &simulation->path[i];
    if (!first) return;
    buf_printf(out,
               "%zu of %zu runs got stuck; again: pawl run %s --simulate 1 --seed %llu and the same input "
               "and mocks\n",
               simulation->stuck_count, simulation->run_count, options->argument[0].p,
               (unsigned long long)first->seed);
}

static void add_simulation_json(const struct simulation *simulation, struct arena *arena, struct buf *out)
{
    static const char *const names[] = { "least", "p50", "p90", "p99", "most" };
    struct json_builder json;
    json_builder_init(&json, arena);
    json_open_object(&json);
    json_add_name(&json, STR("runs"));
    json_add_int(&json, (int64_t)simulation->run_count);
    json_add_name(&json, STR("stuck"));
    json_add_int(&json, (int64_t)simulation->stuck_count);
    json_add_name(&json, STR("virtualMs"));
    json_open_object(&json);
    for (size_t i = 0; i < COUNT(names); i++) {
        json_add_name(&json, str_of(names[i]));
        json_add_int(&json, simulation->took_ms[i]);
    }
    json_close(&json);
    json_add_name(&json, STR("paths"));
    json_open_array(&json);
    for (size_t i = 0; i < simulation->path_count; i++) {
        const struct simulation_path *path = &simulation->path[i];
        json_open_object(&json);
        json_add_name(&json, STR("count"));
        json_add_int(&json, (int64_t)path->count);
        json_add_name(&json, STR("status"));
        json_add_string(&json, path->status);
        json_add_name(&json, STR("seed"));
        json_add_int(&json, (int64_t)path->seed);
        json_add_name(&json, STR("path"));
        json_add_string(&json, path->path);
        json_add_name(&json, STR("why"));
        json_add_string(&json, path->why);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
    json_print_pretty(json_built(&json), out);
    buf_add_char(out, '\n');
}

static void show_progress(void *context, size_t done) { progress_show(context, done); }

static int run_by_chance(const struct options *options, const struct trial_setup *setup)
{
    size_t runs = (size_t)option_number(options, OPTION_SIMULATE);
    struct simulation simulation;
    struct progress progress;
    struct error err;
    struct buf out;
    progress_begin(&progress, "runs", runs);
    enum status status =
        scenario_simulate(setup, runs, options->arena, show_progress, &progress, &simulation, &err);
    progress_clear(&progress);
    if (status != ST_OK) return output_fail(&err);
    buf_init(&out, options->arena);
    if (option_on(options, OPTION_JSON)) {
        add_simulation_json(&simulation, options->arena, &out);
    } else {
        add_paths(&simulation, options->arena, &out);
        add_times(&simulation, &out);
        add_stuck(options, &simulation, &out);
    }
    int code = output_write(buf_str(&out));
    return simulation.stuck_count ? EXIT_STUCK : code;
}

/* A single simulated run is printed in full, to look into a seed. */
static int run_one_by_chance(const struct options *options, const struct trial_setup *setup)
{
    struct trial_setup simulated = *setup;
    struct trial *trial;
    struct trial_outcome outcome;
    struct error err;
    simulated.simulate = true;
    if (trial_open(&simulated, options->arena, &trial, NULL, &err) != ST_OK) return output_fail(&err);
    while (trial_pass_time(trial)) {
    }
    trial_outcome(trial, &outcome);
    int code = print_outcome(options, &outcome);
    if (!trial_ended(trial)) {
        complain_stuck(trial);
        code = EXIT_STUCK;
    }
    trial_close(trial);
    return code;
}

int verb_run(const struct options *options)
{
    struct trial_setup setup;
    log_set_level(LOG_OFF);
    int code = read_setup(options, &setup);
    if (code) return code;
    switch (option_number(options, OPTION_SIMULATE)) {
    case 0: return run_by_hand(options, &setup);
    case 1: return run_one_by_chance(options, &setup);
    default: return run_by_chance(options, &setup);
    }
}
