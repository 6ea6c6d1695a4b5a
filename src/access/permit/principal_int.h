/* access/permit/principal_int.h — shared by the files about principals. */
#ifndef ACCESS_PRINCIPAL_INT_H
#define ACCESS_PRINCIPAL_INT_H

#include "access/permit/principal.h"

/* Does a grant give a permission for an object, and if not, why not? An explanation has the words. */
/* clang-format off */
#define GRANT_ANSWER_MAP(XX)                                                                     \
    XX(GIVES,              "gives it")                                                           \
    XX(OF_ANOTHER_TENANT,  "counts in another tenant")                                           \
    XX(OF_ANOTHER_ROLE,    "has a role without this permission")                                 \
    XX(WITHOUT_PERMISSION, "is narrowed to other permissions")                                   \
    XX(WITHOUT_SCOPE,      "gives this permission only by a scope that names it")                \
    XX(WITHOUT_OBJECT,     "is narrowed to objects of other names")
/* clang-format on */

enum grant_answer {
#define XX(NAME, words) GRANT_##NAME,
    GRANT_ANSWER_MAP(XX)
#undef XX
};

enum grant_answer principal_ask_grant(const struct grant *grant, int32_t tenant, enum permission permission,
                                      str object);

#endif
