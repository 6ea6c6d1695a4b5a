/* jsonpath/jsonpath.h — JSONPath (RFC 9535), compiled once, within budgets.
 *
 * A path never changes after jsonpath_compile(), so threads share it without a lock. It
 * lives in the arena it was compiled in and borrows nothing from the text.
 *
 * Nodes come in document order: what a descendant segment visits comes before its children.
 * match() and search() take I-Regexp (RFC 9485), in which ^ and $ are anchors as the official
 * compliance suite has them; a pattern that is none matches nothing.
 */
#ifndef JSONPATH_JSONPATH_H
#define JSONPATH_JSONPATH_H

#include "json/json.h"

struct jsonpath;

/* STRICT is the RFC and nothing else. LENIENT also takes
 *     `$.`                 as `$`
 *     `.[` (but not `..[`) as `[`
 *     a text without `$`   as that text behind `$.`; so the empty text is `$`
 *     `value =~ /regex/i`  in a filter: true if the regex (of PCRE2; flags i, m, s, x and u)
 *                          is found in the string
 */
enum jsonpath_mode { JSONPATH_STRICT, JSONPATH_LENIENT };

/* Fails with ST_INVALID at a line and column (in characters), with ST_LIMIT if the path is
 * longer or deeper than limits.h allows. */
enum status jsonpath_compile(str text, enum jsonpath_mode mode, struct arena *arena,
                             const struct jsonpath **ret_path, struct error *err);

/* True if the path has only names and indices, so that it selects at most one node. */
bool jsonpath_is_definite(const struct jsonpath *path);

/* The nodes, which are parts of root; the array lives in the arena. Each node looked at costs
 * one unit of *fuel, comparing and matching text more. ST_LIMIT if it does not suffice, if
 * the arena is over its budget, or if there are more than JSON_MEMBERS_MAX nodes. */
enum status jsonpath_select(const struct jsonpath *path, const struct json *root, int64_t *fuel,
                            struct arena *arena, const struct json *const **ret_node, size_t *ret_count,
                            struct error *err);

/* The selection as one value: a definite path's node (part of root), or NULL if there
 * is none; any other path's nodes as an array, however many there are. */
enum status jsonpath_value(const struct jsonpath *path, const struct json *root, int64_t *fuel,
                           struct arena *arena, const struct json **ret_value, struct error *err);

/* A copy of base with the node of a definite path set to value. Objects that are missing, or
 * null, are made; a base that is a scalar counts as {}. ST_INVALID if something else is in the
 * way, if an array has no such element, or if the path is not definite; `where` of the error
 * is the JSON Pointer of what is in the way. */
enum status jsonpath_place(const struct json *base, const struct jsonpath *path, const struct json *value,
                           struct arena *arena, const struct json **ret_value, struct error *err);

/* The path in one form: names in brackets and single quotes, no optional white space. Strict
 * JSONPath again, but for =~. */
void jsonpath_print(const struct jsonpath *path, struct buf *out);

/* The normalized path of a node that is part of root, such as $['a'][0]. */
void jsonpath_print_node(const struct json *root, const struct json *node, struct buf *out);

#endif
