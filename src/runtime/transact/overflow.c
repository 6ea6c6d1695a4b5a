/* runtime/transact/overflow.c — the queue of arrivals that wait for a place: rows. */
#include "runtime/transact/overflow.h"

#include "base/array.h"
#include "base/must.h"
#include "base/utf8.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact_int.h"

#include <stdlib.h>

/* The definition's qualified name, NUL, the arrival's number: so they come by definition, and in order of
 * arrival. The records of all tenants are in the default namespace. */
static str prefix_of(int32_t ns, str definition_id, struct arena *arena)
{
    struct buf key;
    must(ns > TENANT_ANY);
    buf_init(&key, arena);
    buf_add_str(&key, tenant_key(ns, definition_id, arena));
    buf_add_char(&key, '\0');
    return buf_str(&key);
}

static str key_of(int32_t ns, str definition_id, uint64_t number, struct arena *arena)
{
    struct buf key;
    buf_init(&key, arena);
    buf_add_str(&key, prefix_of(ns, definition_id, arena));
    for (int i = 0; i < 8; i++) buf_add_char(&key, (char)(number >> (56 - 8 * i)));
    return buf_str(&key);
}

/* ---- queues ----
 *
 * Each definition whose arrivals wait has one more record: how many there are, and the priority of its latest
 * version ("12 5"; without a priority, if an older engine wrote it). Ids are UTF-8, so its key is behind
 * those of all arrivals. */

enum { COUNT_MARK = 0xff, PRIORITY_UNKNOWN = -1 };

static str count_key(int32_t ns, str definition_id, struct arena *arena)
{
    return arena_printf(arena, "%c%.*s", COUNT_MARK, STR_ARG(tenant_key(ns, definition_id, arena)));
}

static void parse_count(str value, int64_t *ret_count, int32_t *ret_priority)
{
    size_t space = str_find(value, STR(" "), 0);
    str count = space == SIZE_MAX ? value : str_slice(value, 0, space);
    int64_t priority;
    if (!str_to_int64(count, ret_count) || *ret_count < 0) *ret_count = 0;
    bool has = space != SIZE_MAX && str_to_int64(str_slice(value, space + 1, value.n), &priority) &&
               priority >= 0 && priority < PRIORITY_COUNT;
    *ret_priority = has ? (int32_t)priority : PRIORITY_UNKNOWN;
}

static enum status read_count(struct turn *turn, int32_t ns, str definition_id, int64_t *ret_count,
                              int32_t *ret_priority, struct error *err)
{
    struct record_row row;
    bool is_there;
    TRY(found_asked(store_find_record(turn->engine->store, NAMESPACE_DEFAULT, RECORD_OVERFLOW,
                                      count_key(ns, definition_id, &turn->arena), &turn->arena, &row, err),
                    &is_there));
    *ret_count = 0;
    *ret_priority = PRIORITY_UNKNOWN;
    if (!is_there) return ST_OK;
    parse_count(row.value, ret_count, ret_priority);
    return ST_OK;
}

/* The priority of the latest version, if it can be had. */
static int32_t find_priority(struct turn *turn, int32_t ns, str definition_id)
{
    struct definition *definition;
    struct error err;
    bool found = found_hint(catalogue_find(&turn->engine->memory.catalogue, ns, definition_id, VERSION_LATEST,
                                           &definition, &err));
    return found ? definition->program->priority : PRIORITY_UNKNOWN;
}

static struct record_row count_row(struct turn *turn, int32_t ns, str definition_id, int64_t count,
                                   int32_t priority)
{
    must(priority >= PRIORITY_UNKNOWN && priority < PRIORITY_COUNT);
    str value = priority == PRIORITY_UNKNOWN
                    ? arena_printf(&turn->arena, "%lld", (long long)count)
                    : arena_printf(&turn->arena, "%lld %d", (long long)count, priority);
    return (struct record_row){ .ns = NAMESPACE_DEFAULT,
                                .kind = RECORD_OVERFLOW,
                                .key = count_key(ns, definition_id, &turn->arena),
                                .value = value };
}

enum status overflow_note_priority(struct turn *turn, int32_t ns, str definition_id, int32_t priority,
                                   struct error *err)
{
    int64_t count;
    int32_t before;
    TRY(read_count(turn, ns, definition_id, &count, &before, err));
    if (!count || before == priority) return ST_OK;
    const struct record_row row = count_row(turn, ns, definition_id, count, priority);
    struct changeset changeset = { .record_put = &row, .record_put_count = 1 };
    return transact_rows(turn, &changeset, err);
}

static struct overflow_queue queue_of(struct turn *turn, const struct record_row *row)
{
    str definition = str_slice(row->key, 1, row->key.n);
    int64_t count;
    int32_t priority, ns;
    str definition_id = tenant_name(definition, &ns);
    struct buf place;
    parse_count(row->value, &count, &priority);
    if (priority == PRIORITY_UNKNOWN) priority = find_priority(turn, ns, definition_id);
    if (priority == PRIORITY_UNKNOWN) priority = 0;
    must(priority >= 0 && priority < PRIORITY_COUNT);
    buf_init(&place, &turn->arena);
    buf_add_char(&place, (char)(PRIORITY_COUNT - priority));
    buf_add_str(&place, definition);
    return (struct overflow_queue){ .place = buf_str(&place), .definition = definition };
}

static int compare_queues(const void *a, const void *b)
{
    return str_compare(((const struct overflow_queue *)a)->place, ((const struct overflow_queue *)b)->place);
}

size_t overflow_filters(const struct engine *engine, struct arena *arena, struct record_filter *ret_filter)
{
    static const char mark = (char)COUNT_MARK;
    (void)engine, (void)arena;
    *ret_filter = (struct record_filter){ .ns = NAMESPACE_DEFAULT,
                                          .kind = RECORD_OVERFLOW,
                                          .prefix = { &mark, 1 },
                                          .max = OVERFLOW_QUEUES_READ_MAX };
    return 1;
}

enum status overflow_queues(struct turn *turn, struct overflow_queue **ret_queue, size_t *ret_count,
                            struct error *err)
{
    struct record_filter filter;
    overflow_filters(turn->engine, &turn->arena, &filter);
    struct overflow_queue *queue = NULL;
    size_t total = 0, cap = 0, count = filter.max;
    while (count == filter.max) {
        struct record_row *row;
        TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
        for (size_t i = 0; i < count; i++) {
            array_reserve_in(&turn->arena, queue, total, cap);
            queue[total++] = queue_of(turn, &row[i]);
        }
        if (count) filter.after = row[count - 1].key;
    }
    if (total) qsort(queue, total, sizeof *queue, compare_queues);
    *ret_queue = queue;
    *ret_count = total;
    return ST_OK;
}

enum status overflow_is_full(struct turn *turn, int32_t ns, str definition_id, bool *ret_full,
                             struct error *err)
{
    int64_t count;
    int32_t priority;
    TRY(read_count(turn, ns, definition_id, &count, &priority, err));
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

const struct json *overflow_encode(const struct arrival_view *view, const struct arrival_event *event,
                                   str given_key, const struct arrival_terms *terms, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
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
    return json_built(&builder);
}

enum status overflow_add(struct turn *turn, int32_t ns, const struct arrival_view *view,
                         const struct arrival_event *event, str given_key, const struct arrival_terms *terms,
                         struct error *err)
{
    int64_t count;
    int32_t priority;
    TRY(read_count(turn, ns, view->definition_id, &count, &priority, err));
    if (priority == PRIORITY_UNKNOWN) priority = find_priority(turn, ns, view->definition_id);
    const struct record_row row[] = { { .ns = NAMESPACE_DEFAULT,
                                        .kind = RECORD_OVERFLOW,
                                        .key = key_of(ns, view->definition_id, view->number, &turn->arena),
                                        .value = json_encoded(
                                            overflow_encode(view, event, given_key, terms, &turn->arena)) },
                                      count_row(turn, ns, view->definition_id, count + 1, priority) };
    struct changeset changeset = { .record_put = row, .record_put_count = COUNT(row) };
    turn->engine->transact.backlog[BACKLOG_OVERFLOW].left = true;
    return transact_rows(turn, &changeset, err);
}

bool overflow_decode(const struct json *object, str key, struct queued_arrival *ret_queued)
{
    int64_t type = json_integer(object, STR("type"));
    if (!json_is(object, JSON_OBJECT) || type < 0 || type >= ARRIVAL_TYPE_COUNT) return false;
    *ret_queued = (struct queued_arrival){
        .key = key,
        .definition_id = json_text(object, STR("definition")),
        .trigger = json_text(object, STR("trigger")),
        .given_key = json_text(object, STR("key")),
        .event = { .type = (enum arrival_type)type,
                   .at_ms = json_integer(object, STR("at")),
                   .payload = json_get(object, STR("payload")),
                   .raw = json_text(object, STR("raw")),
                   .method = json_text(object, STR("method")),
                   .path = json_text(object, STR("path")),
                   .headers = json_get(object, STR("headers")),
                   .query = json_get(object, STR("query")),
                   .topic = json_text(object, STR("topic")),
                   .qos = (uint8_t)json_integer(object, STR("qos")),
                   .retained = json_integer(object, STR("retained")) != 0,
                   .scheduled_ms = json_integer(object, STR("scheduled")),
                   .zone = json_text(object, STR("zone")),
                   .actor = json_text(object, STR("actor")) },
    };
    return true;
}

enum status overflow_has(struct turn *turn, int32_t ns, str definition_id, bool *ret_has, struct error *err)
{
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT,
                                          .kind = RECORD_OVERFLOW,
                                          .prefix = prefix_of(ns, definition_id, &turn->arena),
                                          .max = 1 };
    struct record_row *row;
    size_t count;
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
    *ret_has = count > 0;
    return ST_OK;
}

struct found overflow_first(struct turn *turn, int32_t ns, str definition_id, str after,
                            struct queued_arrival *ret_queued, struct error *err)
{
    struct record_filter filter = { .ns = NAMESPACE_DEFAULT,
                                    .kind = RECORD_OVERFLOW,
                                    .prefix = prefix_of(ns, definition_id, &turn->arena),
                                    .after = after,
                                    .max = 1 };
    for (;;) {
        struct record_row *row;
        size_t count;
        TRY_FOUND(found_of(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err)));
        if (!count) return found_of(fail(err, ST_NOT_FOUND, "arrival", "no arrival waits"));
        if (overflow_decode(json_decode(row->value, &turn->arena), row->key, ret_queued))
            return found_of(ST_OK);
        filter.after = row->key; /* It is damaged: the others go on. */
    }
}

enum status overflow_waits_since(struct turn *turn, int32_t ns, str definition_id, int64_t since_ms,
                                 bool *ret_waits, struct error *err)
{
    struct queued_arrival first;
    bool is_there;
    TRY(found_asked(overflow_first(turn, ns, definition_id, STR_NONE, &first, err), &is_there));
    *ret_waits = is_there && first.event.at_ms <= since_ms;
    return ST_OK;
}

enum status overflow_remove(struct turn *turn, int32_t ns, const struct queued_arrival *queued,
                            struct error *err)
{
    int64_t count;
    int32_t priority;
    TRY(read_count(turn, ns, queued->definition_id, &count, &priority, err));
    const struct record_row left = count_row(turn, ns, queued->definition_id, count - 1, priority),
                            removed[] = { { .ns = left.ns, .kind = RECORD_OVERFLOW, .key = queued->key },
                                          left };
    bool last = count <= 1;
    struct changeset changeset = { .record_remove = removed,
                                   .record_remove_count = last ? 2 : 1,
                                   .record_put = &left,
                                   .record_put_count = last ? 0 : 1 };
    return transact_rows(turn, &changeset, err);
}

uint64_t overflow_number_of(const struct queued_arrival *queued)
{
    return index_record_instance_of(queued->key);
}

/* ---- a definition that goes ---- */

enum status overflow_waits(struct turn *turn, int32_t ns, str definition_id, bool *ret_waits,
                           struct error *err)
{
    int64_t count;
    int32_t priority;
    TRY(read_count(turn, ns, definition_id, &count, &priority, err));
    *ret_waits = count > 0;
    return ST_OK;
}

enum status overflow_end(struct turn *turn, int32_t ns, str definition_id, size_t max, size_t *ret_count,
                         struct error *err)
{
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT,
                                          .kind = RECORD_OVERFLOW,
                                          .prefix = prefix_of(ns, definition_id, &turn->arena),
                                          .max = max };
    const struct record_row counted = { .ns = NAMESPACE_DEFAULT,
                                        .kind = RECORD_OVERFLOW,
                                        .key = count_key(ns, definition_id, &turn->arena) };
    struct record_row *row;
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, ret_count, err));
    struct changeset changeset = { .record_remove = *ret_count ? row : &counted,
                                   .record_remove_count = *ret_count ? *ret_count : 1 };
    return transact_rows(turn, &changeset, err);
}

/* ---- a tenant that goes ---- */

enum status overflow_forget(struct turn *turn, int32_t ns, size_t max, size_t *ret_count, struct error *err)
{
    struct arena *arena = &turn->arena;
    must(ns > TENANT_DEFAULT);
    const str prefix[] = { tenant_qualify(ns, STR_NONE, arena), count_key(ns, STR_NONE, arena) };
    *ret_count = 0;
    for (size_t i = 0; i < COUNT(prefix) && !*ret_count; i++) {
        const struct record_filter filter = {
            .ns = NAMESPACE_DEFAULT, .kind = RECORD_OVERFLOW, .prefix = prefix[i], .max = max
        };
        struct record_row *row;
        TRY(store_records(turn->engine->store, &filter, arena, &row, ret_count, err));
        struct changeset changeset = { .record_remove = row, .record_remove_count = *ret_count };
        if (*ret_count) TRY(transact_rows(turn, &changeset, err));
    }
    return ST_OK;
}
