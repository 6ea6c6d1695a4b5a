/* access/record/change.c — words for what a change does. */
#include "access/record/change.h"

#include "base/must.h"

static const char *const words[] = {
#define XX(NAME, word) [ACCESS_##NAME] = word,
    ACCESS_ACTION_MAP(XX)
#undef XX
};

const char *access_action_word(enum access_action action)
{
    must(action < ACCESS_ACTION_COUNT);
    return words[action];
}
