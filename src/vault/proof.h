/* vault/proof.h — proofs that a holder of the vault's key has written some bytes.
 *
 * A proof is the id of a key and an HMAC with SHA-256 by a key that is derived from it, one for each label.
 * Nodes of a store prove their messages to each other with it: they share the key file, and nothing else that
 * somebody who can write the database has not.
 *
 * A rekey changes the key of new proofs at once. A derived key counts for PROOF_KEY_US after the vault had
 * its key last: other processes may not know the new one yet. If a proof names a key that is not in memory,
 * the key files are looked at, once in PROOF_LOOK_US at most, because anybody can name a key.
 *
 * Any thread may call any function but proof_keys_free().
 */
#ifndef VAULT_PROOF_H
#define VAULT_PROOF_H

#include "base/status.h"
#include "base/str.h"

struct vault;
struct proof_keys;

enum { PROOF_BYTES = 8 + 32 };

enum proof {
    PROOF_GOOD,
    PROOF_OTHER_KEY, /* The key that it names is not ours. */
    PROOF_WRONG,
};

/* The vault lives longer. */
struct proof_keys *proof_keys_new(struct vault *vault, str label);
void proof_keys_free(struct proof_keys *proofs); /* NULL is allowed. */

/* Writes PROOF_BYTES for the head and the text. Makes the key if there is none; fails like vault_seal(). */
enum status proof_make(struct proof_keys *proofs, str head, str text, unsigned char *ret_proof,
                       struct error *err);
/* Judges the PROOF_BYTES of the head and the text. */
enum proof proof_check(struct proof_keys *proofs, str head, str text, const unsigned char *proof);

#endif
