/* core/codec.c — the pieces of which both stored forms are made. */

#include "core/codec_int.h"

#include "base/hash.h"
#include "base/read.h"

enum {
    CHECKSUM_BYTES = 8,
    SHARED_MARK = 2, /* No length of cells + 1: cells come in fours. */
};

enum status codec_open(str bytes, uint8_t version, const char *what, struct reader *ret_reader,
                       struct error *err)
{
    if (bytes.n < 1 + CHECKSUM_BYTES) return fail(err, ST_INTERNAL, "", "%s: only %zu bytes", what, bytes.n);
    str body = str_slice(bytes, 0, bytes.n - CHECKSUM_BYTES);
    uint64_t checksum;
    memcpy(&checksum, body.p + body.n, sizeof checksum);
    if (checksum != hash_bytes(body)) return fail(err, ST_INTERNAL, "", "%s: the checksum is wrong", what);
    if ((uint8_t)body.p[0] != version)
        return fail(err, ST_INTERNAL, "", "%s: format %u, but this engine reads %u", what, (uint8_t)body.p[0],
                    version);
    *ret_reader = (struct reader){ .p = body.p + 1, .end = body.p + body.n };
    return ST_OK;
}

void codec_close(struct buf *out, size_t start)
{
    uint64_t checksum = hash_bytes((str){ out->p + start, out->n - start });
    buf_add(out, &checksum, sizeof checksum);
}

void codec_add_signed(struct buf *out, int64_t value)
{
    buf_add_varint(out, ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

int64_t codec_read_signed(struct reader *reader)
{
    uint64_t folded = read_varint(reader);
    return (int64_t)((folded >> 1) ^ (folded & 1 ? UINT64_MAX : 0));
}

void codec_add_time(struct buf *out, int64_t time_ms, int64_t base_ms)
{
    codec_add_signed(out, (int64_t)((uint64_t)time_ms - (uint64_t)base_ms));
}

int64_t codec_read_time(struct reader *reader, int64_t base_ms)
{
    return (int64_t)((uint64_t)codec_read_signed(reader) + (uint64_t)base_ms);
}

/* Bytes, and then copies of earlier bytes with bytes between them. */
static void add_shared(struct buf *out, str cells, const struct json_repeat *repeat, size_t count)
{
    size_t at = 0;
    buf_add_varint(out, SHARED_MARK);
    buf_add_varint(out, cells.n);
    for (size_t i = 0; i < count; i++) {
        must(repeat[i].at >= at && repeat[i].earlier + repeat[i].n <= repeat[i].at);
        buf_add_text(out, str_slice(cells, at, repeat[i].at));
        buf_add_varint(out, repeat[i].earlier);
        buf_add_varint(out, repeat[i].n);
        at = repeat[i].at + repeat[i].n;
    }
    if (at < cells.n) buf_add_text(out, str_slice(cells, at, cells.n));
}

void codec_add_json(struct buf *out, const struct json *value)
{
    if (!value) {
        buf_add_varint(out, 0);
        return;
    }
    struct json_repeat repeat[JSON_REPEATS_MAX];
    size_t count = json_repeats(value, SHARED_BYTES_MIN, repeat, COUNT(repeat));
    str cells = json_encoded(value);
    if (count) {
        add_shared(out, cells, repeat, count);
        return;
    }
    buf_add_varint(out, (uint64_t)cells.n + 1);
    buf_add_str(out, cells);
}

/* The cells that add_shared() has written. Copies are of bytes before them, so these bound what is made. */
static str read_shared(struct reader *reader, struct arena *arena)
{
    uint64_t total = read_varint(reader), at = 0;
    if (reader->bad || total > (uint64_t)(reader->end - reader->p) * (JSON_REPEATS_MAX + 1)) {
        reader->bad = true;
        return STR_NONE;
    }
    char *cells = arena_alloc(arena, total);
    while (!reader->bad && at < total) {
        str own = read_text(reader);
        if (own.n > total - at) break;
        if (own.n) memcpy(cells + at, own.p, own.n);
        at += own.n;
        if (at == total) return (str){ cells, total };
        uint64_t earlier = read_varint(reader), n = read_varint(reader);
        if (!n || n > total - at || earlier > at || n > at - earlier) break;
        memcpy(cells + at, cells + earlier, n);
        at += n;
    }
    if (at != total || !total) reader->bad = true;
    return (str){ cells, total };
}

/* Cells in the reader's bytes or in the arena. `ret_own`: they are in the arena. */
static str read_cells(struct reader *reader, struct arena *arena, bool *ret_own)
{
    uint64_t n = read_varint(reader);
    *ret_own = n == SHARED_MARK;
    if (reader->bad || n == 0) return STR_NONE;
    return *ret_own ? read_shared(reader, arena) : read_bytes(reader, n - 1);
}

const struct json *codec_read_json(struct reader *reader, struct arena *arena)
{
    bool own;
    str cells = read_cells(reader, arena, &own);
    if (!reader->bad && !cells.p) return NULL;
    const struct json *value = reader->bad ? NULL : json_decode(cells, arena);
    if (!value) reader->bad = true;
    return value;
}

str codec_read_text(struct reader *reader, struct arena *arena)
{
    str text = read_text(reader);
    return reader->bad || text.n == 0 ? STR_NONE : arena_str(arena, text);
}

size_t codec_read_count(struct reader *reader, size_t bytes_min)
{
    uint64_t count = read_varint(reader);
    if (count <= (size_t)(reader->end - reader->p) / bytes_min) return count;
    reader->bad = true;
    return 0;
}

/* ---- an instance ---- */

str codec_decode_text(struct decoding *decoding)
{
    return decoding->own ? read_text(&decoding->reader) : codec_read_text(&decoding->reader, decoding->arena);
}

/* Cells are aligned, which what stands behind them in the bytes is not. */
const struct json *codec_decode_json(struct decoding *decoding)
{
    struct reader *reader = &decoding->reader;
    if (!decoding->own) return codec_read_json(reader, decoding->arena);
    bool own;
    str cells = read_cells(reader, decoding->arena, &own);
    if (!cells.p) return NULL;
    if (own) return (const struct json *)(const void *)cells.p;
    void *copy = arena_alloc(decoding->arena, cells.n);
    memcpy(copy, cells.p, cells.n);
    return copy;
}

/* The tokens of a fork stand at nodes that follow each other, or at the same join. */
static uint32_t find_node(struct decoding *decoding, str name)
{
    const struct program *program = decoding->program;
    for (uint32_t node = decoding->near; node < program->node_count && node <= decoding->near + 1; node++)
        if (str_equal(program->node[node].name, name)) return decoding->near = node;
    uint32_t node = program_find(program, name);
    if (node != NODE_NONE) decoding->near = node;
    return node;
}

str codec_decode_node(struct decoding *decoding, uint32_t *ret_node)
{
    str name = codec_decode_text(decoding);
    *ret_node = decoding->program ? find_node(decoding, name) : NODE_NONE;
    if (decoding->program && *ret_node == NODE_NONE && !decoding->reader.bad) {
        decoding->missing = name;
        decoding->reader.bad = true;
    }
    return name;
}
