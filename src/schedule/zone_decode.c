/* schedule/zone_decode.c — the bytes of a TZif file become a zone.
 *
 *     header, block with 32-bit times                    version 1
 *     header, block with 64-bit times, \n rule \n        after it, versions 2 to 4
 *
 * A block has: times of changes, the kind of each, kinds (offset, daylight, name), names, leap seconds, and
 * two lists of flags. Names and flags do not matter here.
 */
#include "schedule/zone_int.h"

enum { HEADER_BYTES = 44, KIND_BYTES = 6 };

struct header {
    int version; /* '2', '3', '4'; 0: the first. */
    size_t utc_flags, standard_flags, leap_seconds, changes, kinds, name_bytes;
};

static int64_t integer_at(const char *p, size_t bytes)
{
    uint64_t value = (unsigned char)p[0] & 0x80 ? UINT64_MAX : 0;
    for (size_t i = 0; i < bytes; i++) value = value << 8 | (unsigned char)p[i];
    return (int64_t)value;
}

static enum status broken(struct error *err, const char *what)
{
    return fail(err, ST_INVALID, "TZif", "not a time zone file: %s", what);
}

static enum status take_header(str *bytes, struct header *ret_header, struct error *err)
{
    if (bytes->n < HEADER_BYTES || memcmp(bytes->p, "TZif", 4) != 0) return broken(err, "no TZif header");
    uint64_t count[6];
    for (size_t i = 0; i < COUNT(count); i++) {
        count[i] = (uint64_t)integer_at(bytes->p + 20 + 4 * i, 4) & UINT32_MAX;
        if (count[i] > bytes->n) return broken(err, "a count is larger than the file");
    }
    *ret_header = (struct header){ bytes->p[4], count[0], count[1], count[2], count[3], count[4], count[5] };
    if (ret_header->version != 0 && ret_header->version < '2') return broken(err, "an unknown version");
    *bytes = str_slice(*bytes, HEADER_BYTES, bytes->n);
    return ST_OK;
}

static enum status take_block(str *bytes, const struct header *header, size_t time_bytes, str *ret_block,
                              struct error *err)
{
    size_t n = header->changes * (time_bytes + 1) + header->kinds * KIND_BYTES + header->name_bytes +
               header->leap_seconds * (time_bytes + 4) + header->standard_flags + header->utc_flags;
    if (n > bytes->n) return broken(err, "it ends too early");
    *ret_block = str_slice(*bytes, 0, n);
    *bytes = str_slice(*bytes, n, bytes->n);
    return ST_OK;
}

static enum status decode_block(str block, const struct header *header, size_t time_bytes,
                                struct arena *arena, struct zone *zone, struct error *err)
{
    if (!header->kinds || header->kinds > 256) return broken(err, "it has no offsets, or too many");
    if (header->leap_seconds) return broken(err, "it counts leap seconds");
    size_t count = header->changes;
    int64_t *at_s = arena_make_n(arena, int64_t, count);
    uint8_t *kind = arena_make_n(arena, uint8_t, count);
    int32_t *offset_s = arena_make_n(arena, int32_t, header->kinds);
    const char *kinds = block.p + count * time_bytes, *offsets = kinds + count;
    for (size_t i = 0; i < count; i++) {
        at_s[i] = integer_at(block.p + i * time_bytes, time_bytes);
        kind[i] = (uint8_t)kinds[i];
        if (i && at_s[i] <= at_s[i - 1]) return broken(err, "its changes are not in order");
        if (at_s[i] < -ZONE_CHANGE_MAX || at_s[i] > ZONE_CHANGE_MAX)
            return broken(err, "a change lies outside of all time");
        if (kind[i] >= header->kinds) return broken(err, "a change leads to no offset");
    }
    for (size_t i = 0; i < header->kinds; i++) {
        offset_s[i] = (int32_t)integer_at(offsets + i * KIND_BYTES, 4);
        if (offset_s[i] > ZONE_OFFSET_MAX || offset_s[i] < -ZONE_OFFSET_MAX)
            return broken(err, "an offset is longer than 26 hours");
    }
    *zone = (struct zone){ .change_count = count, .at_s = at_s, .kind = kind, .offset_s = offset_s };
    return ST_OK;
}

static enum status decode_rule(str rest, struct zone *zone, struct error *err)
{
    size_t end = rest.n ? str_find(rest, STR("\n"), 1) : SIZE_MAX;
    if (end == SIZE_MAX || rest.p[0] != '\n') return broken(err, "it has no rule for the future");
    str text = str_slice(rest, 1, end);
    if (!text.n) return ST_OK;
    if (!zone_rule_parse(text, &zone->rule)) return broken(err, "its rule for the future is malformed");
    zone->has_rule = true;
    return ST_OK;
}

enum status zone_decode(str bytes, struct arena *arena, const struct zone **ret_zone, struct error *err)
{
    if (bytes.n > ZONE_BYTES_MAX) return broken(err, "it is too large");
    struct header header;
    size_t time_bytes = 4;
    str block;
    TRY(take_header(&bytes, &header, err));
    TRY(take_block(&bytes, &header, time_bytes, &block, err));
    bool first_version = header.version == 0;
    if (!first_version) {
        time_bytes = 8;
        TRY(take_header(&bytes, &header, err));
        TRY(take_block(&bytes, &header, time_bytes, &block, err));
    }
    struct zone *zone = arena_make(arena, struct zone);
    TRY(decode_block(block, &header, time_bytes, arena, zone, err));
    if (!first_version) TRY(decode_rule(bytes, zone, err));
    *ret_zone = zone;
    return ST_OK;
}
