/* vault/vault_int.h — keys and sealed bytes: what the files of this folder share. */
#ifndef VAULT_VAULT_INT_H
#define VAULT_VAULT_INT_H

#include "vault/vault.h"

enum { KEY_BYTES = 32, KEY_ID_BYTES = VAULT_KEY_ID_BYTES };

struct vault_key {
    bool there;
    unsigned char bytes[KEY_BYTES];
    unsigned char id[KEY_ID_BYTES]; /* Tells keys apart, and tells nothing about them. */
};

/* ---- seal.c ---- */

/* The place that a value is bound to: the same bytes do not open for another row. */
struct seal_place {
    int32_t ns;
    str name;
};

/* A new key from the system's source of randomness. */
void seal_make_key(struct vault_key *ret_key);
/* The key that these bytes are. */
void seal_take_key(const unsigned char bytes[KEY_BYTES], struct vault_key *ret_key);
void seal_wipe_key(struct vault_key *key);
void seal_derive(const struct vault_key *key, str label, unsigned char ret_bytes[VAULT_DERIVED_BYTES]);

str seal_value(const struct vault_key *key, struct seal_place place, str value, struct arena *arena);
/* True if the bytes have the form of a sealed value. */
bool seal_is_whole(str sealed);
/* True if the bytes say that this key has sealed them. */
bool seal_is_of(str sealed, const struct vault_key *key);
/* The id of the key that has sealed whole bytes. */
str seal_key_id(str sealed);
/* The value; false if it does not open: another key, another place, or changed bytes. */
bool seal_open(const struct vault_key *key, struct seal_place place, str sealed, struct arena *arena,
               str *ret_value);

/* ---- keys.c ---- */

struct vault_keys {
    char *path, *next_path; /* NULL: the keys live in memory only. */
    struct vault_key key;
    struct vault_key next; /* The key of a rekey that is under way, or was cut short. */
    bool next_seals;       /* Values are sealed with the next key. */
    bool rekeying;         /* The next key is ours, and its rows have not committed yet. */
};

void keys_init(struct vault_keys *keys, const char *path);
void keys_done(struct vault_keys *keys);
/* For messages. */
const char *keys_path(const struct vault_keys *keys);

/* Reads both files. A key whose file is not there is not there. */
enum status keys_read(struct vault_keys *keys, struct error *err);
/* True if one of the keys has that id. Reads the files again if not, and takes what they hold only if one of
 * them has it. */
bool keys_find(struct vault_keys *keys, str id);
/* A copy of the key of that id, from memory or, if it may, from the files. Memory stays as it is: rows that
 * are kept may need its keys. */
bool keys_look_up(const struct vault_keys *keys, str id, bool may_read, struct vault_key *ret_key);
/* The key that sealed bytes name, or the wrong one. */
const struct vault_key *keys_of(const struct vault_keys *keys, str sealed);

/* One of the keys has that id: it seals from now on. During a rekey the next key does. */
void keys_seal_with(struct vault_keys *keys, str id);
/* Nothing is sealed, so the key that the file holds now will seal. Changes nothing during a rekey. */
enum status keys_read_again(struct vault_keys *keys, struct error *err);
/* The key that seals. Makes the key if there is none. */
enum status keys_sealing(struct vault_keys *keys, const struct vault_key **ret_key, struct error *err);

/* See vault_settle_key() and vault_rekey_begin(). */
enum status keys_settle(struct vault_keys *keys, struct error *err);
enum status keys_begin_next(struct vault_keys *keys, struct error *err);
enum status keys_check_next(const struct vault_keys *keys, struct error *err);
enum status keys_commit_next(struct vault_keys *keys, struct error *err);
void keys_rollback_next(struct vault_keys *keys);

/* ---- key_file.c ---- */

/* `ret_key->there` is false if there is no such file. */
enum status key_file_read(const char *path, struct vault_key *ret_key, struct error *err);
/* Makes a file that did not exist: whole and durable, or not at all. ST_CONFLICT: it is there already. */
enum status key_file_create(const char *path, const struct vault_key *key, struct error *err);
/* ST_FORBIDDEN: nothing can be put in its place. */
enum status key_file_check_replaceable(const char *path, struct error *err);
/* Puts a file in the place of another, durably. */
enum status key_file_replace(const char *from, const char *to, struct error *err);
/* Removes a file if it is there. */
void key_file_remove(const char *path);
/* Young: it was made so short a time ago that the rekey of another process may be under way. */
enum key_file_age { KEY_FILE_ABSENT, KEY_FILE_YOUNG, KEY_FILE_OLD };
enum key_file_age key_file_age(const char *path);

#endif
