/* core/history_codec.c — one command's history as bytes. An entry is stored as its kind and the slots that
 * ENTRY_MAP gives the kind.
 *
 * One command may change what a token carries several times, a member or two each time: the state of an
 * entity that makes transitions. So a CARRY behind another one is stored as the members that are not as in
 * that one, if this tells it all. Histories of older engines have every CARRY whole.
 */

#include "core/codec_int.h"
#include "core/limits.h"

#include "base/read.h"

enum {
    HISTORY_VERSION = 1,
    ENTRY_BYTES_MIN = 2,
    CARRY_CHANGED = 127, /* Stands for the kind of a CARRY that is stored as a difference. */
};

_Static_assert((int)ENTRY_KIND_COUNT <= (int)CARRY_CHANGED, "kinds have numbers of their own");

/* The value of the last CARRY of the history, if differences can build upon it; else NULL. */
static const struct json *carry_base(const struct entry *entry, const struct json *before)
{
    if (entry->kind != ENTRY_KIND_CARRY) return before;
    bool fits = json_is(entry->carried, JSON_OBJECT) && json_bytes(entry->carried) <= CARRY_BASE_BYTES_MAX;
    return fits ? entry->carried : NULL;
}

/* The members of `now` that `base` has not or has otherwise, which json_merge() puts into the base. NULL:
 * that does not come to `now`. */
static const struct json *carry_difference(const struct json *base, const struct json *now,
                                           struct arena *arena)
{
    struct json_builder builder;
    if (!base || !json_is(now, JSON_OBJECT) || json_count(now) < json_count(base)) return NULL;
    struct json_each old = json_each(base), new = json_each(now);
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    while (json_next(&new)) {
        bool is_old = json_next(&old);
        if (is_old && !str_equal(old.name, new.name)) return NULL;
        if (is_old && str_equal(json_encoded(old.value), json_encoded(new.value))) continue;
        json_add_name(&builder, new.name);
        json_add(&builder, new.value);
    }
    json_close(&builder);
    return json_built(&builder);
}

static void encode_entry(const struct entry *entry, int64_t at_ms, struct buf *out)
{
    uint32_t slots = entry_slots(entry->kind);
    buf_add_varint(out, entry->kind);
    if (slots & ENTRY_EXECUTION) buf_add_varint(out, entry->execution);
    if (slots & ENTRY_NUMBER) buf_add_varint(out, entry->number);
    if (slots & ENTRY_NODE) buf_add_text(out, entry->node);
    if (slots & ENTRY_SCOPE) buf_add_varint(out, entry->scope);
    if (slots & ENTRY_FROM) buf_add_varint(out, entry->from);
    if (slots & ENTRY_VALUE) buf_add_varint(out, entry->value);
    if (slots & (ENTRY_TIME | ENTRY_INSTANCE)) codec_add_time(out, entry->time_ms, at_ms);
    if (slots & ENTRY_TEXT) buf_add_text(out, entry->text);
    if (slots & ENTRY_JSON) codec_add_json(out, entry->json);
}

static void encode_carry(const struct entry *entry, const struct json *changed, struct buf *out)
{
    buf_add_varint(out, CARRY_CHANGED);
    buf_add_varint(out, entry->execution);
    codec_add_json(out, changed);
}

static void decode_carry(struct reader *reader, const struct json *base, struct arena *arena,
                         struct entry *entry)
{
    entry->kind = ENTRY_KIND_CARRY;
    entry->execution = read_varint32(reader);
    const struct json *changed = codec_read_json(reader, arena);
    if (!base || !json_is(changed, JSON_OBJECT)) reader->bad = true;
    else entry->carried = json_merge(base, changed, arena);
}

static void decode_entry(struct reader *reader, int64_t at_ms, const struct json *base, struct arena *arena,
                         struct entry *entry)
{
    uint32_t kind = read_varint32(reader);
    if (kind == CARRY_CHANGED) {
        decode_carry(reader, base, arena, entry);
        return;
    }
    if (kind >= ENTRY_KIND_COUNT) {
        reader->bad = true;
        return;
    }
    uint32_t slots = entry_slots((enum entry_kind)kind);
    entry->kind = (enum entry_kind)kind;
    if (slots & ENTRY_EXECUTION) entry->execution = read_varint32(reader);
    if (slots & ENTRY_NUMBER) entry->number = read_varint32(reader);
    if (slots & ENTRY_NODE) entry->node = codec_read_text(reader, arena);
    if (slots & ENTRY_SCOPE) entry->scope = read_varint32(reader);
    if (slots & ENTRY_FROM) entry->from = read_varint32(reader);
    if (slots & ENTRY_VALUE) entry->value = read_varint32(reader);
    if (slots & (ENTRY_TIME | ENTRY_INSTANCE)) entry->time_ms = codec_read_time(reader, at_ms);
    if (slots & ENTRY_TEXT) entry->text = codec_read_text(reader, arena);
    if (slots & ENTRY_JSON) entry->json = codec_read_json(reader, arena);
}

/* Values are nearly all of a large history. A buffer that doubles until they fit takes four times as much
 * memory. */
static void reserve_values(const struct history *history, struct buf *out)
{
    size_t bytes = 0;
    for (size_t i = 0; i < history->entry_count; i++) {
        const struct entry *entry = &history->entry[i];
        if ((entry_slots(entry->kind) & ENTRY_JSON) && entry->json) bytes += json_bytes(entry->json);
    }
    if (bytes >= CODEC_LARGE_BYTES) buf_reserve(out, bytes + bytes / CODEC_LARGE_PART);
}

void history_encode(const struct history *history, struct buf *out)
{
    size_t start = out->n;
    reserve_values(history, out);
    buf_add_char(out, HISTORY_VERSION);
    buf_add_varint(out, history->command);
    codec_add_signed(out, history->at_ms);
    buf_add_text(out, history->actor);
    buf_add_varint(out, history->revision);
    buf_add_varint(out, history->entry_count);
    struct arena scratch;
    const struct json *base = NULL;
    arena_init(&scratch, 0);
    for (size_t i = 0; i < history->entry_count; i++) {
        const struct entry *entry = &history->entry[i];
        const struct json *changed =
            entry->kind == ENTRY_KIND_CARRY ? carry_difference(base, entry->carried, &scratch) : NULL;
        if (changed) encode_carry(entry, changed, out);
        else encode_entry(entry, history->at_ms, out);
        base = carry_base(entry, base);
    }
    arena_done(&scratch);
    codec_close(out, start);
}

enum status history_decode(str bytes, struct arena *arena, struct history *ret_history, struct error *err)
{
    struct reader reader;
    TRY(codec_open(bytes, HISTORY_VERSION, "history", &reader, err));
    uint32_t command = read_varint32(&reader);
    if (command >= COMMAND_COUNT) return fail(err, ST_INTERNAL, "", "history: unknown command %u", command);
    struct history history = { .command = (enum command_kind)command };
    history.at_ms = codec_read_signed(&reader);
    history.actor = codec_read_text(&reader, arena);
    history.revision = read_varint32(&reader);
    history.entry_count = codec_read_count(&reader, ENTRY_BYTES_MIN);
    struct entry *entry = arena_make_n(arena, struct entry, history.entry_count);
    const struct json *base = NULL;
    for (size_t i = 0; i < history.entry_count && !reader.bad; i++) {
        decode_entry(&reader, history.at_ms, base, arena, &entry[i]);
        base = reader.bad ? NULL : carry_base(&entry[i], base);
    }
    if (reader.bad || reader.p != reader.end) return fail(err, ST_INTERNAL, "", "history: malformed bytes");
    history.entry = entry;
    *ret_history = history;
    return ST_OK;
}
