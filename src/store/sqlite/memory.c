/* store/sqlite/memory.c — memory of SQLite: blocks of the sizes that every statement takes and gives back.
 *
 * A statement allocates its cursors and its record anew each time it runs. Debian's SQLite has no pool of its
 * own for them (OMIT_LOOKASIDE), and the way through malloc() and free() is a twentieth of a write's
 * instructions. Each thread keeps some freed blocks of each small size here, and gives them out again. A
 * block may be freed by another thread than the one that took it: it is kept there.
 */
#include "store/sqlite/sqlite_int.h"

#include "base/must.h"

#include <pthread.h>
#include <stdlib.h>

enum {
    STEP_BYTES = 64, /* Sizes are multiples of it, a power of two. */
    KEPT_SIZES = 32, /* Blocks larger than the largest of so many sizes are not kept. */
    KEPT_EACH = 8,   /* A thread keeps so many of each size, 270 KiB in all. */
};

/* In front of every block. SQLite wants eight bytes of alignment. */
struct memory_block {
    size_t bytes; /* Behind this. */
};

struct kept_blocks {
    struct memory_block *block[KEPT_SIZES][KEPT_EACH];
    uint8_t count[KEPT_SIZES];
    bool is_listed; /* The end of the thread frees them. */
};

static _Thread_local struct kept_blocks kept;
static pthread_key_t key_of_kept;

static void free_kept(void *context)
{
    struct kept_blocks *of_thread = context;
    for (size_t size = 0; size < KEPT_SIZES; size++)
        while (of_thread->count[size]) free(of_thread->block[size][--of_thread->count[size]]);
    of_thread->is_listed = false;
}

static int round_up(int bytes) { return (bytes + STEP_BYTES - 1) & ~(STEP_BYTES - 1); }

static size_t size_number(size_t bytes) { return bytes / STEP_BYTES - 1; }

static void *take(int bytes)
{
    must(bytes > 0);
    size_t rounded = (size_t)round_up(bytes), size = size_number(rounded);
    if (size < KEPT_SIZES && kept.count[size]) return kept.block[size][--kept.count[size]] + 1;
    struct memory_block *block = malloc(sizeof *block + rounded);
    if (!block) return NULL;
    block->bytes = rounded;
    return block + 1;
}

static void give(void *p)
{
    struct memory_block *block = (struct memory_block *)p - 1;
    size_t size = size_number(block->bytes);
    if (size >= KEPT_SIZES || kept.count[size] == KEPT_EACH) {
        free(block);
        return;
    }
    if (!kept.is_listed) kept.is_listed = pthread_setspecific(key_of_kept, &kept) == 0;
    kept.block[size][kept.count[size]++] = block;
}

static int size_of(void *p) { return p ? (int)((struct memory_block *)p - 1)->bytes : 0; }

static void *resize(void *p, int bytes)
{
    if (round_up(bytes) == size_of(p)) return p;
    void *larger = take(bytes);
    if (!larger) return NULL;
    memcpy(larger, p, (size_t)(bytes < size_of(p) ? bytes : size_of(p)));
    give(p);
    return larger;
}

static int begin(void *context)
{
    (void)context;
    return SQLITE_OK;
}

static void end(void *context) { (void)context; }

size_t sqlite_memory_kept(int bytes)
{
    size_t size = size_number((size_t)round_up(bytes));
    return size < KEPT_SIZES ? kept.count[size] : 0;
}

void sqlite_memory_configure(void)
{
    static const sqlite3_mem_methods methods = {
        .xMalloc = take,
        .xFree = give,
        .xRealloc = resize,
        .xSize = size_of,
        .xRoundup = round_up,
        .xInit = begin,
        .xShutdown = end,
    };
    if (pthread_key_create(&key_of_kept, free_kept) == 0) sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}
