/* runtime/arrivals/arrivals.h — the door to webhooks, messages, schedules and starts by hand. */
#ifndef RUNTIME_ARRIVALS_ARRIVALS_H
#define RUNTIME_ARRIVALS_ARRIVALS_H

#include "runtime/call/call.h"
#include "runtime/arrivals/arrive.h"
#include "runtime/memory/memory.h"
#include "runtime/arrivals/payloads.h"

struct definition;
struct definition_row;
struct engine;
struct error;
struct json;
struct program;
struct program_arrival;
struct store_reader;
struct turn;

struct arrivals {
    struct payloads payloads;
    uint64_t next_number;     /* The number of the next record of an arrival, of any tenant. */
    struct map met;           /* Tenants whose numbers are known to be lower. */
    int32_t purged_tenant;    /* The tenant whose records the last purge counted. */
    int64_t next_purge_ms;    /* The next purge on a store that nodes share. */
    uint64_t purged;          /* So far the purge that goes on has come; 0: none does. */
    uint64_t transient_below; /* Instances below it that do not outlive a restart have to end. */
    int64_t transient_node;   /* Only instances that began on this node; 0: on any. */
};

/* ---- ticks.c: schedules fire ---- */

/* A definition was published: its triggers fire by the schedules of its latest version. */
enum status ticks_deploy(struct turn *turn, const struct definition_row *row, const struct program *program,
                         struct error *err);

/* Fires what is due, as much as fits. */
/* Removes up to `max` schedules of a tenant that goes. */
enum status ticks_forget(struct turn *turn, int32_t ns, size_t max, size_t *ret_count, struct error *err);

void ticks_go_on(struct turn *turn);

/* When something is due. */
int64_t ticks_next_ms(const struct engine *engine);

/* The transaction is over. */
void ticks_end(struct turn *turn, bool committed);

/* ---- trigger_routes.c: triggers of the latest versions ---- */

/* Warns of webhooks of earlier versions whose paths are reserved now. */
enum status trigger_routes_open(struct engine *engine, struct error *err);

/* ST_CONFLICT: another definition has the path of a webhook; ST_INVALID: the path is reserved. Called before
 * anything of the version is written. */
enum status trigger_routes_check(struct turn *turn, const struct definition_row *row,
                                 const struct program *program, struct error *err);

/* A version was published: arrivals come to its triggers, if it is the latest. */
enum status trigger_routes_deploy(struct turn *turn, const struct definition_row *row,
                                  const struct program *program, struct error *err);

/* The definition is deleted, whose latest version the row is. */
enum status trigger_routes_forget(struct turn *turn, const struct definition_row *row, struct error *err);

/* The same for trigger routes that memory knows; NULL: it does not. */
const struct trigger_route *trigger_routes_peek(struct turn *turn, int32_t ns,
                                                const struct call_arrive *asked);

enum status trigger_routes_pause_call(struct turn *turn, struct call *call, struct error *err);
/* ST_NOT_FOUND: the definition has no such trigger. Returns the status. */
struct call_trigger;
enum status trigger_routes_fail_unknown(const struct call_trigger *trigger, struct error *err);

/* A trigger of the latest version. A pause outlives its trigger, in case it comes again. */
struct trigger_state {
    bool is_there, is_paused;
    str reason; /* The pause's, in the turn's arena; empty: none was given. */
};
enum status trigger_routes_find_state(struct turn *turn, int32_t ns, str definition_id, str trigger,
                                      struct trigger_state *ret_state, struct error *err);
void trigger_routes_list(struct turn *turn, struct call *call);

/* ---- arrive.c: arrivals ---- */

enum status arrive_call(struct turn *turn, struct call *call, struct error *err);
/* The trigger of this name or, without a name, the one by which people start the definition; NULL: it has
 * none for people. */
enum status arrive_find_trigger(const struct definition *definition, str name,
                                const struct program_arrival **ret_arrival, struct error *err);
/* May the caller start the definition by hand, by that trigger (NULL: by none)? ST_FORBIDDEN
 * (arrive_roles.c). */
enum status arrive_check_person(const struct call *call, const struct program *program,
                                const struct program_arrival *arrival, struct error *err);
/* May the caller fill in the form of that trigger (NULL: of the definition)? ST_UNAUTHORIZED: nobody is
 * known, and the form is not open. ST_FORBIDDEN: somebody is, who may not. */
enum status arrive_check_form(const struct call *call, const struct definition *definition,
                              const struct program_arrival *arrival, struct error *err);
/* The same for a start that names no trigger, and whether the caller starts anything at all. */
bool arrive_may_start(const struct call *call, const struct definition *definition);

/* A person stands in for what a trigger waits for. */
struct arrive_hand {
    int32_t ns;
    struct definition *definition; /* The version that begins. */
    struct definition *latest;     /* The version whose cap counts. */
    const struct program_arrival *arrival;
    const struct json *payload; /* NULL: an empty object. */
    str actor;
    str business_key;    /* In the place of the trigger's; empty: the trigger's. */
    str idempotency_key; /* The trigger's key; empty: none. */
    bool is_test;
    bool creates;     /* An instance of its own, whatever the trigger's policy is. */
    bool answers_now; /* An arrival that finds no place is rejected, and does not wait for one. */
};

/* The arrival goes through all steps but the first. If it is refused, `ret_refusal` may say why; its status
 * is ST_OK if the outcome says it all. */
enum status arrive_by_hand(struct turn *turn, const struct arrive_hand *hand, struct arrival_view *ret_view,
                           struct error *ret_refusal, struct error *err);

/* Copies the parts of a view, which the turn's arena holds: an answer outlives the turn. */
void arrive_keep_view(struct arrival_view *view, struct arena *arena);

/* ---- arrive_log.c: arrivals ---- */

enum status arrive_log_open(struct engine *engine, struct error *err);
/* Removes records beyond those that are kept, inside of a transaction. */
enum status arrive_log_purge(struct engine *engine, size_t max, size_t *ret_removed, struct error *err);

enum status arrive_log_list(struct store_reader *reader, struct call *call, struct error *err);

/* ---- queue.c: arrivals that wait for a place ---- */

/* Routes some of them. */
void queue_admit(struct turn *turn);

/* ---- held.c: a pause of all starts, and the instances that it holds ---- */

/* Reads at the start whether starts are paused. */
enum status held_open(struct engine *engine, struct error *err);

/* Lets instances begin that a pause has held; at once, unless starts are paused. */
void held_proceed(struct turn *turn);
size_t held_filters(const struct engine *engine, struct arena *arena, struct record_filter *ret_filter);
int64_t held_next_ms(const struct engine *engine);

/* ---- kept.c: events and arrivals that are kept for an instance with their key ---- */

/* Delivers some of them, and lets some expire. */
void kept_go_on(struct turn *turn);
int64_t kept_next_ms(const struct engine *engine);
/* The definition is deleted: up to `max` of what is kept for it expires. `*ret_count` 0: nothing is left. */
enum status kept_end(struct turn *turn, int32_t ns, str definition_id, size_t max, size_t *ret_count,
                     struct error *err);

enum status held_pause_call(struct turn *turn, struct call *call, struct error *err);
/* Whether starts are paused, as the store has it. */
enum status held_read_pause(struct engine *engine, struct error *err);

/* The attempt is over: a pause counts if it has committed. */
void held_end(struct turn *turn, bool committed);

/* ---- not_recoverable.c: instances that must not outlive a restart ---- */

/* On a store that is not shared, looks at the start whether the last engine has left some. They end in the
 * next turns. */
enum status not_recoverable_recover(struct engine *engine, struct error *err);

/* Instances that began on the node, which is dead, end in the next turns. */
void not_recoverable_end_of(struct engine *engine, int64_t node);

/* Are there some that have not ended? */
bool not_recoverable_are_left(const struct engine *engine);

/* Then a turn ends some of them and does nothing else, unless this has failed a moment ago. */
void not_recoverable_end(struct turn *turn);

/* ---- tool_routes.c: definitions that agents start by tools of their own ---- */

/* ST_CONFLICT: the tool of the row's document belongs to another definition. */
enum status tool_routes_check(struct turn *turn, const struct definition_row *row, struct error *err);
/* The row is written. Its tool takes the place of the one that the version before had. */
enum status tool_routes_deploy(struct turn *turn, const struct definition_row *row, struct error *err);
/* The definition is deleted, whose latest version the row is: its tool's name is free. */
enum status tool_routes_forget(struct turn *turn, const struct definition_row *row, struct error *err);
void tool_routes_list(struct turn *turn, struct call *call);

#endif
