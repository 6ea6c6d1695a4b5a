/* base/uuid.h — UUIDs (RFC 9562): ids of entities, models and transactions, for clients that expect that
 * form.
 *
 * An entity's id is a UUID of version 1 that carries its instance and the millisecond of its creation, so
 * that an id leads to its row without an index, as base/id.h does:
 *
 *     60 bits  timestamp: 100 ns since 1582, a whole millisecond since 1970; modulo 2^60
 *     14 bits  clock sequence: how often the timestamp went around (first in the year 5236), at most 2
 *     48 bits  node: 3 zeros, the instance's upper 4 bits, the multicast bit, which is 1 as in all nodes
 *              that are no network card, and the instance's lower 40 bits
 */
#ifndef BASE_UUID_H
#define BASE_UUID_H

#include "base/limits.h"
#include "base/str.h"

enum { UUID_BYTES = 16, UUID_CHARS = 36 };

struct uuid {
    uint8_t byte[UUID_BYTES];
};

/* Writes 36 characters in lower case and a NUL. */
void uuid_print(struct uuid uuid, char ret_text[UUID_CHARS + 1]);

/* False unless the text has the form 8-4-4-4-12 of hexadecimal digits, in either case. */
bool uuid_parse(str text, struct uuid *ret_uuid);

bool uuid_equal(struct uuid a, struct uuid b);

/* Version 5 in the namespace of URLs: the same name gives the same UUID everywhere. A model's id is that of
 * "name.version". */
struct uuid uuid_of_name(str name);

/* Version 4 of 16 random bytes. */
struct uuid uuid_of_random(const uint8_t random[UUID_BYTES]);

/* The id of an entity. `ms` is from 0 to CLOCK_MS_MAX, `instance` to ID_INSTANCE_MAX. */
struct uuid uuid_of_instance(int64_t ms, uint64_t instance);

/* The way back: false for a UUID that uuid_of_instance() does not make. */
bool uuid_instance(struct uuid uuid, int64_t *ret_ms, uint64_t *ret_instance);

#endif
