/* api/tasks/stream.c — news of people's tasks, as Server-Sent Events.
 *
 *     watch from a number ──► news, or none for 15 s ──► written ──► watch again
 *
 * The first event is `ready`, or `reset` if the client has missed news: then it reads its list again. The id
 * of an event is "epoch-number", so that a client that lost the connection goes on with Last-Event-ID where
 * it was.
 */
#include "api/access/access_int.h"
#include "api/tasks/tasks_int.h"

#include "base/must.h"
#include "runtime/limits.h"

#include <inttypes.h>
#include <stdlib.h>

enum { HEARTBEAT_MS = 15000 };

struct task_stream {
    struct api_request *request;
    struct arena arena; /* Lives for one round. */
    str person;         /* These live as long as the request. */
    str group[TASK_FEED_GROUPS_MAX];
    size_t group_count;
    uint64_t epoch, seen;
    bool begun;
    bool over; /* The principal may see no more. */
    struct access_holder holder;
};

static void watched(struct call *call);
static void client_left(void *user);
static void go_on(void *user);

/* Called before the request is answered or its stream ended: after that, a request whose client has left is
 * freed. */
static void leave_request(struct task_stream *stream)
{
    stream->request->call = NULL;
    access_let_go(&stream->holder);
}

static void stream_free(struct task_stream *stream)
{
    arena_done(&stream->arena);
    free(stream);
}

static enum status watch_again(struct task_stream *stream, int64_t wait_ms)
{
    arena_reset(&stream->arena);
    const struct call_watch_tasks asked = { .person = stream->person,
                                            .group = stream->group,
                                            .group_count = stream->group_count,
                                            .epoch = stream->epoch,
                                            .after = stream->seen,
                                            .wait_ms = wait_ms };
    struct call *call = call_watch_tasks(
        (struct call_origin){ &stream->arena, watched, stream, &stream->request->caller }, &asked);
    stream->request->call = call;
    return runtime_submit(stream->request->api->config.client, call);
}

static void put_event(struct buf *out, uint64_t epoch, uint64_t number, const char *event, str data)
{
    buf_printf(out, "id: %" PRIu64 "-%" PRIu64 "\nevent: %s\ndata: %.*s\n\n", epoch, number, event,
               STR_ARG(data));
}

static void begin(struct task_stream *stream)
{
    str headers =
        arena_printf(&stream->arena, "Content-Type: text/event-stream\r\nCache-Control: no-store\r\n%.*s",
                     STR_ARG(answer_lines(stream->request)));
    http_stream_begin(stream->request->http, 200, headers);
    stream->begun = true;
}

/* Writes the news of one round. False: the client does not read. */
static bool write_round(struct task_stream *stream, const struct call *call, bool first)
{
    const struct answer_task_feed *answer = &call->value.task_feed;
    struct buf out;
    buf_init(&out, &stream->arena);
    if (answer->is_reset) put_event(&out, answer->epoch, answer->last, "reset", STR("{}"));
    else if (first)
        put_event(&out, answer->epoch, stream->epoch ? stream->seen : answer->last, "ready", STR("{}"));
    for (size_t i = 0; i < answer->count; i++)
        put_event(&out, answer->epoch, answer->item[i].number, "task", answer->item[i].text);
    if (!out.n) PUT(&out, ": still here\n\n");
    stream->epoch = answer->epoch;
    stream->seen = answer->last;
    return http_stream_write(stream->request->http, buf_str(&out));
}

static void end_stream(struct task_stream *stream)
{
    leave_request(stream);
    http_stream_end(stream->request->http);
    stream_free(stream);
}

static void watched(struct call *call)
{
    struct task_stream *stream = call->user;
    struct api_request *request = stream->request;
    request->call = NULL;
    if (!stream->begun && call->status != ST_OK) {
        call->error.status = call->status;
        leave_request(stream);
        answer_error(request, &call->error);
        stream_free(stream);
        return;
    }
    bool first = !stream->begun;
    if (first) begin(stream); /* Also if the client has left: what ends below has begun. */
    bool more = call->status == ST_OK && !request->gone && !stream->over &&
                write_round(stream, call, first) && !request->api->draining &&
                !str_equal(request->http->method, STR("HEAD"));
    arena_reset(&stream->arena);
    if (more && http_stream_behind(request->http) > STREAM_PAUSE_BYTES_MAX) request->http->on_drained = go_on;
    else if (!more || watch_again(stream, HEARTBEAT_MS) != ST_OK) end_stream(stream);
}

/* The client has read everything that was written. */
static void go_on(void *user)
{
    struct task_stream *stream = ((struct api_request *)user)->stream;
    if (watch_again(stream, HEARTBEAT_MS) != ST_OK) end_stream(stream);
}

/* The call that is under way comes back soon and ends the stream. There is none while the client reads. */
static void client_left(void *user)
{
    struct api_request *request = user;
    bool reads = !request->call;
    request_left(request);
    if (reads) end_stream(request->stream);
}

/* A call that is under way is called back. */
static void end_access(void *context)
{
    struct task_stream *stream = context;
    struct call *call = stream->request->call;
    stream->over = true;
    if (call) runtime_abandon(stream->request->api->config.client, call);
    else end_stream(stream);
}

/* group=a,b,c */
static enum status read_groups(struct api_request *request, struct task_stream *stream, struct error *err)
{
    str left = query_text(request, STR("group"));
    while (left.n) {
        size_t comma = str_find(left, STR(","), 0);
        str name = str_slice(left, 0, comma);
        if (stream->group_count == TASK_FEED_GROUPS_MAX || name.n > TASKS_NAME_BYTES)
            return fail(err, ST_LIMIT, "group",
                        "at most %d groups, each of at most %d bytes (NEWS_GROUPS_MAX)", TASK_FEED_GROUPS_MAX,
                        TASKS_NAME_BYTES);
        if (name.n) stream->group[stream->group_count++] = name;
        left = comma == SIZE_MAX ? STR_NONE : str_slice(left, comma + 1, left.n);
    }
    return ST_OK;
}

/* A person hears of their own tasks: the engine leaves out those of others. */
static enum status keep_to_own(struct api_request *request, const struct task_stream *stream,
                               struct error *err)
{
    if (tasks_may_see_all(request)) return ST_OK;
    if (stream->person.n) TRY(tasks_check_person(request, stream->person, err));
    for (size_t i = 0; i < stream->group_count; i++) TRY(tasks_check_group(request, stream->group[i], err));
    return ST_OK;
}

/* Numbers that this engine never gave lead to a reset. */
static void read_seen(struct api_request *request, struct task_stream *stream)
{
    str last = takes_header(request, TAKES_LAST_EVENT);
    size_t dash = str_find(last, STR("-"), 0);
    int64_t epoch, seen;
    if (!last.n) return;
    bool good = dash != SIZE_MAX && str_to_int64(str_slice(last, 0, dash), &epoch) && epoch > 0 &&
                str_to_int64(str_slice(last, dash + 1, last.n), &seen) && seen >= 0;
    stream->epoch = good ? (uint64_t)epoch : 1;
    stream->seen = good ? (uint64_t)seen : 0;
}

/* The first round does not wait, so that the head goes out at once. */
enum status tasks_stream(struct api_request *request, struct error *err)
{
    struct task_stream *stream = calloc(1, sizeof *stream);
    must(stream);
    stream->request = request;
    arena_init(&stream->arena, 0);
    stream->person = query_text(request, STR("person"));
    enum status status = read_groups(request, stream, err);
    if (status == ST_OK) status = keep_to_own(request, stream, err);
    if (status == ST_OK) status = access_check_stream(request, err);
    if (status != ST_OK) {
        stream_free(stream);
        return status;
    }
    read_seen(request, stream);
    request->stream = stream;
    request->http->on_gone = client_left;
    access_hold_stream(&stream->holder, request, end_access, stream);
    status = watch_again(stream, 0);
    if (status == ST_OK) return ST_OK;
    leave_request(stream);
    stream_free(stream);
    return fail(err, status, "", "%s", status_meaning(status));
}
