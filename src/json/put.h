/* json/put.h — the pieces of a JSON text that is written member by member.
 *
 * Answers are written straight into a buffer, because building a value first would cost as much as
 * all the rest of an answer. PUT() adds punctuation and names; the functions add values that are
 * complete, with their quotes. A whole value is added with json_print().
 */
#ifndef JSON_PUT_H
#define JSON_PUT_H

#include "base/buf.h"
#include "base/id.h"
#include "json/json.h"

/* Adds a string literal as it is. */
#define PUT(out, literal) buf_add((out), (literal), sizeof(literal) - 1)

void put_text(struct buf *out, str text);   /* A string: in quotes, escaped. */
void put_id(struct buf *out, struct id id); /* A public id, in quotes. */
void put_time(struct buf *out, int64_t ms); /* An instant, in quotes. */
void put_int(struct buf *out, int64_t value);
void put_flag(struct buf *out, bool flag); /* true or false. */

/* Is the text longer than `bytes_max`? A maximum of 0 or less means any length. */
static inline bool put_is_beyond(const struct buf *out, int64_t bytes_max)
{
    return bytes_max > 0 && out->n > (size_t)bytes_max;
}

/* Could the value's text still fit? False saves printing a value that is far too large. NULL fits. */
bool put_may_fit(const struct buf *out, const struct json *value, int64_t bytes_max);

#endif
