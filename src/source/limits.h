/* source/limits.h — bounds of XML documents and Protobuf messages; those of YAML are in base/limits.h. */
#ifndef SOURCE_LIMITS_H
#define SOURCE_LIMITS_H

#include "base/limits.h"

enum {
    XML_BYTES_MAX = 64 << 20,
    XML_NODES_MAX = 1000000, /* Elements and attributes. */
    XML_DEPTH_MAX =
        60, /* Elements inside each other: each may be an object in an array, two levels of JSON. */

    PROTOBUF_TYPES_MAX = 10000,   /* In a schema. */
    PROTOBUF_VALUES_MAX = 200000, /* In a message. */
    PROTOBUF_DEPTH_MAX = 60,      /* Messages inside each other. */
};

#endif
