/* access/token/form.h — texts of the type application/x-www-form-urlencoded: bodies of OAuth, and queries. */
#ifndef ACCESS_FORM_H
#define ACCESS_FORM_H

#include "base/buf.h"

/* A name or a value with its %XX and + decoded. False: it is not UTF-8 in that encoding, or has a NUL. */
bool form_decode(str text, struct arena *arena, str *ret_text);

/* The values of the fields that are asked for; a NULL p means that the field is not there. False: the form
 * is larger than FORM_BYTES_MAX, is no form, or has one of these fields twice, which OAuth forbids. Others
 * are left to whoever knows them. */
bool form_read(str form, const str *name, size_t count, struct arena *arena, str *ret_value);

/* Adds a field, behind a & if there is something before it. */
void form_add(struct buf *form, str name, str value);

#endif
