/* What the real program told the real disk (recorder.c), and the power goes at any moment of it.
 *
 *     replay RECORD DATA_DIRECTORY < acknowledgements
 *
 * An acknowledgement is a line "COUNT ID ENDED": when COUNT operations had been recorded the client held the
 * answer that the instance ID exists (ENDED 0) or has ended (ENDED 1). The client reads COUNT after the
 * answer, so it is never too low. At every sync and at some writes the disk is made up by two rules; a fresh
 * engine recovers from it on the shim, the deep check must find nothing, and all that was acknowledged must
 * be there.
 *
 *     REPLAY_DISKS   how many disks to look at, about (250)
 */
#include "recorder.h"
#include "rig.h"
#include "shim_vfs.h"

#include "base/id.h"
#include "base/log.h"
#include "base/must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRITES_PER_CUT = 5, WHY_BYTES = 1500, LINE_BYTES = 128 };

struct promise {
    uint64_t at; /* Operations of the log by then. */
    struct id id;
    bool ended;
};

static struct {
    struct disk_log log;
    size_t *log_count_at; /* By the number of recorded operations. */
    size_t recorded;
    struct promise *promise;
    size_t promise_count, promise_cap;
    size_t cuts, disks;
} replay;

__attribute__((noreturn)) static void give_up(const char *what)
{
    fprintf(stderr, "replay: %s\n", what);
    exit(2);
}

/* ---- reading ---- */

static struct disk_op *add_op(const struct recorded_op *op, enum disk_op_kind kind)
{
    struct disk_log *log = &replay.log;
    if (log->count == log->cap) {
        log->cap = log->cap ? log->cap * 2 : 1024;
        log->op = realloc(log->op, log->cap * sizeof log->op[0]);
        must(log->op);
    }
    log->op[log->count] = (struct disk_op){ .kind = kind, .inode = op->inode, .offset = op->offset };
    if (op->inode >= log->inode_count) log->inode_count = op->inode + 1;
    return &log->op[log->count++];
}

static void take_op(const struct recorded_op *op, char *bytes, const char *directory)
{
    static const enum disk_op_kind kinds[] = {
        [RECORDED_CREATE] = DISK_CREATE, [RECORDED_DELETE] = DISK_DELETE,
        [RECORDED_WRITE] = DISK_WRITE,   [RECORDED_TRUNCATE] = DISK_TRUNCATE,
        [RECORDED_SYNC] = DISK_SYNC,     [RECORDED_SYNC_DIRECTORY] = DISK_SYNC_DIRECTORY,
    };
    bool elsewhere = op->kind == RECORDED_SYNC_DIRECTORY && strcmp(bytes, directory) != 0;
    if (op->kind == RECORDED_MAKE_DIRECTORY || elsewhere) {
        free(bytes);
        return;
    }
    if (op->kind > RECORDED_MAKE_DIRECTORY) give_up("the record is not one");
    struct disk_op *made = add_op(op, kinds[op->kind]);
    made->n = op->kind == RECORDED_WRITE ? op->n : 0;
    if (op->kind == RECORDED_WRITE) made->bytes = (uint8_t *)bytes;
    else made->name = bytes + (op->n ? strlen("pawl.db") : 0); /* Names of the image begin with its path. */
}

static void read_record(const char *path, const char *directory)
{
    FILE *file = fopen(path, "rb");
    struct recorded_op op;
    size_t cap = 0;
    if (!file) give_up("the record cannot be read");
    while (fread(&op, sizeof op, 1, file) == 1) {
        char *bytes = malloc(op.n + 1);
        must(bytes);
        if (op.n && fread(bytes, op.n, 1, file) != 1) give_up("the record is cut off");
        bytes[op.n] = 0;
        if (replay.recorded + 1 >= cap) {
            cap = cap ? cap * 2 : 1024;
            replay.log_count_at = realloc(replay.log_count_at, cap * sizeof replay.log_count_at[0]);
            must(replay.log_count_at);
        }
        replay.log_count_at[replay.recorded++] = replay.log.count;
        take_op(&op, bytes, directory);
        replay.log_count_at[replay.recorded] = replay.log.count;
    }
    fclose(file);
}

static void read_promises(void)
{
    char line[LINE_BYTES], id[ID_CHARS + 1];
    unsigned long long count;
    int ended;
    while (fgets(line, sizeof line, stdin)) {
        if (replay.promise_count == replay.promise_cap) {
            replay.promise_cap = replay.promise_cap ? replay.promise_cap * 2 : 256;
            replay.promise = realloc(replay.promise, replay.promise_cap * sizeof replay.promise[0]);
            must(replay.promise);
        }
        struct promise *promise = &replay.promise[replay.promise_count++];
        if (sscanf(line, "%llu %26s %d", &count, id, &ended) != 3 || !id_parse(str_of(id), &promise->id) ||
            count > replay.recorded)
            give_up("an acknowledgement is not one");
        promise->at = replay.log_count_at[count];
        promise->ended = ended;
    }
}

/* ---- a disk ---- */

static bool holds(struct rig *rig, const struct promise *promise, char *ret_why)
{
    struct call *call = rig_call(rig, CALL_GET_INSTANCE);
    call->as.read.id = promise->id;
    queries_call(&rig->query, call);
    bool good = call->status == ST_OK &&
                (!promise->ended || instance_status_ended(call->value.instances.view->status));
    if (!good)
        snprintf(ret_why, WHY_BYTES, "instance %llu was acknowledged%s: %s",
                 (unsigned long long)promise->id.instance, promise->ended ? " as ended" : "",
                 call->status == ST_OK ? "it goes on" : call->error.message);
    return good;
}

static bool recovers(struct rig *rig, size_t at, char *ret_why)
{
    struct error err;
    if (rig_open(rig, &err) != ST_OK) {
        snprintf(ret_why, WHY_BYTES, "it does not open: %s", err.message);
        return false;
    }
    bool good = rig_check(rig, ret_why, WHY_BYTES);
    for (size_t i = 0; i < replay.promise_count && good; i++)
        if (replay.promise[i].at <= at) good = holds(rig, &replay.promise[i], ret_why);
    return good;
}

static void look(const struct power *power, struct cut cut)
{
    struct rig rig;
    char why[WHY_BYTES];
    rig_init(&rig, "image.db");
    shim_image(power, &cut, rig.path);
    if (!recovers(&rig, power->at, why)) {
        fprintf(stderr, "operation %zu of %zu, %s (seed %llu): %s\n", power->at, power->log->count,
                power_cut_words(cut.kind), (unsigned long long)cut.seed, why);
        exit(1);
    }
    rig_done(&rig);
    shim_remove(rig.path);
    replay.disks++;
}

static bool is_cut(const struct disk_log *log, size_t at, size_t *writes)
{
    if (at == log->count) return true;
    return log->op[at].kind == DISK_SYNC ||
           (log->op[at].kind == DISK_WRITE && ++*writes % WRITES_PER_CUT == 0);
}

static void walk(size_t every)
{
    struct power power;
    power_init(&power, &replay.log);
    size_t writes = 0;
    do {
        if (!is_cut(&replay.log, power.at, &writes) || replay.cuts++ % every) continue;
        enum cut_kind kind = (enum cut_kind)(replay.cuts / every % CUT_KIND_COUNT);
        look(&power, (struct cut){ .kind = CUT_DROP_ALL });
        if (kind != CUT_DROP_ALL) look(&power, (struct cut){ .kind = kind, .seed = replay.cuts });
    } while (power_step(&power));
    power_done(&power);
}

int main(int argc, char **argv)
{
    if (argc != 3) give_up("RECORD DATA_DIRECTORY are wanted");
    const char *text = getenv("REPLAY_DISKS");
    size_t disks = text ? strtoull(text, NULL, 10) : 250, cuts = 0, writes = 0;
    shim_install();
    log_set_level(LOG_OFF);
    read_record(argv[1], argv[2]);
    read_promises();
    for (size_t i = 0; i <= replay.log.count; i++) cuts += is_cut(&replay.log, i, &writes);
    walk(cuts * 2 / disks + 1);
    printf("%zu operations, %zu promises, %zu disks\n", replay.log.count, replay.promise_count, replay.disks);
    shim_remove("");
    return 0;
}
