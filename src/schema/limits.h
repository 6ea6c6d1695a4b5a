/* schema/limits.h — bounds of schemas and of their checks. */
#ifndef SCHEMA_LIMITS_H
#define SCHEMA_LIMITS_H

#include "base/limits.h"

enum {
    SCHEMA_BYTES_MAX = 2 << 20,     /* Cells of one document. */
    SCHEMA_MEMORY_MAX = 32 << 20,   /* A compiled schema, with the documents that it refers to. */
    SCHEMA_NODES_MAX = 50000,       /* Schemas inside of all documents. */
    SCHEMA_STACK_MAX = 1024,        /* Schemas that apply each other, at one time. */
    SCHEMA_PROBLEMS_MAX = 50,       /* Reported at once. */
    SCHEMA_PROBLEMS_TOLD = 20,      /* In one sentence. */
    SCHEMA_MESSAGE_BYTES_MAX = 400, /* One problem's sentence; longer ones are cut. */
    SCHEMA_COERCE_MAX = 8,          /* Schemas that speak of one field of a form; others are not asked. */
    SCHEMA_COERCE_HOPS_MAX = 8,     /* References that are followed to learn what a field is. */
    SCHEMA_COERCE_DEPTH_MAX = 32,   /* Objects inside each other that the names of fields lead into. */
};

#endif
