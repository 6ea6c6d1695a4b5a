/* bench/states.c — what a state costs the core when nothing outside is involved.
 *
 *     states [ROUNDS]
 *
 * A Serverless Workflow of RELAY and SWITCH states over about 1 KiB of data runs to its end in one
 * command. Prints nanoseconds per state: of the step alone, and with both stored forms encoded.
 */
#include "base/clock.h"
#include "core/core.h"
#include "source/source.h"

#include <stdio.h>
#include <stdlib.h>

enum { STATES = 200, FIELDS = 24 };

/* Every third state injects, every third filters, every third chooses. */
static str make_document(struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    buf_printf(&out, "{\"name\":\"states\",\"startsAt\":\"s0\",\"states\":[");
    for (int i = 0; i < STATES; i++) {
        buf_printf(&out, "%s{\"name\":\"s%d\",", i ? "," : "", i);
        const char *next = i + 1 == STATES ? "\"end\":true" : "";
        if (i % 3 == 0)
            buf_printf(&out, "\"type\":\"RELAY\",\"inject\":{\"count\":%d}", i);
        else if (i % 3 == 1)
            buf_printf(&out, "\"type\":\"RELAY\",\"filter\":{\"inputPath\":\"$\",\"outputPath\":\"$\"}");
        else
            buf_printf(&out, "\"type\":\"SWITCH\",\"choices\":[{\"path\":\"$.order.field7\",\"operator\":\"Equals\","
                             "\"value\":\"nothing\",\"transition\":\"s0\"},{\"path\":\"$.count\",\"operator\":"
                             "\"LessThan\",\"value\":\"0\",\"transition\":\"s0\"}]");
        if (i + 1 == STATES) buf_printf(&out, ",%s}", next);
        else buf_printf(&out, ",\"%s\":\"s%d\"}", i % 3 == 2 ? "default" : "transition", i + 1);
    }
    buf_printf(&out, "]}");
    return buf_str(&out);
}

static const struct json *make_data(struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("order"));
    json_open_object(&builder);
    for (int i = 0; i < FIELDS; i++) {
        json_add_name(&builder, arena_printf(arena, "field%d", i));
        json_add_string(&builder, arena_printf(arena, "a value of some length, %d", i));
    }
    json_close(&builder);
    json_close(&builder);
    return json_built(&builder);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 500;
    struct arena arena, step_arena;
    arena_init(&arena, 0);
    arena_init(&step_arena, 0);
    struct problems problems;
    problems_init(&problems, &arena);
    struct program *program = source_compile(make_document(&arena), SOURCE_JSON, 1 << 20, &problems, NULL);
    if (!program) {
        struct buf text;
        buf_init(&text, &arena);
        problems_print(&problems, STR("document"), &text);
        fprintf(stderr, "%.*s", STR_ARG(buf_str(&text)));
        return 1;
    }
    const struct json *data = make_data(&arena);
    const struct limits limits = limits_default();
    int64_t step_us = 0, whole_us = 0;
    size_t history_bytes = 0;
    for (int i = 0; i < rounds; i++) {
        const struct command command = { .kind = COMMAND_START, .now_ms = 1000, .instance = 1, .definition = 1, .data = data };
        struct outcome outcome;
        struct error err;
        int64_t began = clock_monotonic_us();
        if (core_step(program, NULL, &command, &limits, &step_arena, &outcome, &err) != ST_OK) return 1;
        int64_t stepped = clock_monotonic_us();
        struct buf history, state;
        buf_init(&history, &step_arena);
        buf_init(&state, &step_arena);
        history_encode(&outcome.history, &history);
        core_encode(outcome.instance, &state);
        whole_us += clock_monotonic_us() - began;
        step_us += stepped - began;
        history_bytes = history.n;
        if (outcome.instance->status != INSTANCE_COMPLETED) return 1;
        arena_reset(&step_arena);
    }
    struct buf text;
    buf_init(&text, &arena);
    json_print(data, &text);
    printf("{\"data_bytes\":%zu,\"states\":%d,\"step_ns_per_state\":%.0f,\"stored_ns_per_state\":%.0f,"
           "\"history_bytes_per_state\":%.0f}\n",
           text.n, STATES, (double)step_us * 1000 / rounds / STATES, (double)whole_us * 1000 / rounds / STATES,
           (double)history_bytes / STATES);
    program_unref(program);
    arena_done(&step_arena);
    arena_done(&arena);
    return 0;
}
