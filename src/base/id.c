#include "base/id.h"

#include "base/int128.h"
#include "base/must.h"

/* Crockford's base 32: no I, L, O and U. */
static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

void id_print(struct id id, char ret_text[ID_CHARS + 1])
{
    must(id.ms >= 0 && id.ms >> 48 == 0);
    must(id.instance <= ID_INSTANCE_MAX && id.number <= ID_NUMBER_MAX);

    uint128 bits = (uint64_t)id.ms;
    bits = bits << 44 | id.instance;
    bits = bits << 28 | id.number;
    bits = bits << 8 | id.delivery;
    for (int i = ID_CHARS - 1; i >= 0; i--) {
        ret_text[i] = alphabet[bits & 31];
        bits >>= 5;
    }
    ret_text[ID_CHARS] = '\0';
}

static int digit_of(char c)
{
    if (c >= 'a' && c <= 'z') c = (char)(c - 32);
    const char *at = c ? strchr(alphabet, c) : NULL;
    return at ? (int)(at - alphabet) : -1;
}

bool id_parse(str text, struct id *ret_id)
{
    /* 26 digits are 130 bits: the first one has only three. */
    if (text.n != ID_CHARS || digit_of(text.p[0]) > 7) return false;
    uint128 bits = 0;
    for (size_t i = 0; i < ID_CHARS; i++) {
        int digit = digit_of(text.p[i]);
        if (digit < 0) return false;
        bits = bits << 5 | (unsigned)digit;
    }
    *ret_id = (struct id){
        .ms = (int64_t)(bits >> 80),
        .instance = (uint64_t)(bits >> 36) & ID_INSTANCE_MAX,
        .number = (uint32_t)(bits >> 8) & ID_NUMBER_MAX,
        .delivery = (uint8_t)bits,
    };
    return true;
}
