/* bench/states.c — what interpretation costs the core when nothing outside is involved.
 *
 *     states DEFINITION DATA STATES ROUNDS
 *
 * Starts an instance of the definition with the data, which must run to its end in one command. Prints
 * nanoseconds per state (STATES says how many it visits): of the step alone, and with both stored forms
 * encoded; and, as the reference, those of parsing the data's text once and of copying it.
 */
#include "base/clock.h"
#include "core/core.h"
#include "source/source.h"

#include <stdio.h>
#include <stdlib.h>

static str read_file(const char *path, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    FILE *file = fopen(path, "re");
    if (!file) {
        perror(path);
        exit(1);
    }
    char chunk[4096];
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, file)) > 0;) buf_add(&out, chunk, n);
    fclose(file);
    return buf_str(&out);
}

static struct program *compile(str text, struct arena *arena)
{
    struct problems problems;
    problems_init(&problems, arena);
    struct program *program = source_compile(text, SOURCE_JSON, 1 << 20, &problems, NULL);
    if (program) return program;
    struct buf out;
    buf_init(&out, arena);
    problems_print(&problems, STR("document"), &out);
    fprintf(stderr, "%.*s", STR_ARG(buf_str(&out)));
    exit(1);
}

struct times {
    int64_t step_us, whole_us;
    size_t history_bytes;
};

static void run(const struct program *program, const struct json *data, int rounds, struct times *ret_times)
{
    const struct limits limits = limits_default();
    const struct command command = {
        .kind = COMMAND_START, .now_ms = 1000, .as.start.instance = 1, .as.start.definition = 1, .data = data
    };
    struct arena arena;
    arena_init(&arena, 0);
    for (int i = 0; i < rounds; i++) {
        struct outcome outcome;
        struct error err;
        struct buf history, state;
        int64_t began_us = clock_monotonic_us();
        if (core_step(program, NULL, &command, &limits, &arena, &outcome, &err) != ST_OK) exit(1);
        ret_times->step_us += clock_monotonic_us() - began_us;
        buf_init(&history, &arena);
        buf_init(&state, &arena);
        history_encode(&outcome.history, &history);
        core_encode(outcome.instance, &state);
        ret_times->whole_us += clock_monotonic_us() - began_us;
        ret_times->history_bytes = history.n;
        if (outcome.instance->status != INSTANCE_COMPLETED) {
            fprintf(stderr, "the instance did not run to its end\n");
            exit(1);
        }
        arena_reset(&arena);
    }
    arena_done(&arena);
}

static int64_t parse_us(str text, int rounds)
{
    struct arena arena;
    struct error err;
    const struct json *value;
    arena_init(&arena, 0);
    int64_t began_us = clock_monotonic_us();
    for (int i = 0; i < rounds; i++, arena_reset(&arena))
        if (json_parse(text, NULL, &arena, &value, &err) != ST_OK) exit(1);
    arena_done(&arena);
    return clock_monotonic_us() - began_us;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: states DEFINITION DATA STATES ROUNDS\n");
        return 2;
    }
    int states = atoi(argv[3]), rounds = atoi(argv[4]);
    struct arena arena;
    struct error err;
    const struct json *data;
    struct times times = { 0 };
    arena_init(&arena, 0);
    struct program *program = compile(read_file(argv[1], &arena), &arena);
    str text = read_file(argv[2], &arena);
    if (json_parse(text, NULL, &arena, &data, &err) != ST_OK) return 1;
    run(program, data, rounds, &times);
    double all = (double)rounds * (double)states;
    printf("{\"dataBytes\":%zu,\"stepNs\":%.1f,\"storedNs\":%.1f,\"historyBytes\":%.1f,\"startUs\":%.2f,"
           "\"parseUs\":%.3f}\n",
           text.n, (double)times.step_us * 1000 / all, (double)times.whole_us * 1000 / all,
           (double)times.history_bytes / states, (double)times.whole_us / rounds,
           (double)parse_us(text, rounds) / rounds);
    program_unref(program);
    arena_done(&arena);
    return 0;
}
