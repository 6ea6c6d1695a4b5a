/* perform/http_parts.c — queries, forms and headers that an author has given. */
#include "perform/http_function_int.h"

#include "base/ascii.h"
#include "base/escape.h"

/* ---- queries and forms ---- */

/* Adds name=value; lists add one for each item, objects go as JSON. */
static void add_parameter(struct buf *out, char *between, str name, const struct json *value,
                          struct arena *arena)
{
    if (json_is(value, JSON_NULL)) return;
    if (json_is(value, JSON_ARRAY)) {
        struct json_each each = json_each(value);
        while (json_next(&each))
            if (!json_is(each.value, JSON_ARRAY)) add_parameter(out, between, name, each.value, arena);
        return;
    }
    if (*between) buf_add_char(out, *between);
    *between = '&';
    escape_url(out, name);
    buf_add_char(out, '=');
    escape_url(out, http_text_of(value, arena));
}

void http_add_parameters(struct buf *out, char between, const struct json *parameters, struct arena *arena)
{
    struct json_each each = json_each(parameters);
    while (json_next(&each)) add_parameter(out, &between, each.name, each.value, arena);
}

void http_add_query(struct buf *url, const struct json *query, struct arena *arena)
{
    if (!json_count(query)) return;
    bool has_query = str_find(buf_str(url), STR("?"), 0) != SIZE_MAX;
    bool open = has_query && strchr("?&", url->p[url->n - 1]);
    http_add_parameters(url, open ? '\0' : has_query ? '&' : '?', query, arena);
}

/* ---- headers ---- */

/* The connection's own: who sets them could send a second request inside the first. */
static bool is_reserved(str name)
{
    static const char *const reserved[] = { "host",       "content-length", "transfer-encoding",
                                            "connection", "upgrade",        "te",
                                            "trailer",    "expect" };
    for (size_t i = 0; i < COUNT(reserved); i++)
        if (str_equal_ignoring_case(name, str_of(reserved[i]))) return true;
    return false;
}

static bool is_given(const struct json *headers, str name)
{
    struct json_each each = json_each(headers);
    while (json_next(&each))
        if (!json_is(each.value, JSON_NULL) && str_equal_ignoring_case(each.name, name)) return true;
    return false;
}

const char *http_add_headers(struct outcall *outcall, const struct json *headers)
{
    struct arena *arena = outcall->arena;
    size_t count = 0, max = outcall->header_count + json_count(headers);
    struct outcall_header *list = arena_make_n(arena, struct outcall_header, max);
    struct json_each each = json_each(headers);
    while (json_next(&each)) {
        if (json_is(each.value, JSON_NULL)) continue;
        if (json_is(each.value, JSON_ARRAY) || json_is(each.value, JSON_OBJECT))
            return arena_printf(arena, "the header %.*s is no text", STR_ARG(each.name)).p;
        if (is_reserved(each.name))
            return arena_printf(arena, "the header %.*s cannot be set", STR_ARG(each.name)).p;
        str value = http_text_of(each.value, arena);
        if (str_equal_ignoring_case(each.name, STR("content-type"))) outcall->content_type = value;
        else if (str_equal_ignoring_case(each.name, STR("idempotency-key"))) outcall->idempotency_key = value;
        else list[count++] = (struct outcall_header){ arena_str(arena, each.name), value };
    }
    for (size_t i = 0; i < outcall->header_count; i++)
        if (!is_given(headers, outcall->header[i].name)) list[count++] = outcall->header[i];
    outcall->header = list;
    outcall->header_count = count;
    return NULL;
}
