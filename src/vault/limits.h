/* vault/limits.h — limits of this folder that no configuration changes. */
#ifndef VAULT_LIMITS_H
#define VAULT_LIMITS_H

enum {
    SCRUBBED_BYTES_MIN = 4,            /* Shorter secrets are words that any text may hold. */
    RESOLVED_TEXT_BYTES_MAX = 1 << 20, /* One text with its secrets filled in. */
    NAMED_FILE_BYTES_MAX = 256 << 10,  /* A bundle of all CAs that a system trusts has that much. */
    PROOF_KEY_US = 300 * 1000000,      /* So long a derived key counts after the vault had its key. */
    PROOF_LOOK_US = 200000,            /* Key files are not looked at more often for a proof. */
    REKEY_SECONDS_MAX = 120,           /* No transaction that seals secrets anew takes longer. */
};

#endif
