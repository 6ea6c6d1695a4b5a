/* runtime/access/access.h — the door to principals, and to records about them.
 *
 * The store has the records (store/store.h, RECORD_USER and below), src/access knows their members, and the
 * directory remembers principals for the threads that ask (access/directory.h). This room stands between the
 * three: it resolves a credential from records, changes records in the turn's transaction, and tells the
 * directory what has committed.
 */
#ifndef RUNTIME_ACCESS_ACCESS_H
#define RUNTIME_ACCESS_ACCESS_H

#include "access/directory.h"
#include "runtime/call/call.h"

struct engine;
struct query;
struct turn;

/* Memory that lasts from one turn to the next. */
struct access {
    struct directory *directory; /* Borrowed; NULL: nobody is told. */
    uint64_t tenants_generation; /* Of the newest change of tenants that the directory has heard of. */
};

/* What a transaction changes, for the directory to hear when it has committed. In the turn's arena. */
struct access_news {
    uint64_t generation; /* 0: principals stay as they are. */
    bool has_users, has_issuers;
    struct access_tenant_news {
        struct tenant tenant;
        bool is_gone;
        struct access_tenant_news *next;
    } * first_tenant;
};

/* ---- access_state.c: the directory follows the store ---- */

/* Tells the directory which generation the store has, and whether there are users and issuers. */
enum status access_state_open(struct engine *engine, struct directory *directory, struct error *err);
/* On a store that nodes share: the same, if another node has changed something. Tenants that the directory
 * knows are read again. */
enum status access_state_look(struct engine *engine, struct error *err);
/* The transaction is over: the directory hears of it. */
void access_state_end(struct turn *turn, bool committed);

/* ---- resolve.c, on the query thread ---- */

enum status resolve_call(struct query *query, struct call *call, struct error *err);

/* ---- listing.c, on the query thread ---- */

enum status listing_call(struct query *query, struct call *call, struct error *err);

/* ---- changes.c ---- */

enum status changes_call(struct turn *turn, struct call *call, struct error *err);

#endif
