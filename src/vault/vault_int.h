/* vault/vault_int.h — keys and sealed bytes: what the files of this folder share. */
#ifndef VAULT_VAULT_INT_H
#define VAULT_VAULT_INT_H

#include "vault/vault.h"

enum { KEY_BYTES = 32, KEY_ID_BYTES = 8 };

struct vault_key {
    bool there;
    unsigned char bytes[KEY_BYTES];
    unsigned char id[KEY_ID_BYTES]; /* Tells keys apart, and tells nothing about them. */
};

/* ---- seal.c ---- */

/* What a value is bound to: the same bytes do not open for another row. */
struct seal_place {
    int32_t ns;
    str name;
};

/* A new key from the system's source of randomness. */
void seal_make_key(struct vault_key *ret_key);
/* The key that these bytes are. */
void seal_take_key(const unsigned char bytes[KEY_BYTES], struct vault_key *ret_key);
void seal_wipe_key(struct vault_key *key);

str seal_value(const struct vault_key *key, struct seal_place place, str value, struct arena *arena);
/* True if the bytes have the form of a sealed value. */
bool seal_is_whole(str sealed);
/* True if the bytes say that this key has sealed them. */
bool seal_is_of(str sealed, const struct vault_key *key);
/* The value; false if it does not open: another key, another place, or changed bytes. */
bool seal_open(const struct vault_key *key, struct seal_place place, str sealed, struct arena *arena,
               str *ret_value);

/* ---- key_file.c ---- */

/* `ret_key->there` is false if there is no such file. */
enum status key_file_read(const char *path, struct vault_key *ret_key, struct error *err);
/* Makes a file that did not exist: whole and durable, or not at all. ST_CONFLICT: it is there already. */
enum status key_file_create(const char *path, const struct vault_key *key, struct error *err);
/* Puts a file in the place of another, durably. */
enum status key_file_replace(const char *from, const char *to, struct error *err);
/* Removes a file if it is there. */
void key_file_remove(const char *path);
/* It was made so short a time ago that the rekey of another process may be under way. */
bool key_file_is_young(const char *path);

#endif
