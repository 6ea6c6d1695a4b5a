/* dialect/startable.h — `startableBy` of a document: the roles and groups that may start it by hand. */
#ifndef DIALECT_STARTABLE_H
#define DIALECT_STARTABLE_H

#include "program/program.h"

/* Reads the member of a document and keeps it with the program. A problem is an error: a rule that nobody
 * understands must not let everybody in. */
void startable_read(const struct json *document, struct program *program, struct problems *problems);

#endif
