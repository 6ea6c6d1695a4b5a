/* dialect/show/plain.h — how a run stands, in plain words for people who do not know the engine.
 *
 * The engine explains itself to engineers (core_explain()): with ids of nodes, attempts and expressions. The
 * sentences here are for operators and office users: titles that the author gave, and ordinary words. They
 * are plain text, and hold no time: a page shows the times beside them, which it gets as data.
 */
#ifndef DIALECT_SHOW_PLAIN_H
#define DIALECT_SHOW_PLAIN_H

#include "core/core.h"

/* How an instance stands, for all families alike: the one table of status words. The first row that holds
 * counts.
 *
 *   word     /api/instances, counts of definitions, and what filters take
 *   engine   the coarser status of /v1, which its contract fixes (INSTANCE_STATUS_MAP has the words)
 *   flow     `status` of a flow graph's runs in /api/runs and /api/workflows
 *   group    the coarser words of the flow seed, which ?status= of /api/workflows/{id}/runs takes as well
 *   screen   for people: the web application, `pawl ps`, `pawl show`
 *   rank     which of several tokens tells how a run stands: the highest
 *
 * A run with open work may be WAITING in /v1, if another of its tokens waits for somebody. `pawl follow`,
 * `pawl run`, `pawl store info`, scenario files and metrics tell the engine's own status, word for word.
 * docs/operator.md has the same table, and web/src/ui/words.ts the same words:
 * tests/docs/test_status_words.py compares them and refuses a second list. */
/* clang-format off */
#define PLAIN_STATUS_MAP(XX)                                                                                 \
    /* NAME       word         engine     flow                 group        screen                rank */    \
    XX(FAILED,    "failed",    FAILED,    "failed",            "failed",     "Failed",             4)        \
    XX(COMPLETED, "completed", COMPLETED, "completed",         "completed",  "Done",               0)        \
    XX(CANCELLED, "cancelled", CANCELLED, "terminated",        "terminated", "Cancelled",          0)        \
    XX(RUNNING,   "running",   ACTIVE,    "running",           "running",    "Running",            2)        \
    XX(PERSON,    "person",    WAITING,   "waiting_for_human", "waiting",    "Waits for a person", 3)        \
    XX(WAITING,   "waiting",   WAITING,   "suspended",         "waiting",    "Waits",              1)
/* clang-format on */

enum plain_status {
#define XX(NAME, word, engine, flow, group, screen, rank) PLAIN_##NAME,
    PLAIN_STATUS_MAP(XX)
#undef XX
        PLAIN_STATUS_COUNT
};

/* The words as one text: for messages with commas, for options with bars, followed by those of /v1. */
#define PLAIN_COMMA_(NAME, word, ...) ", " word
#define PLAIN_BAR_(NAME, word, ...) "|" word
#define PLAIN_STATUS_WORDS (&(PLAIN_STATUS_MAP(PLAIN_COMMA_))[2])
#define PLAIN_FLOW_COMMA_(NAME, word, engine, flow, ...) ", " flow
#define PLAIN_FLOW_WORDS (&(PLAIN_STATUS_MAP(PLAIN_FLOW_COMMA_))[2])
#define PLAIN_STATUS_CHOICES (&(PLAIN_STATUS_MAP(PLAIN_BAR_) INSTANCE_STATUS_MAP(PLAIN_BAR_))[1])

const char *plain_status_word(enum plain_status status);
const char *plain_status_flow(enum plain_status status);
const char *plain_status_screen(enum plain_status status);
int plain_status_rank(enum plain_status status);

/* The last row that the engine's status alone allows: WAITING says nothing about a person. Relatives of an
 * instance are told in this way, because only their status is read with it. */
enum plain_status plain_status_of_engine(enum instance_status status);
bool plain_status_parse(str word, enum plain_status *ret_status);

/* Bits 1 << enum plain_status that a filter's word means; 0: it is none. A word of /v1, in capitals, means
 * all rows that have it. */
uint32_t plain_statuses_of(str word);
/* The same for ?status= of /api/workflows/{id}/runs, in any case: a word of the columns `flow` and `group`,
 * which come first ("waiting" includes people there), or any other. */
uint32_t plain_statuses_of_flow(str word);
bool plain_flow_parse(str word, enum plain_status *ret_status);

/* The things that a token waits for. */
/* clang-format off */
#define PLAIN_WAIT_MAP(XX)   \
    XX(PERSON, "person")     \
    XX(JOB,    "job")        \
    XX(TIMER,  "timer")      \
    XX(EVENT,  "event")      \
    XX(SIGNAL, "signal")     \
    XX(CHILD,  "child")
/* clang-format on */

enum plain_wait {
#define XX(NAME, word) PLAIN_WAIT_##NAME,
    PLAIN_WAIT_MAP(XX)
#undef XX
        PLAIN_WAIT_COUNT, /* None of these. */
};

#define PLAIN_WAIT_WORDS (&(PLAIN_WAIT_MAP(PLAIN_COMMA_))[2])
const char *plain_wait_word(enum plain_wait wait);
bool plain_wait_parse(str word, enum plain_wait *ret_wait);

enum plain_status plain_status_of(const struct instance *instance);

/* The same for one token: FAILED, RUNNING, PERSON or WAITING. */
enum plain_status plain_token_status(const struct instance *instance, const struct token *token);
enum plain_wait plain_token_wait(const struct instance *instance, const struct token *token);

/* When the token goes on by itself: a timer of its own, or the next attempt of its job. 0: not by itself. */
int64_t plain_token_until_ms(const struct instance *instance, const struct token *token, int64_t now_ms);

/* The author's title of a node, or its name. */
str plain_title(const struct program_node *node);

/* Why a token does not move: “Ask the manager” waits for somebody in Accounting. `program` may be NULL. */
str plain_why(const struct program *program, const struct instance *instance, const struct token *token,
              int64_t now_ms, struct arena *arena);
/* The same if a worker holds the lease of the token's job. */
str plain_why_held(const struct program *program, const struct instance *instance, const struct token *token,
                   str worker, int64_t now_ms, struct arena *arena);

/* One sentence about the whole instance, short enough for a list. Empty: there is nothing to say. */
str plain_summary(const struct program *program, const struct instance *instance, int64_t now_ms,
                  struct arena *arena);
/* The job for workers that this sentence tells of, or NULL; and the sentence if a worker holds its lease. */
const struct job *plain_summary_job(const struct program *program, const struct instance *instance);
str plain_summary_held(const struct program *program, const struct instance *instance, str worker,
                       int64_t now_ms, struct arena *arena);

/* Says what happens to the task of a node that waits for a person, if nobody answers: "If nobody answers, a
 * reminder goes out after 2 days." Empty: the run just waits. */
str plain_unanswered(const struct program *program, const struct program_node *node, struct arena *arena);

/* A failure as a headline: "The web service did not answer (503)". Never longer than PLAIN_HEADLINE_BYTES.
 * `code` is of program/reason.h; empty: the words of the reason are all there is. Empty if both are. */
enum { PLAIN_HEADLINE_BYTES = 120, PLAIN_REASON_BYTES = 300 };
str plain_headline(str code, str reason, struct arena *arena);

/* The code that the words of a reason stand for, if the failure was stored without one. Empty: none. */
str plain_code_of_words(str reason, struct arena *arena);

/* The reason without the code that it often begins with: "CARD_DECLINED: the card has expired". */
str plain_uncoded(str reason);

/* "9 min", "3 h", "2 days": how long something takes or took, roughly. */
str plain_duration(int64_t ms, struct arena *arena);

#endif
