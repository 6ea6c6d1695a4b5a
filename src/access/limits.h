/* access/limits.h — limits of this folder that no configuration changes. */
#ifndef ACCESS_LIMITS_H
#define ACCESS_LIMITS_H

enum {
    SCOPE_BYTES_MAX = 512, /* One scope, with its pattern. */
    ACCESS_NAME_BYTES_MAX = 64,
    ACCESS_TEXT_BYTES_MAX = 1024, /* A label, a note, a claim's path. */
    CODEC_LISTS_MAX = 4096,       /* Grants, scopes or groups of a caller that another node sends. */
    ACCESS_LIST_MAX = 64,         /* Scopes, and audiences of an issuer. */
    ACCESS_GROUPS_MAX = 1000,     /* One principal's; some companies have so many. */
    ACCESS_GROUP_BYTES_MAX = 256,
    ACCESS_RECORD_BYTES_MAX = 256 << 10, /* One record as stored. */
    DIRECTORY_PRINCIPALS_MAX = 65536,    /* Kept; the ones that were asked for longest ago go first. */
    DIRECTORY_REFUSED_MAX = 16384,       /* Credentials that are no good, likewise. */
    DIRECTORY_TRIED_MAX = 16384,         /* Names, and addresses, with failed logins. */
    DIRECTORY_REFUSALS_MAX = 200,        /* Noted for admins. */
    REFUSAL_COUNTS_MAX = 64, /* Principals with a row of refusals in the audit, for each minute. */
    ENDED_SESSIONS_MAX =
        32, /* Named to other nodes; if more end at once, all sessions are looked up again. */
    DIRECTORY_AUDITED_MAX = 64,       /* Chains of the audit whose moves are noted one by one. */
    AUDIT_BLOCK_ROWS_MAX = 500,       /* One block of the audit has at most so many rows, … */
    AUDIT_BLOCK_BYTES_MAX = 64 << 10, /* … and ends behind the row with which it has so many bytes. */
    NAME_TRIES_MAX = 5,               /* Failed logins in a minute. */
    ADDRESS_TRIES_MAX = 30,
    ACCESS_FILE_ITEMS_MAX = 100000, /* In all lists of a file together. */
    PASSWORD_BYTES_MAX = 1024,
    PASSWORD_HASH_BYTES_MAX = 256,    /* As argon2 encodes it. */
    PASSWORD_HASH_KIB_MAX = 64 << 10, /* Memory that a hash from elsewhere may ask for, … */
    PASSWORD_HASH_PASSES_MAX = 16,    /* … and its passes. */

    /* Tokens and keys (token.h). */
    TOKEN_BYTES_MAX = 16 << 10,
    TOKEN_DEPTH_MAX = 32,         /* For the JSON in a token. */
    TOKEN_NAME_BYTES_MAX = 255,   /* A subject, a user, a tenant, the id of a key. */
    TOKEN_CLAIM_FUEL_MAX = 20000, /* To follow one path through the claims. */
    TOKEN_TRIES_MAX = 8,          /* Keys without a name that one signature is tried with. */
    JWK_SET_BYTES_MAX = 256 << 10,
    JWK_SET_KEYS_MAX = 64,
    JWK_SET_DEPTH_MAX = 16,
    RSA_BITS_MIN = 2048,
    RSA_BITS_MAX = 8192,          /* A check costs the square of it. */
    RSA_EXPONENT_BITS_MAX = 32,   /* Each bit costs a multiplication. */
    ISSUER_TEXT_BYTES_MAX = 2048, /* An address, an id, a path. */

    /* Providers and trusted keys of cyoda's calls. */
    PROVIDER_TEXT_BYTES_MAX = 1000, /* An address, an issuer, an audience. */
    PROVIDER_LIST_MAX = 10,         /* Issuers, and audiences. */
    PROVIDER_CLAIM_BYTES_MAX = 100,
    PROVIDERS_MAX = 100,   /* One tenant's. */
    TRUSTED_KEYS_MAX = 10, /* One tenant's that can still verify. */
    TRUSTED_ID_BYTES_MAX = 128,
    JWK_MEMBERS_MAX = 20,
    KEY_PAIRS_MAX = 100,

    /* Login by a provider (oidc.h), and the token endpoint (oauth.h). */
    OIDC_DOCUMENT_BYTES_MAX = 256 << 10,
    OIDC_DOCUMENT_DEPTH_MAX = 16,
    OIDC_TEXT_BYTES_MAX = 4096, /* A code, a state, a cookie. */
    OIDC_PATH_BYTES_MAX = 1024, /* The place where a login leads back to. */
    FORM_BYTES_MAX = 64 << 10,
    CLIENT_CREDENTIALS_BYTES_MAX = 4096, /* HTTP Basic. */
};

#endif
