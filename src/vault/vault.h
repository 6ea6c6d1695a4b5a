/* vault/vault.h — secrets: values that calls need and that no file of the engine may show.
 *
 * A vault finds a secret by its name. Values have four sources, and the first that knows the name wins:
 *
 *     1. files         `--secret NAME=FILE`
 *     2. credentials   $CREDENTIALS_DIRECTORY/NAME, which systemd fills
 *     3. environment   PAWL_SECRET_NAME, the name in upper case with _ for . and -
 *     4. the store     rows that `pawl secret set` and the API write
 *
 * The first three are *given* by whoever runs the engine, and are read once, when it starts. So a client of
 * the API can never replace what the machine's operator has provided. Values of the store are sealed: bytes
 * that only the key opens (seal.c). The vault keeps them sealed in memory, too, and opens one for each
 * lookup.
 *
 * The vault writes nothing but its key file. The runtime owns the rows: it asks for sealed bytes, stores
 * them, and when they have committed it tells the vault to keep them.
 *
 * The key: 32 bytes in a file that only its owner may read. It is made with the first secret that is sealed,
 * or with the first bytes that are derived. To replace it takes these steps, and a crash between any two of
 * them loses nothing, because every sealed value names its key:
 *
 *     vault_rekey_begin     the next key is in KEYFILE.next, durably
 *     vault_reseal          every row, in one transaction of the runtime
 *     vault_rekey_check     KEYFILE.next is still there
 *     (commit)
 *     vault_rekey_commit    KEYFILE.next becomes KEYFILE
 *
 * After a crash both files are there. vault_settle_key() keeps the key that seals.
 *
 * Several processes may have one key file and one store. The store names the key that seals, in a row that
 * changes with each rekey: sealed rows alone would not do, for the last one may be gone. A process that does
 * not know the key that a row names reads the files again.
 *
 * Any thread may call any function, unless it says otherwise. Values that a vault returns live in the
 * caller's arena. Texts of errors name secrets and files, and never show a value or a key.
 */
#ifndef VAULT_VAULT_H
#define VAULT_VAULT_H

#include "base/arena.h"
#include "base/tenant.h"
#include "base/status.h"

struct vault;

/* Where a value comes from, in order of precedence. */
/* clang-format off */
#define VAULT_SOURCE_MAP(XX)                                                     \
    XX(FILE,        "file",        "a file that was named when the server started") \
    XX(CREDENTIAL,  "credential",  "a systemd credential")                       \
    XX(ENVIRONMENT, "environment", "the environment of the server")              \
    XX(STORE,       "store",       "the engine's store")
/* clang-format on */

enum vault_source {
#define XX(NAME, word, meaning) VAULT_##NAME,
    VAULT_SOURCE_MAP(XX)
#undef XX
        VAULT_SOURCE_COUNT
};

const char *vault_source_word(enum vault_source source);    /* "file" */
const char *vault_source_meaning(enum vault_source source); /* "a systemd credential" */

/* ---- opening ---- */

/* A vault without secrets. With a path its key is in that file; with NULL it makes a key when it needs one,
 * which dies with it. */
struct vault *vault_new(const char *key_path);
/* Wipes what it knows. NULL is allowed. */
void vault_free(struct vault *vault);

/* Reads the key file, if there is one. ST_INVALID: it does not hold a key. ST_FORBIDDEN: others than its
 * owner may read or write it. ST_STORE: it cannot be read. Before the vault is shared. */
enum status vault_read_key(struct vault *vault, struct error *err);

/* ST_FORBIDDEN if other users of the machine can read or change the file; `what` is its name in the message.
 * A group may read a file of ours or root's, and containers' secrets may be open to everybody in their
 * container. */
enum status vault_check_readers(const char *path, const char *what, struct error *err);

/* Reads a file in PEM that a secret names: in the directory (NULL: there is none), by its name there or by
 * its whole path, and of at most NAMED_FILE_BYTES_MAX bytes. A NUL is put behind the text. ST_INVALID, in the
 * same words whatever is wrong. Never waits. */
enum status vault_named_file(const char *directory, const char *name, struct arena *arena,
                             const char **ret_path, str *ret_text, struct error *err);

/* The same without a look at the form of the text: JWK sets of issuers. */
enum status vault_named_text(const char *directory, const char *name, struct arena *arena,
                             const char **ret_path, str *ret_text, struct error *err);

/* Adds a given value. The first one of a name wins among those of the same source. ST_INVALID, ST_LIMIT: not
 * the name or the value of a secret. Before the vault is shared. */
enum status vault_give(struct vault *vault, enum vault_source source, str name, str value, struct error *err);
/* The same, from a file: a line end at the end of the file is not part of the value. A file of VAULT_FILE
 * must pass vault_check_readers(); systemd keeps others from credentials. */
enum status vault_give_file(struct vault *vault, enum vault_source source, str name, const char *path,
                            struct error *err);
/* Every file of a directory whose name can be a secret's, except those files (ends with NULL): the engine's
 * own token and keys may be credentials, too, and no call may have them. */
enum status vault_give_directory(struct vault *vault, const char *path, const char *const *except,
                                 struct error *err);
/* Every variable of an environment (an array like environ) whose name begins with PAWL_SECRET_. */
enum status vault_give_environment(struct vault *vault, char *const *environment, struct error *err);

/* ---- names and values ---- */

/* Letters, digits, `_`, `-` and `.`, not a dot at the beginning, at most SECRET_NAME_BYTES_MAX bytes.
 * ST_INVALID. */
enum status vault_check_name(str name, struct error *err);
/* UTF-8, not empty, at most SECRET_VALUE_BYTES_MAX bytes. ST_INVALID, ST_LIMIT. */
enum status vault_check_value(str value, struct error *err);

/* The value of a tenant's secret; false: no source knows the name. Given ones are the default tenant's. */
bool vault_find(struct vault *vault, int32_t ns, str name, struct arena *arena, str *ret_value);

/* Does a source know the name? The arena is for the search alone. */
bool vault_has(struct vault *vault, int32_t ns, str name, struct arena *arena);

/* The value of a row that is kept, whatever is given under its name; false: there is none. The engine keeps
 * its own secrets in namespace 0, where no document and no client finds them. */
bool vault_find_kept(struct vault *vault, int32_t ns, str name, struct arena *arena, str *ret_value);

/* True if the secret is given; then `*ret_source` says how. */
bool vault_is_given(struct vault *vault, str name, enum vault_source *ret_source);

/* A given secret, as lists show it. */
struct vault_given {
    str name; /* In the environment: as the variable spells it. */
    enum vault_source source;
};
/* All of them in order of source and name. */
size_t vault_list_given(struct vault *vault, struct arena *arena, struct vault_given **ret_given);

/* ---- values of the store ---- */

/* Seals a value for the row of that namespace and name: the bytes open under no other. Makes the key if there
 * is none. ST_FORBIDDEN, ST_STORE: the key file cannot be made. */
enum status vault_seal(struct vault *vault, int32_t ns, str name, str value, struct arena *arena,
                       str *ret_sealed, struct error *err);

/* Keeps a row of the store: later lookups find it, and its key seals. Reads the key files again if the row
 * has another key. ST_CONFLICT: that is not there, either. ST_INVALID: the bytes are damaged, or were sealed
 * for another name.
 */
enum status vault_keep(struct vault *vault, int32_t ns, str name, str sealed, struct error *err);
/* Forgets a row that was removed. */
void vault_forget(struct vault *vault, int32_t ns, str name);
/* All rows are kept again from here to the end: then those are forgotten that were not. Until the end all of
 * them are found. */
void vault_rows_begin(struct vault *vault);
void vault_rows_end(struct vault *vault);
/* How many rows it keeps. */
size_t vault_kept_count(struct vault *vault);

/* ---- keys ---- */

/* The store names the key that seals, by its id. Reads the key files again if it is not in memory.
 * ST_CONFLICT: it is not there, either. */
enum status vault_use_key(struct vault *vault, str id, struct error *err);
/* The store names no key. The id of the one that seals: that of the kept rows, or of the key file if there
 * are none. Makes the key if there is none. Fails like vault_seal(). */
enum status vault_choose_key(struct vault *vault, struct arena *arena, str *ret_id, struct error *err);

/* Bytes that only holders of the key can make, one set for each label: HKDF with SHA-256. Makes the key if
 * there is none; fails like vault_seal(). A rekey changes them. */
enum { VAULT_DERIVED_BYTES = 32 };
enum status vault_derive(struct vault *vault, str label, unsigned char ret_bytes[VAULT_DERIVED_BYTES],
                         struct error *err);

/* The same by the key of that id, for proofs (vault/proof.h). ST_NOT_FOUND: it is not in memory, nor, if it
 * `may_read` them, in the key files. Changes nothing that the vault knows. */
enum { VAULT_KEY_ID_BYTES = 8 };
enum status vault_derive_by(struct vault *vault, const unsigned char id[VAULT_KEY_ID_BYTES], bool may_read,
                            str label, unsigned char ret_bytes[VAULT_DERIVED_BYTES], struct error *err);
/* The id of the key that makes proofs: the one that seals, but the next key only when its rows have
 * committed. Makes the key if there is none; fails like vault_seal(). */
enum status vault_proving_key(struct vault *vault, unsigned char ret_id[VAULT_KEY_ID_BYTES],
                              struct error *err);

/* After every row has been kept that the store has, and the key that it names is used: removes the other key,
 * if a rekey was cut short. No other process may use the key file: its rekey may be under way. */
enum status vault_settle_key(struct vault *vault, struct error *err);

/* Rekeying, on one thread. From begin on the next key seals, and vault_choose_key() returns its id. After
 * begin comes either commit or rollback; after a transaction whose outcome is unknown, neither: the next
 * start settles it. ST_CONFLICT: the rekey of another process may be under way. */
enum status vault_rekey_begin(struct vault *vault, struct error *err);
/* Seals the bytes of a row again with the next key. Fails like vault_keep(). */
enum status vault_reseal(struct vault *vault, int32_t ns, str name, str sealed, struct arena *arena,
                         str *ret_sealed, struct error *err);
/* Before the rows commit. ST_CONFLICT: this process stood still for so long that another one has put its own
 * next key into the file. */
enum status vault_rekey_check(struct vault *vault, struct error *err);
/* The rows are durable, and the caller has kept the new ones (vault_keep()): the next key becomes the key. If
 * the file cannot be renamed the vault goes on with both keys, and the next rekey or start settles it:
 * ST_STORE. */
enum status vault_rekey_commit(struct vault *vault, struct error *err);
/* The rows are as they were: the next key is dropped. */
void vault_rekey_rollback(struct vault *vault);

#endif
