/* base/id.h — the ids that users see.
 *
 * Inside, an instance is a 64-bit integer and everything that belongs to it has a number
 * within the instance. Outside, ids are 26 characters in ULID form that carry both, so
 * that an id leads to its row without an index:
 *
 *     48 bits  creation time in milliseconds      (sorts by time, as a ULID does)
 *     44 bits  the instance
 *     28 bits  the number within the instance     (0: the instance itself)
 *      8 bits  the delivery, for jobs             (a redelivered job has a new id)
 */
#ifndef BASE_ID_H
#define BASE_ID_H

#include "base/limits.h"
#include "base/str.h"

enum { ID_CHARS = 26 };

struct id {
    int64_t ms;
    uint64_t instance;
    uint32_t number;
    uint8_t delivery;
};

/* Writes 26 characters and a NUL. */
void id_print(struct id id, char ret_text[ID_CHARS + 1]);

/* False unless the text is 26 Crockford characters (either case) that fit 128 bits. */
bool id_parse(str text, struct id *ret_id);

#endif
