/* core/codec_int.h — the frame and the values of both stored forms.
 *
 *     version byte, body, checksum of both (8 bytes, little-endian)
 *
 * Times are stored as their distance from a base, signed and folded (zigzag), so that a
 * varint of a few bytes holds them. JSON is stored as its cells: 0, or length + 1 and bytes. Cells with large
 * values that repeat earlier ones are a mark, their length, and by turns bytes and places of copies.
 */
#ifndef CORE_CODEC_INT_H
#define CORE_CODEC_INT_H

#include "core/change_int.h"

#include "base/read.h"

enum {
    CODEC_LARGE_BYTES = 256 << 10, /* Values that take more get their room at once … */
    CODEC_LARGE_PART = 64,         /* … and this part of it more, for what is around them. */
};

/* Checks the frame and gives a reader of the body. ST_INTERNAL if the bytes are damaged or
 * of another version. */
enum status codec_open(str bytes, uint8_t version, const char *what, struct reader *ret_reader,
                       struct error *err);

/* Adds the checksum of what was written since `start`. */
void codec_close(struct buf *out, size_t start);

void codec_add_signed(struct buf *out, int64_t value);
int64_t codec_read_signed(struct reader *reader);

/* Distances wrap around: any two int64 have one. */
void codec_add_time(struct buf *out, int64_t time_ms, int64_t base_ms);
int64_t codec_read_time(struct reader *reader, int64_t base_ms);

void codec_add_json(struct buf *out, const struct json *value);
const struct json *codec_read_json(struct reader *reader, struct arena *arena);

/* A text copied to the arena. */
str codec_read_text(struct reader *reader, struct arena *arena);

/* A count of items of at least `bytes_min` bytes each: bad if the rest cannot hold them. */
size_t codec_read_count(struct reader *reader, size_t bytes_min);

/* ---- an instance ---- */

struct decoding {
    struct reader reader;
    const struct program *program;
    struct arena *arena;
    struct instance *instance;
    bool own;      /* The bytes are ours and in the arena: texts stay there, values need no check. */
    uint32_t near; /* The node found last. */
    str missing;   /* The first node that the program lacks. */
};

str codec_decode_text(struct decoding *decoding);
const struct json *codec_decode_json(struct decoding *decoding);
/* The name of a node, and its index in the program (NODE_NONE without one). */
str codec_decode_node(struct decoding *decoding, uint32_t *ret_node);

/* state_parts.c: parts that few instances have, each with its tag, ended by the tag 0. */
bool state_has_parts(const struct instance *instance);
void state_encode_parts(const struct instance *instance, struct buf *out);
void state_decode_parts(struct decoding *decoding);

#endif
