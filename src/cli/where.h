/* cli/where.h — whom a command for many is for: --where definition=order,reason~timeout,age>1h */
#ifndef CLI_WHERE_H
#define CLI_WHERE_H

#include "cli/options.h"
#include "json/json.h"

/* Reads the conditions of all --where options into the filter of a bulk's request, and `all` for the one word
 * that asks for everybody. `unmatched`: the filter is for unmatched events. `now_ms` is what ages are counted
 * from. */
enum status where_read(const struct option_value *where, bool unmatched, int64_t now_ms, struct arena *arena,
                       const struct json **ret_filter, bool *ret_all, struct error *err);

#endif
