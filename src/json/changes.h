/* json/changes.h — what differs between two values, for people to read.
 *
 *     [{"path": "steps[approve].assignee", "change": "changed", "from": "\"ann\"", "to": "\"bob\""},
 *      {"path": "steps[notify]", "change": "added", "to": "{\"id\":\"notify\",…"}]
 *
 * Elements of an array are recognised by their `id`, `name` or `key`, or by where they lead (`from` and
 * `to`), if each of them has one of its own; else by their index. `change` is added, removed, changed or
 * order (the same elements or members in another order). `from` and `to` are the values as texts of JSON,
 * cut.
 *
 * json_diff() is for programs: its changes can be applied.
 */
#ifndef JSON_CHANGES_H
#define JSON_CHANGES_H

#include "base/buf.h"
#include "json/json.h"

struct json_changes {
    struct buf *out;  /* Gets the array. */
    size_t count_max; /* So many changes are told, … */
    size_t bytes_max; /* … in about so many bytes. Further ones are left out. */
    str skip;         /* A member of the whole value that does not count; empty: none. */
    bool is_cut;      /* Result: some are left out. */
};

/* Adds the differences between the values, which may be equal: then the array is empty. The arena is for
 * scratch. */
void changes_tell(struct json_changes *changes, const struct json *from, const struct json *to,
                  struct arena *arena);

#endif
