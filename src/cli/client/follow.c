/* cli/client/follow.c — an instance's changes as they happen.
 *
 *     connect ──► events ──► lines ──► event `end`: the exit code
 *        ▲          │
 *        └── wait ◄─┘ the engine went away: again, behind the last event that was printed
 *
 * A change is one command: a line with its time and name, and a line for each thing it did. Entries name
 * visits by number, and only the first entry of a visit has the step's name, so names are kept here.
 */
#include "base/array.h"
#include "base/clock.h"
#include "cli/client/client.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "cli/table.h"

#include <time.h>

enum { PATIENCE_MS = 60000, PAUSE_MS = 200 };

struct visit {
    int64_t execution;
    str step; /* Borrowed from the names. */
};

struct follow {
    struct client *client;
    struct arena arena; /* For one event. */
    struct arena names; /* Holds the names of the steps, each once, and the lists below. */
    str *name;
    size_t name_count, name_cap;
    struct visit *visit; /* Visits that have not ended. */
    size_t visit_count, visit_cap;
    struct buf pending; /* Bytes of an event that is not complete. */
    str last;           /* The id of the last event, in `last_text`. */
    char last_text[24];
    bool heard; /* True if bytes have arrived since the last connection was made. */
    int code;   /* How it ended, once `over`. */
    bool over;
};

/* ---- names ---- */

static str name_of(struct follow *follow, str text)
{
    for (size_t i = 0; i < follow->name_count; i++)
        if (str_equal(follow->name[i], text)) return follow->name[i];
    array_reserve_in(&follow->names, follow->name, follow->name_count, follow->name_cap);
    return follow->name[follow->name_count++] = arena_str(&follow->names, text);
}

static void add_visit(struct follow *follow, int64_t execution, str step)
{
    array_reserve_in(&follow->names, follow->visit, follow->visit_count, follow->visit_cap);
    follow->visit[follow->visit_count++] = (struct visit){ execution, name_of(follow, step) };
}

static str step_of(const struct follow *follow, int64_t execution)
{
    for (size_t i = 0; i < follow->visit_count; i++)
        if (follow->visit[i].execution == execution) return follow->visit[i].step;
    return STR_NONE;
}

static void forget_visit(struct follow *follow, int64_t execution)
{
    for (size_t i = 0; i < follow->visit_count; i++)
        if (follow->visit[i].execution == execution) follow->visit[i] = follow->visit[--follow->visit_count];
}

/* A front end names the nodes that it makes for a state "<state>/<word>". Returns the state's name for
 * these, else the step's. */
static str state_of(const struct follow *follow, str step)
{
    size_t slash = step.n;
    while (slash && step.p[slash - 1] != '/') slash--;
    if (!slash) return step;
    for (size_t i = 0; i < follow->name_count; i++)
        if (str_equal(follow->name[i], str_slice(step, 0, slash - 1))) return follow->name[i];
    return step;
}

/* ---- lines ---- */

static str waits_for(str state)
{
    static const struct {
        const char *state, *words;
    } waits[] = {
        { "signal", "waits for a signal" }, { "person", "waits for a person" },
        { "event", "waits for events" },    { "join", "waits for the other branches" },
        { "time", "waits for its time" },
    };
    for (size_t i = 0; i < COUNT(waits); i++)
        if (str_equal(state, str_of(waits[i].state))) return str_of(waits[i].words);
    return STR_NONE;
}

static void add_line(struct buf *out, const char *word, str step, str text)
{
    buf_printf(out, "    %-10s", word);
    output_add_safe(out, step, false);
    if (step.n && text.n) buf_add_str(out, STR(": "));
    table_print_word(text, output_colours(), out);
    while (out->p[out->n - 1] == ' ') out->n--;
    buf_add_char(out, '\n');
}

/* A front end's own jobs have a type that begins with a control character. */
static str job_text(struct client *client, const struct json *entry)
{
    str type = client_text(client, entry, "text"), attempt = client_text(client, entry, "from");
    if (type.n && (unsigned char)type.p[0] < ' ') type = str_slice(type, 1, type.n);
    return str_equal(attempt, STR("1"))
               ? type
               : arena_printf(client->arena, "%.*s, attempt %.*s", STR_ARG(type), STR_ARG(attempt));
}

/* Entries that are printed with one of their fields. */
static const struct telling {
    const char *kind, *word, *field;
} tellings[] = {
    { "interrupt", "interrupt", "text" }, { "fail", "fail", "text" },
    { "warn", "warning", "text" },        { "raise", "raise", "data" },
    { "data", "data", "data" },           { "mail_in", "event", "data" },
    { "chain", "chain", "text" },         { "simulate", "simulated", "data" },
    { "continue", "continue", "text" },
};

static void add_told(struct follow *follow, const struct json *entry, str step, struct buf *out)
{
    struct client *client = follow->client;
    str kind = client_text(client, entry, "kind"), value = client_text(client, entry, "value");
    str text = client_text(client, entry, "text");
    if (str_equal(kind, STR("park")) && waits_for(value).n) {
        add_line(out, "wait", step, waits_for(value));
    } else if (str_equal(kind, STR("job_open"))) {
        add_line(out, "job", step, job_text(client, entry));
    } else if (str_equal(kind, STR("timer_open"))) {
        add_line(out, "timer", step, client_time(client, entry, "at"));
    } else if (str_equal(kind, STR("job_close")) && str_equal(value, STR("failed"))) {
        add_line(out, "error", STR_NONE, text);
    } else if (str_equal(kind, STR("status"))) {
        add_line(out, "status", STR_NONE, value);
        if (text.n) add_line(out, "reason", STR_NONE, text);
    }
    for (size_t i = 0; i < COUNT(tellings); i++)
        if (str_equal(kind, str_of(tellings[i].kind)))
            add_line(out, tellings[i].word, str_equal(kind, STR("data")) ? STR_NONE : step,
                     client_text(client, entry, tellings[i].field));
}

static void add_entry(struct follow *follow, const struct json *entry, struct buf *out)
{
    str kind = client_text(follow->client, entry, "kind");
    int64_t execution = 0;
    json_int64(json_get(entry, STR("execution")), &execution);
    if (str_equal(kind, STR("enter"))) {
        str name = client_text(follow->client, entry, "stepId");
        add_visit(follow, execution, name);
        if (str_equal(state_of(follow, name), name)) add_line(out, "enter", name, STR_NONE);
        return;
    }
    add_told(follow, entry, state_of(follow, step_of(follow, execution)), out);
    if (str_equal(kind, STR("leave")) || str_equal(kind, STR("interrupt")) || str_equal(kind, STR("forget")))
        forget_visit(follow, execution);
}

static int print_change(struct follow *follow, str data, const struct json *change)
{
    struct client *client = follow->client;
    struct buf out;
    buf_init(&out, &follow->arena);
    if (option_on(client->options, OPTION_JSON)) {
        buf_add_str(&out, data);
        buf_add_char(&out, '\n');
        return output_write(buf_str(&out));
    }
    str at = client_time(client, change, "at"), actor = client_text(client, change, "actor");
    buf_printf(&out, "%.*s  ", STR_ARG(at));
    output_add_safe(&out, client_text(client, change, "command"), false);
    if (actor.n) buf_add_str(&out, STR(" by "));
    output_add_safe(&out, actor, false);
    buf_add_char(&out, '\n');
    struct json_each each = json_each(json_get(change, STR("entries")));
    while (json_next(&each)) add_entry(follow, each.value, &out);
    return output_write(buf_str(&out));
}

/* ---- events ---- */

static int exit_code_of(str status)
{
    enum instance_status ended = INSTANCE_FAILED;
    instance_status_parse(status, &ended);
    if (ended == INSTANCE_COMPLETED) return 0;
    return status_exit(ended == INSTANCE_CANCELLED ? ST_CONFLICT : ST_INTERNAL);
}

/* The value of a field in an event's lines, or empty. */
static str field_of(str event, str name)
{
    for (size_t at = 0; at < event.n;) {
        size_t end = str_find(event, STR("\n"), at);
        if (end == SIZE_MAX) end = event.n;
        str line = str_slice(event, at, end);
        if (str_starts(line, name)) return str_trim(str_slice(line, name.n, line.n));
        at = end + 1;
    }
    return STR_NONE;
}

static void end_with(struct follow *follow, int code)
{
    follow->over = true;
    follow->code = code;
}

static void take_event(struct follow *follow, str event)
{
    str data = field_of(event, STR("data:")), id = field_of(event, STR("id:"));
    const struct json *value;
    if (!data.n) return; /* A heartbeat. */
    if (json_parse(data, NULL, &follow->arena, &value, NULL) != ST_OK) {
        output_complain("the server's answer is not JSON; is it a pawl engine?");
        end_with(follow, status_exit(ST_INTERNAL));
        return;
    }
    if (str_equal(field_of(event, STR("event:")), STR("end"))) {
        end_with(follow, exit_code_of(client_text(follow->client, value, "status")));
        return;
    }
    if (print_change(follow, data, value))
        end_with(follow, status_exit(ST_INTERNAL)); /* The reader of standard output has gone. */
    if (!id.n || id.n >= sizeof follow->last_text) return;
    memcpy(follow->last_text, id.p, id.n);
    follow->last = (str){ follow->last_text, id.n };
}

/* An empty line ends an event. */
static bool take_piece(str piece, void *context)
{
    struct follow *follow = context;
    size_t from = follow->pending.n ? follow->pending.n - 1 : 0;
    follow->heard = true;
    buf_add_str(&follow->pending, piece);
    for (size_t end; (end = str_find(buf_str(&follow->pending), STR("\n\n"), from)) != SIZE_MAX; from = 0) {
        struct arena *whole = follow->client->arena;
        follow->client->arena = &follow->arena;
        take_event(follow, str_slice(buf_str(&follow->pending), 0, end));
        follow->client->arena = whole;
        arena_reset(&follow->arena);
        follow->pending.n -= end + 2;
        memmove(follow->pending.p, follow->pending.p + end + 2, follow->pending.n);
        if (follow->over) return false;
    }
    if (follow->pending.n <= STREAMED_BYTES_MAX) return true;
    output_complain("a change larger than %d MiB cannot be shown", STREAMED_BYTES_MAX >> 20);
    end_with(follow, status_exit(ST_LIMIT));
    return false;
}

/* ---- the verb ---- */

static void pause_ms(int64_t ms)
{
    struct timespec span = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
    nanosleep(&span, NULL);
}

static int follow_instance(struct follow *follow)
{
    str path = client_path(follow->client, "/v1/instances/{}/events", follow->client->options->argument);
    int64_t heard_us = clock_monotonic_us(), wait_ms = PAUSE_MS;
    struct error lost = { 0 };
    for (;;) {
        bool is_lost;
        follow->heard = false;
        follow->pending.n = 0;
        int code = client_stream(follow->client, path, follow->last, take_piece, follow, &is_lost, &lost);
        if (follow->over || code) return follow->over ? follow->code : code;
        if (follow->heard) {
            heard_us = clock_monotonic_us();
            wait_ms = PAUSE_MS;
        }
        /* No connection ever succeeded: probably the address is wrong. */
        if ((is_lost && !follow->last.n) || clock_monotonic_us() - heard_us > PATIENCE_MS * INT64_C(1000)) {
            output_complain("%.*s: %s", STR_ARG(follow->client->server),
                            is_lost ? lost.message : "the stream ended before the instance did");
            return status_exit(ST_STORE);
        }
        pause_ms(wait_ms);
        if ((wait_ms *= 2) > RETRY_PAUSE_MS_MAX) wait_ms = RETRY_PAUSE_MS_MAX;
    }
}

int verb_follow(const struct options *options)
{
    struct client client;
    int code = client_open(&client, options);
    if (code) return code;
    struct follow follow = { .client = &client };
    arena_init(&follow.arena, 0);
    arena_init(&follow.names, 0);
    code = follow_instance(&follow);
    buf_done(&follow.pending);
    arena_done(&follow.names);
    arena_done(&follow.arena);
    client_close(&client);
    return code;
}
