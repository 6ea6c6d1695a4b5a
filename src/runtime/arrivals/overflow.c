/* runtime/arrivals/overflow.c — the queue of arrivals that wait for a place: rows. */
#include "runtime/arrivals/overflow.h"

#include "base/utf8.h"
#include "runtime/arrivals/arrivals_int.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

/* Definition, NUL, the arrival's number: so they come by definition, and in order of arrival. */
static str prefix_of(str definition_id, struct arena *arena)
{
    struct buf key;
    buf_init(&key, arena);
    buf_add_str(&key, definition_id);
    buf_add_char(&key, '\0');
    return buf_str(&key);
}

static str key_of(str definition_id, uint64_t number, struct arena *arena)
{
    struct buf key;
    buf_init(&key, arena);
    buf_add_str(&key, definition_id);
    buf_add_char(&key, '\0');
    for (int i = 0; i < 8; i++) buf_add_char(&key, (char)(number >> (56 - 8 * i)));
    return buf_str(&key);
}

/* ---- how many wait ----
 *
 * A record of its own counts the arrivals of a definition. Ids are UTF-8, so its key is behind all others. */

enum { COUNT_MARK = 0xff };

static str count_key(str definition_id, struct arena *arena)
{
    return arena_printf(arena, "%c%.*s", COUNT_MARK, STR_ARG(definition_id));
}

static bool is_count(str key) { return key.n && (unsigned char)key.p[0] == COUNT_MARK; }

static enum status read_count(struct turn *turn, int32_t ns, str definition_id, int64_t *ret_count,
                              struct error *err)
{
    struct record_row row;
    enum status status = store_find_record(turn->engine->store, ns, RECORD_OVERFLOW,
                                           count_key(definition_id, &turn->arena), &turn->arena, &row, err);
    *ret_count = 0;
    if (status == ST_NOT_FOUND) return ST_OK;
    TRY(status);
    if (!str_to_int64(row.value, ret_count) || *ret_count < 0) *ret_count = 0;
    return ST_OK;
}

static struct record_row count_row(struct turn *turn, int32_t ns, str definition_id, int64_t count)
{
    return (struct record_row){ .ns = ns,
                                .kind = RECORD_OVERFLOW,
                                .key = count_key(definition_id, &turn->arena),
                                .value = arena_printf(&turn->arena, "%lld", (long long)count) };
}

enum status overflow_is_full(struct turn *turn, int32_t ns, str definition_id, bool *ret_full,
                             struct error *err)
{
    int64_t count;
    TRY(read_count(turn, ns, definition_id, &count, err));
    *ret_full = count >= ARRIVALS_QUEUED_MAX;
    return ST_OK;
}

/* ---- rows ---- */

static void add_text(struct json_builder *builder, const char *name, str text)
{
    if (!text.n) return;
    json_add_name(builder, str_of(name));
    json_add_string(builder, text);
}

static void add_number(struct json_builder *builder, const char *name, int64_t number)
{
    if (!number) return;
    json_add_name(builder, str_of(name));
    json_add_int(builder, number);
}

static void add_value(struct json_builder *builder, const char *name, const struct json *value)
{
    if (!value) return;
    json_add_name(builder, str_of(name));
    json_add(builder, value);
}

enum status overflow_add(struct turn *turn, int32_t ns, const struct arrival_view *view,
                         const struct arrival_event *event, str given_key, const struct arrival_terms *terms,
                         struct error *err)
{
    struct json_builder builder;
    json_builder_init(&builder, &turn->arena);
    json_open_object(&builder);
    add_text(&builder, "definition", view->definition_id);
    add_text(&builder, "trigger", view->trigger);
    add_text(&builder, "key", given_key);
    add_number(&builder, "type", event->type);
    add_number(&builder, "at", event->at_ms);
    add_value(&builder, "payload", event->payload);
    /* Only a pattern looks at the raw text, and only if it is text. */
    if (terms->key.kind == ARRIVAL_KEY_REGEX && utf8_is_valid(event->raw))
        add_text(&builder, "raw", event->raw);
    add_text(&builder, "method", event->method);
    add_text(&builder, "path", event->path);
    add_value(&builder, "headers", event->headers);
    add_value(&builder, "query", event->query);
    add_text(&builder, "topic", event->topic);
    add_number(&builder, "qos", event->qos);
    add_number(&builder, "retained", event->retained);
    add_number(&builder, "scheduled", event->scheduled_ms);
    add_text(&builder, "zone", event->zone);
    add_text(&builder, "actor", event->actor);
    json_close(&builder);
    int64_t count;
    TRY(read_count(turn, ns, view->definition_id, &count, err));
    const struct record_row row[] = { { .ns = ns,
                                        .kind = RECORD_OVERFLOW,
                                        .key = key_of(view->definition_id, view->number, &turn->arena),
                                        .value = json_encoded(json_built(&builder)) },
                                      count_row(turn, ns, view->definition_id, count + 1) };
    struct changeset changeset = { .record_put = row, .record_put_count = COUNT(row) };
    turn->engine->overflow_left = true;
    return transact_rows(turn, &changeset, err);
}

static str text_of(const struct json *object, const char *name)
{
    const struct json *value = json_get(object, str_of(name));
    return json_is(value, JSON_STRING) ? json_string(value) : STR_NONE;
}

static int64_t number_of(const struct json *object, const char *name)
{
    const struct json *value = json_get(object, str_of(name));
    int64_t number;
    return json_is(value, JSON_NUMBER) && json_int64(value, &number) ? number : 0;
}

static bool decode(const struct record_row *row, struct arena *arena, struct queued_arrival *ret_queued)
{
    const struct json *object = json_decode(row->value, arena);
    int64_t type = number_of(object, "type");
    if (!json_is(object, JSON_OBJECT) || type < 0 || type >= ARRIVAL_TYPE_COUNT) return false;
    *ret_queued = (struct queued_arrival){
        .key = row->key,
        .definition_id = text_of(object, "definition"),
        .trigger = text_of(object, "trigger"),
        .given_key = text_of(object, "key"),
        .event = { .type = (enum arrival_type)type,
                   .at_ms = number_of(object, "at"),
                   .payload = json_get(object, STR("payload")),
                   .raw = text_of(object, "raw"),
                   .method = text_of(object, "method"),
                   .path = text_of(object, "path"),
                   .headers = json_get(object, STR("headers")),
                   .query = json_get(object, STR("query")),
                   .topic = text_of(object, "topic"),
                   .qos = (uint8_t)number_of(object, "qos"),
                   .retained = number_of(object, "retained") != 0,
                   .scheduled_ms = number_of(object, "scheduled"),
                   .zone = text_of(object, "zone"),
                   .actor = text_of(object, "actor") },
    };
    return true;
}

enum status overflow_has(struct turn *turn, int32_t ns, str definition_id, bool *ret_has, struct error *err)
{
    const struct record_filter filter = {
        .ns = ns, .kind = RECORD_OVERFLOW, .prefix = prefix_of(definition_id, &turn->arena), .max = 1
    };
    struct record_row *row;
    size_t count;
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
    *ret_has = count > 0;
    return ST_OK;
}

enum status overflow_first(struct turn *turn, int32_t ns, str after, struct queued_arrival *ret_queued,
                           struct error *err)
{
    struct record_filter filter = { .ns = ns, .kind = RECORD_OVERFLOW, .after = after, .max = 1 };
    for (;;) {
        struct record_row *row;
        size_t count;
        TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
        if (!count || is_count(row->key)) return fail(err, ST_NOT_FOUND, "arrival", "no arrival waits");
        if (decode(row, &turn->arena, ret_queued)) return ST_OK;
        filter.after = row->key; /* It is damaged: the others go on. */
    }
}

enum status overflow_remove(struct turn *turn, int32_t ns, const struct queued_arrival *queued,
                            struct error *err)
{
    int64_t count;
    TRY(read_count(turn, ns, queued->definition_id, &count, err));
    const struct record_row left = count_row(turn, ns, queued->definition_id, count - 1),
                            removed[] = { { .ns = ns, .kind = RECORD_OVERFLOW, .key = queued->key }, left };
    bool last = count <= 1;
    struct changeset changeset = { .record_remove = removed,
                                   .record_remove_count = last ? 2 : 1,
                                   .record_put = &left,
                                   .record_put_count = last ? 0 : 1 };
    return transact_rows(turn, &changeset, err);
}

uint64_t overflow_number_of(const struct queued_arrival *queued) { return mark_instance_of(queued->key); }

str overflow_end_of(const struct queued_arrival *queued, struct arena *arena)
{
    return key_of(queued->definition_id, UINT64_MAX, arena);
}
