/* api/v1/events.c — an instance's history as it happens, as Server-Sent Events.
 *
 *     watch from a revision ──► commands, or none for 15 s ──► written ──► watch again
 *                                                └─ the instance is over: event `end`
 *
 * One event per command; its id is the instance's revision, so a client that lost the
 * connection goes on with Last-Event-ID where it was. Each round has its own memory: a
 * stream may live for days, and the request's arena lives as long as the stream. A round holds
 * about 1 MiB of history, and the next one waits until the client has read it.
 */
#include "api/access/access_int.h"
#include "api/v1/v1_int.h"

#include "base/must.h"
#include "json/json.h"

#include <stdlib.h>

enum { HEARTBEAT_MS = 15000 };

struct watch {
    struct api_request *request;
    struct arena arena; /* Lives for one round. */
    struct id id;
    uint32_t seen; /* The last revision that was written. */
    bool begun;
    bool over; /* The principal may see no more. */
    struct access_holder holder;
};

static void watched(struct call *call);
static void client_left(void *user);
static void go_on(void *user);

/* Called before the request is answered or its stream ended: after that, a request whose client has left is
 * freed. */
static void leave_request(struct watch *watch)
{
    watch->request->call = NULL;
    access_let_go(&watch->holder);
}

static void watch_free(struct watch *watch)
{
    arena_done(&watch->arena);
    free(watch);
}

static enum status watch_again(struct watch *watch, int64_t wait_ms)
{
    arena_reset(&watch->arena);
    const struct call_watch asked = { .id = watch->id, .after = watch->seen, .wait_ms = wait_ms };
    struct call *call =
        call_watch((struct call_origin){ &watch->arena, watched, watch, &watch->request->caller }, &asked);
    watch->request->call = call;
    return runtime_submit(watch->request->api->config.client, call);
}

/* ---- the events' text ---- */

/* A number that stands for a word is written as the word. */
static void put_value(struct buf *out, const struct entry *entry)
{
    static const char *const verdicts[] = {
        [JOB_DONE] = "completed", [JOB_FAILED] = "failed", [JOB_CANCELLED] = "cancelled"
    };
    static const char *const merges[] = { [MERGE_SHALLOW] = "shallow",
                                          [MERGE_DEEP] = "deep",
                                          [MERGE_REPLACE] = "replace",
                                          [MERGE_APPEND] = "append" };
    static const char *const regions[] = { [REGION_NONE] = "none",
                                           [REGION_OPEN] = "open",
                                           [REGION_DONE] = "done",
                                           [REGION_FAILED] = "failed",
                                           [REGION_DETACHED] = "detached" };
    const char *word = NULL;
    switch (entry->kind) {
    case ENTRY_KIND_PARK:
    case ENTRY_KIND_SIMULATE:
        if (entry->state < TOKEN_STATE_COUNT) word = v1_token_word((enum token_state)entry->state);
        break;
    case ENTRY_KIND_STATUS:
        if (entry->status < INSTANCE_STATUS_COUNT)
            word = instance_status_word((enum instance_status)entry->status);
        break;
    case ENTRY_KIND_JOB_CLOSE:
        if (entry->verdict < COUNT(verdicts)) word = verdicts[entry->verdict];
        break;
    case ENTRY_KIND_TIMER_CLOSE: word = entry->fired ? "fired" : "cancelled"; break;
    case ENTRY_KIND_DATA:
    case ENTRY_KIND_SCOPE_DATA:
        if (entry->merge < COUNT(merges)) word = merges[entry->merge];
        break;
    case ENTRY_KIND_JOB_INPUT:
        if (entry->performer < PERFORMER_COUNT) word = performer_word((enum performer)entry->performer);
        break;
    case ENTRY_KIND_REGION_END:
        if (entry->state < COUNT(regions)) word = regions[entry->state];
        break;
    default: break;
    }
    PUT(out, ",\"value\":");
    if (word) put_text(out, str_of(word));
    else put_int(out, entry->value);
}

static void put_entry(struct buf *out, const struct entry *entry)
{
    uint32_t slots = entry_slots(entry->kind);
    const struct {
        uint32_t slot;
        str name;
        uint32_t value;
    } numbers[] = {
        { ENTRY_EXECUTION, STR(",\"execution\":"), entry->execution },
        { ENTRY_NUMBER, STR(",\"number\":"), entry->number },
        { ENTRY_SCOPE, STR(",\"scope\":"), entry->scope },
        { ENTRY_FROM, STR(",\"from\":"), entry->from },
    };
    PUT(out, "{\"kind\":");
    put_text(out, str_of(entry_word(entry->kind)));
    for (size_t i = 0; i < COUNT(numbers); i++) {
        if (!(slots & numbers[i].slot)) continue;
        buf_add_str(out, numbers[i].name);
        put_int(out, numbers[i].value);
    }
    if (slots & ENTRY_NODE) {
        PUT(out, ",\"stepId\":");
        put_text(out, entry->node);
    }
    if (slots & ENTRY_VALUE) put_value(out, entry);
    if (slots & ENTRY_TIME) {
        PUT(out, ",\"at\":");
        put_time(out, entry->time_ms);
    }
    if (slots & ENTRY_INSTANCE) {
        PUT(out, ",\"instance\":");
        put_int(out, (int64_t)entry->instance);
    }
    if ((slots & ENTRY_TEXT) && entry->text.n) {
        PUT(out, ",\"text\":");
        put_text(out, entry->text);
    }
    if ((slots & ENTRY_JSON) && entry->json) {
        PUT(out, ",\"data\":");
        json_print(entry->json, out);
    }
    buf_add_char(out, '}');
}

static void put_event(struct buf *out, const struct history *history)
{
    buf_printf(out, "id: %u\nevent: %s\ndata: {\"revision\":%u,\"at\":", history->revision,
               core_command_word(history->command), history->revision);
    put_time(out, history->at_ms);
    PUT(out, ",\"command\":");
    put_text(out, str_of(core_command_word(history->command)));
    if (history->actor.n) {
        PUT(out, ",\"actor\":");
        put_text(out, history->actor);
    }
    PUT(out, ",\"entries\":[");
    for (size_t i = 0; i < history->entry_count; i++) {
        if (i) buf_add_char(out, ',');
        put_entry(out, &history->entry[i]);
    }
    PUT(out, "]}\n\n");
}

/* ---- the stream ---- */

static void begin(struct watch *watch)
{
    struct api_request *request = watch->request;
    str headers =
        arena_printf(&watch->arena, "Content-Type: text/event-stream\r\nCache-Control: no-store\r\n%.*s",
                     STR_ARG(answer_lines(request)));
    http_stream_begin(request->http, 200, headers);
    watch->begun = true;
}

/* Writes the history of one round. False: the client does not read, or the instance has ended. */
static bool write_round(struct watch *watch, const struct call *call)
{
    const struct answer_instances *answer = &call->value.instances;
    struct buf out;
    buf_init(&out, &watch->arena);
    for (size_t i = 0; i < answer->history_count; i++) {
        put_event(&out, &answer->history[i]);
        watch->seen = answer->history[i].revision;
    }
    /* An instance that is kept in memory only has no history. */
    if (!answer->history_count && answer->view) watch->seen = answer->view->revision;
    bool over =
        answer->view && instance_status_ended(answer->view->status) && watch->seen >= answer->view->revision;
    if (over)
        buf_printf(&out, "event: end\ndata: {\"status\":\"%s\"}\n\n",
                   instance_status_word(answer->view->status));
    else if (!answer->history_count) PUT(&out, ": still here\n\n");
    return http_stream_write(watch->request->http, buf_str(&out)) && !over;
}

static void end_stream(struct watch *watch)
{
    leave_request(watch);
    http_stream_end(watch->request->http);
    watch_free(watch);
}

static void watched(struct call *call)
{
    struct watch *watch = call->user;
    struct api_request *request = watch->request;
    request->call = NULL;
    if (!watch->begun && call->status != ST_OK) {
        call->error.status = call->status;
        leave_request(watch);
        answer_error(request, &call->error);
        watch_free(watch);
        return;
    }
    if (!watch->begun) begin(watch);
    bool more = call->status == ST_OK && !request->gone && !watch->over && write_round(watch, call) &&
                !request->api->draining && !str_equal(request->http->method, STR("HEAD"));
    arena_reset(&watch->arena);
    if (more && http_stream_behind(request->http) > STREAM_PAUSE_BYTES_MAX) request->http->on_drained = go_on;
    else if (!more || watch_again(watch, HEARTBEAT_MS) != ST_OK) end_stream(watch);
}

/* The client has read everything that was written. */
static void go_on(void *user)
{
    struct watch *watch = ((struct api_request *)user)->stream;
    if (watch_again(watch, HEARTBEAT_MS) != ST_OK) end_stream(watch);
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
    struct watch *watch = context;
    struct call *call = watch->request->call;
    watch->over = true;
    if (call) runtime_abandon(watch->request->api->config.client, call);
    else end_stream(watch);
}

/* The first round does not wait: an unknown instance is a 404, and the head goes out at once. */
enum status v1_events_get(struct api_request *request, struct error *err)
{
    struct id id;
    TRY(param_instance(request, &id, err));
    int64_t seen;
    str last = takes_header(request, TAKES_LAST_EVENT);
    if (!str_to_int64(last, &seen) || seen < 0 || seen > UINT32_MAX) seen = 0;

    TRY(access_check_stream(request, err));
    struct watch *watch = malloc(sizeof *watch);
    must(watch);
    *watch = (struct watch){ .request = request, .id = id, .seen = (uint32_t)seen };
    arena_init(&watch->arena, 0);
    request->stream = watch;
    request->http->on_gone = client_left;
    access_hold_stream(&watch->holder, request, end_access, watch);
    enum status status = watch_again(watch, 0);
    if (status == ST_OK) return ST_OK;
    leave_request(watch);
    watch_free(watch);
    return fail(err, status, "", "%s", status_meaning(status));
}
