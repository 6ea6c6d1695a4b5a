/* access/record/quota.c — words for the quotas of a tenant. */
#include "access/record/record.h"

#include "base/must.h"

static const char *const words[] = {
#define XX(NAME, word) [QUOTA_##NAME] = word,
    QUOTA_MAP(XX)
#undef XX
};

const char *quota_word(enum quota quota)
{
    must(quota < QUOTA_COUNT);
    return words[quota];
}

bool quota_find(str word, enum quota *ret_quota)
{
    for (size_t i = 0; i < QUOTA_COUNT; i++)
        if (str_equal(word, str_of(words[i]))) {
            *ret_quota = (enum quota)i;
            return true;
        }
    return false;
}
