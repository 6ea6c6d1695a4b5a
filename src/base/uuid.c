/* base/uuid.c — prints and parses UUIDs, and makes them of names, random bytes and instances. */
#include "base/uuid.h"

#include "base/ascii.h"
#include "base/must.h"
#include "base/sha1.h"

static bool dash_before(size_t byte) { return byte == 4 || byte == 6 || byte == 8 || byte == 10; }

void uuid_print(struct uuid uuid, char ret_text[UUID_CHARS + 1])
{
    static const char digits[] = "0123456789abcdef";
    char *p = ret_text;
    for (size_t i = 0; i < UUID_BYTES; i++) {
        if (dash_before(i)) *p++ = '-';
        *p++ = digits[uuid.byte[i] >> 4];
        *p++ = digits[uuid.byte[i] & 15];
    }
    *p = '\0';
}

bool uuid_parse(str text, struct uuid *ret_uuid)
{
    if (text.n != UUID_CHARS) return false;
    struct uuid uuid;
    const char *p = text.p;
    for (size_t i = 0; i < UUID_BYTES; i++, p += 2) {
        if (dash_before(i) && *p++ != '-') return false;
        int high = ascii_hex(p[0]), low = ascii_hex(p[1]);
        if (high < 0 || low < 0) return false;
        uuid.byte[i] = (uint8_t)(high << 4 | low);
    }
    *ret_uuid = uuid;
    return true;
}

bool uuid_equal(struct uuid a, struct uuid b) { return memcmp(a.byte, b.byte, UUID_BYTES) == 0; }

static struct uuid with_version(struct uuid uuid, unsigned version)
{
    uuid.byte[6] = (uint8_t)(version << 4 | (uuid.byte[6] & 0x0f));
    uuid.byte[8] = 0x80 | (uuid.byte[8] & 0x3f);
    return uuid;
}

struct uuid uuid_of_name(str name)
{
    static const uint8_t urls[UUID_BYTES] = { 0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1,
                                              0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8 };
    uint8_t digest[SHA1_BYTES];
    sha1_digest((str){ (const char *)urls, UUID_BYTES }, name, digest);
    struct uuid uuid;
    memcpy(uuid.byte, digest, UUID_BYTES);
    return with_version(uuid, 5);
}

struct uuid uuid_of_random(const uint8_t random[UUID_BYTES])
{
    struct uuid uuid;
    memcpy(uuid.byte, random, UUID_BYTES);
    return with_version(uuid, 4);
}

/* ---- entities ---- */

#define EPOCH_TICKS UINT64_C(0x01b21dd213814000) /* From 1582-10-15 to 1970, in 100 ns. */
#define TIME_MASK ((UINT64_C(1) << 60) - 1)

enum { MS_TICKS = 10000, LOW_BITS = 40, MULTICAST = 1 };

static void put_bytes(uint8_t *to, uint64_t bits, int count)
{
    for (int i = count - 1; i >= 0; i--, bits >>= 8) to[i] = (uint8_t)bits;
}

static uint64_t get_bytes(const uint8_t *from, int count)
{
    uint64_t bits = 0;
    for (int i = 0; i < count; i++) bits = bits << 8 | from[i];
    return bits;
}

struct uuid uuid_of_instance(int64_t ms, uint64_t instance)
{
    must(ms >= 0 && ms <= CLOCK_MS_MAX && instance <= ID_INSTANCE_MAX);
    uint64_t ticks = (uint64_t)ms * MS_TICKS + EPOCH_TICKS;
    uint64_t time = ticks & TIME_MASK;
    struct uuid uuid;
    put_bytes(uuid.byte, time, 4);
    put_bytes(uuid.byte + 4, time >> 32, 2);
    put_bytes(uuid.byte + 6, time >> 48, 2);
    put_bytes(uuid.byte + 8, ticks >> 60, 2);
    uuid.byte[10] = (uint8_t)(instance >> LOW_BITS << 1 | MULTICAST);
    put_bytes(uuid.byte + 11, instance, 5);
    return with_version(uuid, 1);
}

bool uuid_instance(struct uuid uuid, int64_t *ret_ms, uint64_t *ret_instance)
{
    uint64_t time =
        get_bytes(uuid.byte + 6, 2) << 48 | get_bytes(uuid.byte + 4, 2) << 32 | get_bytes(uuid.byte, 4);
    uint64_t ticks = (time & TIME_MASK) | (get_bytes(uuid.byte + 8, 2) & 3) << 60;
    if (ticks < EPOCH_TICKS || (ticks - EPOCH_TICKS) / MS_TICKS > (uint64_t)CLOCK_MS_MAX) return false;
    int64_t ms = (int64_t)((ticks - EPOCH_TICKS) / MS_TICKS);
    uint64_t instance = (uint64_t)(uuid.byte[10] >> 1) << LOW_BITS | get_bytes(uuid.byte + 11, 5);
    /* Catches everything else that we would write otherwise: version, variant, bits that are always the same,
     * parts of a millisecond. */
    if (instance > ID_INSTANCE_MAX || !uuid_equal(uuid, uuid_of_instance(ms, instance))) return false;
    *ret_ms = ms;
    *ret_instance = instance;
    return true;
}
