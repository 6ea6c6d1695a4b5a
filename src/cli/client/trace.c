/* cli/client/trace.c — `pawl trace`: the spans of a run, or all of them sent to a collector. */
#include "base/datetime.h"
#include "cli/client/client.h"
#include "cli/output.h"
#include "cli/table.h"
#include "dialect/show/sentences.h"

#include <stdio.h>
#include <stdlib.h>

enum { SEND_TIMEOUT_MS = 30000, NS_OF_MS = 1000000 };

struct tracing {
    struct client *client;
    struct http_client *collector; /* NULL: the spans are printed. */
    struct text_table table;
    str trace;
    size_t span_count;
};

/* ---- for people ---- */

static int64_t time_of(struct client *client, const struct json *span, const char *name)
{
    int64_t ns = 0;
    str_to_int64(client_text(client, span, name), &ns);
    return ns / NS_OF_MS;
}

static str attribute_of(const struct json *span, str key)
{
    struct json_each each = json_each(json_get(span, STR("attributes")));
    while (json_next(&each))
        if (str_equal(json_text(each.value, STR("key")), key))
            return json_text(json_get(each.value, STR("value")), STR("stringValue"));
    return STR_NONE;
}

static void add_span(struct tracing *tracing, const struct json *span)
{
    struct client *client = tracing->client;
    char text[DATETIME_CHARS + 1];
    int64_t start_ms = time_of(client, span, "startTimeUnixNano");
    datetime_print(start_ms, text);
    str began = arena_str(client->arena, str_of(text));
    int64_t took_ms = time_of(client, span, "endTimeUnixNano") - start_ms;
    str error = attribute_of(span, STR("error.type")), status = attribute_of(span, STR("pawl.status"));
    tracing->trace = client_text(client, span, "traceId");
    table_add(&tracing->table, (str[]){ began, took_ms ? show_duration(took_ms, client->arena) : STR_NONE,
                                        client_text(client, span, "name"), status.n ? status : error,
                                        client_text(client, span, "spanId") });
}

/* ---- a collector ---- */

/* "a=1,b=2" with values as in a URL; the standard variable says what a collector wants to hear. */
static str headers_of(str list, struct arena *arena)
{
    struct buf lines;
    buf_init(&lines, arena);
    while (list.n) {
        size_t comma = str_find(list, STR(","), 0);
        str one = str_trim(str_slice(list, 0, comma == SIZE_MAX ? list.n : comma));
        size_t equals = str_find(one, STR("="), 0);
        list = comma == SIZE_MAX ? STR_NONE : str_slice(list, comma + 1, list.n);
        if (equals == SIZE_MAX || !equals) continue;
        buf_printf(&lines, "%.*s: %.*s\r\n", STR_ARG(str_trim(str_slice(one, 0, equals))),
                   STR_ARG(str_trim(str_slice(one, equals + 1, one.n))));
    }
    return buf_str(&lines);
}

static int send(struct tracing *tracing)
{
    struct client *client = tracing->client;
    struct http_answer answer;
    struct error err;
    if (http_client_call(tracing->collector, "POST", STR("/v1/traces"), client->text, SEND_TIMEOUT_MS,
                         client->arena, &answer, &err) != ST_OK)
        return output_fail(&err);
    if (answer.status >= 200 && answer.status < 300) return 0;
    struct buf words;
    buf_init(&words, client->arena);
    output_add_safe(&words, str_slice(answer.body, 0, answer.body.n < 300 ? answer.body.n : 300), false);
    output_complain("the collector answered %d: %.*s", answer.status, STR_ARG(buf_str(&words)));
    return status_exit(ST_INVALID);
}

/* ---- the pages ---- */

static void add_page(struct tracing *tracing)
{
    struct json_each resource = json_each(json_get(tracing->client->answer, STR("resourceSpans")));
    while (json_next(&resource)) {
        struct json_each scope = json_each(json_get(resource.value, STR("scopeSpans")));
        while (json_next(&scope)) {
            struct json_each span = json_each(json_get(scope.value, STR("spans")));
            while (json_next(&span)) {
                tracing->span_count++;
                add_span(tracing, span.value);
            }
        }
    }
}

static int print(struct tracing *tracing)
{
    struct client *client = tracing->client;
    struct buf out;
    buf_init(&out, client->arena);
    buf_printf(&out, "trace %.*s\n", STR_ARG(tracing->trace));
    if (tracing->collector) buf_printf(&out, "%zu spans were sent\n", tracing->span_count);
    else table_print(&tracing->table, output_colours(), &out);
    if (json_get(client->answer, STR("cut")))
        buf_add_str(&out, STR("The history is longer than the engine reads: later spans are missing.\n"));
    return output_write(buf_str(&out));
}

static int trace_pages(struct tracing *tracing)
{
    struct client *client = tracing->client;
    bool as_json = option_on(client->options, OPTION_JSON);
    str path = client_path(client, "/api/runs/{}/trace", &client->options->argument[0]), cursor = STR_NONE;
    int code = 0;
    do {
        code = client_get(client, client_with(client, path, "cursor", cursor));
        if (!code) add_page(tracing);
        if (!code && tracing->collector) code = send(tracing);
        if (!code && as_json) code = client_print_json(client);
        if (code) return code;
        cursor = client_text(client, client->answer, "nextCursor");
    } while (cursor.n);
    return as_json ? 0 : print(tracing);
}

int verb_trace(const struct options *options)
{
    static const char *const headings[] = { "BEGAN (UTC)", "TOOK", "SPAN", "STATUS", "ID", NULL };
    struct client client;
    struct error err;
    struct tracing tracing = { .client = &client };
    str to = option_text(options, OPTION_TRACE_TO);
    const char *headers = getenv("OTEL_EXPORTER_OTLP_HEADERS");
    if (to.n && http_client_new(to, &tracing.collector, &err) != ST_OK) {
        output_complain("--to: %s", err.message);
        return status_exit(err.status);
    }
    if (to.n && headers)
        http_client_set_headers(tracing.collector, headers_of(str_of(headers), options->arena));
    int code = client_open(&client, options);
    if (!code) {
        table_init(&tracing.table, client.arena, headings);
        code = trace_pages(&tracing);
        client_close(&client);
    }
    http_client_free(tracing.collector);
    return code;
}
