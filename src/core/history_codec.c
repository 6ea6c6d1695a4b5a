/* core/history_codec.c — one command's history as bytes. An entry is stored as its kind and the slots that
 * ENTRY_MAP gives the kind. */

#include "core/codec_int.h"

#include "base/read.h"

enum { HISTORY_VERSION = 1, ENTRY_BYTES_MIN = 2 };

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

static void decode_entry(struct reader *reader, int64_t at_ms, struct arena *arena, struct entry *entry)
{
    uint32_t kind = read_varint32(reader);
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

void history_encode(const struct history *history, struct buf *out)
{
    size_t start = out->n;
    buf_add_char(out, HISTORY_VERSION);
    buf_add_varint(out, history->command);
    codec_add_signed(out, history->at_ms);
    buf_add_text(out, history->actor);
    buf_add_varint(out, history->revision);
    buf_add_varint(out, history->entry_count);
    for (size_t i = 0; i < history->entry_count; i++) encode_entry(&history->entry[i], history->at_ms, out);
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
    for (size_t i = 0; i < history.entry_count && !reader.bad; i++)
        decode_entry(&reader, history.at_ms, arena, &entry[i]);
    if (reader.bad || reader.p != reader.end) return fail(err, ST_INTERNAL, "", "history: malformed bytes");
    history.entry = entry;
    *ret_history = history;
    return ST_OK;
}
