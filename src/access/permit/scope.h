/* access/permit/scope.h — narrowed grants: "jobs:work:reserve-*", "instances:read".
 *
 * A scope is a permission and, behind a second colon, a pattern on the object's name. In a pattern `*` stands
 * for any number of characters, also none, and everything else for itself. A grant with scopes gives of the
 * permissions of its role only those that a scope names, and only for objects that the pattern fits. The
 * object of a permission is:
 *
 *     definitions, instances, tasks, triggers    the id of the definition
 *     jobs:work                                  the type of the job
 *     events:send                                the type of the event
 *     entities                                   the name of the model
 *     secrets                                    the name of the secret
 *     the others                                 nothing: their scopes have no pattern
 */
#ifndef ACCESS_SCOPE_H
#define ACCESS_SCOPE_H

#include "access/permit/permission.h"
#include "base/arena.h"
#include "base/status.h"

/* Not `struct scope`: tokens of an instance have scopes, too (core/core.h). */
struct access_scope {
    enum permission permission;
    str pattern; /* Empty: any object. */
};

/* ST_INVALID, in words: not a permission, a permission without objects and a pattern, too long. The pattern
 * lives as long as the text. */
enum status scope_parse(str text, struct access_scope *ret_scope, struct error *err);

/* Is it the scope's permission, and does its pattern fit the object? */
bool scope_fits(const struct access_scope *scope, enum permission permission, str object);
/* Does the text fit a pattern with stars? In time linear in both, however many stars there are. */
bool scope_matches(str pattern, str text);

#endif
