/* jsonpath/limits.h — what the grammar of paths bounds. The limits that users meet are in base/limits.h. */
#ifndef JSONPATH_LIMITS_H
#define JSONPATH_LIMITS_H

#include "base/limits.h"

enum {
    INDEX_DIGITS_MAX = 16, /* 2^53 - 1, the largest index of RFC 9535, has so many. */
};

#endif
