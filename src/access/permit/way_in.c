/* access/permit/way_in.c — words for the ways in. */
#include "access/permit/caller.h"

#include "base/must.h"

static const char *const words[] = {
#define XX(NAME, word) [WAY_##NAME] = word,
    WAY_IN_MAP(XX)
#undef XX
};

const char *way_in_word(enum way_in way)
{
    must(way < WAY_COUNT);
    return words[way];
}

bool way_in_find(str word, enum way_in *ret_way)
{
    for (size_t i = 0; i < WAY_COUNT; i++)
        if (str_equal(word, str_of(words[i]))) {
            *ret_way = (enum way_in)i;
            return true;
        }
    return false;
}
