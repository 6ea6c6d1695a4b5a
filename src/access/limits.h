/* access/limits.h — bounds of this folder. */
#ifndef ACCESS_LIMITS_H
#define ACCESS_LIMITS_H

enum {
    SCOPE_BYTES_MAX = 512, /* One scope, with its pattern. */
    ACCESS_NAME_BYTES_MAX = 64,
    ACCESS_TEXT_BYTES_MAX = 1024, /* A label, a note, a claim's path. */
    ACCESS_LIST_MAX = 64,         /* Scopes, and audiences of an issuer. */
    ACCESS_GROUPS_MAX = 1000,     /* Of one principal: some companies have so many. */
    ACCESS_GROUP_BYTES_MAX = 256,
    ACCESS_RECORD_BYTES_MAX = 256 << 10, /* One record as stored. */
};

#endif
