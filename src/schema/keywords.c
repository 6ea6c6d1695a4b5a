/* schema/keywords.c — the table of keywords. */
#include "schema/keywords_int.h"

static const struct schema_keyword keywords[] = {
#define XX(keyword, vocabulary, in_2020_12, in_draft_07, read, check) \
    { STR_INIT(keyword), VOCABULARY_##vocabulary, in_2020_12,         \
      in_draft_07,       schema_read_##read,      schema_check_##check },
    SCHEMA_KEYWORD_MAP(XX)
#undef XX
};

const struct schema_keyword *schema_keyword_at(size_t index)
{
    return index < COUNT(keywords) ? &keywords[index] : NULL;
}
