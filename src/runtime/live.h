/* runtime/live.h — what has changed since somebody last looked, for pages that show it.
 *
 * The engine notes what each turn changes: of each kind of thing, which ones. One call at a time (WATCH_LIVE,
 * the network's hub, which shares the answers out) takes all that was noted. So memory is bounded, however
 * much happens and however slow the readers are: beyond LIVE_IDS_MAX things of a kind it only says that there
 * were many. Nothing is noted while nobody listens.
 *
 * A note only says where to look. It may be about something that was rolled back afterwards. It is never
 * handed out before the turn that made it has committed, because calls are answered in a later one.
 */
#ifndef RUNTIME_LIVE_H
#define RUNTIME_LIVE_H

#include "base/arena.h"
#include "base/id.h"
#include "runtime/deadlines.h"
#include "runtime/limits.h"

struct call;

/* The words are those of the topics that clients name. */
/* clang-format off */
#define LIVE_MAP(XX)                                             \
    XX(INSTANCES,   "instances")   /* Their public ids. */       \
    XX(ENTITIES,    "entities")    /* Their UUIDs. */            \
    XX(DEFINITIONS, "definitions") /* Ids. */                    \
    XX(DRAFTS,      "drafts")      /* Ids of definitions. */     \
    XX(TASKS,       "tasks")       /* Public ids of visits. */   \
    XX(TRIGGERS,    "triggers")    /* Ids of definitions. */     \
    XX(ARRIVALS,    "arrivals")    /* Numbers. */                \
    XX(BULK,        "bulk")        /* Public ids. */             \
    XX(MODELS,      "models")      /* "name/version" */          \
    XX(WORKERS,     "workers")     /* No ids: jobs were handed out, completed or failed. */
/* clang-format on */

enum live_kind {
#define XX(NAME, word) LIVE_##NAME,
    LIVE_MAP(XX)
#undef XX
        LIVE_KIND_COUNT
};

const char *live_kind_word(enum live_kind kind);

/* The noted ids of one kind. */
struct live_set {
    bool changed;
    bool many; /* More than LIVE_IDS_MAX, or nobody knows which: the ids are not all. */
    size_t count;
    str id[LIVE_IDS_MAX];
};

/* All that was noted since the round before. */
struct live_round {
    struct live_set set[LIVE_KIND_COUNT];
    uint64_t bits[LIVE_BITS / 64]; /* Instances and entities, by a hash of their number. */
};

/* Has the instance (or entity) of that number changed in this round? Sometimes true of one that has not. */
bool live_has_changed(const struct live_round *round, uint64_t instance);

/* WATCH_LIVE. */
struct call_watch_live {
    int64_t wait_ms; /* How long the answer may wait for a change; 0: not at all. */
    bool stops;      /* Nobody listens any more: nothing is noted from now on. */
};

struct answer_live {
    const struct live_round *round; /* NULL: nothing has changed. */
};

/* ---- the engine's own ---- */

/* Something that other nodes should hear of. */
struct live_told {
    enum live_kind kind;
    str id; /* Empty: one does not know which. */
};

struct live {
    struct deadlines *deadlines;
    bool listening;
    bool noted;
    int64_t told_ms;          /* When the last round was given away. */
    struct live_round *round; /* While somebody listens. */
    struct arena arena;       /* Memory of the ids of this round. */
    bool telling;             /* There are other nodes. They hear of … */
    struct live_told told[LIVE_TOLD_MAX];
    size_t told_count;
    struct arena told_arena; /* … these, when the transaction commits (nodes_news.c). */
    struct call *waiting;
    int64_t until_ms; /* Its time is up then. */
    struct deadline deadline;
};

void live_init(struct live *live, struct deadlines *deadlines);
void live_done(struct live *live);

/* `id` is copied; empty: one does not know which. Instances, entities, tasks and workers are noted for this
 * node alone. */
void live_note(struct live *live, enum live_kind kind, str id);
/* The same for what another node has told. */
void live_hear(struct live *live, enum live_kind kind, str id);
/* The changes that others should hear of are told, or have not happened. */
void live_forget_told(struct live *live);
void live_note_id(struct live *live, enum live_kind kind, struct id id);
/* INSTANCES or ENTITIES. */
void live_note_instance(struct live *live, enum live_kind kind, int64_t created_ms, uint64_t instance);

/* Takes a WATCH_LIVE. False: the call is answered. */
bool live_wait(struct live *live, struct call *call, int64_t now_ms, bool may_wait);

/* A turn has ended: if it noted something, the call that waits is answered soon. */
void live_settle(struct live *live, int64_t now_ms);

/* Takes the call that waits, and answers it; NULL: there is none. */
struct call *live_take(struct live *live, int64_t now_ms);

#endif
