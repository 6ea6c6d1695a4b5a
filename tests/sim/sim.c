/* tests/sim/sim.c — runs seeds.
 *
 * usage: sim [--seeds N] [--from S] [--jobs N] [--stop] [--twice] [--sqlite DIR] [--profile P] [--nodes N]
 *            [--access] | --seed S [--verbose]
 *
 * A profile says which definitions there are: `steps`, `serverless`, `graph`, `entity`, `migrate`, or
 * (without one) what the seed wants, which may be both.
 *
 * Every tenth seed is run a second time; with --twice each is, and with --sqlite each on a file in
 * that folder. It must be the same run, byte for byte. With --nodes each has several engines on one store.
 * With --access users, keys, grants and tenants come and go in each.
 *
 * Each seed is a whole life of an engine with its clients, workers, crashes and faults. A seed
 * that fails is printed with the one command that repeats it. The last line is "N passed, N failed".
 */
#include "world.h"

#include "base/log.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SEED_SECONDS_MAX = 60, FAILURES_SHOWN_MAX = 10, AGAIN_EVERY = 10 };

struct options {
    uint64_t from, count;
    int jobs;
    bool verbose, twice, stop, access;
    const char *sqlite;
    enum dialects dialects;
    uint32_t nodes;
};

struct totals {
    uint64_t passed, failed;
    uint64_t instances, commits, crashes, commands;
};

static const char *const dialects_option[] = { "",
                                               " --profile steps",
                                               " --profile serverless",
                                               " --profile graph",
                                               " --profile entity",
                                               " --profile migrate" };
static const char *program_name;
static char repeat_text[200]; /* How to repeat the seed that runs, for a signal handler. */
static size_t repeat_text_bytes;

static void on_signal(int number)
{
    static const char hang[] = "\nthe run hangs\n";
    ssize_t written = 0;
    if (number == SIGPROF) written += write(STDOUT_FILENO, hang, sizeof hang - 1);
    written += write(STDOUT_FILENO, repeat_text, repeat_text_bytes);
    (void)written;
    _exit(3);
}

static void say_seed(uint64_t seed, const struct options *options)
{
    char nodes[32] = "";
    if (options->nodes > 1) snprintf(nodes, sizeof nodes, " --nodes %" PRIu32, options->nodes);
    int n = snprintf(repeat_text, sizeof repeat_text,
                     "FAILED seed %" PRIu64 "; repeat with: %s%s%s%s --seed %" PRIu64 " --verbose\n", seed,
                     program_name, dialects_option[options->dialects], nodes,
                     options->access ? " --access" : "", seed);
    repeat_text_bytes = (size_t)n;
    /* Seconds of the processor: others may use it, too. */
    setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = SEED_SECONDS_MAX }, NULL);
}

static void remove_file(const char *path)
{
    static const char *const endings[] = { "", "-wal", "-shm", ".lock", ".reserve" };
    char name[300];
    for (size_t i = 0; i < COUNT(endings); i++) {
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        unlink(name);
    }
}

static void run_world(uint64_t seed, const struct options *options, bool verbose, const char *path,
                      struct run_result *ret_result)
{
    const struct run_options how = { .dialects = options->dialects,
                                     .nodes = options->nodes,
                                     .access = options->access,
                                     .verbose = verbose,
                                     .path = path };
    world_run(seed, &how, ret_result);
}

/* The same seed once more: is it the same run? */
static void run_again(uint64_t seed, const struct options *options, struct run_result *result)
{
    struct run_result second;
    char path[200];
    snprintf(path, sizeof path, "%s/sim-%ld.db", options->sqlite ? options->sqlite : "", (long)getpid());
    if (options->sqlite) remove_file(path);
    run_world(seed, options, false, options->sqlite ? path : NULL, &second);
    if (options->sqlite) remove_file(path);
    if (second.failed) {
        *result = second;
    } else if (second.trace_hash != result->trace_hash || second.trace_lines != result->trace_lines) {
        result->failed = true;
        snprintf(result->failure, sizeof result->failure, "the same seed gave two different runs");
    }
}

static bool run_seed(uint64_t seed, const struct options *options, struct totals *totals)
{
    struct run_result result;
    say_seed(seed, options);
    run_world(seed, options, options->verbose, NULL, &result);
    totals->instances += result.instances;
    totals->commits += result.commits;
    totals->crashes += result.crashes;
    totals->commands += result.commands;
    if (options->verbose) printf("trace %016" PRIx64 ", %zu lines\n", result.trace_hash, result.trace_lines);
    bool again = options->twice || options->sqlite || seed % AGAIN_EVERY == 0;
    if (!result.failed && again) run_again(seed, options, &result);
    if (!result.failed) {
        totals->passed++;
        return true;
    }
    totals->failed++;
    printf("%s  %s\n", repeat_text, result.failure);
    fflush(stdout);
    return false;
}

static void run_range(const struct options *options, uint64_t first, uint64_t step, struct totals *totals)
{
    for (uint64_t seed = first; seed < options->from + options->count; seed += step) {
        if (!run_seed(seed, options, totals) && (options->stop || totals->failed >= FAILURES_SHOWN_MAX))
            break;
    }
}

/* Seeds are dealt to so many processes, which send their totals back. */
static void run_processes(const struct options *options, struct totals *totals)
{
    int pipes[64];
    pid_t child[64];
    int jobs = options->jobs < (int)COUNT(child) ? options->jobs : (int)COUNT(child);
    for (int i = 0; i < jobs; i++) {
        int ends[2];
        must(pipe(ends) == 0);
        fflush(stdout);
        child[i] = fork();
        must(child[i] >= 0);
        if (child[i] == 0) {
            struct totals own = { 0 };
            run_range(options, options->from + (uint64_t)i, (uint64_t)jobs, &own);
            must(write(ends[1], &own, sizeof own) == sizeof own);
            exit(0);
        }
        close(ends[1]);
        pipes[i] = ends[0];
    }
    for (int i = 0; i < jobs; i++) {
        struct totals own = { 0 };
        if (read(pipes[i], &own, sizeof own) != sizeof own) own = (struct totals){ .failed = 1 };
        totals->passed += own.passed, totals->failed += own.failed;
        totals->instances += own.instances, totals->commits += own.commits;
        totals->crashes += own.crashes, totals->commands += own.commands;
        waitpid(child[i], NULL, 0);
        close(pipes[i]);
    }
}

static uint64_t number_after(int *index, int count, char **argument)
{
    char *end = NULL;
    uint64_t number = *index + 1 < count ? strtoull(argument[++*index], &end, 10) : 0;
    if (!end || *end) {
        fprintf(stderr, "%s needs a number\n", argument[*index]);
        exit(2);
    }
    return number;
}

static enum dialects read_dialects(const char *word)
{
    if (!strcmp(word, "steps")) return DIALECTS_STEPS;
    if (!strcmp(word, "serverless")) return DIALECTS_SERVERLESS;
    if (!strcmp(word, "graph")) return DIALECTS_GRAPH;
    if (!strcmp(word, "entity")) return DIALECTS_ENTITY;
    if (!strcmp(word, "migrate")) return DIALECTS_MIGRATE;
    fprintf(stderr, "there is no profile %s\n", word);
    exit(2);
}

static struct options read_options(int count, char **argument)
{
    struct options options = { .from = 1, .count = 100, .jobs = 1, .nodes = 1 };
    for (int i = 1; i < count; i++) {
        if (!strcmp(argument[i], "--seeds")) options.count = number_after(&i, count, argument);
        else if (!strcmp(argument[i], "--from")) options.from = number_after(&i, count, argument);
        else if (!strcmp(argument[i], "--jobs")) options.jobs = (int)number_after(&i, count, argument);
        else if (!strcmp(argument[i], "--seed"))
            options.from = number_after(&i, count, argument), options.count = 1;
        else if (!strcmp(argument[i], "--nodes")) options.nodes = (uint32_t)number_after(&i, count, argument);
        else if (!strcmp(argument[i], "--verbose")) options.verbose = true;
        else if (!strcmp(argument[i], "--access")) options.access = true;
        else if (!strcmp(argument[i], "--twice")) options.twice = true;
        else if (!strcmp(argument[i], "--stop")) options.stop = true;
        else if (!strcmp(argument[i], "--profile") && i + 1 < count)
            options.dialects = read_dialects(argument[++i]);
        else if (!strcmp(argument[i], "--sqlite") && i + 1 < count) options.sqlite = argument[++i];
        else {
            fprintf(stderr, "usage: sim [--seeds N] [--from S] [--jobs N] [--stop] [--twice] [--sqlite DIR] "
                            "[--profile steps|serverless|graph|entity|migrate] [--nodes N] [--access] | "
                            "--seed S [--verbose]\n");
            exit(2);
        }
    }
    if (options.nodes < 1 || options.nodes > SIM_NODES_MAX || (options.nodes > 1 && options.sqlite)) {
        fprintf(stderr, "there may be up to %d nodes, and only on a store in memory\n", SIM_NODES_MAX);
        exit(2);
    }
    return options;
}

int main(int count, char **argument)
{
    struct options options = read_options(count, argument);
    struct totals totals = { 0 };
    struct timespec begin, end;
    program_name = argument[0];
    log_set_level(LOG_OFF);
    signal(SIGABRT, on_signal);
    signal(SIGSEGV, on_signal);
    signal(SIGPROF, on_signal);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    if (options.jobs > 1 && options.count > 1) run_processes(&options, &totals);
    else run_range(&options, options.from, 1, &totals);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
    printf("%" PRIu64 " instances, %" PRIu64 " commands in %" PRIu64 " commits, %" PRIu64
           " crashes; %.1f s, %.0f seeds/s\n",
           totals.instances, totals.commands, totals.commits, totals.crashes, seconds,
           (double)(totals.passed + totals.failed) / seconds);
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", totals.passed, totals.failed);
    return totals.failed ? 1 : 0;
}
