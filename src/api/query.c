/* api/query.c — the parameters behind the path's question mark. */
#include "api/request_int.h"

#include "json/json.h"

str query_text(struct api_request *request, str name)
{
    str value = STR_NONE;
    if (!request->http->query.n || !http_query(request->http, name, &value)) return STR_NONE;
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

void query_page(struct api_request *request, int64_t *ret_skip, size_t *ret_size)
{
    int64_t page, size;
    if (!str_to_int64(query_text(request, STR("page")), &page)) page = 0;
    if (!str_to_int64(query_text(request, STR("pageSize")), &size)) size = 0;
    query_page_of(request->api, page, size, ret_skip, ret_size);
}

void query_page_of(const struct api *api, int64_t page, int64_t size, int64_t *ret_skip, size_t *ret_size)
{
    enum { SIZE_DEFAULT = 20 };
    if (page < 0) page = 0;
    if (size <= 0) size = SIZE_DEFAULT;
    if (size > api->config.limits.page_size_max) size = api->config.limits.page_size_max;
    if (page > INT32_MAX) page = INT32_MAX; /* Beyond every list, and the product still fits. */
    *ret_skip = page * size;
    *ret_size = (size_t)size;
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
