/* runtime/definitions/definitions_int.h — what the files of this room share. */
#ifndef RUNTIME_DEFINITIONS_DEFINITIONS_INT_H
#define RUNTIME_DEFINITIONS_DEFINITIONS_INT_H

#include "runtime/engine.h"
#include "runtime/turn.h"
#include "runtime/definitions/definitions.h"

#endif
