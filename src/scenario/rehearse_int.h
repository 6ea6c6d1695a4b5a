/* scenario/rehearse_int.h — a rehearsal in progress. */
#ifndef SCENARIO_REHEARSE_INT_H
#define SCENARIO_REHEARSE_INT_H

#include "base/map.h"
#include "scenario/scenario_int.h"

/* An answer that the caller has given for a node, in the order of the list. */
struct given_answer {
    str node;
    const struct json *result; /* As a mock's. */
    int64_t item;              /* Only inside this item of a loop, counted from 0; -1: anywhere. */
    bool repeats;              /* It is given again, if no other one is left. */
    bool used;
    struct given_answer *next;
};

/* An answer that the engine has taken: what a script repeats. */
struct taken_answer {
    str node;
    const struct json *result;
    struct taken_answer *next;
};

/* How the outside work of a node was done, the last time. */
struct work_manner {
    const struct actor *actor;
    str node;           /* As the author knows it. */
    uint32_t execution; /* Only of this visit; 0: of all others. */
    const char *how;
    const struct json *sent; /* The input of the outside; NULL: nothing. */
    struct work_manner *next;
};

/* Something besides answers that was done to the run: an event or a transition. */
struct taken_action {
    int64_t at_ms;
    const struct json *event; /* NULL: a transition. */
    str transition;
    const struct json *data;
    struct taken_action *next;
};

/* An instance whose story is told. */
struct told_actor {
    struct actor *actor;
    struct trail *trail; /* The trail of its visits. */
    bool has_news;       /* The trail is further than the lines. */
    struct map seen;  /* Number of a visit → its number in the lines, times two, plus one if it was left. */
    struct map waits; /* Number of a visit whose wait was told. */
    struct told_actor *next;
};

struct rehearsing {
    const struct rehearsal *asked;
    struct arena *arena;
    struct arena scratch; /* For one line, or one look at a story. */
    struct stage *stage;  /* Once the run has begun. */
    struct choices choices;
    struct given_answer *given;
    struct taken_answer *first_taken, *last_taken;
    struct taken_action *first_action, *last_action;
    struct work_manner *manners;
    struct told_actor *actors;
    bool begun;      /* The first line was written. */
    int64_t told_ms; /* The time of the last line. */
    size_t visit_count;
    size_t line_bytes;
};

/* ---- rehearse_answer.c: what the outside answers ---- */

/* Reads answers and pins; `*ret_mocks` gets the pins as mocks. */
enum status rehearse_read(struct rehearsing *run, const struct program *program,
                          const struct json **ret_mocks, struct error *err);
const struct json *rehearse_answer(void *context, struct stage *stage, const struct work *work);
/* "pretended", "pinned", "done" or "not sent". */
const char *rehearse_manner(const struct rehearsing *run, const struct work *work);

/* ---- rehearse_tell.c: what happens, line by line ---- */

void rehearse_tell_history(void *context, struct stage *stage, struct actor *actor,
                           const struct history *history);
void rehearse_tell_answered(void *context, struct stage *stage, const struct work *work, const char *refusal);
/* Tells what has happened since the last look. */
void rehearse_tell_news(struct rehearsing *run);
/* The last line; `problem` is empty if the run came to its end. */
void rehearse_tell_end(struct rehearsing *run, struct trial *trial);
/* The last line of a run that never began, because those who were asked refused it: an entity. The stage is
 * gone. */
void rehearse_tell_refused(struct rehearsing *run, const char *reason);
void rehearse_tell_done(struct rehearsing *run);

/* ---- script.c: a scenario that replays the run ---- */

const struct json *script_of(struct rehearsing *run);

#endif
