/* base/escape.h — texts made safe for the place that they go to. */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include "base/buf.h"

/* Adds a byte as %XX. */
void escape_byte(struct buf *out, unsigned char c);
/* Adds a text as a part of a URL: everything but letters, digits and -._~ is percent-encoded. The text cannot
 * leave its segment or parameter, unless escape_is_dots(). */
void escape_url(struct buf *out, str text);
/* Adds a text as a part of HTML or XML, between tags or between the quotes of an attribute. */
void escape_html(struct buf *out, str text);

/* A segment of a path that leads to another one: `.` and `..`. No encoding helps, because servers decode
 * segments before they look. */
bool escape_is_dots(str segment);
/* True if the text has only characters of a host and its port: it cannot end the authority of a URL, nor give
 * it a user. */
bool escape_is_host(str text);
/* True if the text has only characters of a URL's scheme. */
bool escape_is_scheme(str text);

#endif
