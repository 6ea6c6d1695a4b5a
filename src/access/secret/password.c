/* access/secret/password.c — passwords are checked and hashed. */
#include "access/secret/password_int.h"

#include "access/limits.h"
#include "base/ascii.h"
#include "base/must.h"
#include "base/utf8.h"

#include <argon2.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>

enum {
    CHARACTERS_MIN = 12,
    UNIT_BYTES = 4, /* The longest text that is only repeated. */
    KIB = 19 << 10,
    PASSES = 2,
    LANES = 1,
    SALT_BYTES = 16,
    HASH_BYTES = 32,
};

/* ---- is it good enough? ---- */

/* "aaaaaaaaaaaa", "abcabcabcabc" */
static bool only_repeats(str text)
{
    for (size_t unit = 1; unit <= UNIT_BYTES; unit++)
        if (text.n > unit && memcmp(text.p, text.p + unit, text.n - unit) == 0) return true;
    return false;
}

/* "abcdefghijkl", "987654321098": each character follows the one before it, round from 9 to 0. */
static bool only_counts(str text)
{
    for (int step = -1; step <= 1; step += 2) {
        size_t i = 1;
        for (; i < text.n; i++) {
            int order = text.p[i] - text.p[i - 1];
            if (order != step && order != -9 * step) break;
        }
        if (i == text.n) return true;
    }
    return false;
}

enum status password_check(str password, str name, struct error *err)
{
    char small[PASSWORD_BYTES_MAX];
    if (password.n > PASSWORD_BYTES_MAX)
        return fail(err, ST_INVALID, "/password", "the password has more than %d bytes", PASSWORD_BYTES_MAX);
    if (!utf8_is_valid(password)) return fail(err, ST_INVALID, "/password", "the password is not UTF-8 text");
    if (utf8_count(password) < CHARACTERS_MIN)
        return fail(err, ST_INVALID, "/password", "the password has fewer than %d characters",
                    CHARACTERS_MIN);
    if (str_equal_ignoring_case(password, name))
        return fail(err, ST_INVALID, "/password", "the password is the name of the user");
    for (size_t i = 0; i < password.n; i++) small[i] = ascii_lower(password.p[i]);
    str text = { small, password.n };
    bool repeats = only_repeats(text) || only_counts(text), worst = password_worst_has(text);
    OPENSSL_cleanse(small, password.n);
    if (repeats)
        return fail(err, ST_INVALID, "/password",
                    "the password only repeats or counts; others try that first");
    if (worst)
        return fail(err, ST_INVALID, "/password",
                    "the password is on the list of the worst ones; others try these first");
    return ST_OK;
}

/* ---- hashes ---- */

enum status password_hash(str password, char ret_hash[PASSWORD_HASH_BYTES_MAX], struct error *err)
{
    unsigned char salt[SALT_BYTES];
    must(RAND_bytes(salt, sizeof salt) == 1);
    int problem = argon2id_hash_encoded(PASSES, KIB, LANES, password.p ? password.p : "", password.n, salt,
                                        sizeof salt, HASH_BYTES, ret_hash, PASSWORD_HASH_BYTES_MAX);
    if (problem == ARGON2_MEMORY_ALLOCATION_ERROR)
        return fail(err, ST_BUSY, NULL, "there is no memory for the hash of a password");
    must(problem == ARGON2_OK);
    return ST_OK;
}

/* A number of the encoded form, at most `max`: "m=19456". */
static bool take_number(str *text, str mark, int64_t max)
{
    int64_t value;
    if (!str_starts(*text, mark)) return false;
    size_t end = mark.n;
    while (end < text->n && ascii_is_digit(text->p[end])) end++;
    if (!str_to_int64(str_slice(*text, mark.n, end), &value) || value < 1 || value > max) return false;
    *text = str_slice(*text, end, text->n);
    return true;
}

/* "$" and some base64 without padding. */
static bool take_base64(str *text)
{
    size_t end = 1;
    if (!str_starts(*text, STR("$"))) return false;
    while (end < text->n && (ascii_is_letter(text->p[end]) || ascii_is_digit(text->p[end]) ||
                             text->p[end] == '+' || text->p[end] == '/'))
        end++;
    *text = str_slice(*text, end, text->n);
    return end > 1;
}

bool password_hash_is_valid(str hash)
{
    str rest = hash;
    if (hash.n >= PASSWORD_HASH_BYTES_MAX || memchr(hash.p ? hash.p : "", '\0', hash.n)) return false;
    if (!take_number(&rest, STR("$argon2id$v="), ARGON2_VERSION_13)) return false;
    return take_number(&rest, STR("$m="), PASSWORD_HASH_KIB_MAX) &&
           take_number(&rest, STR(",t="), PASSWORD_HASH_PASSES_MAX) && take_number(&rest, STR(",p="), 8) &&
           take_base64(&rest) && take_base64(&rest) && !rest.n;
}

/* The hash of random bytes that were thrown away, so no password fits it. */
#define NOBODYS_HASH \
    "$argon2id$v=19$m=19456,t=2,p=1$T24Dpr3ESJSlDyM3omAHjw$20/h/BU9VkScyIz0czxny6xmYJEV5hiZh7/Fo+w5PHc"

bool password_fits(str password, str hash)
{
    char text[PASSWORD_HASH_BYTES_MAX];
    bool known = password_hash_is_valid(hash);
    if (!known) hash = STR(NOBODYS_HASH);
    memcpy(text, hash.p, hash.n);
    text[hash.n] = '\0';
    bool fits = argon2id_verify(text, password.p ? password.p : "", password.n) == ARGON2_OK;
    OPENSSL_cleanse(text, sizeof text);
    return fits && known;
}
