/* access/permit/permission.c — the words for what roles may do. */
#include "access/permit/permission.h"

#include "base/must.h"

_Static_assert(PERMISSION_COUNT <= 32, "a set of permissions has 32 bits");

static const char *const words[] = {
#define XX(NAME, word, roles) [MAY_##NAME] = word,
    PERMISSION_MAP(XX)
#undef XX
};

/* The letters of the roles that have it. */
static const char *const letters[] = {
#define XX(NAME, word, roles) [MAY_##NAME] = roles,
    PERMISSION_MAP(XX)
#undef XX
};

const char *permission_word(enum permission permission)
{
    must(permission < PERMISSION_COUNT);
    return words[permission];
}

bool permission_find(str word, enum permission *ret_permission)
{
    for (size_t i = 0; i < PERMISSION_COUNT; i++)
        if (str_equal(word, str_of(words[i]))) {
            *ret_permission = (enum permission)i;
            return true;
        }
    return false;
}

role_set permission_roles(enum permission permission)
{
    must(permission < PERMISSION_COUNT);
    if (permission == MAY_NONE) return 0;
    if (permission == MAY_OPEN || permission == MAY_DATA) return (1u << ROLE_COUNT) - 1;
    role_set roles = 1u << ROLE_ADMIN;
    for (size_t i = 0; i < ROLE_ADMIN; i++)
        if (strchr(letters[permission], role_word((enum role)i)[0])) roles |= 1u << i;
    return roles;
}
