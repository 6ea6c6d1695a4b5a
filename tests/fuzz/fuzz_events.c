/* tests/fuzz/fuzz_events.c — CloudEvents over HTTP: an event as JSON, or (a text that begins with
 * "ce-" or "Content-Type") header lines, an empty line and a body.
 *
 * What is taken can be stored: it is an object with its four texts and no data that is encoded,
 * nowhere deeper than a store can hold, and to look at it again changes nothing. What is refused
 * names what is wrong with it.
 */
#include "fuzz.h"

#include "api/events/events_int.h"
#include "base/base64.h"
#include "base/utf8.h"
#include "runtime/call/cloud_event.h"

enum { HEADERS_MAX = 32 };

static void check_taken(const struct json *event, struct arena *arena)
{
    static const char *const required[] = { "specversion", "id", "source", "type" };
    must(json_is(event, JSON_OBJECT) && json_depth(event) <= JSON_DEPTH_MAX);
    fuzz_check_value(event, arena);
    for (size_t i = 0; i < COUNT(required); i++) {
        const struct json *value = json_get(event, str_of(required[i]));
        must(json_is(value, JSON_STRING) && json_string(value).n);
    }
    must(!json_get(event, STR("data_base64")));
    struct json_each each = json_each(event);
    while (json_next(&each)) must(!json_is(each.value, JSON_NULL) || str_equal(each.name, STR("data")));
}

static void check_refused(const struct json *event, const struct error *err)
{
    must(err->status == ST_INVALID && err->message[0]);
    must(err->where[0] || json_get(event, STR_NONE)); /* An attribute may have no name. */
    must(utf8_is_valid(str_of(err->message)));
}

static void check_event(const struct json *event, struct arena *arena)
{
    const struct json *taken = NULL, *again = NULL;
    struct error err = { 0 };
    if (cloud_event_check(event, arena, &taken, &err) != ST_OK) {
        check_refused(event, &err);
        return;
    }
    check_taken(taken, arena);
    must(cloud_event_check(taken, arena, &again, &err) == ST_OK);
    must(fuzz_same_cells(taken, again));
}

/* ---- structured ---- */

static void check_structured(str text, struct arena *arena)
{
    const struct json *value = fuzz_parse(text, arena);
    if (!value) return;
    check_event(value, arena);
    if (!json_is(value, JSON_ARRAY)) return;
    struct json_each each = json_each(value);
    while (json_next(&each)) check_event(each.value, arena);
}

/* ---- binary ---- */

/* "name: value" up to an empty line; what a connection would not let through is left out. */
static size_t read_headers(str text, struct http_header *header, str *ret_body)
{
    size_t count = 0, at = 0;
    *ret_body = STR_NONE;
    while (at < text.n) {
        size_t end = str_find(text, STR("\n"), at);
        str line = str_slice(text, at, end);
        at = end == SIZE_MAX ? text.n : end + 1;
        if (!line.n) {
            *ret_body = str_slice(text, at, text.n);
            break;
        }
        size_t colon = str_find(line, STR(":"), 0);
        bool sound = colon != SIZE_MAX && colon && count < HEADERS_MAX;
        for (size_t i = 0; sound && i < line.n; i++) sound = (uint8_t)line.p[i] >= ' ' && line.p[i] != 0x7f;
        for (size_t i = 0; sound && i < colon; i++)
            sound = (uint8_t)line.p[i] > ' ' && (uint8_t)line.p[i] < 0x7f;
        if (sound)
            header[count++] = (struct http_header){ str_slice(line, 0, colon),
                                                    str_trim(str_slice(line, colon + 1, line.n)) };
    }
    return count;
}

static void check_binary(str text, struct arena *arena)
{
    struct http_header header[HEADERS_MAX];
    struct api api = { .config.limits = limits_default() };
    struct http_request http = { .arena = arena, .header = header };
    struct api_request request = { .api = &api, .http = &http };
    const struct json *event = NULL;
    struct error err = { 0 };
    http.header_count = read_headers(text, header, &http.body);
    if (!cloud_binary_is(&http)) return;
    enum status status = cloud_binary_read(&request, &event, &err);
    if (status == ST_OK) {
        fuzz_check_value(event, arena);
        check_event(event, arena);
    } else {
        must(err.message[0] && (status == ST_INVALID || status == ST_LIMIT || status == ST_UNSUPPORTED));
    }
}

/* ---- base64 ---- */

static void check_base64(str text, struct arena *arena)
{
    str bytes, again;
    must(base64_decode(base64_encode(text, arena), arena, &bytes) && str_equal(bytes, text));
    if (!base64_decode(text, arena, &again)) return;
    must(str_equal(base64_encode(again, arena), text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str text = { (const char *)data, size };
    struct arena arena;
    arena_init(&arena, 0);
    check_base64(text, &arena);
    if (str_starts(text, STR("ce-")) || str_starts(text, STR("Content-Type"))) check_binary(text, &arena);
    else check_structured(text, &arena);
    arena_done(&arena);
    return 0;
}
