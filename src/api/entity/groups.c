/* api/entity/groups.c — grouped statistics: POST /api/entity/stats/{name}/{version}/query. */
#include "api/entity/entity_int.h"

#include "base/datetime.h"
#include "base/utf8.h"
#include "json/put.h"
#include "runtime/entities/entities.h"

enum { SHOWN_BYTES = 60 };

/* ---- what is asked ---- */

static enum status read_by(const struct json *body, struct arena *arena, struct call_groups *asked,
                           struct error *err)
{
    const struct json *list = json_get(body, STR("groupBy"));
    size_t count = json_is(list, JSON_ARRAY) ? json_count(list) : 0;
    if (!count)
        return fail_code(err, ST_INVALID, "MISSING_GROUP_BY", "groupBy is a list of paths, or of state");
    if (count > GROUPS_BY_MAX)
        return fail_code(err, ST_INVALID, "INVALID_GROUP_BY_PATH", "groupBy has at most %d fields",
                         GROUPS_BY_MAX);
    str *by = arena_make_n(arena, str, count);
    for (size_t i = 0; i < count; i++) {
        if (!json_is(json_item(list, i), JSON_STRING))
            return fail_code(err, ST_INVALID, "INVALID_GROUP_BY_PATH", "groupBy is a list of texts");
        by[i] = json_string(json_item(list, i));
    }
    asked->by = by;
    asked->by_count = count;
    return ST_OK;
}

/* sum of $.costPrice is sum_costPrice. */
static str name_of(const struct json *given, str op, str field, struct arena *arena)
{
    const struct json *as = json_get(given, STR("as"));
    if (json_is(as, JSON_STRING) && json_string(as).n) return json_string(as);
    if (str_starts(field, STR("$."))) field = str_slice(field, 2, field.n);
    return arena_printf(arena, "%.*s_%.*s", STR_ARG(op), STR_ARG(field));
}

static enum status read_aggregation(const struct json *given, struct arena *arena,
                                    struct entity_aggregation *ret_aggregation, struct error *err)
{
    const struct json *op = json_get(given, STR("op")), *field = json_get(given, STR("field")),
                      *as = json_get(given, STR("as"));
    struct entity_aggregation *read = ret_aggregation;
    if (!json_is(op, JSON_STRING) || !entity_aggregation_find(json_string(op), &read->which))
        return fail_code(err, ST_INVALID, "INVALID_AGGREGATION_OP", "op is sum, avg, min, max or stdev");
    if (!json_is(field, JSON_STRING) || !json_string(field).n)
        return fail_code(err, ST_INVALID, "INVALID_AGGREGATION_FIELD",
                         "an aggregation needs field, the path of a single value");
    if (as && !json_is(as, JSON_NULL) &&
        (!json_is(as, JSON_STRING) || json_string(as).n > ENTITY_MODEL_NAME_BYTES_MAX))
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "as is a text of at most %d bytes",
                         ENTITY_MODEL_NAME_BYTES_MAX);
    read->field = json_string(field);
    read->name = name_of(given, json_string(op), read->field, arena);
    return ST_OK;
}

/* The same aggregation twice is told once; two others must not have the same name. */
static enum status add_aggregation(const struct entity_aggregation *read, struct entity_aggregation *list,
                                   size_t *count, struct error *err)
{
    for (size_t i = 0; i < *count; i++) {
        if (!str_equal(list[i].name, read->name)) continue;
        if (list[i].which == read->which && str_equal(list[i].field, read->field)) return ST_OK;
        return fail_code(err, ST_INVALID, "DUPLICATE_AGGREGATION_ALIAS",
                         "two aggregations have the name \"%.*s\"",
                         STR_ARG(utf8_cut(read->name, SHOWN_BYTES)));
    }
    list[(*count)++] = *read;
    return ST_OK;
}

static enum status read_aggregations(const struct json *body, struct arena *arena, struct call_groups *asked,
                                     struct error *err)
{
    const struct json *given;
    TRY(field_list(body, "aggregations", &given, err));
    size_t given_count = given ? json_count(given) : 0;
    if (given_count > GROUPS_AGGREGATIONS_MAX)
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "there are at most %d aggregations",
                         GROUPS_AGGREGATIONS_MAX);
    struct entity_aggregation *list = arena_make_n(arena, struct entity_aggregation, given_count), read;
    for (size_t i = 0; i < given_count; i++) {
        TRY(read_aggregation(json_item(given, i), arena, &read, err));
        TRY(add_aggregation(&read, list, &asked->aggregation_count, err));
    }
    asked->aggregation = list;
    return ST_OK;
}

static enum status read_bounds(const struct json *body, struct call_groups *asked, struct error *err)
{
    const struct json *limit = json_get(body, STR("limit")), *at = json_get(body, STR("pointInTime"));
    int64_t number = 0;
    if (limit && !json_is(limit, JSON_NULL) &&
        (!json_int64(limit, &number) || number < 1 || number > GROUPS_MAX))
        return fail_code(err, ST_INVALID, "INVALID_LIMIT", "limit is an integer from 1 to %d", GROUPS_MAX);
    asked->limit = (size_t)number;
    asked->is_past = at && !json_is(at, JSON_NULL);
    if (asked->is_past && (!json_is(at, JSON_STRING) || !datetime_parse(json_string(at), &asked->at_ms)))
        return fail_code(err, ST_INVALID, "INVALID_POINT_IN_TIME",
                         "pointInTime is a time like 2026-11-15T03:50:11.123Z");
    return ST_OK;
}

/* ---- the answer ---- */

static void put_group(struct buf *out, const struct call_groups *asked, const struct entity_group *group)
{
    PUT(out, "{\"groupKey\":[");
    for (size_t i = 0; i < asked->by_count; i++) {
        buf_add_str(out, i ? STR(",{\"path\":") : STR("{\"path\":"));
        put_text(out, asked->by[i]);
        PUT(out, ",\"value\":");
        if (group->value[i].p) put_text(out, group->value[i]);
        else PUT(out, "null");
        buf_add_char(out, '}');
    }
    PUT(out, "],\"count\":");
    put_int(out, group->count);
    for (size_t i = 0; i < asked->aggregation_count; i++) {
        buf_add_str(out, i ? STR(",") : STR(",\"aggregations\":{"));
        put_text(out, asked->aggregation[i].name);
        buf_add_char(out, ':');
        buf_add_str(out, group->result[i]);
    }
    buf_add_str(out, asked->aggregation_count ? STR("}}") : STR("}"));
}

static void render_groups(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    buf_add_char(out, '[');
    for (size_t i = 0; i < call->value.groups.count; i++) {
        if (i) buf_add_char(out, ',');
        put_group(out, &call->as.groups, &call->value.groups.group[i]);
    }
    buf_add_char(out, ']');
}

enum status entity_groups_query(struct api_request *request, struct error *err)
{
    struct arena *arena = request->http->arena;
    struct call_groups asked = { .limit = 0 };
    const struct json *body;
    TRY(entity_param_model(request, 0, &asked.model, &asked.version, err));
    TRY(request_body(request, true, &body, err));
    TRY(read_by(body, arena, &asked, err));
    TRY(read_aggregations(body, arena, &asked, err));
    TRY(read_bounds(body, &asked, err));
    asked.condition = json_get(body, STR("condition"));
    if (!asked.condition || json_is(asked.condition, JSON_NULL))
        asked.condition = entity_condition_any(arena);
    return request_submit(request, call_group_entities(request_origin(request), &asked), render_groups, err);
}
