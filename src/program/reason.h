/* program/reason.h — the phrases by which the engine's own reasons of failures are known again.
 *
 * A reason is one text, in the state, in the history and in the row by which failures are found. The code
 * that writes such a reason takes its phrase from here, and dialect/show/headline.c has a headline for
 * each phrase. So the two cannot drift apart. A phrase never changes, because stored reasons have it; a
 * better one is a new line.
 */
#ifndef PROGRAM_REASON_H
#define PROGRAM_REASON_H

/* ---- calls to the outside ---- */

#define REASON_STATUS "answered with status " /* The status of HTTP follows. */
#define REASON_ANSWER_LATE "did not answer in time"
#define REASON_NO_ANSWER_FROM "no answer from"
#define REASON_RESULT_LATE "no result in time" /* A database has none. */
#define REASON_REFUSED "refused the connection"
#define REASON_NO_CONNECTION_TO "no connection to"
#define REASON_CONNECTION_LATE "no connection in time"
#define REASON_PRIVATE_CALL "in a network that calls may not reach"
#define REASON_PRIVATE_SERVER "in a network that may not be reached"
#define REASON_NO_ADDRESS "no address was found"
#define REASON_UNRESOLVED "could not be resolved"
#define REASON_UNTRUSTED "no trusted TLS connection"
#define REASON_NO_RECEIVER "there is nobody to send it to"

/* ---- the core and the dialects ---- */

#define REASON_TABLE_NO_RULE "DecisionTableNoRuleMatched"
#define REASON_TABLE_CELL "DecisionTableCellError"
#define REASON_TABLE_OUTPUT "DecisionTableOutputError"
#define REASON_NO_BRANCH "DecisionNoBranchMatched"
#define REASON_NO_WAY_OUT "fits, and none is the default"
#define REASON_NO_CHOICE "no choice holds"
#define REASON_NO_LIST "the items are no list"
#define REASON_EXPRESSION "expression eval"

#endif
