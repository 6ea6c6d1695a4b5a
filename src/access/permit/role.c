/* access/permit/role.c — roles, and the permissions that each has. */
#include "access/permit/permission.h"

#include "base/must.h"

static const char *const words[] = {
#define XX(NAME, word) [ROLE_##NAME] = word,
    ROLE_MAP(XX)
#undef XX
};

const char *role_word(enum role role)
{
    must(role < ROLE_COUNT);
    return words[role];
}

bool role_find(str word, enum role *ret_role)
{
    for (size_t i = 0; i < ROLE_COUNT; i++)
        if (str_equal(word, str_of(words[i]))) {
            *ret_role = (enum role)i;
            return true;
        }
    return false;
}

/* Every request asks for these sets. The compiler makes a constant of each. */
#define OPEN_SET (1u << MAY_OPEN | 1u << MAY_DATA)
#define XX(NAME, word, roles) | (strchr(roles, LETTER) ? 1u << MAY_##NAME : 0)

permission_set role_permissions(enum role role)
{
    switch (role) {
#define LETTER 'v'
    case ROLE_VIEWER: return OPEN_SET PERMISSION_MAP(XX);
#undef LETTER
#define LETTER 'p'
    case ROLE_PERSON: return OPEN_SET PERMISSION_MAP(XX);
#undef LETTER
#define LETTER 'w'
    case ROLE_WORKER: return OPEN_SET PERMISSION_MAP(XX);
#undef LETTER
#define LETTER 's'
    case ROLE_SENDER: return OPEN_SET PERMISSION_MAP(XX);
#undef LETTER
#define LETTER 'b'
    case ROLE_BUILDER: return OPEN_SET PERMISSION_MAP(XX);
#undef LETTER
#define LETTER 'o'
    case ROLE_OPERATOR: return OPEN_SET PERMISSION_MAP(XX);
#undef LETTER
    case ROLE_ADMIN: return ((1u << PERMISSION_COUNT) - 1) & ~(1u << MAY_NONE | 1u << MAY_GLOBAL_ADMIN);
    case ROLE_COUNT: break;
    }
    must(!"a role");
    return 0;
}
#undef XX
