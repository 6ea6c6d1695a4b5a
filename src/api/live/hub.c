/* api/live/hub.c — asks the engine what has changed, and shares it out to the streams.
 *
 * One call is under way as long as there are streams, however many they are. The events of a round are
 * written once, one text for each kind, and each stream gets the texts of its topics.
 *
 * Only the network's thread is here.
 */
#include "api/access/access_int.h"
#include "api/access/person_int.h"
#include "api/live/live_int.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/must.h"
#include "json/put.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WAIT_MS = 15000,
    HEARTBEAT_US = 15 * 1000 * 1000,
    SLOW_US = 1000 * 1000, /* The least time between two events of what changes all the time. */
};

/* Topics that may change with everything that happens: they are told once in a second. */
struct slow_topic {
    bool due;
    int64_t told_us;
};

/* Lives in the arena of its request. */
struct live_stream {
    struct api_request *request;
    int32_t tenant;
    struct live_topics topics;
    uint32_t narrowed; /* Kinds of which the caller may see a part only: bits 1 << kind. */
    str draft;         /* That the page has open, for somebody to change; empty: none. */
    str reader;        /* Has it open; empty: nobody knows. */
    uint64_t told;     /* A hash of those who have the draft open, as the page was told last. */
    str seen;          /* The id of the last event that the client knows; empty: it is new. */
    bool begun;
    bool missed; /* It did not read: it gets a reset when it has. */
    int64_t heartbeat_us;
    struct slow_topic overview, workers;
    struct access_holder holder;
    struct live_stream *before, *after;
};

struct live_hub {
    struct api *api;
    struct live_stream *streams;
    size_t count;
    struct call *call;  /* Under way; NULL: none. */
    struct arena arena; /* The call's memory: the engine's while it is under way. */
    struct arena texts; /* Memory of the events of a round. */
    bool listening;     /* The engine notes what changes. */
    bool moved;         /* Somebody has opened or left a draft. */
    uint64_t round;
};

static void answered(struct call *call);

/* ---- streams ---- */

static void put_event(struct buf *out, const struct live_hub *hub, const char *event, str data)
{
    buf_printf(out, "id: %" PRId64 "-%" PRIu64 "\nevent: %s\ndata: %.*s\n\n", hub->api->started_ms,
               hub->round, event, STR_ARG(data));
}

static void unlink_stream(struct live_hub *hub, struct live_stream *stream)
{
    access_let_go(&stream->holder);
    hub->count--;
    hub->moved |= stream->draft.n > 0;
    if (stream->before) stream->before->after = stream->after;
    else hub->streams = stream->after;
    if (stream->after) stream->after->before = stream->before;
}

/* The request, and the stream in it, may be gone afterwards. */
static void end_stream(struct live_hub *hub, struct live_stream *stream)
{
    struct http_request *http = stream->request->http;
    unlink_stream(hub, stream);
    if (!stream->begun) http_stream_begin(http, 200, STR("Content-Type: text/event-stream\r\n"));
    http_stream_end(http);
}

static void client_left(void *user)
{
    struct api_request *request = user;
    request->gone = true;
    end_stream(request->api->live, request->stream);
}

static void end_access(void *context)
{
    struct live_stream *stream = context;
    end_stream(stream->request->api->live, stream);
}

static void write_events(struct live_hub *hub, struct live_stream *stream, str text);

/* The client has read everything that was written. */
static void drained(void *user)
{
    struct api_request *request = user;
    struct live_stream *stream = request->stream;
    struct buf out;
    if (!stream->missed) return;
    stream->missed = false;
    buf_init(&out, NULL);
    put_event(&out, request->api->live, "reset", STR("{}"));
    write_events(request->api->live, stream, buf_str(&out));
    buf_done(&out);
}

/* The stream may have ended afterwards. */
static void write_events(struct live_hub *hub, struct live_stream *stream, str text)
{
    struct http_request *http = stream->request->http;
    if (stream->missed || !text.n) return;
    if (http_stream_behind(http) > STREAM_PAUSE_BYTES_MAX) {
        stream->missed = true;
        http->on_drained = drained;
        return;
    }
    if (!http_stream_write(http, text)) end_stream(hub, stream);
}

static bool has_missed(const struct live_hub *hub, const struct live_stream *stream)
{
    char now[64];
    if (!stream->seen.n) return false;
    snprintf(now, sizeof now, "%" PRId64 "-%" PRIu64, hub->api->started_ms, hub->round);
    return !str_equal(stream->seen, str_of(now));
}

static void begin_stream(struct live_hub *hub, struct live_stream *stream)
{
    struct api_request *request = stream->request;
    struct buf out;
    str headers = arena_printf(request->http->arena,
                               "Content-Type: text/event-stream\r\nCache-Control: no-store\r\n%.*s",
                               STR_ARG(answer_lines(request)));
    http_stream_begin(request->http, 200, headers);
    stream->begun = true;
    stream->heartbeat_us = clock_monotonic_us() + HEARTBEAT_US;
    buf_init(&out, request->http->arena);
    put_event(&out, hub, "ready", STR("{}"));
    if (has_missed(hub, stream)) put_event(&out, hub, "reset", STR("{}"));
    if (str_equal(request->http->method, STR("HEAD"))) end_stream(hub, stream);
    else write_events(hub, stream, buf_str(&out));
}

static void end_all(struct live_hub *hub)
{
    while (hub->streams) end_stream(hub, hub->streams);
}

/* ---- rounds ---- */

static void put_change(struct buf *out, const struct live_hub *hub, const char *kind, str id, bool many)
{
    struct buf data;
    buf_init(&data, NULL);
    buf_printf(&data, "{\"kind\":\"%s\"", kind);
    if (many) PUT(&data, ",\"many\":true");
    if (id.n) {
        PUT(&data, ",\"id\":");
        put_text(&data, id);
    }
    buf_add_char(&data, '}');
    put_event(out, hub, "changed", buf_str(&data));
    buf_done(&data);
}

/* The events of all that changed of one kind, for a tenant. */
static str put_set(struct live_hub *hub, enum live_kind kind, const struct live_round *round, int32_t tenant)
{
    struct buf out;
    const char *word = live_kind_word(kind);
    const struct live_set *set = &round->set[kind];
    bool many;
    buf_init(&out, &hub->texts);
    if (!live_is_noted(round, tenant, kind, &many)) return STR_NONE;
    if (many) put_change(&out, hub, word, STR_NONE, true);
    for (size_t i = 0; i < set->count && !many; i++) {
        int32_t of;
        str id = tenant_name(set->id[i], &of);
        if (of == tenant) put_change(&out, hub, word, id, false);
    }
    return buf_str(&out);
}

/* The same for a caller who may see a part only. Ids that do not tell whose they are stay out: the event says
 * that something has changed. */
static void put_narrowed(struct buf *out, const struct live_hub *hub, const struct live_stream *stream,
                         enum live_kind kind, const struct live_round *round)
{
    const struct caller *caller = &stream->request->caller;
    const struct live_set *set = &round->set[kind];
    bool many, is_unknown = false;
    if (!live_is_noted(round, stream->tenant, kind, &many)) return;
    for (size_t i = 0; !many && i < set->count; i++) {
        int32_t of;
        str object, id = tenant_name(set->id[i], &of);
        if (of != stream->tenant) continue;
        if (!live_names_object(kind, id, &object)) is_unknown = true;
        else if (principal_may(caller->principal, caller->tenant, live_needs(kind), object))
            put_change(out, hub, live_kind_word(kind), id, false);
    }
    if (many || is_unknown) put_change(out, hub, live_kind_word(kind), STR_NONE, true);
}

/* Is it time to tell of the topic? Else it stays due, and live_look() tells. */
static bool take_slow(struct slow_topic *topic)
{
    int64_t now_us = clock_monotonic_us();
    if (!topic->due || now_us - topic->told_us < SLOW_US) return false;
    topic->due = false;
    topic->told_us = now_us;
    return true;
}

struct round_text {
    const struct live_round *round; /* NULL: only what was held back is told. */
    int32_t tenant;                 /* The ids are of this one. */
    bool changed, worked;           /* Anything of it has changed; its workers have done something. */
    str kind[LIVE_KIND_COUNT];
};

/* One thing, or several of a kind, for a caller who may see a part of that kind only. */
static uint32_t narrowed_kinds(const struct live_stream *stream)
{
    uint32_t kinds = 0;
    for (int i = 0; i < LIVE_KIND_COUNT; i++)
        if (stream->topics.all[i]) kinds |= 1u << i;
    for (size_t i = 0; i < stream->topics.thing_count; i++) kinds |= 1u << stream->topics.thing[i].kind;
    return kinds & stream->narrowed & ~(1u << LIVE_WORKERS);
}

static void put_things(struct buf *out, const struct live_hub *hub, const struct live_stream *stream,
                       const struct live_round *round)
{
    for (size_t i = 0; i < stream->topics.thing_count; i++) {
        const struct live_thing *thing = &stream->topics.thing[i];
        if (stream->topics.all[thing->kind] || stream->narrowed & 1u << thing->kind) continue;
        if (live_thing_changed(thing, stream->tenant, round))
            put_change(out, hub, live_kind_word(thing->kind), thing->id, false);
    }
}

/* Two topics say no more than that something has changed, and not often. */
static void put_slow(struct live_hub *hub, struct live_stream *stream, const struct round_text *text,
                     struct buf *out)
{
    if (text->round) {
        stream->overview.due |= text->changed;
        stream->workers.due |= text->worked;
    }
    if (stream->topics.all[LIVE_WORKERS] && take_slow(&stream->workers))
        put_change(out, hub, live_kind_word(LIVE_WORKERS), STR_NONE, false);
    if (stream->topics.overview && take_slow(&stream->overview))
        put_change(out, hub, "overview", STR_NONE, false);
}

static void write_round(struct live_hub *hub, struct live_stream *stream, const struct round_text *text)
{
    struct buf out;
    uint32_t narrowed = narrowed_kinds(stream);
    buf_init(&out, NULL);
    for (int i = 0; i < LIVE_KIND_COUNT; i++)
        if (stream->topics.all[i] && !(narrowed & 1u << i)) buf_add_str(&out, text->kind[i]);
    put_slow(hub, stream, text, &out);
    for (int i = 0; text->round && i < LIVE_KIND_COUNT; i++)
        if (narrowed & 1u << i) put_narrowed(&out, hub, stream, (enum live_kind)i, text->round);
    if (text->round) put_things(&out, hub, stream, text->round);
    write_events(hub, stream, buf_str(&out));
    buf_done(&out);
}

/* Streams of the same tenant often follow each other: the text is made anew for another one only. */
static void put_sets(struct live_hub *hub, struct round_text *text, int32_t tenant)
{
    if (!text->round || text->tenant == tenant) return;
    text->tenant = tenant;
    text->changed = text->worked = false;
    for (int i = 0; i < LIVE_KIND_COUNT; i++) {
        bool many, noted = live_is_noted(text->round, tenant, (enum live_kind)i, &many);
        text->changed |= noted;
        if (i == LIVE_WORKERS) text->worked = noted;
        else text->kind[i] = put_set(hub, (enum live_kind)i, text->round, tenant);
    }
}

/* Tells the streams of a round, or (NULL) of what is due. */
static void tell(struct live_hub *hub, const struct live_round *round)
{
    struct round_text text = { .round = round };
    arena_reset(&hub->texts);
    if (round) hub->round++;
    for (struct live_stream *stream = hub->streams, *next; stream; stream = next) {
        next = stream->after;
        put_sets(hub, &text, stream->tenant);
        if (stream->begun) write_round(hub, stream, &text);
    }
}

/* ---- the call ---- */

/* Asks the engine, if that is not under way: to begin, for more, or to stop. */
static enum status ask(struct live_hub *hub)
{
    if (hub->call || (!hub->count && !hub->listening)) return ST_OK;
    arena_reset(&hub->arena);
    const struct call_watch_live asked = { .wait_ms = hub->count && hub->listening ? WAIT_MS : 0,
                                           .stops = !hub->count };
    struct call *call = call_watch_live((struct call_origin){ &hub->arena, answered, hub }, &asked);
    enum status status = runtime_submit(hub->api->config.client, call);
    if (status == ST_OK) hub->call = call;
    return status;
}

static void refuse_all(struct live_hub *hub, struct error *err)
{
    while (hub->streams) {
        struct live_stream *stream = hub->streams;
        if (stream->begun) {
            end_stream(hub, stream);
            continue;
        }
        unlink_stream(hub, stream);
        answer_error(stream->request, err);
    }
}

static void answered(struct call *call)
{
    struct live_hub *hub = call->user;
    hub->call = NULL;
    if (call->status != ST_OK) {
        call->error.status = call->status;
        hub->listening = false;
        refuse_all(hub, &call->error);
        return;
    }
    /* A client that comes back has missed everything that happened while nobody listened. */
    if (!hub->listening) hub->round++;
    hub->listening = !call->as.watch_live.stops;
    if (call->value.live.round) tell(hub, call->value.live.round);
    for (struct live_stream *stream = hub->streams, *next; stream && hub->listening; stream = next) {
        next = stream->after;
        if (!stream->begun) begin_stream(hub, stream);
    }
    if (hub->api->draining) end_all(hub);
    ask(hub); /* If the engine is busy, live_look() asks again. */
}

/* ---- those who have a draft open ---- */

static bool has_open(const struct live_stream *stream, int32_t tenant, str draft)
{
    return stream->draft.n && stream->tenant == tenant && str_equal(stream->draft, draft);
}

/* Independent of the order of the streams; never 0, which nobody has been told. */
static uint64_t hash_readers(const struct live_hub *hub, const struct live_stream *of)
{
    uint64_t hash = 1;
    for (const struct live_stream *stream = hub->streams; stream; stream = stream->after)
        if (has_open(stream, of->tenant, of->draft)) hash += hash_bytes(stream->reader) | 1;
    return hash ? hash : 1;
}

/* Tells the pages of a draft that others have opened or left it: they ask for the draft again. */
static void tell_readers(struct live_hub *hub)
{
    if (!hub->moved) return;
    hub->moved = false;
    for (struct live_stream *stream = hub->streams, *next; stream; stream = next) {
        next = stream->after;
        if (!stream->draft.n) continue;
        uint64_t hash = hash_readers(hub, stream);
        if (!stream->begun) hub->moved = true;
        if (!stream->begun || stream->told == hash) continue;
        struct buf out;
        buf_init(&out, NULL);
        put_change(&out, hub, live_kind_word(LIVE_DRAFTS), stream->draft, false);
        stream->told = hash;
        write_events(hub, stream, buf_str(&out));
        buf_done(&out);
    }
}

static bool is_named_before(const struct live_stream *first, const struct live_stream *one)
{
    for (const struct live_stream *stream = first; stream != one; stream = stream->after)
        if (has_open(stream, one->tenant, one->draft) && str_equal(stream->reader, one->reader)) return true;
    return false;
}

void live_put_readers(const struct api *api, int32_t tenant, str draft, struct buf *out)
{
    const struct live_stream *first = api->live ? api->live->streams : NULL;
    bool any = false;
    for (const struct live_stream *stream = first; stream; stream = stream->after) {
        size_t pages = 0;
        if (!has_open(stream, tenant, draft) || is_named_before(first, stream)) continue;
        for (const struct live_stream *same = stream; same; same = same->after)
            pages += has_open(same, tenant, draft) && str_equal(same->reader, stream->reader);
        buf_add_str(out, any ? STR(",") : STR(",\"openBy\":["));
        any = true;
        PUT(out, "{\"name\":");
        put_text(out, stream->reader);
        buf_printf(out, ",\"pages\":%zu}", pages);
    }
    if (any) buf_add_char(out, ']');
}

void live_look(struct api *api)
{
    struct live_hub *hub = api->live;
    if (!hub) return;
    if (api->draining) end_all(hub);
    ask(hub);
    tell_readers(hub);
    int64_t now_us = clock_monotonic_us();
    for (struct live_stream *stream = hub->streams, *next; stream; stream = next) {
        next = stream->after;
        if (!stream->begun || now_us < stream->heartbeat_us) continue;
        struct buf out;
        buf_init(&out, NULL);
        put_event(&out, hub, "beat", STR("{}"));
        stream->heartbeat_us = now_us + HEARTBEAT_US;
        write_events(hub, stream, buf_str(&out));
        buf_done(&out);
    }
    tell(hub, NULL);
}

void live_free(struct api *api)
{
    if (!api->live) return;
    arena_done(&api->live->arena);
    arena_done(&api->live->texts);
    free(api->live);
}

/* ---- the handler ---- */

static struct live_hub *hub_of(struct api *api)
{
    if (api->live) return api->live;
    api->live = calloc(1, sizeof *api->live);
    must(api->live);
    api->live->api = api;
    arena_init(&api->live->arena, 0);
    arena_init(&api->live->texts, 0);
    return api->live;
}

/* Others get a stream, too, whatever the clients at one address do. */
static enum status check_room(const struct live_hub *hub, const struct api_request *request,
                              struct error *err)
{
    size_t same = 0;
    for (const struct live_stream *stream = hub->streams; stream; stream = stream->after)
        same += stream->request->http->peer == request->http->peer;
    if (hub->count >= LIVE_STREAMS_MAX)
        return fail(err, ST_OVERLOAD, "LIVE_STREAMS_MAX", "%d streams are open, which is the most (%s)",
                    LIVE_STREAMS_MAX, "LIVE_STREAMS_MAX");
    if (same >= LIVE_STREAMS_PEER_MAX)
        return fail(err, ST_OVERLOAD, "LIVE_STREAMS_PEER_MAX",
                    "%d streams are open from this address, which is the most (%s)", LIVE_STREAMS_PEER_MAX,
                    "LIVE_STREAMS_PEER_MAX");
    return ST_OK;
}

/* A page that has a draft open says so, and who sits before it: others who have it open see the name. */
static enum status take_draft(struct live_stream *stream, struct api_request *request, struct error *err)
{
    str draft = query_text(request, STR("draft")), said = takes_header(request, TAKES_ACTOR);
    if (draft.n > DEFINITION_ID_BYTES_MAX)
        return fail(err, ST_INVALID, "draft", "the id of a definition has at most %d bytes",
                    DEFINITION_ID_BYTES_MAX);
    if (!draft.n) return ST_OK;
    TRY(caller_check_for(&request->caller, MAY_DEFINITIONS_WRITE, draft, err));
    TRY(person_take(&request->caller, said, err));
    stream->draft = draft;
    stream->reader = person_name(&request->caller, said);
    return ST_OK;
}

/* The head goes out when the engine notes changes: what comes behind `ready` is not lost. */
enum status live_get(struct api_request *request, struct error *err)
{
    struct live_hub *hub = hub_of(request->api);
    struct live_stream *stream = arena_make(request->http->arena, struct live_stream);
    TRY(live_topics_read(query_text(request, STR("topics")), request->http->arena, &stream->topics, err));
    TRY(live_topics_check(&stream->topics, &request->caller, err));
    if (request->api->draining) return fail(err, ST_DRAINING, "", "the engine is stopping");
    TRY(check_room(hub, request, err));
    TRY(access_check_stream(request, err));
    TRY(take_draft(stream, request, err));
    stream->request = request;
    stream->tenant = request->caller.tenant;
    stream->narrowed = live_narrowed(&request->caller);
    stream->seen = takes_header(request, TAKES_LAST_EVENT);
    request->stream = stream;
    request->http->on_gone = client_left;
    stream->after = hub->streams;
    if (stream->after) stream->after->before = stream;
    hub->streams = stream;
    hub->count++;
    hub->moved |= stream->draft.n > 0;
    access_hold_stream(&stream->holder, request, end_access, stream);
    if (hub->listening) {
        begin_stream(hub, stream);
        return ST_OK;
    }
    enum status status = ask(hub);
    if (status == ST_OK) return ST_OK;
    unlink_stream(hub, stream);
    return fail(err, status, "", "%s", status_meaning(status));
}
