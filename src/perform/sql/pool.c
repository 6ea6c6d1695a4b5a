/* perform/sql/pool.c — databases, their sessions, and the threads that work for them.
 *
 *     submit ──► queue of its place ──► a free thread ──► an idle session, or a new one ──► done ──► reset
 *
 * A place is one database as one vault text describes it. It has a queue and at most `sessions_max` jobs
 * under way, so a slow database holds up its own jobs only: places take turns at the threads, those first
 * whose next job has the highest priority. A session is kept after its job, and closed when it has been idle
 * for long or when a session of its place was lost.
 *
 * Threads come as they are needed, and stay. One lock guards everything here; no driver is called under it.
 */
#include "perform/sql/sql_int.h"

#include "base/clock.h"
#include "base/list.h"
#include "base/must.h"
#include "base/text_map.h"
#include "base/thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 1000 }; /* How often a thread without work looks for idle sessions. */

/* A session that no job uses. */
struct idle_session {
    void *session;
    const struct sql_driver *driver;
    int64_t since_us;
    struct idle_session *next;
};

struct sql_place {
    str key; /* The kind of access, then the URI. */
    str uri;
    const struct sql_driver *driver;
    size_t sessions_max;
    size_t running_count, queued_count;
    struct sql_job *first, *last; /* Jobs that wait, by priority. */
    struct idle_session *idle;
    struct sql_place *next; /* In the list of places with waiting jobs, if `listed`. */
    bool listed;
    char text[];
};

struct sql_thread {
    struct sql_pool *pool;
    pthread_t thread;
    struct sql_leave leave;
    struct sql_job *job; /* Under way; NULL: none. */
};

struct sql_pool {
    struct sql_config config;
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct sql_thread **thread;
    size_t thread_count, waiting_threads;
    struct text_map places;         /* By key. */
    struct sql_place *first, *last; /* Places with waiting jobs, in turn. */
    size_t unfinished;              /* Jobs. */
    size_t queued;                  /* Jobs that wait. */
    bool stopping;
};

/* ---- places ---- */

static struct sql_place *find_place(struct sql_pool *pool, struct sql_job *job, str uri, enum sql_kind kind)
{
    /* SQLite has a single writer, and a session of a reader cannot write. */
    bool reads = kind == SQL_SQLITE && job->read_only, writes = kind == SQL_SQLITE && !job->read_only;
    str key = arena_printf(job->job->arena, "%c%.*s", reads ? 'r' : 'w', STR_ARG(uri));
    struct sql_place *place = text_map_get(&pool->places, key);
    if (place) return place;
    place = calloc(1, sizeof *place + key.n);
    must(place);
    memcpy(place->text, key.p, key.n);
    place->key = (str){ place->text, key.n };
    place->uri = str_slice(place->key, 1, key.n);
    place->driver = kind == SQL_SQLITE ? &sql_sqlite : &sql_postgres;
    place->sessions_max = writes ? 1 : pool->config.sessions_max;
    text_map_put(&pool->places, place->key, place);
    return place;
}

static void release_place(struct sql_pool *pool, struct sql_place *place)
{
    if (place->running_count || place->first || place->idle || place->listed) return;
    text_map_take(&pool->places, place->key);
    free(place);
}

static void list_place(struct sql_pool *pool, struct sql_place *place)
{
    if (place->listed || !place->first) return;
    place->listed = true;
    list_append(pool, place, next);
}

static int32_t priority_of(const struct sql_job *job) { return job->job->priority; }

/* The place whose first job comes next, or NULL. Places whose first jobs have the same priority take turns.
 */
static struct sql_place *next_place(const struct sql_pool *pool)
{
    struct sql_place *best = NULL;
    for (struct sql_place *place = pool->first; place; place = place->next) {
        if (place->running_count == place->sessions_max) continue;
        if (!best || priority_of(place->first) > priority_of(best->first)) best = place;
    }
    return best;
}

/* The next job that may run, or NULL. Its place goes to the end of the list. */
static struct sql_job *take_job(struct sql_pool *pool)
{
    struct sql_place *place = next_place(pool);
    if (!place) return NULL;
    list_remove(pool, place, next);
    place->listed = false;
    struct sql_job *job = place->first;
    list_drop_first(place, next);
    place->running_count++;
    place->queued_count--;
    pool->queued--;
    list_place(pool, place);
    return job;
}

/* ---- sessions ---- */

/* Takes sessions that have been idle for `idle_ms` out of all places; the caller closes them. */
static struct idle_session *take_old_sessions(struct sql_pool *pool, int64_t idle_ms)
{
    struct idle_session *old = NULL;
    int64_t before_us = clock_monotonic_us() - idle_ms * 1000;
    struct sql_place *place;
    for (size_t at = 0; (place = text_map_next(&pool->places, &at)) != NULL;) {
        for (struct idle_session **link = &place->idle; *link;) {
            struct idle_session *idle = *link;
            if (idle->since_us > before_us) {
                link = &idle->next;
                continue;
            }
            *link = idle->next;
            idle->next = old;
            old = idle;
        }
    }
    return old;
}

/* Frees places that nothing uses any more. The map must not change while it is walked. */
static void release_places(struct sql_pool *pool)
{
    struct sql_place *place, *unused;
    do {
        unused = NULL;
        for (size_t at = 0; !unused && (place = text_map_next(&pool->places, &at)) != NULL;)
            if (!place->running_count && !place->first && !place->idle) unused = place;
        if (unused) release_place(pool, unused);
    } while (unused);
}

static void close_sessions(struct idle_session *list)
{
    while (list) {
        struct idle_session *idle = list;
        list = idle->next;
        idle->driver->close(idle->session);
        free(idle);
    }
}

static void *take_session(struct sql_pool *pool, struct sql_place *place)
{
    pthread_mutex_lock(&pool->lock);
    struct idle_session *idle = place->idle;
    if (idle) place->idle = idle->next;
    pthread_mutex_unlock(&pool->lock);
    void *session = idle ? idle->session : NULL;
    free(idle);
    return session;
}

/* A server that lost one session has lost the others, too. */
static void drop_sessions(struct sql_pool *pool, struct sql_place *place)
{
    pthread_mutex_lock(&pool->lock);
    struct idle_session *all = place->idle;
    place->idle = NULL;
    pthread_mutex_unlock(&pool->lock);
    close_sessions(all);
}

/* ---- a job ---- */

/* Runs the job in some session of its place. A kept session may have died while it was idle: then nothing
 * was sent, and a new one is opened. */
static enum sql_end run_job(struct sql_pool *pool, struct sql_job *job, void **ret_session)
{
    struct sql_place *place = job->place;
    const struct sql_driver *driver = place->driver;
    for (;;) {
        bool usable = false;
        void *session = take_session(pool, place);
        bool fresh = !session;
        enum sql_end end = session ? SQL_DONE : driver->open(place->uri, job, &session);
        if (end != SQL_DONE) return end;
        end = driver->run(session, job, &usable);
        if (usable) {
            *ret_session = session;
            return end;
        }
        driver->close(session);
        drop_sessions(pool, place);
        if (end != SQL_STALE) return end;
        if (fresh) return sql_fail(job, SQL_ERROR_CONNECTION, "the server closed the connection at once");
    }
}

static void finish(struct sql_pool *pool, struct sql_job *job, enum sql_end end)
{
    struct engine_job *engine_job = job->job;
    engine_job->end = end == SQL_DONE     ? ENGINE_JOB_COMPLETED
                      : end == SQL_FAILED ? ENGINE_JOB_FAILED
                                          : ENGINE_JOB_BROKEN_OFF;
    pthread_mutex_lock(&pool->lock);
    pool->unfinished--;
    pthread_mutex_unlock(&pool->lock);
    engine_job->done(engine_job);
}

/* Puts the session back, or closes it. */
static void keep_session(struct sql_thread *thread, struct sql_place *place, void *session)
{
    struct sql_pool *pool = thread->pool;
    bool kept = session && place->driver->reset(session, &thread->leave);
    struct idle_session *idle = kept ? malloc(sizeof *idle) : NULL;
    must(!kept || idle);
    if (session && !kept) place->driver->close(session);
    pthread_mutex_lock(&pool->lock);
    if (kept) {
        *idle = (struct idle_session){ session, place->driver, clock_monotonic_us(), place->idle };
        place->idle = idle;
    }
    place->running_count--;
    release_place(pool, place);
    /* Another thread may wait for this place. */
    if (pool->queued) pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->lock);
}

static void work_on(struct sql_thread *thread, struct sql_job *job)
{
    struct sql_pool *pool = thread->pool;
    struct sql_place *place = job->place;
    void *session = NULL;
    job->deadline_us = clock_monotonic_us() + job->timeout_ms * 1000;
    enum sql_end end = run_job(pool, job, &session);
    pthread_mutex_lock(&pool->lock);
    thread->job = NULL; /* From now on nobody cancels it. */
    pthread_mutex_unlock(&pool->lock);
    finish(pool, job, end);
    keep_session(thread, place, session);
}

/* ---- threads ---- */

static void leave_now(struct sql_leave *leave)
{
    uint64_t one = 1;
    atomic_store(&leave->now, true);
    ssize_t written = write(leave->fd, &one, sizeof one);
    (void)written;
}

/* For the next job, unless everything stops. */
static void stay(struct sql_leave *leave)
{
    uint64_t count;
    atomic_store(&leave->now, false);
    ssize_t got = read(leave->fd, &count, sizeof count);
    (void)got;
}

/* Waits for work, a while; the lock is held. */
static void wait_for_work(struct sql_pool *pool)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += LOOK_MS / 1000;
    pool->waiting_threads++;
    pthread_cond_timedwait(&pool->work, &pool->lock, &until);
    pool->waiting_threads--;
    struct idle_session *old = take_old_sessions(pool, pool->config.idle_ms);
    if (!old) return;
    pthread_mutex_unlock(&pool->lock);
    close_sessions(old);
    pthread_mutex_lock(&pool->lock);
    release_places(pool);
}

static void *work(void *context)
{
    struct sql_thread *thread = context;
    struct sql_pool *pool = thread->pool;
    thread_name("databases");
    pthread_mutex_lock(&pool->lock);
    while (!pool->stopping) {
        struct sql_job *job = take_job(pool);
        if (!job) {
            wait_for_work(pool);
            continue;
        }
        stay(&thread->leave);
        thread->job = job;
        job->leave = &thread->leave;
        pthread_mutex_unlock(&pool->lock);
        work_on(thread, job);
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* The thread takes no signals: they are for the other threads. */
static void add_thread(struct sql_pool *pool)
{
    sigset_t all, before;
    struct sql_thread *thread = calloc(1, sizeof *thread);
    must(thread);
    thread->pool = pool;
    thread->leave.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool made = thread->leave.fd >= 0 && pthread_create(&thread->thread, NULL, work, thread) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (made) {
        pool->thread[pool->thread_count++] = thread;
    } else {
        /* The threads that are there do the work. */
        must(pool->thread_count);
        if (thread->leave.fd >= 0) close(thread->leave.fd);
        free(thread);
    }
}

/* ---- for the performer ---- */

struct sql_pool *sql_pool_new(const struct sql_config *config)
{
    must(config->jobs_max && config->threads_max && config->sessions_max && config->timeout_ms > 0);
    struct sql_pool *pool = calloc(1, sizeof *pool);
    must(pool);
    pool->config = *config;
    pool->thread = calloc(config->threads_max, sizeof *pool->thread);
    must(pool->thread);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&pool->work, &monotonic);
    pthread_condattr_destroy(&monotonic);
    text_map_init(&pool->places);
    return pool;
}

void sql_pool_submit(struct sql_pool *pool, struct sql_job *job, str uri, enum sql_kind kind)
{
    pthread_mutex_lock(&pool->lock);
    must(!pool->stopping);
    struct sql_place *place = find_place(pool, job, uri, kind);
    job->place = place;
    list_insert_by(place, job, next, priority_of);
    place->queued_count++;
    pool->unfinished++;
    pool->queued++;
    list_place(pool, place);
    bool may_run = place->running_count + place->queued_count <= place->sessions_max;
    if (may_run && pool->queued > pool->waiting_threads && pool->thread_count < pool->config.threads_max)
        add_thread(pool);
    pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->lock);
}

/* The job of an engine job that waits, out of its queue; NULL: none. */
static struct sql_job *take_waiting(struct sql_pool *pool, const struct engine_job *engine_job)
{
    for (struct sql_place *place = pool->first; place; place = place->next)
        for (struct sql_job *job = place->first; job; job = job->next) {
            if (job->job != engine_job) continue;
            list_remove(place, job, next);
            place->queued_count--;
            pool->queued--;
            if (place->first) return job;
            list_remove(pool, place, next);
            place->listed = false;
            release_place(pool, place);
            return job;
        }
    return NULL;
}

void sql_pool_cancel(struct sql_pool *pool, struct engine_job *engine_job)
{
    pthread_mutex_lock(&pool->lock);
    for (size_t i = 0; i < pool->thread_count; i++) {
        struct sql_thread *thread = pool->thread[i];
        if (thread->job && thread->job->job == engine_job) leave_now(&thread->leave);
    }
    struct sql_job *waiting = take_waiting(pool, engine_job);
    pthread_mutex_unlock(&pool->lock);
    if (waiting) finish(pool, waiting, SQL_LEFT);
}

size_t sql_pool_room(struct sql_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    size_t room = pool->unfinished < pool->config.jobs_max ? pool->config.jobs_max - pool->unfinished : 0;
    pthread_mutex_unlock(&pool->lock);
    return room;
}

void sql_pool_stop(struct sql_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->stopping = true;
    for (size_t i = 0; i < pool->thread_count; i++) leave_now(&pool->thread[i]->leave);
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (size_t i = 0; i < pool->thread_count; i++) {
        pthread_join(pool->thread[i]->thread, NULL);
        close(pool->thread[i]->leave.fd);
        free(pool->thread[i]);
    }
    while (pool->first) finish(pool, take_waiting(pool, pool->first->first->job), SQL_LEFT);
    close_sessions(take_old_sessions(pool, 0));
    release_places(pool);
    text_map_done(&pool->places);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    free(pool->thread);
    free(pool);
}
