/* runtime/memory/schedules.c — the records of scheduled triggers, and a heap of them by next slot. */
#include "runtime/memory/schedules.h"

#include "base/buf.h"
#include "base/log.h"
#include "base/must.h"
#include "base/read.h"
#include "runtime/limits.h"
#include "runtime/memory/memory_int.h"
#include "source/zones.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- records ---- */

enum { RECORD_VERSION = 1, KEY_BYTES = 2 * DEFINITION_ID_BYTES_MAX, TENANT_BYTES = 16 };

str schedule_key(str definition, const str *trigger, struct arena *arena)
{
    struct buf key;
    buf_init(&key, arena);
    buf_add_str(&key, definition);
    buf_add(&key, "", 1);
    if (trigger) buf_add_str(&key, *trigger);
    return buf_str(&key);
}

str schedule_record_encode(const struct schedule_record *record, struct arena *arena)
{
    struct buf bytes;
    buf_init(&bytes, arena);
    buf_add_varint(&bytes, RECORD_VERSION);
    buf_add_varint(&bytes, (uint64_t)record->mark_ms);
    buf_add_varint(&bytes, (uint64_t)record->anchor_ms);
    buf_add_varint(&bytes, (uint64_t)record->interval_ms);
    buf_add_varint(&bytes, record->fires_missed);
    buf_add_text(&bytes, record->cron);
    buf_add_text(&bytes, record->zone);
    return buf_str(&bytes);
}

bool schedule_record_decode(str bytes, struct schedule_record *ret_record)
{
    struct reader reader = { bytes.p, bytes.p + bytes.n, false };
    uint64_t version = read_varint(&reader);
    ret_record->mark_ms = (int64_t)read_varint(&reader);
    ret_record->anchor_ms = (int64_t)read_varint(&reader);
    ret_record->interval_ms = (int64_t)read_varint(&reader);
    ret_record->fires_missed = read_varint(&reader) != 0;
    ret_record->cron = read_text(&reader);
    ret_record->zone = read_text(&reader);
    return !reader.bad && reader.p == reader.end && version == RECORD_VERSION && ret_record->mark_ms >= 0 &&
           ret_record->anchor_ms >= 0 && ret_record->interval_ms >= 0;
}

/* ---- memory ---- */

void schedules_init(struct schedules *schedules)
{
    *schedules = (struct schedules){ 0 };
    text_map_init(&schedules->of_definition);
    map_init(&schedules->of_tenant);
}

static struct scheduled_tenant *tenant_of(struct schedules *schedules, int32_t ns)
{
    struct scheduled_tenant *tenant = map_get(&schedules->of_tenant, (uint64_t)ns);
    if (tenant) return tenant;
    tenant = calloc(1, sizeof *tenant);
    must(tenant);
    map_put(&schedules->of_tenant, (uint64_t)ns, tenant);
    return tenant;
}

size_t schedules_count(const struct schedules *schedules, int32_t ns)
{
    const struct scheduled_tenant *tenant = map_get(&schedules->of_tenant, (uint64_t)ns);
    return tenant ? tenant->count : 0;
}

size_t schedules_count_of(const struct schedules *schedules, str definition)
{
    size_t count = 0;
    const struct scheduled *first = text_map_get(&schedules->of_definition, definition);
    for (; first; first = first->sibling) count++;
    return count;
}

static void free_all(struct scheduled *first)
{
    for (struct scheduled *next; first; first = next) {
        next = first->sibling;
        free(first);
    }
}

void schedules_done(struct schedules *schedules)
{
    size_t cursor = 0;
    for (struct scheduled *first; (first = text_map_next(&schedules->of_definition, &cursor)) != NULL;)
        free_all(first);
    text_map_done(&schedules->of_definition);
    cursor = 0;
    for (struct scheduled_tenant *tenant; (tenant = map_next(&schedules->of_tenant, &cursor)) != NULL;)
        free(tenant);
    map_done(&schedules->of_tenant);
    deadlines_done(&schedules->due);
}

/* The map's key is a text of the first. */
static void add(struct schedules *schedules, struct scheduled *scheduled)
{
    struct scheduled *first = text_map_get(&schedules->of_definition, scheduled->definition);
    if (first) {
        scheduled->sibling = first->sibling;
        first->sibling = scheduled;
    } else {
        text_map_put(&schedules->of_definition, scheduled->definition, scheduled);
    }
    schedules->count++;
    tenant_of(schedules, scheduled->ns)->count++;
    must(schedules->of_definition.count <= schedules->count);
}

void schedules_keep_missed(struct schedules *schedules, struct scheduled *scheduled)
{
    scheduled->next_missed = schedules->missed;
    schedules->missed = scheduled;
}

struct scheduled *schedules_take_missed(struct schedules *schedules)
{
    struct scheduled *scheduled = schedules->missed;
    if (scheduled) schedules->missed = scheduled->next_missed;
    return scheduled;
}

/* Slots up to this are dropped: the mark goes there, and the log of arrivals is to tell of them. */
static void drop_slots(struct schedules *schedules, struct scheduled *scheduled, int64_t until_ms)
{
    bool known = scheduled->missed_until_ms != 0;
    if (!known) scheduled->missed_after_ms = scheduled->mark_ms;
    scheduled->missed_until_ms = scheduled->mark_ms = until_ms;
    if (!known) schedules_keep_missed(schedules, scheduled);
}

void schedules_forget_missed(struct schedules *schedules, const struct scheduled *scheduled)
{
    struct scheduled **at = &schedules->missed;
    while (*at && *at != scheduled) at = &(*at)->next_missed;
    if (*at) *at = scheduled->next_missed;
}

static void forget(struct schedules *schedules, str definition)
{
    struct scheduled *first = text_map_take(&schedules->of_definition, definition);
    for (struct scheduled *scheduled = first; scheduled; scheduled = scheduled->sibling) {
        deadline_clear(&schedules->due, &scheduled->deadline);
        if (scheduled->missed_until_ms) schedules_forget_missed(schedules, scheduled);
        must(schedules->count > 0);
        schedules->count--;
        tenant_of(schedules, scheduled->ns)->count--;
    }
    free_all(first);
}

bool schedules_choose_slot(struct schedules *schedules, struct scheduled *scheduled, int64_t now_ms,
                           int64_t missed_ms, int64_t *ret_slot_ms)
{
    const struct schedule *schedule = &scheduled->schedule;
    int64_t slot_ms;
    if (!slot_next(schedule, scheduled->mark_ms, &slot_ms) || slot_ms > now_ms) return false;
    *ret_slot_ms = slot_ms;
    if (slot_ms > missed_ms) return true;
    bool found = slot_newest(schedule, scheduled->mark_ms, now_ms, ret_slot_ms);
    if (found && scheduled->fires_missed) return true;
    /* The slots before it are over even if the transaction fails, so that they count once. */
    bool in_time = found && *ret_slot_ms > missed_ms;
    drop_slots(schedules, scheduled, in_time ? *ret_slot_ms - 1 : now_ms);
    return in_time;
}

void schedules_arm(struct schedules *schedules, struct scheduled *scheduled)
{
    int64_t slot_ms;
    if (slot_next(&scheduled->schedule, scheduled->mark_ms, &slot_ms))
        deadline_set(&schedules->due, &scheduled->deadline, DEADLINE_SLOT, slot_ms);
    else deadline_clear(&schedules->due, &scheduled->deadline);
}

struct scheduled *schedules_take_due(struct schedules *schedules, int64_t now_ms)
{
    struct deadline *first = deadlines_first(&schedules->due);
    if (!first || first->at_ms > now_ms) return NULL;
    must(first->kind == DEADLINE_SLOT);
    deadline_clear(&schedules->due, first);
    return (struct scheduled *)((char *)first - offsetof(struct scheduled, deadline));
}

const struct scheduled *schedules_find(const struct schedules *schedules, str definition, str trigger)
{
    const struct scheduled *scheduled = text_map_get(&schedules->of_definition, definition);
    while (scheduled && !str_equal(scheduled->trigger, trigger)) scheduled = scheduled->sibling;
    return scheduled;
}

/* ---- loading ---- */

/* One block, with its texts behind it. */
static struct scheduled *new_scheduled(const struct record_row *row, const struct schedule_record *record)
{
    struct scheduled *scheduled = calloc(1, sizeof *scheduled + row->key.n + record->zone.n);
    must(scheduled);
    char *texts = (char *)(scheduled + 1);
    const char *end = memchr(row->key.p, '\0', row->key.n);
    size_t id = end ? (size_t)(end - row->key.p) : row->key.n;
    memcpy(texts, row->key.p, row->key.n);
    if (record->zone.n) memcpy(texts + row->key.n, record->zone.p, record->zone.n);
    scheduled->key = (str){ texts, row->key.n };
    scheduled->definition = str_slice(scheduled->key, 0, id);
    scheduled->definition_id = tenant_name(scheduled->definition, &scheduled->ns);
    scheduled->trigger = str_slice(scheduled->key, id + 1, row->key.n);
    scheduled->zone = (str){ texts + row->key.n, record->zone.n };
    scheduled->fires_missed = record->fires_missed;
    scheduled->stored_mark_ms = scheduled->mark_ms = record->mark_ms;
    return scheduled;
}

/* Its zone may have left the machine with another tzdata: then nothing can tell when it is due. */
static enum status read_schedule(const struct schedule_record *record, struct schedule *ret_schedule,
                                 struct error *err)
{
    *ret_schedule = (struct schedule){ .interval_ms = record->interval_ms, .anchor_ms = record->anchor_ms };
    if (record->interval_ms) return ST_OK;
    TRY(cron_parse(record->cron, &ret_schedule->cron, err));
    ret_schedule->zone = source_zone_find(record->zone);
    if (ret_schedule->zone) return ST_OK;
    return fail(err, ST_NOT_FOUND, "zone", "this machine has no time zone \"%.*s\"", STR_ARG(record->zone));
}

/* The engine was down: each slot that is due by now was missed. */
static void skip_missed(struct schedules *schedules, struct scheduled *scheduled, int64_t now_ms)
{
    int64_t slot_ms;
    if (schedules_choose_slot(schedules, scheduled, now_ms, now_ms, &slot_ms))
        scheduled->mark_ms = slot_ms - 1; /* It is the next one to fire. */
}

static void warn(const char *message, const struct record_row *row, const char *reason)
{
    char key[KEY_BYTES + 1];
    snprintf(key, sizeof key, "%.*s", STR_ARG(row->key));
    log_write(LOG_ERROR, message, "definition", key, "reason", reason, NULL);
}

static void load_row(struct schedules *schedules, const struct record_row *row, int64_t now_ms)
{
    struct schedule_record record;
    struct schedule schedule;
    struct error err;
    if (!schedule_record_decode(row->value, &record)) {
        warn("a schedule cannot be read; it does not fire", row, "its record is damaged");
        return;
    }
    if (read_schedule(&record, &schedule, &err) != ST_OK) {
        warn("a schedule cannot be read; it does not fire", row, err.message);
        return;
    }
    struct scheduled *scheduled = new_scheduled(row, &record);
    scheduled->schedule = schedule;
    if (now_ms != INT64_MIN) {
        if (record.mark_ms > now_ms)
            warn("a schedule has fired in the future; it waits until the clock has come there", row,
                 "the clock was set back");
        skip_missed(schedules, scheduled, now_ms);
    }
    add(schedules, scheduled);
    schedules_arm(schedules, scheduled);
}

/* Page by page: there may be very many. */
static enum status load_rows(struct schedules *schedules, struct store *store, str prefix, int64_t now_ms,
                             struct error *err)
{
    struct arena arena;
    struct record_filter filter = {
        .ns = NAMESPACE_DEFAULT, .kind = RECORD_SCHEDULE, .prefix = prefix, .max = SCHEDULES_PER_PAGE_MAX
    };
    struct record_row *row;
    size_t count = filter.max;
    enum status status = ST_OK;
    struct buf last;
    buf_init(&last, NULL);
    arena_init(&arena, 0);
    while (status == ST_OK && count == filter.max) {
        arena_reset(&arena);
        status = store_records(store, &filter, &arena, &row, &count, err);
        if (status != ST_OK) break;
        for (size_t i = 0; i < count; i++) load_row(schedules, &row[i], now_ms);
        last.n = 0;
        if (count) buf_add_str(&last, row[count - 1].key);
        filter.after = buf_str(&last);
    }
    arena_done(&arena);
    buf_done(&last);
    return status;
}

static void forget_all(struct schedules *schedules)
{
    schedules_done(schedules);
    text_map_init(&schedules->of_definition);
    map_init(&schedules->of_tenant);
    schedules->missed = NULL;
    schedules->count = 0;
}

enum status schedules_load_again(struct schedules *schedules, struct store *store, struct error *err)
{
    forget_all(schedules);
    schedules->stale = true;
    TRY(load_rows(schedules, store, STR_NONE, INT64_MIN, err));
    schedules->stale = false;
    return ST_OK;
}

enum status schedules_load(struct schedules *schedules, struct store *store, int64_t now_ms,
                           struct error *err)
{
    return load_rows(schedules, store, STR_NONE, now_ms, err);
}

enum status schedules_load_definition(struct schedules *schedules, struct store *store, str definition,
                                      struct error *err)
{
    char prefix[DEFINITION_ID_BYTES_MAX + TENANT_BYTES + 1];
    must(definition.n < sizeof prefix);
    memcpy(prefix, definition.p, definition.n);
    prefix[definition.n] = '\0';
    forget(schedules, definition);
    return load_rows(schedules, store, (str){ prefix, definition.n + 1 }, INT64_MIN, err);
}
