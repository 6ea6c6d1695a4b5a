/* api/access/person_int.h — the person that a request acts as, see person.c. */
#ifndef API_ACCESS_PERSON_INT_H
#define API_ACCESS_PERSON_INT_H

#include "api/api_int.h"

struct call;

/* The request names somebody (empty: nobody). ST_FORBIDDEN: the principal may not act for others. Else the
 * caller acts for that person from now on. A caller that is NULL may name anybody. */
enum status person_take(struct caller *caller, str said, struct error *err);

/* The name that history and tasks get: the one that was said, or the principal's. Empty: nobody is known. */
str person_name(const struct caller *caller, str said);

/* The groups of the person, in place of those that the request names: groups of one's own may be named,
 * others are ST_FORBIDDEN. `said` has names between commas; `*groups` is a list, or NULL. */
enum status person_take_groups(const struct caller *caller, str said, struct arena *arena,
                               const struct json **groups, struct error *err);

/* Does the caller act for another, whose groups are not known here? */
bool person_is_another(const struct caller *caller);

/* Reads the groups of the person that the caller acts for, puts them into the call, and submits it. If that
 * fails, the call is answered with the error. */
enum status person_find_groups(struct api *api, struct call *call, const struct json **groups);

#endif
