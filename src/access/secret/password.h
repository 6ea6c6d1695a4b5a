/* access/secret/password.h — passwords of local users.
 *
 * Hashing takes about 70 ms and 19 MiB on purpose: no thread that serves others may call these (api/access/
 * runs them aside, two at a time). A name that nobody has costs the same as a wrong password.
 */
#ifndef ACCESS_PASSWORD_H
#define ACCESS_PASSWORD_H

#include "access/limits.h"
#include "base/arena.h"
#include "base/status.h"

/* At least 12 characters, at most 1,024 bytes of UTF-8, not on the list of the worst, no repetition or row of
 * digits or letters, not the name. ST_INVALID at "/password" says which. */
enum status password_check(str password, str name, struct error *err);

/* The encoded argon2id hash with a new salt, on any thread: 19 MiB, two passes, one lane. ST_BUSY: no
 * memory. */
enum status password_hash(str password, char ret_hash[PASSWORD_HASH_BYTES_MAX], struct error *err);

/* Has it the form of such a hash, with bounded costs? Others may come from access files. */
bool password_hash_is_valid(str hash);

/* Takes as long whether it fits or not. An empty or damaged hash is one that no password fits. */
bool password_fits(str password, str hash);

#endif
