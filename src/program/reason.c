/* program/reason.c — codes of failures and their stored form. */

#include "program/reason.h"

#include "base/must.h"

#define STATUS_PREFIX "HTTP_"

static const str words[] = { [REASON_NONE] = STR_INIT(""),
#define XX(NAME) [REASON_##NAME] = STR_INIT(#NAME),
                             REASON_CODE_MAP(XX)
#undef XX
};

str reason_code_word(enum reason_code code)
{
    must((unsigned)code < REASON_CODE_COUNT);
    return words[code];
}

enum reason_code reason_code_find(str word)
{
    for (int i = REASON_NONE + 1; i < REASON_CODE_COUNT; i++)
        if (str_equal(words[i], word)) return (enum reason_code)i;
    return REASON_NONE;
}

static bool is_failure(int64_t status) { return status >= 400 && status <= 599; }

str reason_code_of_status(int status, struct arena *arena)
{
    return is_failure(status) ? arena_printf(arena, STATUS_PREFIX "%d", status) : STR_NONE;
}

int reason_code_status(str word)
{
    int64_t status;
    if (!str_starts(word, STR(STATUS_PREFIX))) return 0;
    str digits = str_slice(word, sizeof STATUS_PREFIX - 1, word.n);
    return digits.n == 3 && str_to_int64(digits, &status) && is_failure(status) ? (int)status : 0;
}

bool reason_code_is_known(str word) { return reason_code_find(word) || reason_code_status(word); }
