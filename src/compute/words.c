/* compute/words.c — words for metrics and messages. */
#include "compute/compute.h"

#define WORD(NAME, word) word,
#define NAMED(NAME, word, meaning) word,
#define MEANING(NAME, word, meaning) meaning,

const char *compute_kind_word(enum compute_kind kind)
{
    static const char *const words[] = { COMPUTE_KIND_MAP(WORD) };
    return words[kind];
}

enum compute_kind compute_kind_of(str word)
{
    for (enum compute_kind kind = COMPUTE_PROCESSOR; kind <= COMPUTE_FUNCTION; kind++)
        if (str_equal(word, str_of(compute_kind_word(kind)))) return kind;
    return COMPUTE_PROCESSOR;
}

const char *compute_outcome_word(enum compute_outcome outcome)
{
    static const char *const words[] = { COMPUTE_OUTCOME_MAP(WORD) };
    return words[outcome];
}

const char *compute_ignored_word(enum compute_ignored why)
{
    static const char *const words[] = { COMPUTE_IGNORED_MAP(NAMED) };
    return words[why];
}

const char *compute_ignored_meaning(enum compute_ignored why)
{
    static const char *const meanings[] = { COMPUTE_IGNORED_MAP(MEANING) };
    return meanings[why];
}
