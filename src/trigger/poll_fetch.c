/* trigger/poll_fetch.c — a source is asked, and its answer becomes rows. */
#include "trigger/poll_int.h"

#include "jsonpath/jsonpath.h"
#include "trigger/limits.h"

static void end_with(struct sources *sources, struct fetch *fetch, str why)
{
    fetch->why = arena_str(&fetch->arena, why);
    sources->done(fetch);
}

/* ---- a URL ---- */

/* The secret is a URL, or an object with one and headers. */
static enum status read_connection(struct fetch *fetch, str *ret_url, const struct json **ret_headers,
                                   struct error *err)
{
    const struct json_limits limits = { SIZE_MAX, JSON_DEPTH_MAX };
    const struct vault_lookup lookup = scrub_lookup(&fetch->job.secrets);
    const struct json *object;
    str text, reference = json_text(fetch->polled->config, STR("connectionRef"));
    *ret_url = json_text(fetch->polled->config, STR("url"));
    *ret_headers = json_empty_object();
    if (!reference.n) return ST_OK;
    TRY(vault_reference(&lookup, reference, &fetch->arena, &text, err));
    text = str_trim(text);
    if (!text.n || text.p[0] != '{') {
        if (!ret_url->n) *ret_url = text;
        return ST_OK;
    }
    if (json_parse(text, &limits, &fetch->arena, &object, NULL) != ST_OK)
        return fail(err, ST_INVALID, "connectionRef", "the secret %.*s is no JSON object",
                    STR_ARG(reference));
    if (!ret_url->n) *ret_url = json_text(object, STR("url"));
    if (json_is(json_get(object, STR("headers")), JSON_OBJECT))
        *ret_headers = json_get(object, STR("headers"));
    return ST_OK;
}

static void on_answered(struct outcall *outcall)
{
    struct fetch *fetch = outcall->user;
    struct sources *sources = fetch->job.taker;
    sources->done(fetch);
}

static void fetch_url(struct sources *sources, struct fetch *fetch)
{
    str url;
    const struct json *headers, *wrong;
    struct json_builder request;
    struct error err;
    fetch->by_http = true;
    if (read_connection(fetch, &url, &headers, &err) != ST_OK) {
        end_with(sources, fetch, str_of(err.message));
        return;
    }
    json_builder_init(&request, &fetch->arena);
    json_open_object(&request);
    json_add_name(&request, STR("method"));
    json_add_string(&request, STR("GET"));
    json_add_name(&request, STR("url"));
    json_add_string(&request, url);
    json_add_name(&request, STR("headers"));
    json_add(&request, headers);
    json_close(&request);
    fetch->call =
        (struct function_call){ .type = STR(REQUEST_TYPE), .request = json_built(&request), .attempt = 1 };
    fetch->outcall = (struct outcall){ .done = on_answered, .user = fetch };
    if (!http_request_render(&fetch->call, &fetch->arena, &fetch->outcall, &wrong)) {
        end_with(sources, fetch, json_text(wrong, STR("message")));
        return;
    }
    if (!sources->outcalls && outcalls_start(&sources->calls, &sources->outcalls, &err) != ST_OK)
        end_with(sources, fetch, str_of(err.message));
    else if (outcalls_submit(sources->outcalls, &fetch->outcall, NULL, &err) != ST_OK)
        end_with(sources, fetch, str_of(err.message));
}

/* ---- a database ---- */

static void on_performed(struct engine_job *job)
{
    struct sources *sources = job->taker;
    sources->done((struct fetch *)((char *)job - offsetof(struct fetch, job)));
}

static void fetch_rows(struct sources *sources, struct fetch *fetch)
{
    struct json_builder input;
    json_builder_init(&input, &fetch->arena);
    json_open_object(&input);
    json_add_name(&input, STR("connectionRef"));
    json_add_string(&input, json_text(fetch->polled->config, STR("connectionRef")));
    json_add_name(&input, STR("sql"));
    json_add_string(&input, json_text(fetch->polled->config, STR("query")));
    json_add_name(&input, STR("readOnly"));
    json_add_bool(&input, true);
    json_close(&input);
    fetch->job.input = json_built(&input);
    fetch->job.arena = &fetch->arena;
    fetch->job.done = on_performed;
    fetch->job.attempt = 1;
    fetch->job.idempotency_key = STR("poll");
    sources->sql->start(sources->sql_self, &fetch->job);
}

void poll_fetch(struct sources *sources, struct fetch *fetch)
{
    fetch->job.taker = sources;
    fetch->job.secrets = (struct scrub_used){ .lookup = vault_lookup_in(sources->vault, fetch->polled->ns),
                                              .arena = &fetch->arena };
    if (str_equal(json_text(fetch->polled->config, STR("sourceType")), STR("RestApi")))
        fetch_url(sources, fetch);
    else fetch_rows(sources, fetch);
}

/* ---- rows ---- */

/* A path can select a value many times, and what encloses it, too: the copies are limited before one is made.
 */
static enum status check_selected(const struct json *const *node, size_t count, struct error *err)
{
    uint64_t bytes = 0;
    if (count > POLL_ROWS_MAX)
        return fail(err, ST_LIMIT, "query", "%zu rows; at most %d are taken at once (POLL_ROWS_MAX)", count,
                    POLL_ROWS_MAX);
    for (size_t i = 0; i < count; i++) bytes += json_bytes(node[i]);
    if (bytes > POLL_ROWS_BYTES_MAX)
        return fail(err, ST_LIMIT, "query",
                    "the path selects rows of more than %d bytes (POLL_ROWS_BYTES_MAX)", POLL_ROWS_BYTES_MAX);
    return ST_OK;
}

/* The nodes that the path selects; without a path the items of an array, or the value alone. */
static bool select_rows(struct fetch *fetch, const struct json *body, struct error *err)
{
    str text = json_text(fetch->polled->config, STR("query"));
    const struct jsonpath *path;
    const struct json *const *node;
    struct json_builder rows;
    size_t count;
    int64_t fuel = POLL_FUEL_MAX;
    if (!text.n && json_is(body, JSON_ARRAY)) {
        fetch->rows = body;
        return true;
    }
    json_builder_init(&rows, &fetch->arena);
    json_open_array(&rows);
    if (!text.n) {
        json_add(&rows, body);
    } else {
        if (jsonpath_compile(text, JSONPATH_STRICT, &fetch->arena, &path, err) != ST_OK ||
            jsonpath_select(path, body, &fuel, &fetch->arena, &node, &count, err) != ST_OK ||
            check_selected(node, count, err) != ST_OK)
            return false;
        for (size_t i = 0; i < count; i++) json_add(&rows, node[i]);
    }
    json_close(&rows);
    fetch->rows = json_built(&rows);
    return true;
}

static void read_answer(struct fetch *fetch)
{
    const struct json *value = NULL, *wrong = NULL;
    struct error err = { .message = "" };
    if (!http_request_read(&fetch->call, &fetch->outcall, &value, &wrong)) {
        fetch->why = json_text(wrong, STR("message"));
        if (!fetch->why.n) fetch->why = STR("the source did not answer as it should");
        return;
    }
    const struct json *body = json_get(value, STR("body"));
    if (!body) body = json_empty_object();
    if (!select_rows(fetch, body, &err)) fetch->why = arena_str(&fetch->arena, str_of(err.message));
}

void poll_read(struct fetch *fetch)
{
    if (fetch->why.n) return;
    if (fetch->by_http) {
        read_answer(fetch);
    } else if (fetch->job.end == ENGINE_JOB_COMPLETED) {
        fetch->rows = json_get(fetch->job.value, STR("rows"));
    } else {
        fetch->why = json_text(fetch->job.error, STR("message"));
    }
    if (!fetch->rows && !fetch->why.n) fetch->why = STR("the source gave no rows");
    fetch->why = scrub_text(&fetch->job.secrets, fetch->why, &fetch->arena);
    if (fetch->rows && json_count(fetch->rows) > POLL_ROWS_MAX) {
        fetch->why = arena_printf(&fetch->arena, "%zu rows; at most %d are taken at once (POLL_ROWS_MAX)",
                                  json_count(fetch->rows), POLL_ROWS_MAX);
        fetch->rows = NULL;
    }
}
