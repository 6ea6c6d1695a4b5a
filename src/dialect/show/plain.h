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
 * counts. `engine` is the coarser status that /v1 and `pawl ps` show (INSTANCE_STATUS_MAP), and `screen` what
 * the web application writes. docs/operator.md has the same table, and web/src/ui/words.ts the same words:
 * tests/docs/test_status_words.py compares them. A run with open work may be WAITING in /v1, if another of
 * its tokens waits for somebody. */
/* clang-format off */
#define PLAIN_STATUS_MAP(XX)                                                                              \
    /* NAME       word         engine     screen                meaning */                                \
    XX(FAILED,    "failed",    FAILED,    "Failed",             "stopped by an error; can be retried")    \
    XX(COMPLETED, "completed", COMPLETED, "Done",               "an end was reached")                     \
    XX(CANCELLED, "cancelled", CANCELLED, "Cancelled",          "stopped by a user")                      \
    XX(RUNNING,   "running",   ACTIVE,    "Running",            "work is open: a job, or a child")        \
    XX(PERSON,    "person",    WAITING,   "Waits for a person", "a person's answer is awaited")           \
    XX(WAITING,   "waiting",   WAITING,   "Waits",              "a time, an event or a signal is awaited")
/* clang-format on */

enum plain_status {
#define XX(NAME, word, engine, screen, meaning) PLAIN_##NAME,
    PLAIN_STATUS_MAP(XX)
#undef XX
        PLAIN_STATUS_COUNT
};

const char *plain_status_word(enum plain_status status);
/* The last row that the engine's status alone allows: WAITING says nothing about a person. */
enum plain_status plain_status_of_engine(enum instance_status status);
bool plain_status_parse(str word, enum plain_status *ret_status);

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

/* Says what happens to the task of a node that waits for a person, if nobody answers: "If nobody answers, a
 * reminder goes out after 2 days." Empty: the run just waits. */
str plain_unanswered(const struct program *program, const struct program_node *node, struct arena *arena);

/* A failure as a headline: "The web service did not answer (503)". Never longer than PLAIN_HEADLINE_BYTES.
 * Empty if the reason is. */
enum { PLAIN_HEADLINE_BYTES = 120, PLAIN_REASON_BYTES = 300 };
str plain_headline(str reason, struct arena *arena);

/* The reason without the code that it often begins with: "CARD_DECLINED: the card has expired". */
str plain_uncoded(str reason);

/* "9 min", "3 h", "2 days": how long something takes or took, roughly. */
str plain_duration(int64_t ms, struct arena *arena);

#endif
