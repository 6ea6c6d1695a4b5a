/* dialect/serverless/serverless.h — Serverless Workflow, the CNCF draft of January 2020. */
#ifndef DIALECT_SERVERLESS_SERVERLESS_H
#define DIALECT_SERVERLESS_SERVERLESS_H

#include "dialect/dialect.h"

extern const struct dialect dialect_serverless;

#endif
