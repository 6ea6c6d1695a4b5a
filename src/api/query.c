/* api/query.c — the parameters behind the path's question mark. */
#include "api/request_int.h"

#include "base/utf8.h"
#include "json/json.h"

/* A handler serves several routes, and not all of them take the same. */
static bool is_taken(const struct api_request *request, str name)
{
    bool repeats;
    return !request->route || route_takes_query(request->route, name, &repeats);
}

str query_text(struct api_request *request, str name)
{
    str value = STR_NONE;
    if (!request->http->query.n || !is_taken(request, name) || !http_query(request->http, name, &value))
        return STR_NONE;
    return value;
}

bool query_next(struct api_request *request, str name, str *rest, str *ret_value)
{
    struct http_request part = *request->http;
    while (rest->n) {
        const char *end = memchr(rest->p, '&', rest->n);
        part.query = str_slice(*rest, 0, end ? (size_t)(end - rest->p) : rest->n);
        *rest = str_slice(*rest, part.query.n + 1, rest->n);
        if (part.query.n && http_query(&part, name, ret_value)) return true;
    }
    return false;
}

bool query_next_pair(struct api_request *request, str *rest, str *ret_name, str *ret_value)
{
    struct arena *arena = request->http->arena;
    while (rest->n) {
        str pair = str_slice(*rest, 0, str_find(*rest, STR("&"), 0));
        *rest = str_slice(*rest, pair.n + 1, rest->n);
        if (!pair.n) continue;
        str name = str_slice(pair, 0, str_find(pair, STR("="), 0));
        str value = str_slice(pair, name.n + 1, pair.n);
        if (!http_decode(name, true, arena, ret_name)) *ret_name = name;
        if (!http_decode(value, true, arena, ret_value) || !utf8_is_valid(*ret_value))
            *ret_value = (str){ 0 };
        return true;
    }
    return false;
}

enum status query_seconds(struct api_request *request, str name, int64_t seconds_max, int64_t *ret_ms,
                          struct error *err)
{
    str text = query_text(request, name);
    *ret_ms = 0;
    if (!text.n) return ST_OK;
    const struct json *number = json_number_parse(text, request->http->arena);
    if (!number) return fail(err, ST_INVALID, name.p, "%s must be a number of seconds", name.p);
    return field_to_ms(number, name.p, seconds_max, ret_ms, err);
}

enum status query_flag(struct api_request *request, str name, bool *ret_flag, struct error *err)
{
    str text = query_text(request, name);
    *ret_flag = str_equal(text, STR("true"));
    if (text.n && !*ret_flag && !str_equal(text, STR("false")))
        return fail(err, ST_INVALID, name.p, "%s must be true or false", name.p);
    return ST_OK;
}

str query_fit(struct arena *arena, const char *name, int64_t most, int64_t otherwise, int64_t *number)
{
    int64_t asked = *number;
    if (asked <= 0) *number = otherwise;
    if (asked > most) *number = most;
    if (asked >= 0 && asked <= most) return STR_NONE;
    return arena_printf(arena, "%s must be at most %lld and not negative; %lld was used", name,
                        (long long)most, (long long)*number);
}

enum status query_number(struct api_request *request, str name, int64_t least, int64_t most,
                         int64_t otherwise, int64_t *ret_number, struct error *err)
{
    str text = query_text(request, name);
    *ret_number = otherwise;
    if (!text.n) return ST_OK;
    bool is_number = str_to_int64(text, ret_number);
    if (is_number && *ret_number >= least && *ret_number <= most) return ST_OK;
    if (!request->surface || !request->surface->lenient)
        return fail(err, ST_INVALID, name.p, "%s must be an integer from %lld to %lld", name.p,
                    (long long)least, (long long)most);
    *ret_number = is_number && *ret_number > most ? most : otherwise;
    request_warn(request, "%s must be an integer from %lld to %lld; %lld was used", name.p, (long long)least,
                 (long long)most, (long long)*ret_number);
    return ST_OK;
}

enum status query_page(struct api_request *request, int64_t *ret_skip, size_t *ret_size, struct error *err)
{
    int64_t page, size, size_max = request->api->config.limits.page_size_max;
    int64_t size_known = size_max > PAGE_SIZE_KNOWN_MAX ? size_max : PAGE_SIZE_KNOWN_MAX;
    int64_t size_usual = size_max < PAGE_SIZE_DEFAULT ? size_max : PAGE_SIZE_DEFAULT;
    TRY(query_number(request, STR("page"), 0, INT32_MAX, 0, &page, err));
    TRY(query_number(request, STR("pageSize"), 1, size_known, size_usual, &size, err));
    if (size > size_max) {
        size = size_max;
        request_warn(request, "pageSize is above the limit page_size_max; %lld was used", (long long)size);
    }
    *ret_skip = page * size;
    *ret_size = (size_t)size;
    return ST_OK;
}

enum status query_cursor(struct api_request *request, bool *ret_given, struct id *ret_id, struct error *err)
{
    str text = query_text(request, STR("cursor"));
    *ret_given = text.n > 0;
    if (text.n && !id_parse(text, ret_id))
        return fail(err, ST_INVALID, "cursor", "cursor must be the nextCursor of an earlier page");
    return ST_OK;
}

uint64_t query_instance(struct api_request *request)
{
    str text = query_text(request, STR("instanceId"));
    if (!text.n) return 0;
    struct id id;
    return id_parse(text, &id) && id.number == 0 ? id.instance : ID_INSTANCE_MAX;
}
