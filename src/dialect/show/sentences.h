/* dialect/show/sentences.h — how a run stands, in plain words for people who do not know the engine.
 *
 * The engine explains itself to engineers (core_explain()): with ids of nodes, attempts and expressions. The
 * sentences here are for operators and office users: titles that the author gave, and ordinary words. They
 * are plain text, and hold no time: a page shows the times beside them, which it gets as data.
 */
#ifndef DIALECT_SHOW_SENTENCES_H
#define DIALECT_SHOW_SENTENCES_H

#include "core/core.h"
#include "dialect/show/saying.h"
#include "dialect/show/status_words.h"

enum show_status show_status_of(const struct instance *instance);

/* The same for one token: FAILED, RUNNING, PERSON or WAITING. */
enum show_status show_token_status(const struct instance *instance, const struct token *token);
enum show_wait show_token_wait(const struct instance *instance, const struct token *token);

/* When the token goes on by itself: a timer of its own, or the next attempt of its job. 0: not by itself. */
int64_t show_token_until_ms(const struct instance *instance, const struct token *token, int64_t now_ms);

/* The author's title of a node, or its name. */
str show_title(const struct program_node *node);

/* Is the node of that name called so: by its name, or by its title in letters of either case? `program` may
 * be NULL: titles are not known. */
bool show_is_called(const struct program *program, str name, str words);

/* Why a token does not move: “Ask the manager” waits for somebody in Accounting. `program` may be NULL:
 * titles are not known. `worker` holds the lease of the token's job; empty: nobody does. */
struct saying show_why(const struct program *program, const struct instance *instance,
                       const struct token *token, str worker, int64_t now_ms, struct arena *arena);

/* The same about the whole instance, for a list. False: there is nothing to say. */
bool show_summary(const struct program *program, const struct instance *instance, str worker, int64_t now_ms,
                  struct arena *arena, struct saying *ret);
/* The job for workers that this tells of, or NULL. */
const struct job *show_summary_job(const struct program *program, const struct instance *instance);

/* Says what happens to the task of a node that waits for a person, if nobody answers: "If nobody answers, a
 * reminder goes out after 2 days." Empty: the run just waits. */
str show_unanswered(const struct program *program, const struct program_node *node, struct arena *arena);

/* A failure as a headline: "The web service did not answer (503)". Never longer than SHOW_HEADLINE_BYTES.
 * `code` is of program/reason.h; empty: the words of the reason are all there is. Empty if both are. */
enum { SHOW_HEADLINE_BYTES = 120, SHOW_REASON_BYTES = 300 };
str show_headline(str code, str reason, struct arena *arena);
/* The code that this headline is of; empty: it is the reason's own first line. The arena has it, because
 * answers outlive the instance. */
str show_code(str code, str reason, struct arena *arena);

/* The code that the words of a reason stand for, if the failure was stored without one. Empty: none. */
str show_code_of_words(str reason, struct arena *arena);

/* The reason without the code that it often begins with: "CARD_DECLINED: the card has expired". */
str show_uncoded(str reason);

/* "9 min", "3 h", "2 days": how long something takes or took, roughly. */
str show_duration(int64_t ms, struct arena *arena);

#endif
