/* access/record/kind.c — words for the kinds of records. */
#include "access/record/record.h"

#include "base/must.h"

static const struct {
    const char *word, *words;
    bool global;
} kinds[] = {
#define XX(NAME, one, many, is_global) [ACCESS_##NAME] = { one, many, is_global },
    ACCESS_KIND_MAP(XX)
#undef XX
};

const char *access_kind_word(enum access_kind kind)
{
    must(kind < ACCESS_KIND_COUNT);
    return kinds[kind].word;
}

const char *access_kind_words(enum access_kind kind)
{
    must(kind < ACCESS_KIND_COUNT);
    return kinds[kind].words;
}

bool access_kind_is_global(enum access_kind kind)
{
    must(kind < ACCESS_KIND_COUNT);
    return kinds[kind].global;
}
