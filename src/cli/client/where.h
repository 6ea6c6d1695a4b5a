/* cli/client/where.h — conditions that select instances: --where definition=order,reason~timeout,age>1h */
#ifndef CLI_CLIENT_WHERE_H
#define CLI_CLIENT_WHERE_H

#include "cli/options.h"
#include "json/json.h"

/* Reads the conditions of all --where options into the filter of a bulk's request, and sets `all` for the
 * one word that selects everything. With `unmatched` the filter is for unmatched events. Ages are counted
 * from `now_ms`. */
enum status where_read(const struct option_value *where, bool unmatched, int64_t now_ms, struct arena *arena,
                       const struct json **ret_filter, bool *ret_all, struct error *err);

#endif
