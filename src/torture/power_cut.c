/* torture/power_cut.c — goes through a disk's operations, and makes images that a cut could leave. */
#include "torture/power_cut.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/must.h"

#include <stdlib.h>
#include <string.h>

enum { SECTOR_BYTES = 512 };

const char *power_cut_words(enum cut_kind kind)
{
    static const char *const words[] = {
#define XX(NAME, text) [CUT_##NAME] = text,
        CUT_MAP(XX)
#undef XX
    };
    return words[kind];
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

/* ---- contents ---- */

static void resize(struct platter *platter, size_t n)
{
    if (n > platter->cap) {
        platter->cap = n > platter->cap * 2 ? n : platter->cap * 2;
        platter->bytes = realloc(platter->bytes, platter->cap);
        must(platter->bytes);
    }
    if (n > platter->n) memset(platter->bytes + platter->n, 0, n - platter->n);
    platter->n = n;
}

static void write_bytes(struct platter *platter, size_t offset, const uint8_t *bytes, size_t n)
{
    if (offset + n > platter->n) resize(platter, offset + n);
    memcpy(platter->bytes + offset, bytes, n);
}

/* Keeps some of the sectors that the write covers, wholly or in part. */
static void write_torn(struct platter *platter, const struct disk_op *op, uint64_t *random)
{
    for (size_t from = 0; from < op->n;) {
        size_t to = (op->offset + from) / SECTOR_BYTES * SECTOR_BYTES + SECTOR_BYTES - op->offset;
        if (to > op->n) to = op->n;
        if (next_random(random) & 1) write_bytes(platter, op->offset + from, op->bytes + from, to - from);
        from = to;
    }
}

static void apply(struct platter *inode, const char **name, const struct disk_op *op)
{
    switch (op->kind) {
    case DISK_CREATE: name[op->inode] = op->name; break;
    case DISK_DELETE: name[op->inode] = NULL; break;
    case DISK_WRITE: write_bytes(&inode[op->inode], op->offset, op->bytes, op->n); break;
    case DISK_TRUNCATE: resize(&inode[op->inode], op->offset); break;
    default: must(!"a sync changes nothing");
    }
}

/* ---- walking ---- */

void power_init(struct power *power, const struct disk_log *log)
{
    *power = (struct power){ .log = log };
    power->inode = calloc(log->inode_count + 1, sizeof power->inode[0]);
    power->name = calloc(log->inode_count + 1, sizeof power->name[0]);
    must(power->inode && power->name);
}

void power_done(struct power *power)
{
    for (unsigned i = 0; i < power->log->inode_count; i++) free(power->inode[i].bytes);
    free(power->inode);
    free(power->name);
    free(power->pending);
    *power = (struct power){ 0 };
}

static bool is_name(const struct disk_op *op) { return op->kind == DISK_CREATE || op->kind == DISK_DELETE; }

/* True if a sync behind the operation failed and newer bytes are on the disk. Then the operation is lost
 * for good. */
static bool is_outdated(const struct power *power, size_t i)
{
    const struct disk_op *old = &power->log->op[power->pending[i].op];
    if (!power->pending[i].sync_failed) return false;
    for (size_t k = i + 1; k < power->pending_count; k++) {
        const struct disk_op *newer = &power->log->op[power->pending[k].op];
        if (!power->pending[k].sync_failed && newer->kind == DISK_WRITE && newer->inode == old->inode &&
            old->offset < newer->offset + newer->n && newer->offset < old->offset + old->n)
            return true;
    }
    return false;
}

/* Moves the operations that the sync covers to the disk; they are no longer pending. */
static void settle(struct power *power, const struct disk_op *sync)
{
    size_t left = 0;
    for (size_t i = 0; i < power->pending_count; i++) {
        const struct disk_op *op = &power->log->op[power->pending[i].op];
        bool covered =
            sync->kind == DISK_SYNC_DIRECTORY ? is_name(op) : !is_name(op) && op->inode == sync->inode;
        if (covered && is_outdated(power, i)) continue;
        if (covered && !power->pending[i].sync_failed) apply(power->inode, power->name, op);
        else power->pending[left++] = power->pending[i];
    }
    power->pending_count = left;
}

bool power_step(struct power *power)
{
    if (power->at == power->log->count) return false;
    const struct disk_op *op = &power->log->op[power->at];
    if (op->kind == DISK_SYNC || op->kind == DISK_SYNC_DIRECTORY) {
        settle(power, op);
    } else if (op->kind == DISK_SYNC_FAILED) {
        power->failed_syncs = true;
        for (size_t i = 0; i < power->pending_count; i++) {
            const struct disk_op *pending = &power->log->op[power->pending[i].op];
            /* Bytes may be lost; a length is in the file system's own journal. */
            if (pending->kind == DISK_WRITE && pending->inode == op->inode)
                power->pending[i].sync_failed = true;
        }
    } else {
        array_reserve(power->pending, power->pending_count, power->pending_cap);
        power->pending[power->pending_count].op = power->at;
        power->pending[power->pending_count++].sync_failed = false;
    }
    power->at++;
    return true;
}

/* ---- images ---- */

enum fate { DROPPED, KEPT, TORN };

static enum fate fate_of(const struct cut *cut, size_t i, size_t count, uint64_t *random)
{
    bool last = i + 1 == count;
    switch (cut->kind) {
    case CUT_KEEP_ALL:
    case CUT_REVERSED: return KEPT;
    case CUT_DROP_ALL: return DROPPED;
    case CUT_ONLY_LAST: return last ? KEPT : DROPPED;
    case CUT_BUT_LAST: return last ? DROPPED : KEPT;
    case CUT_FIRST_HALF: return i < count / 2 ? KEPT : DROPPED;
    case CUT_TORN_LAST: return last ? TORN : KEPT;
    case CUT_TORN_ALL: return TORN;
    default: return (enum fate)(next_random(random) % 3);
    }
}

/* The order in which pending operations reach the disk. Names have a journal of their own in every file
 * system, so they keep their order. */
static void order_of(const struct power *power, const struct cut *cut, uint64_t *random, size_t *ret_order)
{
    size_t count = power->pending_count;
    for (size_t i = 0; i < count; i++) ret_order[i] = cut->kind == CUT_REVERSED ? count - 1 - i : i;
    for (size_t i = count; cut->kind == CUT_BY_LOT && i > 1; i--) {
        size_t k = next_random(random) % i, other = ret_order[k];
        ret_order[k] = ret_order[i - 1];
        ret_order[i - 1] = other;
    }
}

static void apply_pending(const struct power *power, const struct cut *cut, struct platter *inode,
                          const char **name)
{
    uint64_t random = cut->seed * 0x2545f4914f6cdd1dU + power->at;
    size_t count = power->pending_count;
    size_t *order = calloc(count + 1, sizeof order[0]);
    must(order);
    order_of(power, cut, &random, order);
    for (size_t i = 0; i < count; i++) {
        const struct disk_op *op = &power->log->op[power->pending[order[i]].op];
        enum fate fate = fate_of(cut, order[i], count, &random);
        if (cut->failed_syncs_lose && power->pending[order[i]].sync_failed) fate = DROPPED;
        if (is_name(op) || fate == DROPPED) continue;
        if (fate == TORN && op->kind == DISK_WRITE) write_torn(&inode[op->inode], op, &random);
        else apply(inode, name, op);
    }
    for (size_t i = 0; i < count; i++) {
        const struct disk_op *op = &power->log->op[power->pending[i].op];
        if (is_name(op) && fate_of(cut, i, count, &random) != DROPPED) apply(inode, name, op);
    }
    free(order);
}

uint64_t power_image(const struct power *power, const struct cut *cut, power_put_fn *put, void *context)
{
    unsigned count = power->log->inode_count;
    struct platter *inode = calloc(count + 1, sizeof inode[0]);
    const char **name = calloc(count + 1, sizeof name[0]);
    must(inode && name);
    for (unsigned i = 0; i < count; i++) {
        name[i] = power->name[i];
        if (power->inode[i].n) write_bytes(&inode[i], 0, power->inode[i].bytes, power->inode[i].n);
    }
    apply_pending(power, cut, inode, name);

    uint64_t hash = 0;
    /* A name leads to its newest inode. */
    for (unsigned i = count; i-- > 0;) {
        bool hidden = !name[i];
        for (unsigned k = i + 1; k < count && !hidden; k++) hidden = name[k] && strcmp(name[i], name[k]) == 0;
        if (!hidden) {
            put(context, name[i], inode[i].bytes, inode[i].n);
            hash = (hash ^ hash_bytes(str_of(name[i]))) * 31 +
                   hash_bytes((str){ (const char *)inode[i].bytes, inode[i].n });
        }
        free(inode[i].bytes);
    }
    free(inode);
    free(name);
    return hash;
}
