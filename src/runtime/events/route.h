/* runtime/events/route.h — an event on its way to the instances it concerns.
 *
 * An event visits the versions of definitions that have a trigger for its source and type, twice. First it
 * goes to the instances of each version that wait for it. Then it starts an instance of every definition that
 * begins with such an event and of which no instance took it, in the latest version. If its way is long, it
 * looks before such a start whether one has begun to wait for its correlation key meanwhile.
 *
 * A short way is taken at once, in the transaction of the call that brought the event. A long way is
 * *opened*: the event and its place on the way become rows of the store, and every turn goes on with a piece
 * of it (routings_go_on). The place and the deliveries up to it commit together, so a crash loses nothing and
 * no instance gets the event twice.
 */
#ifndef RUNTIME_EVENTS_ROUTE_H
#define RUNTIME_EVENTS_ROUTE_H

#include "runtime/call/call.h"

struct engine;
struct turn;

enum route_stage { ROUTE_DELIVER, ROUTE_START, ROUTE_DONE };

/* An instance on the way, and the version of its definition. */
struct route_target {
    int64_t definition;
    uint64_t instance;
};

/* How far an event has come. */
struct route_place {
    enum route_stage stage;
    int64_t definition; /* The versions up to this one are done, or in the targets. */
    bool more;          /* There may be more versions behind it. */
    size_t next;        /* The index of the next target. */
};

struct route {
    struct turn *turn;
    int32_t ns;
    const struct json *event;
    str source, type;
    struct route_place place;
    struct route_target *target; /* Instances of a few versions that wait for the event, found before the
                                    first of them gets it. */
    size_t target_count, target_cap;
    str *taken; /* Ids of definitions of which an instance has it. */
    size_t taken_count, taken_cap;
    size_t applied; /* Instances that have it. */
    bool started;   /* The event has started one of them. */
    bool matched;   /* A definition takes such events. */
    bool keyless;   /* A definition would, if the event had the correlation key that its trigger asks for. */
    bool retired;   /* A definition would start by it, if it were not retired. */
    bool opened;    /* The way is long: an instance that cannot take the event is named in an unmatched event.
                       Else the first that cannot take it refuses it. */
    int64_t kept_until_ms; /* So long it waits for an instance with its key; 0: it does not. */
    str not_kept;          /* Why it does not; empty: no limit says so. */
    str left_out; /* A failed instance that had no room for the event, and why; empty: none. It does not
                       refuse the event for others. */
    struct event_instance *instance; /* The first of them, in the engine's arena. */
    size_t instance_count;
};

/* The way of an event from its beginning. */
struct route route_begin(struct turn *turn, int32_t ns, const struct json *event);

/* Finds the first targets, and what the whole way will cost. ST_LIMIT if they are too many. */
struct route_size {
    int64_t fuel;
    bool expensive; /* Some definition is not known to be cheap. In the first part of a turn no targets are
                       found then. */
};
enum status route_measure(struct route *route, struct route_size *ret_size, struct error *err);

/* The definitions that take such events with a correlation key, which the event has, in their latest
 * versions: the first KEPT_DEFINITIONS_MAX. */
struct route_waiting {
    str definition_id, key;
    int64_t life_ms; /* So long the definition keeps the event; 0: not at all. */
};
enum status route_find_waiting(struct route *route, struct route_waiting **ret_waiting, size_t *ret_count,
                               struct error *err);

/* Does the instance take the event? The version that it runs decides, by its own triggers and its key. */
enum status route_concerns(struct route *route, const struct definition *definition,
                           const struct instance *instance, bool *ret_concerns, struct error *err);

/* At the end of a long way: to instances of all versions of the definition. None of them has the event
 * yet. */
enum status route_deliver_late(struct route *route, str definition_id, struct error *err);

/* Goes on from there, to the end of the way or of the slice. */
enum status route_go_on(struct route *route, bool to_the_end, struct error *err);

/* An event that is still on its way. */
struct routing {
    uint64_t number;
    int32_t ns;
    str event;                      /* json_encoded(), on the heap. */
    str place, next_place;          /* How far: as committed, and in the running transaction. On the heap. */
    bool is_new, finished, touched; /* By the running transaction. */
    struct routing *next;
};

struct routings {
    struct routing *first, *last; /* In the order in which they go on. */
    size_t count;
    uint64_t next_number;
};

void routings_open(struct engine *engine);
/* Goes on with those of the last engine, on a store that is not shared. */
enum status routings_recover(struct engine *engine, struct error *err);
/* Goes on with those of a dead node. ST_AGAIN: another node was in the way. */
enum status routings_take_over(struct engine *engine, int64_t node, struct error *err);
/* The next ones have numbers of this node. */
void routings_number(struct engine *engine);
void routings_close(struct engine *engine);

/* Opens the way of an event; *ret_number names it. ST_OVERLOAD if too many are open. */
enum status routings_add(struct route *route, uint64_t *ret_number, struct error *err);
bool routings_is_open(const struct engine *engine, uint64_t number);

/* Goes on with one of them; false if there was none. */
bool routings_go_on(struct turn *turn);
/* When there is one to go on with, and whether it may go on now. */
int64_t routings_next_ms(const struct engine *engine);
bool routings_waiting(const struct engine *engine);
/* The transaction is over. */
void routings_end(struct turn *turn, bool committed);

#endif
