/* api/mcp/tools_trials.c — tools that play a definition on a clock of its own: nothing is stored or sent. */
#include "api/mcp/mcp_int.h"

#include "base/clock.h"

#define PLAYED                                                                                               \
    "\"document\":{\"type\":\"object\"},\"text\":{\"type\":\"string\",\"minLength\":1},"                     \
    "\"others\":{\"type\":\"array\",\"items\":{\"type\":[\"object\",\"string\"]},\"description\":"           \
    "\"Definitions "                                                                                         \
    "that it starts.\"},\"input\":{\"type\":\"object\"},\"trigger\":{\"type\":\"string\"},"                  \
    "\"pins\":{\"type\":\"object\",\"description\":\"By node: what it answers each time, or "                \
    "{\\\"error\\\": "                                                                                       \
    "{\\\"code\\\", \\\"message\\\"}}.\"},"                                                                  \
    "\"answers\":{\"type\":\"array\",\"items\":{\"type\":\"object\"},\"description\":\"People and signals: " \
    "{node, after?, decision?, variables?}, in order for each node.\"},"                                     \
    "\"events\":{\"type\":\"array\",\"items\":{\"type\":\"object\"},\"description\":\"CloudEvents, each "    \
    "delivered as soon as one is awaited.\"},"                                                               \
    "\"unanswered\":{\"enum\":[\"wait\"],\"description\":\"People without an answer say nothing.\"},"        \
    "\"seed\":{\"type\":\"integer\",\"description\":\"Varies made-up values.\"}"
#define ONE_DOCUMENT "\"oneOf\":[{\"required\":[\"document\"]},{\"required\":[\"text\"]}]"
#define PLAYED_NAMES "document text others input trigger pins answers events unanswered"

/* The next line of the answer as a value; NULL: there are no more. */
static const struct json *next_line(str *rest, struct arena *arena)
{
    const struct json *line;
    while (rest->n) {
        size_t end = str_find(*rest, STR("\n"), 0);
        str text = str_slice(*rest, 0, end);
        *rest = end == SIZE_MAX ? STR_NONE : str_slice(*rest, end + 1, rest->n);
        if (text.n && json_parse(text, NULL, arena, &line, NULL) == ST_OK) return line;
    }
    return NULL;
}

/* ---- one run ---- */

static enum status test(struct mcp_work *work, struct error *err)
{
    return mcp_ask(work, "POST", STR("/api/trials"), mcp_pick(work, PLAYED_NAMES " seed"), false, err);
}

/* The lines as far as they fit, and the last one always, without the scenario file that may be large. */
static enum status test_next(struct mcp_work *work, struct error *err)
{
    struct json_builder result;
    const struct json *line, *last = NULL;
    size_t bytes = 0, count = 0;
    bool cut = false;
    str rest = work->body;
    (void)err;
    json_builder_init(&result, work->arena);
    json_open_object(&result);
    json_add_name(&result, STR("lines"));
    json_open_array(&result);
    while ((line = next_line(&rest, work->arena)) != NULL) {
        if (str_equal(json_text(line, STR("event")), STR("end"))) {
            last = json_without(work->arena, line, STR("scenario"));
            break;
        }
        bytes += json_bytes(line);
        cut = cut || bytes > MCP_ANSWER_BYTES_MAX || count++ == MCP_LINES_MAX;
        if (!cut) json_add(&result, line);
    }
    json_close(&result);
    json_add_name(&result, STR("end"));
    json_add(&result, last ? last : json_empty_object());
    if (cut) {
        json_add_name(&result, STR("cut"));
        json_add_bool(&result, true);
    }
    json_close(&result);
    mcp_finish(work, json_built(&result));
    return ST_OK;
}

const struct mcp_tool mcp_tool_test_definition = {
    .name = "test_definition",
    .title = "Try a definition",
    .description =
        "Plays a document to its end on a clock of its own and tells what happens: nothing is stored, "
        "nothing leaves the engine. Calls, workers and people are pretended by pins and answers, or "
        "by made-up values.",
    .method = "POST",
    .path = "/api/trials",
    .hints = MCP_READS,
    .input =
        "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{" PLAYED "}," ONE_DOCUMENT "}",
    .output =
        "{\"type\":\"object\",\"required\":[\"lines\",\"end\"],\"properties\":{\"lines\":{\"type\":\"array\","
        "\"items\":{\"type\":\"object\"}},\"end\":{\"type\":\"object\"},\"cut\":{\"type\":\"boolean\"}}}",
    .begin = test,
    .next = test_next,
};

/* ---- many runs by chance ---- */

struct chances_path {
    str path, status, reason;
    int64_t seed; /* The seed of the first run that took it. */
    size_t count;
};

struct chances {
    struct chances_path path[MCP_SIMULATED_MAX];
    size_t path_count, runs, wanted;
    int64_t seed, began_us;
};

static enum status ask_run(struct mcp_work *work, struct error *err)
{
    const struct chances *chances = work->own;
    int64_t seed = chances->seed + (int64_t)chances->runs;
    const struct json *body =
        mcp_with(work, mcp_pick(work, PLAYED_NAMES), "seed", json_of_int(work->arena, seed));
    return mcp_ask(work, "POST", STR("/api/trials"), body, false, err);
}

static enum status simulate(struct mcp_work *work, struct error *err)
{
    struct chances *chances = arena_make(work->arena, struct chances);
    const struct json *runs = json_get(work->arguments, STR("runs"));
    chances->wanted = runs ? (size_t)json_integer(work->arguments, STR("runs")) : MCP_SIMULATED_DEFAULT;
    chances->seed = json_integer(work->arguments, STR("seed"));
    chances->began_us = clock_monotonic_us();
    if (chances->seed < 0 || chances->seed > INT32_MAX)
        return fail(err, ST_INVALID, "seed", "seed must be between 0 and %d", INT32_MAX);
    work->own = chances;
    return ask_run(work, err);
}

static void add_run(struct mcp_work *work, struct chances *chances, str path, const struct json *end)
{
    str status = json_text(end, STR("status"));
    for (size_t i = 0; i < chances->path_count; i++) {
        struct chances_path *known = &chances->path[i];
        if (!str_equal(known->path, path) || !str_equal(known->status, status)) continue;
        known->count++;
        return;
    }
    chances->path[chances->path_count++] =
        (struct chances_path){ .path = arena_str(work->arena, path),
                               .status = arena_str(work->arena, status),
                               .reason = arena_str(work->arena, json_text(end, STR("reason"))),
                               .seed = chances->seed + (int64_t)chances->runs,
                               .count = 1 };
}

static void take_run(struct mcp_work *work, struct chances *chances)
{
    struct arena scratch;
    struct buf path;
    const struct json *line;
    str rest = work->body;
    arena_init(&scratch, 0);
    buf_init(&path, &scratch);
    while ((line = next_line(&rest, &scratch)) != NULL) {
        str event = json_text(line, STR("event"));
        if (str_equal(event, STR("enter"))) {
            if (path.n) PUT(&path, " → ");
            buf_add_str(&path, json_text(line, STR("node")));
        }
        if (str_equal(event, STR("end"))) add_run(work, chances, buf_str(&path), line);
    }
    chances->runs++;
    arena_done(&scratch);
}

static const struct json *chances_result(struct mcp_work *work, const struct chances *chances)
{
    struct json_builder result;
    json_builder_init(&result, work->arena);
    json_open_object(&result);
    json_add_name(&result, STR("runs"));
    json_add_int(&result, (int64_t)chances->runs);
    json_add_name(&result, STR("paths"));
    json_open_array(&result);
    for (size_t i = 0; i < chances->path_count; i++) {
        const struct chances_path *path = &chances->path[i];
        json_open_object(&result);
        json_add_name(&result, STR("count"));
        json_add_int(&result, (int64_t)path->count);
        json_add_text(&result, STR("status"), path->status);
        json_add_text(&result, STR("path"), path->path);
        if (path->reason.n) json_add_text(&result, STR("reason"), path->reason);
        json_add_name(&result, STR("seed"));
        json_add_int(&result, path->seed);
        json_close(&result);
    }
    json_close(&result);
    if (chances->runs < chances->wanted) {
        json_add_name(&result, STR("cut"));
        json_add_bool(&result, true);
    }
    json_close(&result);
    return json_built(&result);
}

static enum status simulate_next(struct mcp_work *work, struct error *err)
{
    struct chances *chances = work->own;
    take_run(work, chances);
    bool in_time = clock_monotonic_us() - chances->began_us < (int64_t)MCP_SIMULATED_MS_MAX * 1000;
    if (chances->runs < chances->wanted && in_time) return ask_run(work, err);
    mcp_finish(work, chances_result(work, chances));
    return ST_OK;
}

const struct mcp_tool mcp_tool_simulate = {
    .name = "simulate",
    .title = "Try a definition by chance",
    .description =
        "Plays a document several times with made-up values that vary, and tells which ways the runs "
        "took and how they ended. test_definition with the seed of a way shows it in full.",
    .method = "POST",
    .path = "/api/trials",
    .hints = MCP_READS,
    .input =
        "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{" PLAYED
        ",\"runs\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":50,\"default\":20}}," ONE_DOCUMENT "}",
    .output =
        "{\"type\":\"object\",\"required\":[\"runs\",\"paths\"],\"properties\":{\"runs\":{\"type\":"
        "\"integer\"},"
        "\"paths\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"count\",\"status\","
        "\"path\",\"seed\"]}},\"cut\":{\"type\":\"boolean\"}}}",
    .begin = simulate,
    .next = simulate_next,
};
