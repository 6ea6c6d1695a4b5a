/* vault/scrub.h — takes the secrets that a call has used out of what came back.
 *
 * The answer of a called side may repeat a secret: a URL with a key in it, an echoed header, a password in a
 * message. A call asks for its secrets through scrub_lookup(), which remembers each value that it gives, with
 * the forms in which it may come back: percent-encoded, in base64, inside a text of JSON and, of a
 * connection, its password alone. Any other form of a secret (a hash of it, its second half) is not known.
 *
 * `struct scrub_used` belongs to one call: one thread at a time.
 */
#ifndef VAULT_SCRUB_H
#define VAULT_SCRUB_H

#include "vault/resolve.h"

struct scrub_used {
    struct vault_lookup lookup; /* Asked for the values. */
    struct arena *arena;        /* Memory of the call. */
    str *value;                 /* Longest first. */
    size_t count, cap;
};

struct vault_lookup scrub_lookup(struct scrub_used *used);

/* The value with `***` in the place of every used secret of at least SCRUBBED_BYTES_MIN bytes, in texts and
 * in names of members; the same value if there is none in it. NULL gives NULL. */
const struct json *scrub_json(const struct scrub_used *used, const struct json *value, struct arena *arena);
str scrub_text(const struct scrub_used *used, str text, struct arena *arena);

#endif
