/* json/key.h — values as keys: bytes whose order is the order of the values.
 *
 *     null < false < true < numbers by their exact value < texts by their bytes < objects
 *
 * 1 and 1.0 have the same key. No key is the beginning of another one, so that bytes may follow a key and
 * keys may follow each other. Values that are too long are *cut*: their key has only their beginning. All
 * values with the same beginning then have the same key, which stands behind that of the beginning itself.
 * All objects have one key.
 */
#ifndef JSON_KEY_H
#define JSON_KEY_H

#include "json/json.h"

/* The first byte of a key. */
enum json_key_tag {
    JSON_KEY_NULL = 0x10,
    JSON_KEY_BOOL = 0x20,
    JSON_KEY_NUMBER = 0x30,
    JSON_KEY_TEXT = 0x40,
    JSON_KEY_OBJECT = 0x50,
    JSON_KEY_END = 0x60, /* Behind all keys. */
};

/* Adds the key of a value that is no array. `bytes_max` bounds the bytes of a text and half of the digits of
 * a number. False: it was cut. */
bool json_key_add(const struct json *value, size_t bytes_max, struct buf *out);

/* Adds the bytes with which the keys of all texts begin that begin with this one. */
void json_key_add_beginning(str text, size_t bytes_max, struct buf *out);

/* Changes bytes into the first ones behind all that begin with them. Their first byte is a tag. */
void json_key_pass(struct buf *key);

#endif
