/* dialect/show/status_words.h — the words for how a run stands, and for what it waits for. */
#ifndef DIALECT_SHOW_STATUS_WORDS_H
#define DIALECT_SHOW_STATUS_WORDS_H

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
#define SHOW_STATUS_MAP(XX)                                                                                 \
    /* NAME       word         engine     flow                 group        screen                rank */    \
    XX(FAILED,    "failed",    FAILED,    "failed",            "failed",     "Failed",             4)        \
    XX(COMPLETED, "completed", COMPLETED, "completed",         "completed",  "Done",               0)        \
    XX(CANCELLED, "cancelled", CANCELLED, "terminated",        "terminated", "Cancelled",          0)        \
    XX(RUNNING,   "running",   ACTIVE,    "running",           "running",    "Running",            2)        \
    XX(PERSON,    "person",    WAITING,   "waiting_for_human", "waiting",    "Waits for a person", 3)        \
    XX(WAITING,   "waiting",   WAITING,   "suspended",         "waiting",    "Waits",              1)
/* clang-format on */

enum show_status {
#define XX(NAME, word, engine, flow, group, screen, rank) SHOW_##NAME,
    SHOW_STATUS_MAP(XX)
#undef XX
        SHOW_STATUS_COUNT
};

/* The words as one text: for messages with commas, for options with bars, followed by those of /v1. */
#define SHOW_COMMA_(NAME, word, ...) ", " word
#define SHOW_BAR_(NAME, word, ...) "|" word
#define SHOW_STATUS_WORDS (&(SHOW_STATUS_MAP(SHOW_COMMA_))[2])
#define SHOW_FLOW_COMMA_(NAME, word, engine, flow, ...) ", " flow
#define SHOW_FLOW_WORDS (&(SHOW_STATUS_MAP(SHOW_FLOW_COMMA_))[2])
#define SHOW_STATUS_CHOICES (&(SHOW_STATUS_MAP(SHOW_BAR_) INSTANCE_STATUS_MAP(SHOW_BAR_))[1])

const char *show_status_word(enum show_status status);
const char *show_status_flow(enum show_status status);
const char *show_status_screen(enum show_status status);
int show_status_rank(enum show_status status);

/* The last row that the engine's status alone allows: WAITING says nothing about a person. Relatives of an
 * instance are told in this way, because only their status is read with it. */
enum show_status show_status_of_engine(enum instance_status status);
bool show_status_parse(str word, enum show_status *ret_status);

/* Bits 1 << enum show_status that a filter's word means; 0: it is none. A word of /v1, in capitals, means
 * all rows that have it. */
uint32_t show_statuses_of(str word);
/* The same for ?status= of /api/workflows/{id}/runs, in any case: a word of the columns `flow` and `group`,
 * which come first ("waiting" includes people there), or any other. */
uint32_t show_statuses_of_flow(str word);
bool show_flow_parse(str word, enum show_status *ret_status);

/* The things that a token waits for. */
/* clang-format off */
#define SHOW_WAIT_MAP(XX)   \
    XX(PERSON, "person")     \
    XX(JOB,    "job")        \
    XX(TIMER,  "timer")      \
    XX(EVENT,  "event")      \
    XX(SIGNAL, "signal")     \
    XX(CHILD,  "child")
/* clang-format on */

enum show_wait {
#define XX(NAME, word) SHOW_WAIT_##NAME,
    SHOW_WAIT_MAP(XX)
#undef XX
        SHOW_WAIT_COUNT, /* None of these. */
};

#define SHOW_WAIT_COMMA_(NAME, word) ", " word
#define SHOW_WAIT_WORDS (&(SHOW_WAIT_MAP(SHOW_WAIT_COMMA_))[2])
const char *show_wait_word(enum show_wait wait);
bool show_wait_parse(str word, enum show_wait *ret_wait);

#endif
