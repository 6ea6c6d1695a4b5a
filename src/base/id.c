/* base/id.c — prints and parses ids, in Crockford's base 32. */
#include "base/id.h"

#include "base/int128.h"
#include "base/must.h"

/* Crockford's base 32: no I, L, O and U. */
static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

enum { IS_DIGIT = 32 };

/* The way back: a digit's value and IS_DIGIT, or 0. */
#define LETTER(c, value) [c] = IS_DIGIT | (value), [(c) - 'A' + 'a'] = IS_DIGIT | (value)
static const uint8_t digits[256] = {
    ['0'] = IS_DIGIT | 0, ['1'] = IS_DIGIT | 1, ['2'] = IS_DIGIT | 2, ['3'] = IS_DIGIT | 3,
    ['4'] = IS_DIGIT | 4, ['5'] = IS_DIGIT | 5, ['6'] = IS_DIGIT | 6, ['7'] = IS_DIGIT | 7,
    ['8'] = IS_DIGIT | 8, ['9'] = IS_DIGIT | 9, LETTER('A', 10),      LETTER('B', 11),
    LETTER('C', 12),      LETTER('D', 13),      LETTER('E', 14),      LETTER('F', 15),
    LETTER('G', 16),      LETTER('H', 17),      LETTER('J', 18),      LETTER('K', 19),
    LETTER('M', 20),      LETTER('N', 21),      LETTER('P', 22),      LETTER('Q', 23),
    LETTER('R', 24),      LETTER('S', 25),      LETTER('T', 26),      LETTER('V', 27),
    LETTER('W', 28),      LETTER('X', 29),      LETTER('Y', 30),      LETTER('Z', 31),
};
#undef LETTER

/* An id's digits in groups that fit 64 bits: 2, 12 and 12. */
enum { DIGIT_BITS = 5, GROUP_DIGITS = 12, GROUP_BITS = DIGIT_BITS * GROUP_DIGITS };

static inline void print_digits(uint64_t bits, int count, char *ret_text)
{
#pragma GCC unroll 12
    for (int i = count - 1; i >= 0; i--, bits >>= DIGIT_BITS) ret_text[i] = alphabet[bits & 31];
}

void id_print(struct id id, char ret_text[ID_CHARS + 1])
{
    must(id.ms >= 0 && id.ms >> 48 == 0);
    must(id.instance <= ID_INSTANCE_MAX && id.number <= ID_NUMBER_MAX);

    uint128 bits = (uint64_t)id.ms;
    bits = bits << 44 | id.instance;
    bits = bits << 28 | id.number;
    bits = bits << 8 | id.delivery;
    print_digits((uint64_t)(bits >> 2 * GROUP_BITS), 2, ret_text);
    print_digits((uint64_t)(bits >> GROUP_BITS), GROUP_DIGITS, ret_text + 2);
    print_digits((uint64_t)bits, GROUP_DIGITS, ret_text + 2 + GROUP_DIGITS);
    ret_text[ID_CHARS] = '\0';
}

/* The value of the digits. Clears IS_DIGIT in *all if one of the characters is no digit. */
static inline uint64_t parse_digits(const char *p, int count, unsigned *all)
{
    uint64_t bits = 0;
#pragma GCC unroll 12
    for (int i = 0; i < count; i++) {
        unsigned digit = digits[(unsigned char)p[i]];
        *all &= digit;
        bits = bits << DIGIT_BITS | (digit & ~IS_DIGIT);
    }
    return bits;
}

bool id_parse(str text, struct id *ret_id)
{
    if (text.n != ID_CHARS) return false;
    unsigned all = IS_DIGIT;
    uint64_t high = parse_digits(text.p, 2, &all);
    uint64_t middle = parse_digits(text.p + 2, GROUP_DIGITS, &all);
    uint64_t low = parse_digits(text.p + 2 + GROUP_DIGITS, GROUP_DIGITS, &all);
    /* 26 digits are 130 bits: the first one has only three. */
    if (!all || high >> 8) return false;
    uint128 bits = ((uint128)high << GROUP_BITS | middle) << GROUP_BITS | low;
    *ret_id = (struct id){
        .ms = (int64_t)(bits >> 80),
        .instance = (uint64_t)(bits >> 36) & ID_INSTANCE_MAX,
        .number = (uint32_t)(bits >> 8) & ID_NUMBER_MAX,
        .delivery = (uint8_t)bits,
    };
    return true;
}
