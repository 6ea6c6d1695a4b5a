/* runtime/memory/live.h — what has changed since somebody last looked, for pages that show it.
 *
 * The engine notes what each turn changes: of each kind of thing, which ones. One call at a time (WATCH_LIVE,
 * the network's hub, which shares the answers out) takes all that was noted. So memory is bounded, however
 * much happens and however slow the readers are: beyond LIVE_IDS_MAX things of a kind it only says that there
 * were many. Nothing is noted while nobody listens.
 *
 * A note only says where to look. It may be about something that was rolled back afterwards. It is never
 * handed out before the turn that made it has committed, because calls are answered in a later one.
 */
#ifndef RUNTIME_MEMORY_LIVE_H
#define RUNTIME_MEMORY_LIVE_H

#include "base/arena.h"
#include "base/id.h"
#include "runtime/call/call.h"
#include "runtime/memory/deadlines.h"

struct call;

const char *live_kind_word(enum live_kind kind);

/* Has the instance (or entity) of that number changed in this round? Sometimes true of one that has not. */
bool live_has_changed(const struct live_round *round, int32_t ns, uint64_t instance);

/* Has anything of the kind changed, as far as the tenant may know? `*ret_many`: the ids are not all. */
bool live_is_noted(const struct live_round *round, int32_t ns, enum live_kind kind, bool *ret_many);

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
    struct arena arena;       /* Memory of the ids and tenants of this round. */
    size_t tenant_cap;
    bool telling; /* There are other nodes. They hear of … */
    struct live_told told[LIVE_TOLD_MAX];
    size_t told_count;
    struct arena told_arena; /* … these, when the transaction commits (news_write.c). */
    struct call *waiting;
    int64_t until_ms; /* Its time is up then. */
    struct deadline deadline;
};

void live_init(struct live *live, struct deadlines *deadlines);
void live_done(struct live *live);

/* `id` is copied, as a qualified name (base/tenant.h); empty: one does not know which. Instances, entities,
 * tasks and workers are noted for this node alone. */
void live_note(struct live *live, int32_t ns, enum live_kind kind, str id);
/* The same for a change at another node, whose name is qualified already. */
void live_note_remote(struct live *live, enum live_kind kind, str id);
/* The changes that others should hear of are told, or have not happened. */
void live_forget_told(struct live *live);
void live_note_id(struct live *live, int32_t ns, enum live_kind kind, struct id id);
/* INSTANCES or ENTITIES. */
void live_note_instance(struct live *live, int32_t ns, enum live_kind kind, int64_t created_ms,
                        uint64_t instance);

/* Takes a WATCH_LIVE. False: the call is answered. */
bool live_wait(struct live *live, struct call *call, int64_t now_ms, bool may_wait);

/* A turn has ended: if it noted something, the call that waits is answered soon. */
void live_settle(struct live *live, int64_t now_ms);

/* Takes the call that waits, and answers it; NULL: there is none. */
struct call *live_take(struct live *live, int64_t now_ms);

#endif
