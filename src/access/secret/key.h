/* access/secret/key.h — keys of programs, and other secrets that we make: sessions, links, client secrets.
 *
 *     pawl_7HqZ3bTw9K_4f…(43 characters)…Xa1b2c3
 *     │    │           │                  └ 6 characters: CRC-32 of everything before it, so that a
 *     │    │           │                    mistyped key costs no read, and scanners find real keys only
 *     │    │           └ 256 random bits in base62
 *     │    └ the id, which names the key's record and may be shown
 *     └ the mark
 *
 * The store has the SHA-256 of the whole text only.
 */
#ifndef ACCESS_KEY_H
#define ACCESS_KEY_H

#include "base/arena.h"
#include "base/status.h"

enum { KEY_ID_BYTES = 10, KEY_SECRET_BYTES = 43, KEY_CHECK_BYTES = 6, CREDENTIAL_HASH_BYTES = 32 };

struct credential_hash {
    unsigned char bytes[CREDENTIAL_HASH_BYTES];
};

/* Makes a key with a new id. The text lives in the arena; wipe it when it was shown. */
str key_make(struct arena *arena, str *ret_id);
/* Another secret for a key that there is. ST_INVALID: the id has not the form of one. */
enum status key_remake(struct arena *arena, str id, str *ret_text, struct error *err);
/* The id of a text that has the form of a key, and the right check sum. */
bool key_parse(str text, str *ret_id);
/* 256 random bits in base62, without a mark: the value of a session cookie. */
str key_random(struct arena *arena);

struct credential_hash credential_hash(str text);
/* The same text? In a time that tells nothing but the lengths. */
bool credential_equal(str a, str b);
/* In a time that tells nothing about either. */
bool credential_hash_equal(const struct credential_hash *a, const struct credential_hash *b);
/* As 64 hexadecimal digits, for records and access files. */
str credential_hash_text(const struct credential_hash *hash, struct arena *arena);
bool credential_hash_parse(str text, struct credential_hash *ret_hash);

/* The value of the first cookie of that name in a Cookie header; empty: there is none. Borrowed. */
str credential_cookie(str header, str name);

#endif
