/* From a job in the queue to its answer: a runtime on a memory store, calls to a server on this
 * machine, and a clock that is turned by hand. The test's thread is the one that owns the worker. */
#include "server.h"

#include "documents.h"
#include "perform/http_performer.h"
#include "store/store_int.h"

enum { LEASE_MS = 60 * 1000 };

/* A call to the runtime, with its own memory. */
struct asked {
    struct arena arena;
    struct call *call;
    bool done;
    struct asked *older;
};

/* A performer whose jobs the test ends by hand. */
struct fake {
    struct engine_job *job; /* The last one that was started. */
    size_t room, started, cancelled, stopped;
    bool at_once; /* Ends jobs inside `start`. */
};

struct rig {
    struct server server;
    struct store *store;
    struct runtime *runtime;
    struct runtime_client *client;
    struct engine_worker *worker;
    struct outcalls_config outcalls;
    struct fake fake[2];
    _Atomic int64_t now_ms;
    sem_t woken; /* The runtime, the worker or the server have something new. */
    struct asked *newest;
    int64_t patience_ends_us;
};

/* ---- the rig ---- */

static int64_t hand_clock(void *context) { return atomic_load(&((struct rig *)context)->now_ms); }
static void wake(void *context) { sem_post(&((struct rig *)context)->woken); }

static void open_runtime(struct rig *rig)
{
    const struct runtime_config config = { .store = rig->store,
                                           .clock = { hand_clock, rig },
                                           .limits = limits_default() };
    struct error err;
    if (runtime_new(&config, &rig->runtime, &err) != ST_OK) fail_msg("%s", err.message);
    rig->client = runtime_client_new(rig->runtime,
                                     &(struct runtime_client_config){ .wake = wake, .wake_context = rig });
}

/* A worker without performers. */
static void new_worker(struct rig *rig)
{
    const struct worker_config config = {
        .client = rig->client, .clock = { hand_clock, rig }, .wake = wake, .wake_context = rig
    };
    rig->worker = worker_new(&config);
}

static void open_worker(struct rig *rig)
{
    new_worker(rig);
    http_performer_add(rig->worker, &rig->outcalls);
}

static void be_patient(struct rig *rig)
{
    rig->patience_ends_us = clock_monotonic_us() + PATIENCE_S * 1000000LL;
}

static int setup(void **state)
{
    struct rig *rig = calloc(1, sizeof *rig);
    struct error err;
    sem_init(&rig->woken, 0, 0);
    atomic_store(&rig->now_ms, 1767225600000); /* 2026-01-01T00:00:00Z */
    rig->outcalls = local_config();
    be_patient(rig);
    server_start(&rig->server);
    rig->server.bell = &rig->woken;
    if (store_open_memory(&rig->store, &err) != ST_OK) fail_msg("%s", err.message);
    open_runtime(rig);
    *state = rig;
    return 0;
}

/* The owner's work whenever it was woken. */
static void drive(struct rig *rig)
{
    wait_for(&rig->woken);
    if (clock_monotonic_us() > rig->patience_ends_us) fail_msg("much happens, but not what should");
    runtime_deliver(rig->client);
    if (rig->worker) worker_deliver(rig->worker);
}

/* Waits for something the server does. */
static void await(struct rig *rig, sem_t *semaphore)
{
    while (sem_trywait(semaphore) != 0) drive(rig);
}

static void close_worker(struct rig *rig)
{
    if (!rig->worker) return;
    worker_stop(rig->worker);
    while (!worker_idle(rig->worker)) drive(rig);
    worker_free(rig->worker);
    rig->worker = NULL;
}

static void close_runtime(struct rig *rig)
{
    runtime_drain(rig->runtime);
    close_worker(rig);
    runtime_client_free(rig->client);
    runtime_free(rig->runtime);
    rig->runtime = NULL;
}

static int teardown(void **state)
{
    struct rig *rig = *state;
    be_patient(rig);
    close_runtime(rig);
    store_close(rig->store);
    server_stop(&rig->server);
    for (struct asked *asked; (asked = rig->newest) != NULL;) {
        rig->newest = asked->older;
        arena_done(&asked->arena);
        free(asked);
    }
    sem_destroy(&rig->woken);
    free(rig);
    return 0;
}

static void restart(struct rig *rig)
{
    close_runtime(rig);
    open_runtime(rig);
}

/* ---- calls to the runtime ---- */

static void answered(struct call *call) { ((struct asked *)call->user)->done = true; }

static struct call *ask(struct rig *rig, enum call_kind kind)
{
    struct asked *asked = calloc(1, sizeof *asked);
    arena_init(&asked->arena, 0);
    asked->older = rig->newest;
    rig->newest = asked;
    asked->call = call_new(kind, &asked->arena, answered, asked);
    asked->call->ns = NAMESPACE_DEFAULT;
    return asked->call;
}

static void submit(struct rig *rig, struct call *call)
{
    assert_int_equal(runtime_submit(rig->client, call), ST_OK);
}

static struct call *finish(struct rig *rig, struct call *call)
{
    const struct asked *asked = call->user;
    while (!asked->done) drive(rig);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    return call;
}

static struct call *run(struct rig *rig, struct call *call)
{
    submit(rig, call);
    return finish(rig, call);
}

static void replace(struct arena *arena, str *text, const char *mark, const char *by)
{
    size_t at = str_find(*text, str_of(mark), 0);
    assert_int_not_equal(at, SIZE_MAX);
    *text = arena_printf(arena, "%.*s%s%.*s", (int)at, text->p, by,
                         STR_ARG(str_slice(*text, at + strlen(mark), text->n)));
}

/* A workflow of that name with one call. */
static void deploy(struct rig *rig, const char *name, const char *type, const char *path,
                   const char *parameters)
{
    struct call *call = ask(rig, CALL_DEPLOY);
    str url = arena_printf(call->arena, "http://127.0.0.1:%u%s", rig->server.port, path);
    call->as.deploy.text = str_of(document("perform/worker", "one call"));
    replace(call->arena, &call->as.deploy.text, "@NAME", name);
    replace(call->arena, &call->as.deploy.text, "@URL", url.p);
    replace(call->arena, &call->as.deploy.text, "@TYPE", type);
    replace(call->arena, &call->as.deploy.text, "\"@PARAMETERS\"", parameters);
    run(rig, call);
}

/* Asks for the start of an instance; `waits`: the answer is the instance at its end. */
static struct call *start(struct rig *rig, const char *name, bool waits)
{
    struct call *call = ask(rig, CALL_START);
    call->as.start.definition_id = str_of(name);
    struct error err;
    assert_int_equal(json_parse(STR("{\"n\":1}"), NULL, call->arena, &call->as.start.data, &err), ST_OK);
    call->as.start.wait_ms = waits ? 3600 * 1000 : 0;
    submit(rig, call);
    return call;
}

static const struct instance_view *started(struct rig *rig, const char *name)
{
    return finish(rig, start(rig, name, false))->value.instances.view;
}

static const struct instance_view *ended(struct rig *rig, const char *name)
{
    return finish(rig, start(rig, name, true))->value.instances.view;
}

static const struct instance_view *instance(struct rig *rig, const struct instance_view *known)
{
    struct call *call = ask(rig, CALL_GET_INSTANCE);
    call->as.read.id = instance_view_id(known);
    return run(rig, call)->value.instances.view;
}

static const struct call *jobs(struct rig *rig)
{
    struct call *call = ask(rig, CALL_LIST_JOBS);
    call->as.jobs.max = 10;
    return run(rig, call);
}

/* The engine looks at the clock when it is asked something. */
static void advance(struct rig *rig, int64_t ms)
{
    atomic_fetch_add(&rig->now_ms, ms);
    jobs(rig);
}

static const char *text_at(struct rig *rig, const struct json *value, const char *pointer)
{
    struct arena *arena = &rig->newest->arena; /* That of the last answer. */
    const struct json *part = json_pointer(value, str_of(pointer));
    struct buf out;
    if (!part) return "nothing";
    buf_init(&out, arena);
    json_print(part, &out);
    return arena_str(arena, buf_str(&out)).p;
}

/* ---- any performer ---- */

static void fake_end(struct fake *fake, enum engine_job_end end)
{
    struct engine_job *job = fake->job;
    fake->job = NULL;
    job->end = end;
    job->value = json_of_string(job->arena, STR("did it"));
    job->error = json_set(job->arena, json_empty_object(), STR("message"), job->value);
    job->done(job);
}

static void fake_start(void *self, struct engine_job *job)
{
    struct fake *fake = self;
    fake->job = job;
    fake->started++;
    fake->room--;
    if (fake->at_once) fake_end(fake, ENGINE_JOB_COMPLETED);
}

static void fake_cancel(void *self, struct engine_job *job)
{
    struct fake *fake = self;
    assert_ptr_equal(job, fake->job);
    fake->cancelled++;
    fake_end(fake, ENGINE_JOB_BROKEN_OFF);
}

static size_t fake_room(void *self) { return ((struct fake *)self)->room; }

static void fake_stop(void *self)
{
    struct fake *fake = self;
    fake->stopped++;
    if (fake->job) fake_end(fake, ENGINE_JOB_BROKEN_OFF);
}

static const struct perform_methods fake_http = { PERFORM_HTTP, fake_start, fake_cancel, fake_room,
                                                  fake_stop };
static const struct perform_methods fake_emit = { PERFORM_EMIT, fake_start, fake_cancel, fake_room,
                                                  fake_stop };

static void a_registered_performer_does_jobs_of_its_row(void **state)
{
    struct rig *rig = *state;
    struct fake *fake = &rig->fake[0];
    fake->room = 1;
    new_worker(rig);
    worker_add(rig->worker, &fake_http, fake);
    deploy(rig, "good", "GET", "/a", "{\"n\":\"$.n\"}");
    struct call *call = start(rig, "good", true);
    while (!fake->job) drive(rig);

    const struct engine_job *job = fake->job;
    assert_string_equal(text_at(rig, job->config, "/function"), "\"f\"");
    assert_string_equal(text_at(rig, job->config, "/type"), "\"GET\"");
    assert_string_equal(text_at(rig, job->input, ""), "{\"n\":1}");
    assert_int_equal(job->attempt, 1);
    assert_int_equal(job->timeout_ms, 0);
    assert_int_equal(job->now_ms, hand_clock(rig));
    assert_int_equal(job->traceparent.n, 55);
    const struct call *open = jobs(rig);
    assert_int_equal(open->value.jobs.count, 1);
    assert_int_equal(open->value.jobs.view[0].state, JOB_LOCKED);
    char instance[ID_CHARS + 1];
    id_print((struct id){ .ms = open->value.jobs.view[0].instance_created_ms,
                          .instance = open->value.jobs.view[0].instance },
             instance);
    assert_true(str_starts(job->idempotency_key, str_of(instance)));
    fake_end(fake, ENGINE_JOB_COMPLETED);
    const struct instance_view *view = finish(rig, call)->value.instances.view;
    assert_int_equal(view->status, INSTANCE_COMPLETED);
    assert_string_equal(text_at(rig, view->data, "/got"), "\"did it\"");
    close_worker(rig);
    assert_int_equal(fake->stopped, 1);
}

static void a_job_may_end_before_its_start_returns(void **state)
{
    struct rig *rig = *state;
    struct fake *fake = &rig->fake[0];
    *fake = (struct fake){ .room = 5, .at_once = true };
    new_worker(rig);
    worker_add(rig->worker, &fake_http, fake);
    deploy(rig, "good", "GET", "/a", "{}");
    assert_int_equal(ended(rig, "good")->status, INSTANCE_COMPLETED);
    assert_int_equal(ended(rig, "good")->status, INSTANCE_COMPLETED);
}

static void a_performer_without_room_holds_nobody_else_up(void **state)
{
    struct rig *rig = *state;
    struct fake *full = &rig->fake[0], *roomy = &rig->fake[1];
    *full = (struct fake){ .room = 0, .at_once = true };
    *roomy = (struct fake){ .room = 5, .at_once = true };
    new_worker(rig);
    worker_add(rig->worker, &fake_http, full);
    worker_add(rig->worker, &fake_emit, roomy);
    deploy(rig, "slow", "GET", "/a", "{}");
    deploy(rig, "quick", "emit", "/b", "{}");
    struct call *slow = start(rig, "slow", true);
    for (int i = 0; i < 3; i++) assert_int_equal(ended(rig, "quick")->status, INSTANCE_COMPLETED);
    assert_int_equal(full->started, 0);
    assert_int_equal(jobs(rig)->value.jobs.view[0].state, JOB_UNLOCKED);

    full->room = 1;
    worker_deliver(rig->worker);
    assert_int_equal(finish(rig, slow)->value.instances.view->status, INSTANCE_COMPLETED);
    assert_int_equal(full->started, 1);
}

/* A performer with room for one job, all of whose jobs wait. */
struct crowd {
    struct engine_job *job[4];
    size_t count;
};

static void crowd_start(void *self, struct engine_job *job)
{
    struct crowd *crowd = self;
    assert_true(crowd->count < COUNT(crowd->job));
    crowd->job[crowd->count++] = job;
}

static void crowd_cancel(void *self, struct engine_job *job) { (void)self, (void)job; }
static size_t crowd_room(void *self) { return ((struct crowd *)self)->count ? 0 : 1; }

static void crowd_stop(void *self)
{
    struct crowd *crowd = self;
    for (size_t i = 0; i < crowd->count; i++) {
        crowd->job[i]->end = ENGINE_JOB_BROKEN_OFF;
        crowd->job[i]->done(crowd->job[i]);
    }
}

static void deploy_graph(struct rig *rig, const char *name, int priority)
{
    struct call *call = ask(rig, CALL_DEPLOY);
    call->as.deploy.text = str_of(document("perform/worker", "a graph with a priority"));
    replace(call->arena, &call->as.deploy.text, "@NAME", name);
    replace(call->arena, &call->as.deploy.text, "\"@PRIORITY\"", arena_printf(call->arena, "%d", priority).p);
    run(rig, call);
}

static void urgent_jobs_overtake_those_that_fill_a_performer(void **state)
{
    static const struct perform_methods methods = { PERFORM_HTTP, crowd_start, crowd_cancel,
                                                    crowd_room,   crowd_stop,  true };
    struct rig *rig = *state;
    static struct crowd crowd; /* Until the rig is closed. */
    new_worker(rig);
    worker_add(rig->worker, &methods, &crowd);
    deploy_graph(rig, "usual", 4);
    deploy_graph(rig, "urgent", 8);
    started(rig, "usual");
    while (crowd.count < 1) drive(rig);
    started(rig, "usual");
    started(rig, "urgent");
    while (crowd.count < 2) drive(rig);
    assert_int_equal(crowd.job[0]->priority, 4);
    assert_int_equal(crowd.job[1]->priority, 8);
    started(rig, "usual");
    started(rig, "urgent");
    while (crowd.count < 3) drive(rig);
    assert_int_equal(crowd.job[2]->priority, 8);
}

static void a_job_that_was_closed_meanwhile_is_cancelled(void **state)
{
    struct rig *rig = *state;
    struct fake *fake = &rig->fake[0];
    fake->room = 1;
    new_worker(rig);
    worker_add(rig->worker, &fake_http, fake);
    deploy(rig, "gone", "GET", "/a", "{}");
    const struct instance_view *view = started(rig, "gone");
    while (!fake->job) drive(rig);
    struct call *cancel = ask(rig, CALL_CANCEL);
    cancel->as.instance.id = instance_view_id(view);
    run(rig, cancel);
    advance(rig, LEASE_MS / 2 + 1);
    worker_deliver(rig->worker);
    while (!fake->cancelled) drive(rig);
    assert_int_equal(fake->cancelled, 1);
}

/* ---- answers ---- */

static void a_call_completes_its_job(void **state)
{
    struct rig *rig = *state;
    open_worker(rig);
    deploy(rig, "good", "http", "/json/200", "{\"n\":\"$.n\"}");
    const struct instance_view *view = ended(rig, "good");
    assert_int_equal(view->status, INSTANCE_COMPLETED);
    assert_string_equal(text_at(rig, view->data, "/got/sent"), "{\"n\":1}");
    /* The key begins with the instance. */
    char id[ID_CHARS + 1];
    id_print(instance_view_id(view), id);
    assert_memory_equal(text_at(rig, view->data, "/got/key") + 1, id, ID_CHARS);
    assert_int_equal(jobs(rig)->value.jobs.count, 0);
}

static void an_event_that_is_accepted_completes_its_job(void **state)
{
    struct rig *rig = *state;
    open_worker(rig);
    deploy(rig, "emit", "emit", "/json/202", "{\"type\":\"t\",\"source\":\"/s\",\"data\":\"$.n\"}");
    const struct instance_view *view = ended(rig, "emit");
    assert_int_equal(view->status, INSTANCE_COMPLETED);
    assert_int_equal(metric_get(&runtime_metrics(rig->runtime)->jobs_taken[PERFORM_EMIT]), 1);
}

static void a_call_that_fails_fails_its_job(void **state)
{
    static const struct {
        const char *path, *name, *pointer, *want;
        bool called;
    } cases[] = {
        { "/json/503", "\"FunctionExecutionException\"", "/data/status", "503", true },
        { "/json/404", "\"FunctionExecutionException\"", "/data/body/sent/n", "1", true },
        { "/close", "\"FunctionExecutionException\"", "/data/reason", "\"connectionFailed\"", true },
        { "/{missing}", "\"FunctionExecutionException\"", "/data/reason", "\"missingParameter\"", false },
    };
    struct rig *rig = *state;
    open_worker(rig);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char name[8];
        snprintf(name, sizeof name, "bad-%zu", i);
        deploy(rig, name, "http", cases[i].path, "{\"n\":\"$.n\"}");
        int connections = atomic_load(&rig->server.connections);
        const struct instance_view *view = ended(rig, name);
        assert_int_equal(view->status, INSTANCE_FAILED);
        assert_string_equal(text_at(rig, view->error, "/name"), cases[i].name);
        assert_string_equal(text_at(rig, view->error, cases[i].pointer), cases[i].want);
        assert_string_not_equal(text_at(rig, view->error, "/message"), "\"\"");
        if (!cases[i].called) assert_int_equal(atomic_load(&rig->server.connections), connections);
        assert_int_equal(jobs(rig)->value.jobs.count, 0);
    }
}

static void an_address_that_is_not_allowed_fails_the_job(void **state)
{
    struct rig *rig = *state;
    rig->outcalls.reach.all = false;
    open_worker(rig);
    deploy(rig, "inside", "http", "/json/200", "{}");
    const struct instance_view *view = ended(rig, "inside");
    assert_int_equal(view->status, INSTANCE_FAILED);
    assert_string_equal(text_at(rig, view->error, "/data/reason"), "\"addressNotAllowed\"");
    assert_int_equal(atomic_load(&rig->server.connections), 0);
}

/* ---- several ---- */

static void two_jobs_are_done_at_once(void **state)
{
    struct rig *rig = *state;
    open_worker(rig);
    deploy(rig, "wait", "http", "/wait", "{}");
    struct call *one = start(rig, "wait", true), *two = start(rig, "wait", true);
    await(rig, &rig->server.held);
    await(rig, &rig->server.held);
    const struct call *open = jobs(rig);
    assert_int_equal(open->value.jobs.count, 2);
    for (size_t i = 0; i < open->value.jobs.count; i++)
        assert_int_equal(open->value.jobs.view[i].state, JOB_LOCKED);
    sem_post(&rig->server.go);
    sem_post(&rig->server.go);
    assert_int_equal(finish(rig, one)->value.instances.view->status, INSTANCE_COMPLETED);
    assert_int_equal(finish(rig, two)->value.instances.view->status, INSTANCE_COMPLETED);
}

static void no_more_jobs_are_taken_than_can_be_done(void **state)
{
    struct rig *rig = *state;
    rig->outcalls.calls_max = 1;
    open_worker(rig);
    deploy(rig, "wait", "http", "/wait", "{}");
    struct call *one = start(rig, "wait", true), *two = start(rig, "wait", true);
    await(rig, &rig->server.held);
    const struct call *open = jobs(rig);
    assert_int_equal(open->value.jobs.count, 2);
    assert_int_equal(open->value.jobs.view[0].state, JOB_LOCKED);
    assert_int_equal(open->value.jobs.view[1].state, JOB_UNLOCKED);
    sem_post(&rig->server.go);
    finish(rig, one);
    await(rig, &rig->server.held);
    sem_post(&rig->server.go);
    finish(rig, two);
}

/* Both are done by the same thread, but each has room of its own. */
static void functions_that_use_up_their_room_do_not_hold_up_events(void **state)
{
    struct rig *rig = *state;
    rig->outcalls.calls_max = 1;
    open_worker(rig);
    deploy(rig, "wait", "http", "/wait", "{}");
    deploy(rig, "emit", "emit", "/json/202", "{}");
    struct call *waiting = start(rig, "wait", true);
    await(rig, &rig->server.held);
    for (int i = 0; i < 3; i++) assert_int_equal(ended(rig, "emit")->status, INSTANCE_COMPLETED);
    sem_post(&rig->server.go);
    assert_int_equal(finish(rig, waiting)->value.instances.view->status, INSTANCE_COMPLETED);
}

/* ---- leases ---- */

/* Calls of performers and of clients take turns, so the list may come before the lease is prolonged. */
static void await_lease(struct rig *rig, int64_t until_ms)
{
    while (jobs(rig)->value.jobs.view[0].lock_expires_ms != until_ms) worker_deliver(rig->worker);
}

static void the_lease_of_a_long_call_is_prolonged(void **state)
{
    struct rig *rig = *state;
    open_worker(rig);
    deploy(rig, "wait", "http", "/wait", "{}");
    struct call *waiting = start(rig, "wait", true);
    await(rig, &rig->server.held);
    for (int i = 0; i < 4; i++) {
        int64_t now_ms = hand_clock(rig);
        await_lease(rig, now_ms + LEASE_MS);
        advance(rig, LEASE_MS / 2 + 1);
        worker_deliver(rig->worker);
    }
    assert_int_equal(jobs(rig)->value.jobs.count, 1);
    sem_post(&rig->server.go);
    assert_int_equal(finish(rig, waiting)->value.instances.view->status, INSTANCE_COMPLETED);
}

static void a_call_that_nobody_wants_any_more_is_broken_off(void **state)
{
    struct rig *rig = *state;
    open_worker(rig);
    deploy(rig, "hold", "http", "/hold", "{}");
    const struct instance_view *view = started(rig, "hold");
    await(rig, &rig->server.held);
    struct call *cancel = ask(rig, CALL_CANCEL);
    cancel->as.instance.id = instance_view_id(view);
    run(rig, cancel);
    advance(rig, LEASE_MS / 2 + 1);
    worker_deliver(rig->worker);
    await(rig, &rig->server.left);
    assert_int_equal(instance(rig, view)->status, INSTANCE_CANCELLED);
}

/* ---- stopping ---- */

static void a_stop_leaves_the_job_open_and_it_is_offered_again(void **state)
{
    struct rig *rig = *state;
    open_worker(rig);
    deploy(rig, "once", "http", "/hold-once", "{}");
    struct call *waiting = start(rig, "once", true);
    await(rig, &rig->server.held);

    worker_stop(rig->worker);
    advance(rig, LEASE_MS / 2); /* For the poll that waits. */
    close_worker(rig);
    await(rig, &rig->server.left);
    const struct call *open = jobs(rig);
    assert_int_equal(open->value.jobs.count, 1);
    assert_int_equal(open->value.jobs.view[0].state, JOB_LOCKED);
    assert_int_equal(open->value.jobs.view[0].attempt, 1);

    open_worker(rig);
    assert_int_equal(jobs(rig)->value.jobs.view[0].state, JOB_LOCKED);
    advance(rig, LEASE_MS);
    const struct instance_view *view = finish(rig, waiting)->value.instances.view;
    assert_int_equal(view->status, INSTANCE_COMPLETED);
    char key[sizeof rig->server.held_key + 2];
    snprintf(key, sizeof key, "\"%s\"", rig->server.held_key);
    assert_string_equal(text_at(rig, view->data, "/got/key"), key);
}

static void draining_takes_no_more_and_finishes_what_it_has(void **state)
{
    struct rig *rig = *state;
    open_worker(rig);
    deploy(rig, "wait", "http", "/wait", "{}");
    struct call *one = start(rig, "wait", true);
    await(rig, &rig->server.held);
    worker_drain(rig->worker);
    started(rig, "wait"); /* For the poll that was under way. */
    sem_post(&rig->server.go);
    assert_int_equal(finish(rig, one)->value.instances.view->status, INSTANCE_COMPLETED);
    assert_int_equal(jobs(rig)->value.jobs.count, 1);
    sem_post(&rig->server.go);
    jobs(rig);
    assert_int_equal(jobs(rig)->value.jobs.count, 1);
    assert_int_not_equal(sem_trywait(&rig->server.held), 0);
}

/* The answer is there and the runtime takes nothing any more: the call is made again. */
static void an_answer_that_cannot_be_handed_on_is_not_lost_for_good(void **state)
{
    struct rig *rig = *state;
    open_worker(rig);
    deploy(rig, "wait", "http", "/wait", "{}");
    const struct instance_view *view = started(rig, "wait");
    await(rig, &rig->server.held);
    runtime_drain(rig->runtime);
    sem_post(&rig->server.go);
    drive(rig);
    restart(rig);
    assert_int_equal(instance(rig, view)->status, INSTANCE_ACTIVE);
    assert_int_equal(jobs(rig)->value.jobs.view[0].state, JOB_UNLOCKED);

    open_worker(rig);
    await(rig, &rig->server.held);
    sem_post(&rig->server.go);
    struct call *watch = ask(rig, CALL_WATCH);
    watch->as.watch.id = instance_view_id(view);
    watch->as.watch.after = instance(rig, view)->revision;
    watch->as.watch.wait_ms = 1000;
    run(rig, watch);
    assert_int_equal(instance(rig, view)->status, INSTANCE_COMPLETED);
}

/* ---- a store that is away for a moment ---- */

static atomic_int failures_left;
static const struct store_ops *sound_ops;

static enum status fail_to_begin(struct store *store, struct error *err)
{
    if (atomic_load(&failures_left) <= 0) return sound_ops->begin(store, err);
    atomic_fetch_sub(&failures_left, 1);
    return (fail)(err, ST_STORE, "store", "it is away");
}

static void a_result_that_the_store_cannot_take_is_handed_on_again(void **state)
{
    struct rig *rig = *state;
    struct fake *fake = &rig->fake[0];
    static struct store_ops ops;
    ops = *rig->store->ops;
    fake->room = 1;
    new_worker(rig);
    worker_add(rig->worker, &fake_http, fake);
    deploy(rig, "good", "GET", "/a", "{\"n\":\"$.n\"}");
    struct call *call = start(rig, "good", true);
    while (!fake->job) drive(rig);
    sound_ops = rig->store->ops;
    ops.begin = fail_to_begin;
    rig->store->ops = &ops;
    atomic_store(&failures_left, 3);
    fake_end(fake, ENGINE_JOB_COMPLETED);
    const struct asked *asked = call->user;
    while (!asked->done) {
        sem_post(&rig->woken); /* The owner looks a few times per second. */
        drive(rig);
        atomic_fetch_add(&rig->now_ms, 1);
    }
    assert_int_equal(call->status, ST_OK);
    assert_int_equal(call->value.instances.view->status, INSTANCE_COMPLETED);
    assert_int_equal(atomic_load(&failures_left), 0);
    assert_int_equal(fake->started, 1);
    close_runtime(rig);
    rig->store->ops = sound_ops;
    open_runtime(rig);
}

static enum status fail_to_load(struct store *store, uint64_t id, struct arena *arena,
                                struct instance_row *ret_row, struct error *err)
{
    if (atomic_load(&failures_left) <= 0) return sound_ops->load_instance(store, id, arena, ret_row, err);
    atomic_fetch_sub(&failures_left, 1);
    return (fail)(err, ST_STORE, "store", "it is away");
}

/* A node of several reads the instance when it prolongs a lease. */
static void a_lease_that_cannot_be_prolonged_yet_is_prolonged_later(void **state)
{
    struct rig *rig = *state;
    struct store *whole = rig->store;
    struct error err;
    static struct store_ops ops;
    close_runtime(rig);
    assert_int_equal(store_join_memory(whole, &rig->store, &err), ST_OK);
    sound_ops = rig->store->ops;
    ops = *sound_ops;
    ops.load_instance = fail_to_load;
    rig->store->ops = &ops;
    open_runtime(rig);
    open_worker(rig);
    deploy(rig, "wait", "http", "/wait", "{}");
    struct call *waiting = start(rig, "wait", true);
    await(rig, &rig->server.held);
    atomic_store(&failures_left, 1);
    atomic_fetch_add(&rig->now_ms, LEASE_MS / 2 + 1);
    while (atomic_load(&failures_left)) {
        sem_post(&rig->woken);
        drive(rig);
    }
    int64_t ended_ms = jobs(rig)->value.jobs.view[0].lock_expires_ms;
    while (jobs(rig)->value.jobs.view[0].lock_expires_ms == ended_ms) {
        advance(rig, 100);
        worker_deliver(rig->worker);
    }
    assert_int_equal(jobs(rig)->value.jobs.count, 1);
    assert_true(hand_clock(rig) < ended_ms);
    sem_post(&rig->server.go);
    assert_int_equal(finish(rig, waiting)->value.instances.view->status, INSTANCE_COMPLETED);
    close_runtime(rig);
    rig->store->ops = sound_ops;
    store_close(rig->store);
    rig->store = whole;
    open_runtime(rig);
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(a_registered_performer_does_jobs_of_its_row),
        RIG_TEST(a_job_may_end_before_its_start_returns),
        RIG_TEST(a_performer_without_room_holds_nobody_else_up),
        RIG_TEST(urgent_jobs_overtake_those_that_fill_a_performer),
        RIG_TEST(a_job_that_was_closed_meanwhile_is_cancelled),
        RIG_TEST(a_call_completes_its_job),
        RIG_TEST(an_event_that_is_accepted_completes_its_job),
        RIG_TEST(a_call_that_fails_fails_its_job),
        RIG_TEST(an_address_that_is_not_allowed_fails_the_job),
        RIG_TEST(two_jobs_are_done_at_once),
        RIG_TEST(no_more_jobs_are_taken_than_can_be_done),
        RIG_TEST(functions_that_use_up_their_room_do_not_hold_up_events),
        RIG_TEST(the_lease_of_a_long_call_is_prolonged),
        RIG_TEST(a_call_that_nobody_wants_any_more_is_broken_off),
        RIG_TEST(a_stop_leaves_the_job_open_and_it_is_offered_again),
        RIG_TEST(draining_takes_no_more_and_finishes_what_it_has),
        RIG_TEST(an_answer_that_cannot_be_handed_on_is_not_lost_for_good),
        RIG_TEST(a_result_that_the_store_cannot_take_is_handed_on_again),
        RIG_TEST(a_lease_that_cannot_be_prolonged_yet_is_prolonged_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
