/* dialect/steps/steps.h — the steps dialect: a definition is an array of typed steps. */
#ifndef DIALECT_STEPS_STEPS_H
#define DIALECT_STEPS_STEPS_H

#include "dialect/dialect.h"

extern const struct dialect dialect_steps;

#endif
