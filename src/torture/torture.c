/* torture/torture.c — the run, cycle after cycle.
 *
 *     begin ──► verify the books ──► load ──► the end, in the cycle's own way ──► check the store
 *       ▲                                                                             │
 *       └────────────────── sometimes killed while it recovers ◄──────────────────────┘
 *
 * A store lives for some cycles. Then its work is brought to its end, everything is verified once more, and a
 * new store begins. So a run of any length needs little disk space.
 */
#include "torture/torture_int.h"

#include "base/clock.h"
#include "base/log.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    KILL_ACKS_MIN = 20,
    KILL_ACKS_RANGE = 1500,
    CUT_SYNCS_RANGE = 120,
    CUT_WRITES_RANGE = 3000,
    FULL_LINGER_MS = 300,
    FULL_PAD_BYTES = 3000,
    PROBE_PAD_BYTES = 100000,
    SPACE_MIN_BYTES = 2 << 20,
    RESERVE_BYTES = 4 << 20,
    DRAIN_MS = 500,
    STEP_MS = 2,
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static int64_t elapsed_ms(const struct torture *torture)
{
    return (clock_monotonic_us() - torture->began_us) / 1000;
}

static void show_progress(struct torture *torture)
{
    const struct torture_config *config = torture->config;
    if (config->progress) config->progress(config->context, torture->report, elapsed_ms(torture));
}

/* ---- the engine's beginning and end ---- */

static bool begin_server(struct torture *torture, const struct frail_plan *plan)
{
    struct torture_report *report = torture->report;
    server_begin(&torture->server, torture->config, &torture->directory, plan);
    if (!server_await_ready(&torture->server)) return false;
    int64_t took_us = torture->server.ready_us - torture->server.began_us;
    report->restarts++;
    report->restart_total_us += took_us;
    if (took_us > report->restart_max_us) report->restart_max_us = took_us;
    return true;
}

static void find_end(struct torture *torture, int status)
{
    if (WIFSIGNALED(status)) torture_find(torture, "the engine was ended by signal %d", WTERMSIG(status));
    else torture_find(torture, "the engine ended by itself with exit code %d", WEXITSTATUS(status));
}

static bool begin_sound_server(struct torture *torture)
{
    if (begin_server(torture, &(struct frail_plan){ 0 })) return true;
    torture_find(torture, "the engine does not start");
    kill(torture->server.pid, SIGKILL);
    server_end(&torture->server);
    return false;
}

static void kill_server(struct torture *torture)
{
    kill(torture->server.pid, SIGKILL);
    torture->report->kills++;
    server_end(&torture->server);
}

static void stop_server(struct torture *torture)
{
    kill(torture->server.pid, SIGTERM);
    int status = server_end(&torture->server);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) find_end(torture, status);
}

static void kill_while_it_recovers(struct torture *torture)
{
    server_begin(&torture->server, torture->config, &torture->directory, &(struct frail_plan){ 0 });
    usleep((useconds_t)lot_draw(&torture->lot, 20000));
    kill_server(torture);
}

/* ---- the load ---- */

static struct load new_load(struct torture *torture)
{
    return (struct load){
        .torture = torture,
        .ledger = &torture->ledger,
        .port = torture->server.port,
        .run = torture->report->restarts,
        .victim = torture->server.pid,
        .starts = true,
        .faults = true,
        .live_max = TORTURE_LIVE_MAX,
    };
}

static void add_up(struct torture *torture, struct load *load)
{
    struct torture_report *report = torture->report;
    report->acknowledged += load->acknowledged;
    report->cut_off += load->cut_off;
    report->repeated += load->repeated;
    report->refused_full += load->refused_full;
}

/* Runs the load until the engine ends: true, and its exit status. False after too long, or when the user
 * interrupts the run. */
static bool run_until_end(struct torture *torture, struct load *load, int *ret_status)
{
    struct load_member members[TORTURE_MEMBERS_MAX];
    int64_t deadline_ms = elapsed_ms(torture) + TORTURE_CYCLE_MS_MAX;
    bool ended;
    load_begin(load, &torture->lot, members);
    while (!(ended = server_has_ended(&torture->server, ret_status)) && !interrupted &&
           elapsed_ms(torture) < deadline_ms) {
        show_progress(torture);
        usleep(STEP_MS * 1000);
    }
    if (!ended) kill_server(torture);
    load_join(load, members);
    add_up(torture, load);
    if (!ended && !interrupted && !load->acknowledged)
        torture_find(torture, "nothing was acknowledged in %d seconds", TORTURE_CYCLE_MS_MAX / 1000);
    return ended;
}

static void verify(struct torture *torture)
{
    size_t live;
    verify_books(torture, torture->server.port, &live);
}

/* ---- cycles ---- */

/* A cycle's plan follows from the seed and the cycle's number, so it does not depend on how long earlier
 * cycles took. */
static struct lot lot_of(const struct torture *torture, size_t cycle)
{
    struct lot seed = { torture->config->seed }, number = { cycle };
    return (struct lot){ lot_draw(&seed, 0) ^ lot_draw(&number, 0) };
}

static void run_kill(struct torture *torture)
{
    int status;
    if (!begin_sound_server(torture)) return;
    verify(torture);
    struct load load = new_load(torture);
    load.kill_at = KILL_ACKS_MIN + lot_draw(&torture->lot, KILL_ACKS_RANGE);
    if (!run_until_end(torture, &load, &status)) return;
    if (!load.killed || !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) find_end(torture, status);
    torture->report->kills++;
}

static void run_power(struct torture *torture)
{
    struct frail_plan plan = { .cut.kind = (enum cut_kind)lot_draw(&torture->lot, CUT_KIND_COUNT) };
    int status;
    plan.cut.seed = lot_draw(&torture->lot, 0);
    /* The engine may be killed while it starts; then the next cycle verifies the books. */
    plan.armed = lot_hits(&torture->lot, 25);
    if (lot_hits(&torture->lot, 60)) plan.cut_at_sync = 1 + lot_draw(&torture->lot, CUT_SYNCS_RANGE);
    else plan.cut_at_write = 1 + lot_draw(&torture->lot, CUT_WRITES_RANGE);

    bool ready = begin_server(torture, &plan), ended = false;
    if (!ready) {
        status = server_end(&torture->server);
        ended = true;
    } else {
        if (!plan.armed) verify(torture);
        kill(torture->server.pid, SIGUSR1);
        struct load load = new_load(torture);
        ended = run_until_end(torture, &load, &status);
    }
    if (!ended) return;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != POWER_GONE_EXIT) find_end(torture, status);
    torture->report->power_cuts++;
}

/* One after the other: starts work until it is refused, reads, cancels. */
static void probe_full(struct torture *torture, struct load *load, const char *instance)
{
    struct load_member member;
    int status = 201;
    load_member_init(&member, load, lot_split(&torture->lot));
    load->pad_bytes = PROBE_PAD_BYTES;
    for (int i = 0; i < TORTURE_PROBES_MAX && status == 201; i++) status = load_start(&member, 'l', NULL);
    if (status != 507)
        torture_find(torture, "on a full disk a start was answered with %d, not with 507", status);
    verify(torture);
    status = load_cancel(&member, instance);
    if (status / 100 != 2)
        torture_find(torture, "on a full disk a cancellation was answered with %d", status);
    load_member_done(&member);
}

static void fill_disk(struct torture *torture, struct load *load)
{
    struct load_member members[TORTURE_MEMBERS_MAX];
    int64_t deadline_ms = elapsed_ms(torture) + TORTURE_CYCLE_MS_MAX;
    int64_t linger_ms = (int64_t)lot_draw(&torture->lot, FULL_LINGER_MS);
    load_begin(load, &torture->lot, members);
    while (!load->refused_full && !interrupted && elapsed_ms(torture) < deadline_ms) {
        show_progress(torture);
        usleep(STEP_MS * 1000);
    }
    usleep((useconds_t)linger_ms * 1000);
    load_join(load, members);
}

static void start_one(struct torture *torture, struct load *load, char *ret_instance)
{
    struct load_member member;
    load_member_init(&member, load, lot_split(&torture->lot));
    int status = load_start(&member, 'q', ret_instance);
    if (status != 201) torture_find(torture, "on a disk with space a start was answered with %d", status);
    load_member_done(&member);
}

/* Space for the store's reserve, and some more. */
static uint64_t small_capacity(struct torture *torture)
{
    char reserve[sizeof torture->directory.store + 16];
    struct stat about;
    snprintf(reserve, sizeof reserve, "%s.reserve", torture->directory.store);
    uint64_t held = stat(reserve, &about) == 0 ? (uint64_t)about.st_size : 0;
    return frail_used(torture->directory.store) + (held < RESERVE_BYTES ? RESERVE_BYTES - held : 0) +
           SPACE_MIN_BYTES + lot_draw(&torture->lot, SPACE_MIN_BYTES);
}

static void run_full(struct torture *torture)
{
    struct frail_plan plan = { .capacity = small_capacity(torture) };
    char instance[ID_BYTES] = "";
    int status;
    if (!begin_server(torture, &plan)) {
        torture_find(torture, "the engine does not start on a small disk");
        kill_server(torture);
        return;
    }
    verify(torture);
    struct load load = new_load(torture);
    load.may_be_full = true;
    load.pad_bytes = FULL_PAD_BYTES;
    load.live_max = SIZE_MAX;
    start_one(torture, &load, instance);
    fill_disk(torture, &load);
    if (!interrupted) probe_full(torture, &load, instance);
    add_up(torture, &load);
    if (server_has_ended(&torture->server, &status)) find_end(torture, status);
    else if (lot_hits(&torture->lot, 50)) kill_server(torture);
    else stop_server(torture);

    if (interrupted || !begin_sound_server(torture)) return;
    load = new_load(torture);
    start_one(torture, &load, instance);
    add_up(torture, &load);
    stop_server(torture);
}

static void run_cycle(struct torture *torture, enum cycle_kind kind)
{
    static const struct {
        void (*run)(struct torture *torture);
        const char *what;
    } kinds[] = {
#define XX(NAME, word, what) [CYCLE_##NAME] = { run_##word, what },
        CYCLE_MAP(XX)
#undef XX
    };
    torture->before = torture->during;
    torture->during = kinds[kind].what;
    torture->lot = lot_of(torture, torture->cycle);
    if (lot_hits(&torture->lot, 25)) kill_while_it_recovers(torture);
    kinds[kind].run(torture);
    torture->report->cycles[kind]++;
    /* Not in every cycle: the check itself must not be what repairs the store. */
    if (lot_hits(&torture->lot, 50)) verify_store(torture);
}

/* ---- a store's life ---- */

static void begin_store(struct torture *torture)
{
    struct error err;
    torture->before = torture->during = "a new store";
    torture->store_found = false;
    torture->report->stores++;
    ledger_init(&torture->ledger);
    if (!begin_sound_server(torture)) return;
    if (load_deploy(torture->server.port, &err) != ST_OK)
        torture_find(torture, "definitions were refused: %s", err.message);
    stop_server(torture);
}

/* Brings all work to its end. */
static void drain(struct torture *torture)
{
    int64_t deadline_ms = elapsed_ms(torture) + PATIENCE_MS;
    size_t live;
    verify_books(torture, torture->server.port, &live);
    while (live && !interrupted && elapsed_ms(torture) < deadline_ms) {
        struct load_member members[TORTURE_MEMBERS_MAX];
        struct load load = new_load(torture);
        load.starts = load.faults = false;
        load_begin(&load, &torture->lot, members);
        int64_t until_ms = elapsed_ms(torture) + DRAIN_MS;
        while (ledger_live(&torture->ledger) && elapsed_ms(torture) < until_ms) usleep(STEP_MS * 1000);
        load_join(&load, members);
        add_up(torture, &load);
        verify_books(torture, torture->server.port, &live);
    }
    if (live && !interrupted) torture_find(torture, "%zu instances do not come to their end", live);
}

static void end_store(struct torture *torture)
{
    torture->before = torture->during;
    torture->during = "the end of a store";
    torture->lot = lot_of(torture, UINT32_MAX);
    if (!torture->store_found && begin_sound_server(torture)) {
        drain(torture);
        stop_server(torture);
        verify_store(torture);
    }
    ledger_done(&torture->ledger);
    if (torture->store_found) {
        directory_keep_files(&torture->directory);
        torture->report->kept = true;
    }
    directory_clear(&torture->directory);
}

/* Each kind once, then at random. */
static enum cycle_kind choose(struct torture *torture)
{
    if (torture->cycle < CYCLE_KIND_COUNT) return (enum cycle_kind)torture->cycle;
    struct lot plan = lot_of(torture, torture->cycle);
    uint64_t lot = lot_draw(&plan, 10);
    return lot < 5 ? CYCLE_KILL : lot < 8 ? CYCLE_POWER : CYCLE_FULL;
}

static void run_all(struct torture *torture)
{
    begin_store(torture);
    const int64_t duration_ms = torture->config->duration_ms;
    while (!interrupted && (torture->cycle < CYCLE_KIND_COUNT || elapsed_ms(torture) < duration_ms)) {
        run_cycle(torture, choose(torture));
        torture->cycle++;
        show_progress(torture);
        if (!torture->store_found && torture->ledger.started < TORTURE_STORE_INSTANCES_MAX) continue;
        end_store(torture);
        begin_store(torture);
    }
    end_store(torture);
}

enum status torture_run(const struct torture_config *config, struct torture_report *ret_report,
                        struct error *err)
{
    struct sigaction action = { .sa_handler = on_signal }, before_int, before_term;
    struct torture torture = {
        .config = config,
        .report = ret_report,
        .began_us = clock_monotonic_us(),
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .during = "the beginning",
        .before = "nothing",
    };
    *ret_report = (struct torture_report){ .seed = config->seed };
    TRY(directory_open(config->directory, &torture.directory, err));
    snprintf(ret_report->directory, sizeof ret_report->directory, "%s", config->directory);
    enum status status = torture_measure_disk(config->directory, &ret_report->disk, err);
    if (status == ST_OK) {
        interrupted = 0;
        sigaction(SIGINT, &action, &before_int);
        sigaction(SIGTERM, &action, &before_term);
        log_set_level(LOG_OFF);
        run_all(&torture);
        sigaction(SIGINT, &before_int, NULL);
        sigaction(SIGTERM, &before_term, NULL);
        ret_report->interrupted = interrupted;
        ret_report->took_ms = elapsed_ms(&torture);
    }
    directory_close(&torture.directory);
    return status;
}
