/* dialect/show/phrases.c — the codes of failures that have none, by their words.
 *
 * Records that the engine wrote before failures had codes have only these words of it. The list is complete:
 * a new case gets a code (program/reason.h) and no line here. Workers have no codes either, and many of them
 * name a status of HTTP.
 */
#include "dialect/show/sentences.h"

#include "program/reason.h"

static const struct {
    const char *phrase;
    enum reason_code code;
} known[] = {
    { "did not answer in time", REASON_ANSWER_LATE },
    { "no answer from", REASON_ANSWER_LATE },
    { "no result in time", REASON_RESULT_LATE },
    { "refused the connection", REASON_CONNECTION_REFUSED },
    { "no connection to", REASON_CONNECTION_FAILED },
    { "no connection in time", REASON_CONNECTION_LATE },
    { "in a network that calls may not reach", REASON_ADDRESS_REFUSED },
    { "in a network that may not be reached", REASON_ADDRESS_REFUSED },
    { "no address was found", REASON_NAME_NOT_FOUND },
    { "could not be resolved", REASON_NAME_NOT_RESOLVED },
    { "no trusted TLS connection", REASON_UNTRUSTED },
    { "DecisionTableNoRuleMatched", REASON_TABLE_NO_RULE },
    { "DecisionTableCellError", REASON_TABLE_CELL },
    { "DecisionTableOutputError", REASON_TABLE_OUTPUT },
    { "DecisionNoBranchMatched", REASON_NO_BRANCH },
    { "fits, and none is the default", REASON_NO_BRANCH },
    { "no choice holds", REASON_NO_BRANCH },
    { "the items are no list", REASON_NO_LIST },
    { "expression eval", REASON_EXPRESSION },
    { "there is nobody to send it to", REASON_NO_RECEIVER },
};

/* The status of HTTP behind these words; 0: there is none. */
static int status_behind(str reason, str words)
{
    size_t at = str_find(reason, words, 0);
    if (at == SIZE_MAX) return 0;
    int64_t status;
    return str_to_int64(str_slice(reason, at + words.n, at + words.n + 3), &status) && status >= 100 &&
                   status <= 599
               ? (int)status
               : 0;
}

static int http_status_in(str reason)
{
    /* The engine's words, then those that workers mostly have. */
    static const str words[] = { STR_INIT("answered with status "), STR_INIT("HTTP status "),
                                 STR_INIT("HTTP "), STR_INIT("status code ") };
    for (size_t i = 0; i < COUNT(words); i++) {
        int status = status_behind(reason, words[i]);
        if (status) return status;
    }
    return 0;
}

str show_code_of_words(str reason, struct arena *arena)
{
    str code = reason_code_of_status(http_status_in(reason), arena);
    if (code.n) return code;
    for (size_t i = 0; i < COUNT(known); i++)
        if (str_find(reason, str_of(known[i].phrase), 0) != SIZE_MAX) return reason_code_word(known[i].code);
    return STR_NONE;
}
