/* api/operate/overview.c — the engine at a glance: counts, health in sentences, the last hour by the minute.
 */
#include "api/operate/operate_int.h"

enum {
    RECENT_MINUTES = 5,          /* The health of the store is told for so long. */
    COMMIT_SLOW_US = 100 * 1000, /* A commit that takes longer is worth a look. */
    QUEUE_SLOW_MS = 60 * 1000,   /* So is a job that is ready for longer … */
    TIMER_LATE_MS = 5 * 1000,    /* … and a timer that is late by more. */
    TIMER_SOON_MS = 24 * 3600 * 1000,
    NODE_GONE_MS = 5 * 60 * 1000, /* So long a node that has gone is told of. */
    DISK_LOOK_PERCENT = 85,
    DISK_BAD_PERCENT = 97,
};

/* ---- health ---- */

enum health { WELL, LOOK, BAD };

static void put_health(struct buf *out, const char *name, enum health state, str sentence)
{
    static const char *const words[] = { [WELL] = "well", [LOOK] = "look", [BAD] = "bad" };
    buf_printf(out, "{\"name\":\"%s\",\"state\":\"%s\",\"sentence\":", name, words[state]);
    put_text(out, sentence);
    buf_add_char(out, '}');
}

static void put_queue(struct buf *out, const struct call *call, struct arena *arena)
{
    const struct answer_overview *overview = call->value.overview;
    const struct api_request *request = call->user;
    int64_t turn_ms = runtime_ms_of_turn(request->api->config.runtime);
    int64_t waited_ms = overview->oldest_ready_ms ? overview->now_ms - overview->oldest_ready_ms : 0;
    size_t ready = overview->jobs_ready;
    if (turn_ms > TURN_MS_MAX) {
        str sentence = arena_printf(arena, "The engine has been busy with one step for %lld s",
                                    (long long)(turn_ms / 1000));
        put_health(out, "queue", BAD, sentence);
        return;
    }
    if (overview->paused) {
        put_health(out, "queue", LOOK, STR("Starts are paused: new runs are created and do not begin"));
        return;
    }
    str sentence = ready ? arena_printf(arena, "%zu job%s ready, the oldest for %.1f s", ready,
                                        ready == 1 ? " is" : "s are", (double)waited_ms / 1000)
                         : STR("Nothing waits");
    put_health(out, "queue", waited_ms > QUEUE_SLOW_MS ? LOOK : WELL, sentence);
}

/* The slowest of the last minutes. */
static int64_t recent_commit_us(const struct answer_overview *overview)
{
    int64_t slowest = 0;
    for (size_t i = ACTIVITY_MINUTES - RECENT_MINUTES; i < ACTIVITY_MINUTES; i++)
        if (overview->minute[i].commit_us > slowest) slowest = overview->minute[i].commit_us;
    return slowest;
}

static void put_store(struct buf *out, const struct call *call, struct arena *arena)
{
    int64_t commit_us = recent_commit_us(call->value.overview);
    str sentence = commit_us ? arena_printf(arena, "Commits in %.1f ms (95 of 100)", (double)commit_us / 1000)
                             : STR("Nothing was written in the last minutes");
    put_health(out, "store", commit_us > COMMIT_SLOW_US ? LOOK : WELL, sentence);
}

static void put_disk(struct buf *out, const struct call *call, struct arena *arena)
{
    const struct answer_overview *overview = call->value.overview;
    const struct store_counts *counts = &overview->counts;
    if (overview->disk_full) {
        put_health(out, "disk", BAD, STR("The disk is full: new work is refused"));
        return;
    }
    if (counts->disk_bytes <= 0) {
        put_health(out, "disk", WELL, STR("The store is not on a disk of the engine"));
        return;
    }
    int64_t free_percent = (int64_t)((double)counts->disk_free_bytes * 100 / (double)counts->disk_bytes);
    int64_t percent = 100 - free_percent;
    enum health state = percent >= DISK_BAD_PERCENT ? BAD : percent >= DISK_LOOK_PERCENT ? LOOK : WELL;
    put_health(out, "disk", state,
               arena_printf(arena, "%lld %% full, %.1f GB are free", (long long)percent,
                            (double)counts->disk_free_bytes / 1e9));
}

static void put_timers(struct buf *out, const struct call *call, struct arena *arena)
{
    const struct answer_overview *overview = call->value.overview;
    int64_t left_ms =
        overview->next_timer_ms == INT64_MAX ? INT64_MAX : overview->next_timer_ms - overview->now_ms;
    if (left_ms < -TIMER_LATE_MS) {
        str late = show_duration(-left_ms, arena);
        put_health(out, "timers", LOOK, arena_printf(arena, "Timers are %.*s late", STR_ARG(late)));
        return;
    }
    str next = show_duration(left_ms, arena);
    put_health(out, "timers", WELL,
               left_ms > TIMER_SOON_MS ? STR("On time, none comes soon")
                                       : arena_printf(arena, "On time, the next one in %.*s", STR_ARG(next)));
}

static void put_workers(struct buf *out, const struct call *call, struct arena *arena)
{
    const struct answer_overview *overview = call->value.overview;
    size_t jobs = overview->unpolled_jobs, types = overview->unpolled_types;
    if (!types) {
        str sentence = overview->workers
                           ? arena_printf(arena, "%zu polled in the last 5 min", overview->workers)
                           : STR("None has polled lately, and no job waits for one");
        put_health(out, "workers", WELL, sentence);
        return;
    }
    str whom = types == 1 ? arena_printf(arena, "\xe2\x80\x9c%.*s\xe2\x80\x9d", STR_ARG(overview->unpolled))
                          : arena_printf(arena, "%zu types of jobs", types);
    put_health(
        out, "workers", LOOK,
        arena_printf(arena, "Nobody polls %.*s: %zu wait%s", STR_ARG(whom), jobs, jobs == 1 ? "s" : ""));
}

/* A node that has gone may be back under another number. */
static void put_nodes(struct buf *out, const struct call *call, struct arena *arena)
{
    const struct answer_overview *overview = call->value.overview;
    int64_t gone_ms = overview->now_ms - overview->gone_ms;
    bool told = overview->gone && gone_ms < NODE_GONE_MS;
    str nodes = overview->nodes == 1 ? arena_printf(arena, "One node, number %lld", (long long)overview->node)
                                     : arena_printf(arena, "%zu nodes, this is number %lld", overview->nodes,
                                                    (long long)overview->node);
    str ago = show_duration(gone_ms > 0 ? gone_ms : 0, arena);
    str sentence = told ? arena_printf(arena, "%.*s; number %lld went %.*s ago", STR_ARG(nodes),
                                       (long long)overview->gone, STR_ARG(ago))
                        : nodes;
    put_health(out, "nodes", told ? LOOK : WELL, sentence);
}

/* ---- overview ---- */

static void put_counts(struct buf *out, const struct store_counts *counts)
{
    static const enum show_status shown[] = { SHOW_FAILED, SHOW_PERSON, SHOW_WAITING, SHOW_RUNNING };
    PUT(out, "{\"counts\":");
    for (size_t i = 0; i < COUNT(shown); i++) {
        buf_printf(out, "%c\"%s\":", i ? ',' : '{', show_status_word(shown[i]));
        put_int(out, operate_count(counts, shown[i]));
    }
    buf_add_char(out, '}');
}

static void put_last_hour(struct buf *out, const struct answer_overview *overview)
{
    static const enum activity_count shown[] = { ACTIVITY_STARTED, ACTIVITY_COMPLETED, ACTIVITY_FAILED,
                                                 ACTIVITY_CANCELLED };
    PUT(out, ",\"lastHour\":{");
    for (size_t i = 0; i < COUNT(shown); i++) {
        uint64_t sum = 0;
        for (size_t k = 0; k < ACTIVITY_MINUTES; k++) sum += overview->minute[k].count[shown[i]];
        buf_printf(out, "%s\"%s\":%llu", i ? "," : "", activity_count_word(shown[i]),
                   (unsigned long long)sum);
    }
    buf_add_char(out, '}');
    /* More tenants than are counted did something: zeros would not be true. */
    if (!overview->minutes_known) PUT(out, ",\"uncounted\":true");
}

static void render_overview(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_overview *overview = call->value.overview;
    const struct api_request *request = call->user;
    static void (*const parts[])(struct buf *, const struct call *, struct arena *) = { put_queue, put_store,
                                                                                        put_disk, put_timers,
                                                                                        put_workers };
    *ret_http_status = 200;
    put_counts(out, &overview->counts);
    put_last_hour(out, overview);
    PUT(out, ",\"tasks\":{\"open\":");
    put_int(out, overview->counts.tasks);
    PUT(out, ",\"late\":");
    put_int(out, overview->late_tasks);
    buf_add_char(out, '}');
    if (overview->warned >= 0) {
        PUT(out, ",\"definitionsWithWarnings\":");
        put_int(out, overview->warned);
    }
    PUT(out, ",\"health\":[");
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (i) buf_add_char(out, ',');
        parts[i](out, call, call->arena);
    }
    if (overview->nodes) {
        buf_add_char(out, ',');
        put_nodes(out, call, call->arena);
    }
    PUT(out, "],\"engine\":{\"version\":");
    put_text(out, str_of(request->api->config.version));
    PUT(out, ",\"startedAt\":");
    put_time(out, overview->began_ms);
    PUT(out, ",\"store\":");
    put_text(out, str_of(overview->counts.kind));
    PUT(out, ",\"paused\":");
    buf_add_str(out, overview->paused ? STR("true") : STR("false"));
    PUT(out, "}}");
}

enum status operate_overview(struct api_request *request, struct error *err)
{
    request->looks_around = true;
    return request_submit(request, call_overview(request_origin(request), &(struct call_nothing){ 0 }),
                          render_overview, err);
}

/* ---- series ---- */

/* Minutes that are not known are null. */
static void put_numbers(struct buf *out, const struct answer_series *series, size_t count)
{
    buf_add_char(out, '[');
    for (size_t i = 0; i < ACTIVITY_MINUTES; i++) {
        const struct activity_minute *minute = &series->minute[i];
        if (i) buf_add_char(out, ',');
        if (i < ACTIVITY_MINUTES - series->known) PUT(out, "null");
        else if (count < ACTIVITY_COUNT_COUNT) put_int(out, (int64_t)minute->count[count]);
        else
            buf_printf(out, "%.3f",
                       (double)(count == ACTIVITY_COUNT_COUNT ? minute->commit_us : minute->wait_us) / 1000);
    }
    buf_add_char(out, ']');
}

static void render_series(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_series *series = call->value.series;
    *ret_http_status = 200;
    PUT(out, "{\"from\":");
    put_time(out, series->from_ms);
    buf_printf(out, ",\"stepSeconds\":%d,\"series\":{", ACTIVITY_MINUTE_MS / 1000);
    for (int i = 0; i < ACTIVITY_COUNT_COUNT; i++) {
        buf_printf(out, "\"%s\":", activity_count_word((enum activity_count)i));
        put_numbers(out, series, (size_t)i);
        buf_add_char(out, ',');
    }
    PUT(out, "\"commitMs95\":");
    put_numbers(out, series, ACTIVITY_COUNT_COUNT);
    PUT(out, ",\"jobWaitMs95\":");
    put_numbers(out, series, ACTIVITY_COUNT_COUNT + 1);
    PUT(out, "}}");
}

enum status operate_series(struct api_request *request, struct error *err)
{
    return request_submit(request, call_series(request_origin(request), &(struct call_nothing){ 0 }),
                          render_series, err);
}
