/* store/postgres/listen.c — nodes wake each other: NOTIFY, and a thread that waits for it.
 *
 * The thread has a connection of its own, which sends and hears. So nobody waits for a NOTIFY, and one that
 * follows another too soon is sent later instead of being lost. While there is no connection it tries to
 * connect; what was sent meanwhile is lost, so it wakes our node once when it has connected. The payload says
 * whether access has changed: to look at that costs two reads, and nodes that share much work wake each other
 * all the time.
 *
 * The thread also heartbeats while the engine has no time to, because a turn takes long. Otherwise the others
 * would fence a node that has much to do, and take its work over: then they would have too much to do, too.
 * An engine that has sent no heartbeat for BUSY_US may hang, and is left to the others.
 *
 * Perhaps the turn takes long because a node that was cut off has left a lock. The engine fences that node
 * between its turns, so the thread ends the sessions of nodes that do not heartbeat, and with them their
 * locks.
 */
#include "store/postgres/nodes_int.h"

#include "base/clock.h"
#include "base/must.h"
#include "base/thread.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    WAKE_PAUSE_US = 5000, /* Between two NOTIFYs. Their commits wait for each other in the whole server. */
    CONNECT_PAUSE_US = 1000000,
    LATE_US = 600000, /* The engine heartbeats several times in this time, unless it is busy. */
    HEARTBEAT_PAUSE_US = 300000,
    BUSY_US = 10000000,
    SILENT_US = 2000000, /* A node that sends no heartbeat for so long loses its sessions. */
};

#define OF_ACCESS "access" /* The payload. */

struct postgres_listener {
    struct postgres_db db;
    pthread_t thread;
    int event; /* An eventfd: something below has changed. */
    atomic_bool stops;
    atomic_bool must_wake; /* The others … */
    atomic_bool of_access; /* … and tell them that access has changed. */
    pthread_mutex_t lock;
    store_heard_fn *heard; /* Under the lock; NULL: nobody is to be woken. */
    void *context;
    _Atomic int64_t node;      /* Our number at the engine's last heartbeat… */
    _Atomic int64_t beaten_us; /* … and when that was; 0: it has sent no heartbeat yet. */
    int64_t sent_us;           /* The thread's own: when the last NOTIFY went, … */
    int64_t stood_in_us;       /* … when it last heartbeat for the engine, … */
    int64_t tried_us;          /* … and when it last connected, or tried. */
    int64_t watched_us;        /* When it last looked at the others, and what it saw. */
    struct watched {
        int64_t node, heartbeats, since_us;
    } watched[NODES_MAX];
    size_t watched_count;
};

static void poke(struct postgres_listener *listener)
{
    uint64_t one = 1;
    /* A counter that is full has been noticed as well. */
    while (write(listener->event, &one, sizeof one) < 0 && errno == EINTR) continue;
}

static void tell(struct postgres_listener *listener, enum store_wake why)
{
    pthread_mutex_lock(&listener->lock);
    if (listener->heard) listener->heard(listener->context, why);
    pthread_mutex_unlock(&listener->lock);
}

/* ---- the thread ---- */

static void try_to_connect(struct postgres_listener *listener)
{
    struct error err;
    listener->tried_us = clock_monotonic_us();
    if (postgres_db_connect(&listener->db, &err) != ST_OK) return;
    if (postgres_exec(&listener->db, "LISTEN pawl", &err) != ST_OK) {
        postgres_disconnect(&listener->db);
        return;
    }
    tell(listener, STORE_WAKE_ACCESS);
}

/* Our own come back, too. */
static void hear(struct postgres_listener *listener)
{
    PGconn *conn = listener->db.conn;
    PGnotify *heard;
    bool others = false, of_access = false;
    if (!libpq.consumeInput(conn)) {
        postgres_disconnect(&listener->db);
        return;
    }
    while ((heard = libpq.notifies(conn)) != NULL) {
        bool is_of_other = heard->be_pid != libpq.backendPID(conn);
        others |= is_of_other;
        of_access |= is_of_other && strcmp(heard->extra, OF_ACCESS) == 0;
        libpq.freemem(heard);
    }
    if (others) tell(listener, of_access ? STORE_WAKE_ACCESS : STORE_WAKE_JOBS);
}

static void wake_others(struct postgres_listener *listener)
{
    struct error err;
    atomic_store(&listener->must_wake, false);
    listener->sent_us = clock_monotonic_us();
    const char *sql =
        atomic_exchange(&listener->of_access, false) ? "NOTIFY pawl, '" OF_ACCESS "'" : "NOTIFY pawl";
    if (postgres_exec(&listener->db, sql, &err) == ST_OK) hear(listener);
    else postgres_disconnect(&listener->db);
}

static bool must_heartbeat(const struct postgres_listener *listener, int64_t now_us)
{
    int64_t beaten_us = atomic_load(&listener->beaten_us), silent_us = now_us - beaten_us;
    return beaten_us && silent_us >= LATE_US && silent_us < BUSY_US &&
           now_us - listener->stood_in_us >= HEARTBEAT_PAUSE_US;
}

/* Since when has the node had that many heartbeats? Heartbeats that were seen before a pause of ours do not
 * count. */
static int64_t silent_since(const struct postgres_listener *listener, int64_t node, int64_t heartbeats,
                            int64_t now_us)
{
    if (now_us - listener->watched_us > LATE_US) return now_us;
    for (size_t i = 0; i < listener->watched_count; i++)
        if (listener->watched[i].node == node && listener->watched[i].heartbeats == heartbeats)
            return listener->watched[i].since_us;
    return now_us;
}

static enum status end_sessions(struct postgres_listener *listener, int64_t node, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, node);
    TRY(postgres_ask(&listener->db, SQL_NODE_SESSIONS, &params, &result, err));
    libpq.clear(result);
    return ST_OK;
}

static enum status watch_others(struct postgres_listener *listener, struct error *err)
{
    struct postgres_params params = { 0 };
    struct watched now[NODES_MAX];
    PGresult *result;
    int64_t now_us = clock_monotonic_us();
    enum status status = ST_OK;
    postgres_add_number(&params, atomic_load(&listener->node));
    postgres_add_number(&params, NODES_MAX);
    TRY(postgres_ask(&listener->db, SQL_NODE_OTHERS, &params, &result, err));
    size_t count = (size_t)libpq.ntuples(result);
    for (size_t i = 0; i < count && status == ST_OK; i++) {
        int64_t node = postgres_number(result, (int)i, 0), heartbeats = postgres_number(result, (int)i, 1);
        now[i] = (struct watched){ node, heartbeats, silent_since(listener, node, heartbeats, now_us) };
        if (now_us - now[i].since_us < SILENT_US) continue;
        status = end_sessions(listener, node, err);
        now[i].since_us = now_us;
    }
    libpq.clear(result);
    memcpy(listener->watched, now, count * sizeof now[0]);
    listener->watched_count = status == ST_OK ? count : 0;
    listener->watched_us = now_us;
    return status;
}

static void heartbeat(struct postgres_listener *listener)
{
    struct error err;
    char sql[128];
    snprintf(sql, sizeof sql, "UPDATE node SET beats = beats + 1 WHERE id = %" PRId64 " AND NOT dead",
             atomic_load(&listener->node));
    listener->stood_in_us = clock_monotonic_us();
    enum status status = postgres_exec(&listener->db, sql, &err);
    if (status == ST_OK) status = watch_others(listener, &err);
    if (status == ST_OK) hear(listener);
    else postgres_disconnect(&listener->db);
}

/* How long to wait for an event: until the thread looks at the engine's heartbeats again, at most. */
static int pause_ms(const struct postgres_listener *listener)
{
    int64_t now_us = clock_monotonic_us(), until_us = now_us + HEARTBEAT_PAUSE_US;
    if (!listener->db.conn) until_us = listener->tried_us + CONNECT_PAUSE_US;
    else if (atomic_load(&listener->must_wake)) until_us = listener->sent_us + WAKE_PAUSE_US;
    return until_us <= now_us ? 0 : (int)((until_us - now_us + 999) / 1000);
}

static void wait_for_event(struct postgres_listener *listener)
{
    uint64_t count;
    struct pollfd ready[] = {
        { .fd = listener->event, .events = POLLIN },
        { .fd = listener->db.conn ? libpq.socket(listener->db.conn) : -1, .events = POLLIN },
    };
    if (poll(ready, COUNT(ready), pause_ms(listener)) <= 0) return;
    if (ready[0].revents && read(listener->event, &count, sizeof count) < 0) return;
    if (ready[1].revents) hear(listener);
}

static void *run(void *context)
{
    struct postgres_listener *listener = context;
    thread_name("listener");
    while (!atomic_load(&listener->stops)) {
        int64_t now_us = clock_monotonic_us();
        if (!listener->db.conn && now_us - listener->tried_us >= CONNECT_PAUSE_US) try_to_connect(listener);
        if (listener->db.conn && atomic_load(&listener->must_wake) &&
            now_us - listener->sent_us >= WAKE_PAUSE_US)
            wake_others(listener);
        if (listener->db.conn && must_heartbeat(listener, now_us)) heartbeat(listener);
        wait_for_event(listener);
    }
    return NULL;
}

/* ---- for the node ---- */

static struct postgres_listener *start(struct postgres_store *store)
{
    struct postgres_listener *listener = calloc(1, sizeof *listener);
    must(listener);
    postgres_db_init(&listener->db, store->db.conninfo, POSTGRES_SIDE);
    listener->db.node_of = &store->node_of_sessions;
    listener->tried_us = -CONNECT_PAUSE_US;
    listener->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    must(listener->event >= 0);
    must(pthread_mutex_init(&listener->lock, NULL) == 0);
    must(pthread_create(&listener->thread, NULL, run, listener) == 0);
    return listener;
}

void postgres_wake_others(struct store *base, enum store_wake why)
{
    struct postgres_store *store = postgres_self(base);
    if (!store->listener) store->listener = start(store);
    if (why == STORE_WAKE_ACCESS) atomic_store(&store->listener->of_access, true);
    if (!atomic_exchange(&store->listener->must_wake, true)) poke(store->listener);
}

void postgres_note_heartbeat(const struct postgres_store *store)
{
    if (!store->listener) return;
    atomic_store(&store->listener->node, store->node);
    atomic_store(&store->listener->beaten_us, clock_monotonic_us());
}

enum status postgres_listen(struct store *base, store_heard_fn *heard, void *context, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    (void)err;
    if (!store->listener) store->listener = start(store);
    pthread_mutex_lock(&store->listener->lock);
    store->listener->heard = heard;
    store->listener->context = context;
    pthread_mutex_unlock(&store->listener->lock);
    return ST_OK;
}

void postgres_listener_done(struct postgres_listener *listener)
{
    if (!listener) return;
    atomic_store(&listener->stops, true);
    poke(listener);
    pthread_join(listener->thread, NULL);
    postgres_db_done(&listener->db);
    pthread_mutex_destroy(&listener->lock);
    close(listener->event);
    free(listener);
}
