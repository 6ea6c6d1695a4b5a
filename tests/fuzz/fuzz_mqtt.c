/* tests/fuzz/fuzz_mqtt.c — messages of MQTT brokers: a trigger as JSON, NUL, a topic, NUL, the message's
 * bytes.
 *
 * The message goes the way of an arrival up to its key: topic, format, filter, schema (the trigger's member
 * `inputSchema`), key. If the trigger is refused or missing, a usual one takes its place. The bytes are also
 * read as the settings of a broker.
 */
#include "fuzz.h"

#include "base/base64.h"
#include "base/utf8.h"

#include "program/arrival.h"
#include "program/topic.h"
#include "schema/schema.h"
#include "trigger/mqtt_int.h"

enum { FUEL = 20000, LEVELS_MAX = 64 };

static const int64_t at_ms = INT64_C(1794714611000);

static const char usual_trigger[] =
    "{\"brokerRef\":\"vault:mq\",\"topic\":\"#\",\"correlationExpression\":\"$.id\",\"deduplicationKey\":"
    "\"$topic[1]\",\"filter\":\"payload.n > 3\",\"inputSchema\":{\"type\":\"object\",\"required\":[\"id\"]}}";

/* ---- topics ---- */

/* Another way to say what a filter selects: level by level, over lists. SIZE_MAX: too many levels. */
static size_t split(str text, str *level)
{
    size_t count = 0;
    for (size_t from = 0;; count++) {
        if (count == LEVELS_MAX) return SIZE_MAX;
        size_t end = str_find(text, STR("/"), from);
        level[count] = str_slice(text, from, end);
        if (end == SIZE_MAX) return count + 1;
        from = end + 1;
    }
}

static bool selects(const str *wanted, size_t wanted_count, const str *level, size_t count)
{
    for (size_t i = 0; i < wanted_count; i++) {
        if (str_equal(wanted[i], STR("#"))) return count >= i;
        if (i >= count || (!str_equal(wanted[i], STR("+")) && !str_equal(wanted[i], level[i]))) return false;
    }
    return wanted_count == count;
}

static void check_topic(str filter, str topic)
{
    str wanted[LEVELS_MAX], level[LEVELS_MAX], proper = topic_filter_proper(filter);
    size_t wanted_count = split(proper, wanted), count = split(topic, level);
    must(topic_matches(topic, topic) || str_starts(topic, STR("$share/")));
    must(topic_matches(STR("#"), topic) == (topic.p[0] != '$'));
    if (wanted_count == SIZE_MAX || count == SIZE_MAX) return;
    bool own = topic.p[0] == '$' && (proper.p[0] == '+' || proper.p[0] == '#');
    must(topic_matches(filter, topic) == (!own && selects(wanted, wanted_count, level, count)));
}

/* Routes with equal filters share one subscription, and every filter is found by its text. */
static void check_filters(str filter, str topic)
{
    const struct mqtt_route route[] = {
        { STR("d"), STR("t"), STR("b"), topic, 2 },    { STR("d"), STR("t"), STR("b"), filter, 0 },
        { STR("d"), STR("u"), STR("b"), filter, 1 },   { STR("d"), STR("t"), STR("other"), filter, 2 },
        { STR("c"), STR("t"), STR("b"), STR("#"), 0 },
    };
    struct mqtt_filters *filters = mqtt_filters_new(route, COUNT(route), STR("b"));
    must(filters->route_count == COUNT(route) - 1);
    for (size_t i = 0, routes = 0; i < filters->filter_count; i++) {
        const struct mqtt_filter *one = &filters->filter[i];
        must(one->first == routes && one->count && one->number && one->number < 1u << 28);
        routes += one->count;
        must(i + 1 < filters->filter_count || routes == filters->route_count);
    }
    const str text[] = { filter, topic, STR("#") };
    for (size_t i = 0; i < COUNT(text); i++) {
        const struct mqtt_filter *found = mqtt_filters_find(filters, text[i]);
        must(found && str_equal(found->topic, text[i]));
    }
    must(mqtt_filters_find(filters, filter)->qos >= 1);
    mqtt_filters_free(filters);
}

/* ---- the way of a message ---- */

static void check_error(const struct error *err, enum status status)
{
    must(err->status == status && err->message[0] && utf8_is_valid(str_of(err->message)));
}

/* False: it is refused. What it becomes depends on nothing but its bytes. */
static bool check_decoded(const struct arrival_terms *terms, struct arrival_event *event, struct arena *arena)
{
    struct error err;
    enum status status = arrival_decode(terms, event, arena, &err);
    if (status != ST_OK) {
        check_error(&err, status);
        must(status == ST_INVALID || terms->format == ARRIVAL_FORMAT_PROTOBUF);
        return false;
    }
    must(json_depth(event->payload) <= ARRIVAL_DEPTH_MAX);
    fuzz_check_value(event->payload, arena);
    if (terms->format == ARRIVAL_FORMAT_BINARY) {
        str bytes;
        must(base64_decode(json_string(event->payload), arena, &bytes) && str_equal(bytes, event->raw));
    } else {
        const struct json *parsed = fuzz_parse(event->raw, arena);
        must(parsed && fuzz_same_cells(parsed, event->payload));
    }
    return true;
}

/* The value has exactly the members of a message, and a store can hold it. */
static const struct json *check_event_value(const struct arrival_event *event, struct arena *arena)
{
    const struct json *value = arrival_value(event, arena);
    must(json_count(value) == 5 && json_depth(value) <= JSON_DEPTH_MAX);
    fuzz_check_value(value, arena);
    must(fuzz_same_cells(json_get(value, STR("payload")), event->payload));
    must(str_equal(json_string(json_get(value, STR("topic"))), event->topic));
    return value;
}

/* The fuel used is exactly the fuel needed, and with less nothing passes. */
static void check_filter(const struct arrival_terms *terms, const struct json *value, struct arena *arena)
{
    int64_t fuel = FUEL, again = FUEL;
    bool passes = arrival_passes(terms, value, at_ms, &fuel, arena);
    must(arrival_passes(terms, value, at_ms, &again, arena) == passes && again == fuel);
    if (!passes || fuel == FUEL) return;
    int64_t enough = FUEL - fuel, less = enough - 1;
    must(arrival_passes(terms, value, at_ms, &enough, arena) && !enough);
    must(!arrival_passes(terms, value, at_ms, &less, arena));
}

static void check_schema(const struct json *document, const struct json *payload, struct arena *arena)
{
    const struct schema *schema;
    const struct schema_problem *problem;
    struct error err;
    size_t count;
    int64_t fuel = FUEL;
    if (!document || schema_compile(document, arena, &schema, &err) != ST_OK) return;
    enum status status = schema_check(schema, payload, &fuel, arena, &problem, &count, &err);
    if (status != ST_OK) check_error(&err, status);
    for (size_t i = 0; status == ST_OK && i < count; i++)
        must(json_pointer(payload, problem[i].where) && problem[i].message.n);
}

/* A key is a text that a row can hold, and is the same each time. */
static void check_key(const struct arrival_key *key, const struct arrival_event *event, struct arena *arena)
{
    str text, again, level[LEVELS_MAX];
    int64_t fuel = FUEL, fuel_again = FUEL;
    struct error err;
    enum status status = arrival_find_key(key, event, &fuel, arena, &text, &err);
    must(arrival_find_key(key, event, &fuel_again, arena, &again, &err) == status && fuel == fuel_again);
    if (status != ST_OK) {
        check_error(&err, status);
        must(status == ST_LIMIT || key->kind == ARRIVAL_KEY_REGEX);
        return;
    }
    must(str_equal(text, again) && utf8_is_valid(text));
    if (key->kind == ARRIVAL_KEY_NONE) must(!text.n);
    if (key->kind == ARRIVAL_KEY_CONSTANT) must(text.n && str_equal(text, key->text));
    if (key->kind != ARRIVAL_KEY_TOPIC) return;
    size_t count = split(event->topic, level);
    if (count != SIZE_MAX) must(str_equal(text, key->level < count ? level[key->level] : STR_NONE));
}

/* ---- the trigger ---- */

/* False: it is refused, with reasons. */
static bool read_trigger(const struct json *trigger, struct arena *arena, struct arrival_terms *ret_terms)
{
    struct problems problems;
    const struct json *config;
    problems_init(&problems, arena);
    arrival_read(trigger, ARRIVAL_MQTT, STR("/triggers/0"), arena, ret_terms, &config, &problems);
    fuzz_check_value(problems_json(&problems, arena), arena);
    if (problems.error_count) return false;
    fuzz_check_value(config, arena);
    must(ret_terms->type == ARRIVAL_MQTT && !topic_filter_check(ret_terms->topic) && ret_terms->broker.n);
    return true;
}

static void check_message(const struct json *trigger, const struct arrival_terms *terms, str topic, str raw,
                          struct arena *arena)
{
    struct arrival_event event = {
        .type = ARRIVAL_MQTT, .at_ms = at_ms, .raw = raw, .topic = topic, .qos = 1
    };
    if (!check_decoded(terms, &event, arena)) return;
    check_filter(terms, check_event_value(&event, arena), arena);
    check_schema(json_get(trigger, STR("inputSchema")), event.payload, arena);
    check_key(&terms->key, &event, arena);
    check_key(&terms->seen, &event, arena);
}

static void check_settings(str text, struct arena *arena)
{
    struct mqtt_settings settings;
    struct error err;
    enum status status = mqtt_settings_read(text, NULL, arena, &settings, &err);
    if (status != ST_OK) check_error(&err, status);
    else must(settings.host && settings.host[0] && settings.port > 0 && settings.port <= 65535);
    mqtt_settings_done(&settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct arrival_terms terms;
    str text, rest, topic, bytes;
    arena_init(&arena, 0);
    fuzz_split((str){ (const char *)data, size }, &text, &rest);
    fuzz_split(rest, &topic, &bytes);
    str raw = fuzz_block(bytes);
    const struct json *trigger = fuzz_parse(text, &arena);
    if (!trigger || !json_is(trigger, JSON_OBJECT) || !read_trigger(trigger, &arena, &terms)) {
        trigger = fuzz_parse(str_of(usual_trigger), &arena);
        must(trigger && read_trigger(trigger, &arena, &terms));
    }
    if (topic_check(topic))
        topic = STR("a/b"); /* A broker sends no such topic, and libmosquitto takes none. */
    check_topic(terms.topic, topic);
    check_filters(terms.topic, topic);
    check_message(trigger, &terms, topic, raw, &arena);
    check_settings(raw, &arena);
    fuzz_block_free(raw);
    arena_done(&arena);
    return 0;
}
