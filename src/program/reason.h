/* program/reason.h — codes of failures: why something failed, as a word that never changes.
 *
 * A failure has a reason in words, which may say anything. Where the engine knows the case it gives a code
 * besides: the code is stored with the reason, in the state and in the history, and
 * dialect/show/headline.c has a headline for each code. The stored form of a code is its name in this
 * list, so a name never changes. Besides these names there is HTTP_<status>, for the answer of a web service
 * that gives no reason itself.
 */
#ifndef PROGRAM_REASON_H
#define PROGRAM_REASON_H

#include "base/arena.h"

/* clang-format off */
#define REASON_CODE_MAP(XX)                                                          \
    /* Calls to the outside. */                                                      \
    XX(ANSWER_LATE)        /* The other side has not answered in time. */            \
    XX(RESULT_LATE)        /* A database has not brought its result in time. */      \
    XX(CONNECTION_REFUSED) /* Nobody listens at the address. */                      \
    XX(CONNECTION_FAILED)  /* There is no way to the address. */                     \
    XX(CONNECTION_LATE)    /* No connection came about in time. */                   \
    XX(ADDRESS_REFUSED)    /* The address is in a network that calls may not reach. */ \
    XX(NAME_NOT_FOUND)     /* The host's name has no address. */                     \
    XX(NAME_NOT_RESOLVED)  /* The host's name cannot be looked up now. */            \
    XX(UNTRUSTED)          /* No TLS, or a certificate that does not verify. */      \
    XX(NO_RECEIVER)        /* A message is for nobody. */                            \
    /* The core. */                                                                  \
    XX(TABLE_NO_RULE)      /* No rule of a decision table matches. */                \
    XX(TABLE_CELL)         /* A cell of a decision table has no value. */            \
    XX(TABLE_OUTPUT)       /* An output of a decision table has no value. */         \
    XX(NO_BRANCH)          /* No edge holds. */                                      \
    XX(NO_LIST)            /* The items of a loop are not a list. */                 \
    XX(EXPRESSION)         /* An expression has no value. */
/* clang-format on */

enum reason_code {
    REASON_NONE, /* The words are all there is. */
#define XX(NAME) REASON_##NAME,
    REASON_CODE_MAP(XX)
#undef XX
        REASON_CODE_COUNT
};

str reason_code_word(enum reason_code code); /* "ANSWER_LATE"; empty for REASON_NONE. */
/* REASON_NONE: the word is not in the list. */
enum reason_code reason_code_find(str word);

/* "HTTP_503"; empty if the status is not one of a failure. */
str reason_code_of_status(int status, struct arena *arena);
/* The status in "HTTP_503"; 0: the code is another one. */
int reason_code_status(str word);

/* True for the codes above: only these are stored. */
bool reason_code_is_known(str word);

#endif
