/* dialect/template.h — texts that look like templates to their authors, and are none here. */
#ifndef DIALECT_TEMPLATE_H
#define DIALECT_TEMPLATE_H

#include "program/problem.h"

/* The first `${…}` or `{{…}}` in a text, or an empty one. */
str template_in(str text);

/* The same, inside the quotes of an expression: there it is part of a text. */
str template_quoted_in(str expression);

/* Warns of the first text inside a value that has one. `what` begins the message. */
void template_warn(struct problems *problems, const struct json *value, str pointer, const char *what,
                   const char *hint);
/* Warns of one that was found. */
void template_warn_text(struct problems *problems, str found, str pointer, const char *what,
                        const char *hint);

#endif
