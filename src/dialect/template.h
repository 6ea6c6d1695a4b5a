/* dialect/template.h — texts that their authors take for templates. No dialect fills templates in, so these
 * texts stay as they are, and a warning says so. */
#ifndef DIALECT_TEMPLATE_H
#define DIALECT_TEMPLATE_H

#include "program/problems.h"

/* Returns the first `${…}` or `{{…}}` in a text; empty if there is none. */
str template_in(str text);

/* True if an address names a user or a password before its host, also by a template. Calls to it are refused,
 * because histories and logs would show them. */
bool template_has_login(str url);

/* The first template inside the quotes of an expression, where it is part of a string. */
str template_quoted_in(str expression);

/* Warns of the first string inside a value that has one. `what` begins the message. */
void template_warn(struct problems *problems, const struct json *value, str pointer, const char *what,
                   const char *hint);
/* Warns of a template that one of the functions above has found. */
void template_warn_text(struct problems *problems, str found, str pointer, const char *what,
                        const char *hint);

#endif
