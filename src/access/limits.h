/* access/limits.h — bounds of this folder. */
#ifndef ACCESS_LIMITS_H
#define ACCESS_LIMITS_H

enum {
    SCOPE_BYTES_MAX = 512, /* One scope, with its pattern. */
    ACCESS_NAME_BYTES_MAX = 64,
    ACCESS_TEXT_BYTES_MAX = 1024, /* A label, a note, a claim's path. */
    ACCESS_LIST_MAX = 64,         /* Scopes, and audiences of an issuer. */
    ACCESS_GROUPS_MAX = 1000,     /* One principal's; some companies have so many. */
    ACCESS_GROUP_BYTES_MAX = 256,
    ACCESS_RECORD_BYTES_MAX = 256 << 10, /* One record as stored. */
    DIRECTORY_PRINCIPALS_MAX = 65536,    /* Kept; the ones that were asked for longest ago go first. */
    DIRECTORY_REFUSED_MAX = 16384,       /* Credentials that are no good, likewise. */
    DIRECTORY_TRIED_MAX = 16384,         /* Names, and addresses, with failed logins. */
    DIRECTORY_REFUSALS_MAX = 200,        /* Noted for admins. */
    NAME_TRIES_MAX = 5,                  /* Failed logins in a minute. */
    ADDRESS_TRIES_MAX = 30,
    ACCESS_FILE_ITEMS_MAX = 100000, /* In all lists of a file together. */
    PASSWORD_BYTES_MAX = 1024,
    PASSWORD_HASH_BYTES_MAX = 256,    /* As argon2 encodes it. */
    PASSWORD_HASH_KIB_MAX = 64 << 10, /* Memory that a hash from elsewhere may ask for, … */
    PASSWORD_HASH_PASSES_MAX = 16,    /* … and its passes. */
};

#endif
