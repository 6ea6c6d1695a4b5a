/* api/members_int.h — the members that objects of requests may have, and those that nobody reads.
 *
 *     "workerId complete(id variables result) poll(jobTypes maxJobs)"
 *     "groupBy condition(CONDITION)"
 *
 * A list in parentheses is about the members of that object or, if the value is a list, of each object in it.
 * CONDITION stands for the members of a condition of a search, which depend on its type. A member without a
 * list may have any value: its reader looks at it.
 */
#ifndef API_MEMBERS_INT_H
#define API_MEMBERS_INT_H

#include "base/arena.h"

struct json;

/* A member that its list has not. Both texts are printable ASCII. */
struct member_unknown {
    const char *place;  /* "complete[2].varibles" */
    const char *advice; /* Did you mean "variables"? Or the names that are known there. */
};

/* False: no others are wanted. */
typedef bool member_unknown_fn(void *context, const struct member_unknown *unknown);

/* Calls back with each unknown member of an object, or of the objects of a list. */
void members_check(const struct json *value, const char *names, struct arena *arena, member_unknown_fn *tell,
                   void *context);

/* The next name of such a list, and the list in its parentheses; false: there is none. */
bool members_next(str *rest, str *ret_name, str *ret_inner);

/* A name that a client sent, so that it cannot end the line of a header. */
str members_shown_name(str name, struct arena *arena);

#endif
