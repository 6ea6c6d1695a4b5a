/* model/limits.h — bounds of a model's schema. Together they bound the time and the memory of every function
 * here by the size of the value, and an export by about MODEL_NODES_MAX * MODEL_PATH_BYTES_MAX. */
#ifndef MODEL_LIMITS_H
#define MODEL_LIMITS_H

#include "base/limits.h"

enum {
    MODEL_NODES_MAX = 10000, /* Fields and elements of arrays, all together. */
    MODEL_DEPTH_MAX = 60, /* Objects and arrays inside each other; the stored form has two levels for each. */
    MODEL_NAME_BYTES_MAX = 256,  /* The name of one field. */
    MODEL_PATH_BYTES_MAX = 1024, /* The path of one field, as SIMPLE_VIEW writes it. */
    MODEL_BYTES_MAX = 2 << 20,   /* Names and nodes of a schema. */
};

#endif
