/* access/limits.h — bounds of this folder. */
#ifndef ACCESS_LIMITS_H
#define ACCESS_LIMITS_H

enum {
    SCOPE_BYTES_MAX = 512, /* One scope, with its pattern. */
};

#endif
