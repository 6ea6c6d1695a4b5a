/* access/secret/key.c — secrets that we make, as text. */
#include "access/secret/key.h"

#include "base/ascii.h"
#include "base/must.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
enum { BASE = 62, BYTE_LIMIT = 256 / BASE * BASE };

#define MARK "pawl_"
enum {
    ID_AT = sizeof MARK - 1,
    SECRET_AT = ID_AT + KEY_ID_BYTES + 1,
    CHECK_AT = SECRET_AT + KEY_SECRET_BYTES,
    KEY_BYTES = CHECK_AT + KEY_CHECK_BYTES,
};

/* Random digits. Bytes beyond the largest multiple of 62 are thrown away, so every digit is as likely. */
static void write_random(char *to, size_t count)
{
    unsigned char pool[64];
    size_t at = sizeof pool;
    for (size_t i = 0; i < count;) {
        if (at == sizeof pool) {
            must(RAND_bytes(pool, sizeof pool) == 1);
            at = 0;
        }
        unsigned char byte = pool[at++];
        if (byte < BYTE_LIMIT) to[i++] = digits[byte % BASE];
    }
    OPENSSL_cleanse(pool, sizeof pool);
}

/* CRC-32 as in Ethernet and zip, four bits at a time. */
static uint32_t check_sum(str text)
{
    static const uint32_t table[16] = { 0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                        0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c };
    uint32_t sum = UINT32_MAX;
    for (size_t i = 0; i < text.n; i++) {
        sum ^= (unsigned char)text.p[i];
        sum = sum >> 4 ^ table[sum & 15];
        sum = sum >> 4 ^ table[sum & 15];
    }
    return ~sum;
}

static void write_check(str text, char to[KEY_CHECK_BYTES])
{
    uint32_t sum = check_sum(text);
    for (size_t i = KEY_CHECK_BYTES; i-- > 0; sum /= BASE) to[i] = digits[sum % BASE];
}

static str write_key(struct arena *arena, const char id[KEY_ID_BYTES])
{
    char *text = arena_alloc(arena, KEY_BYTES);
    memcpy(text, MARK, ID_AT);
    memcpy(text + ID_AT, id, KEY_ID_BYTES);
    text[SECRET_AT - 1] = '_';
    write_random(text + SECRET_AT, KEY_SECRET_BYTES);
    write_check((str){ text, CHECK_AT }, text + CHECK_AT);
    return (str){ text, KEY_BYTES };
}

str key_make(struct arena *arena, str *ret_id)
{
    char *id = arena_alloc(arena, KEY_ID_BYTES);
    write_random(id, KEY_ID_BYTES);
    *ret_id = (str){ id, KEY_ID_BYTES };
    return write_key(arena, id);
}

enum status key_remake(struct arena *arena, str id, str *ret_text, struct error *err)
{
    bool is_id = id.n == KEY_ID_BYTES;
    for (size_t i = 0; is_id && i < id.n; i++) is_id = ascii_is_alphanumeric(id.p[i]);
    if (!is_id) return fail(err, ST_INVALID, "/id", "the key has an id that no text of a key can have");
    *ret_text = write_key(arena, id.p);
    return ST_OK;
}

bool key_parse(str text, str *ret_id)
{
    if (text.n != KEY_BYTES || !str_starts(text, STR(MARK)) || text.p[SECRET_AT - 1] != '_') return false;
    for (size_t i = ID_AT; i < KEY_BYTES; i++)
        if (i != SECRET_AT - 1 && !ascii_is_alphanumeric(text.p[i])) return false;
    char check[KEY_CHECK_BYTES];
    write_check(str_slice(text, 0, CHECK_AT), check);
    if (memcmp(check, text.p + CHECK_AT, KEY_CHECK_BYTES) != 0) return false;
    *ret_id = str_slice(text, ID_AT, ID_AT + KEY_ID_BYTES);
    return true;
}

str key_random(struct arena *arena)
{
    char *text = arena_alloc(arena, KEY_SECRET_BYTES);
    write_random(text, KEY_SECRET_BYTES);
    return (str){ text, KEY_SECRET_BYTES };
}
