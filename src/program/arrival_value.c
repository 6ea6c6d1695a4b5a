/* program/arrival_value.c — one arrival: its value, which is also the output of its start node, its key and
 * its filter. */
#include "program/arrival.h"

#include "base/datetime.h"

static void add_time(struct json_builder *builder, const char *name, int64_t ms)
{
    char text[DATETIME_CHARS + 1];
    datetime_print_seconds(ms, text);
    json_add_name(builder, str_of(name));
    json_add_string(builder, str_of(text));
}

static void add_object(struct json_builder *builder, const char *name, const struct json *object)
{
    json_add_name(builder, str_of(name));
    json_add(builder, object ? object : json_empty_object());
}

const struct json *arrival_value(const struct arrival_event *event, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("payload"));
    json_add(&builder, event->payload);
    add_time(&builder, "triggered_at", event->at_ms);
    switch (event->type) {
    case ARRIVAL_HTTP:
        json_add_text(&builder, STR("method"), event->method);
        json_add_text(&builder, STR("path"), event->path);
        add_object(&builder, "headers", event->headers);
        add_object(&builder, "query", event->query);
        break;
    case ARRIVAL_MQTT:
        json_add_text(&builder, STR("topic"), event->topic);
        json_add_name(&builder, STR("qos"));
        json_add_int(&builder, event->qos);
        json_add_name(&builder, STR("retained"));
        json_add_bool(&builder, event->retained);
        break;
    case ARRIVAL_CRON:
        add_time(&builder, "scheduled_for", event->scheduled_ms);
        json_add_text(&builder, STR("time_zone"), event->zone.n ? event->zone : STR("UTC"));
        break;
    case ARRIVAL_MANUAL:
    case ARRIVAL_POLL:
    case ARRIVAL_TYPE_COUNT: break;
    }
    json_close(&builder);
    return json_built(&builder);
}

/* The value that a path of an HTTP trigger looks at first. */
static const struct json *envelope_of(const struct arrival_event *event, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("metadata"));
    json_open_object(&builder);
    json_add_text(&builder, STR("method"), event->method);
    add_time(&builder, "timestamp", event->at_ms);
    json_close(&builder);
    add_object(&builder, "headers", event->headers);
    add_object(&builder, "query", event->query);
    json_add_name(&builder, STR("body"));
    json_add(&builder, event->payload);
    json_close(&builder);
    return json_built(&builder);
}

/* Only these are keys; null, "", objects and arrays are none. */
static str text_of(const struct json *value, struct arena *arena)
{
    if (json_is(value, JSON_STRING)) return json_string(value);
    if (!json_is(value, JSON_NUMBER) && !json_is(value, JSON_BOOL)) return STR_NONE;
    struct buf text;
    buf_init(&text, arena);
    json_print_canonical(value, &text);
    return buf_str(&text);
}

static enum status select_first(const struct jsonpath *path, const struct json *root, int64_t *fuel,
                                struct arena *arena, const struct json **ret_value, struct error *err)
{
    const struct json *const *node;
    size_t count;
    *ret_value = NULL;
    if (!root) return ST_OK;
    TRY(jsonpath_select(path, root, fuel, arena, &node, &count, err));
    if (count) *ret_value = node[0];
    return ST_OK;
}

static enum status find_by_path(const struct jsonpath *path, const struct arrival_event *event, int64_t *fuel,
                                struct arena *arena, str *ret_key, struct error *err)
{
    const struct json *value = NULL;
    if (event->type == ARRIVAL_HTTP)
        TRY(select_first(path, envelope_of(event, arena), fuel, arena, &value, err));
    if (!value) TRY(select_first(path, event->payload, fuel, arena, &value, err));
    *ret_key = value ? text_of(value, arena) : STR_NONE;
    return ST_OK;
}

static str level_of(str topic, uint32_t level)
{
    for (size_t begin = 0, i = 0; i <= topic.n; i++) {
        if (i < topic.n && topic.p[i] != '/') continue;
        if (level-- == 0) return str_slice(topic, begin, i);
        begin = i + 1;
    }
    return STR_NONE;
}

struct arrival_event arrival_made(const struct arrival_terms *terms, const struct json *payload,
                                  int64_t now_ms, str actor)
{
    bool wild =
        str_find(terms->topic, STR("+"), 0) != SIZE_MAX || str_find(terms->topic, STR("#"), 0) != SIZE_MAX;
    return (struct arrival_event){ .type = terms->type,
                                   .at_ms = now_ms,
                                   .payload = payload ? payload : json_empty_object(),
                                   .method = terms->method,
                                   .path = terms->path,
                                   .topic = wild ? STR_NONE : terms->topic,
                                   .qos = terms->qos,
                                   .scheduled_ms = now_ms,
                                   .zone = terms->zone,
                                   .actor = actor };
}

enum status arrival_find_key(const struct arrival_key *key, const struct arrival_event *event, int64_t *fuel,
                             struct arena *arena, str *ret_key, struct error *err)
{
    struct regex_matcher matcher;
    *ret_key = STR_NONE;
    switch (key->kind) {
    case ARRIVAL_KEY_NONE: return ST_OK;
    case ARRIVAL_KEY_TOPIC: *ret_key = level_of(event->topic, key->level); return ST_OK;
    case ARRIVAL_KEY_PATH: return find_by_path(key->path, event, fuel, arena, ret_key, err);
    case ARRIVAL_KEY_CONSTANT: *ret_key = key->text; return ST_OK;
    case ARRIVAL_KEY_REGEX:
        regex_matcher_init(&matcher, arena);
        return regex_find(&matcher, key->regex, event->raw, fuel, ret_key, err);
    }
    return ST_OK;
}

bool arrival_passes(const struct arrival_terms *terms, const struct json *value, int64_t now_ms,
                    int64_t *fuel, struct arena *arena)
{
    if (!terms->filter) return true;
    struct error err;
    const struct json *result;
    const struct json *payload = json_get(value, STR("payload"));
    const struct expr_local local[] = { { STR("trigger"), value }, { STR("body"), payload } };
    const struct expr_env env = {
        .data = value, .local = local, .local_count = COUNT(local), .now_ms = now_ms
    };
    return expr_eval(terms->filter, &env, fuel, arena, &result, &err) == ST_OK &&
           json_is(result, JSON_BOOL) && json_bool(result);
}
