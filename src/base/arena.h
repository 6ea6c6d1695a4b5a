/* base/arena.h — memory that is freed all at once.
 *
 * An arena belongs to one lifetime: a process, a program, a connection, a request, a
 * step. Running out of memory aborts the process. The *budget* of an
 * arena is softer: allocation goes on beyond it, but arena_over() turns true, and loops
 * whose length depends on input check it and give up with ST_LIMIT.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/must.h"
#include "base/str.h"

struct arena_chunk;

struct arena {
    struct arena_chunk *chunk; /* The newest chunk; each points to the one before. */
    char *next;
    char *end;
    size_t used;        /* Bytes handed out since init or reset. */
    size_t budget;      /* 0: none. */
    size_t chunk_bytes; /* The least size of the next chunk; 0: the default. */
};

/* An arena in the caller's storage. Allocates nothing yet. */
void arena_init(struct arena *arena, size_t budget);

/* Reserves exactly so many bytes, for an arena that is small and lives long. Call it before the first
 * allocation. Allocations that do not fit go into further chunks, which begin with a quarter of that size. */
void arena_reserve(struct arena *arena, size_t bytes);

/* The memory it holds, used or not. */
size_t arena_bytes(const struct arena *arena);

/* Frees everything. The arena can be used again. */
void arena_done(struct arena *arena);

/* Moves all memory of `from` here, with what lies in it; `from` is empty then. */
void arena_adopt(struct arena *arena, struct arena *from);

/* Frees everything but the largest chunk, for the next round. */
void arena_reset(struct arena *arena);

enum { ARENA_ALIGNMENT = 16 };

/* Rounds up to the alignment. 0 if there are no bytes, or so many that it overflows. */
static inline size_t arena_rounded(size_t bytes)
{
    return (bytes + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1);
}

/* For arena_alloc() only: allocations of 0 bytes, and those that do not fit into the newest chunk. */
void *arena_alloc_anew(struct arena *arena, size_t bytes);

/* Aligned for any type, not zeroed; never NULL, also for 0 bytes. */
static inline void *arena_alloc(struct arena *arena, size_t bytes)
{
    size_t rounded = arena_rounded(bytes);
    if (__builtin_expect(rounded - 1 >= (size_t)(arena->end - arena->next), 0))
        return arena_alloc_anew(arena, bytes);
    void *p = arena->next;
    arena->next += rounded;
    arena->used += rounded;
    return p;
}

/* The same, zeroed. count * bytes must not overflow: it is checked and aborts. */
static inline void *arena_zero(struct arena *arena, size_t count, size_t bytes)
{
    size_t total;
    must(!__builtin_mul_overflow(count, bytes, &total));
    return memset(arena_alloc(arena, total), 0, total);
}

#define arena_make(arena, type) ((type *)arena_zero((arena), 1, sizeof(type)))
#define arena_make_n(arena, type, count) ((type *)arena_zero((arena), (count), sizeof(type)))

/* An array, not zeroed, that is large by comparison. If the newest chunk has no room for it, it gets a chunk
 * of its own, and the newest chunk stays the one that is filled: the next chunks do not become larger.
 * count * bytes must not overflow: it is checked and aborts. */
void *arena_alloc_apart(struct arena *arena, size_t count, size_t bytes);

/* Makes room for `to` bytes where the `from` bytes of the latest allocation lie. False, and nothing
 * has changed, if p is not the latest or its chunk has no room. */
bool arena_extend(struct arena *arena, void *p, size_t from, size_t to);

/* A copy of the bytes; a NUL is put behind them for the sake of C interfaces. */
str arena_str(struct arena *arena, str text);

__attribute__((format(printf, 2, 3))) str arena_printf(struct arena *arena, const char *format, ...);

static inline bool arena_over(const struct arena *arena)
{
    return arena->budget && arena->used > arena->budget;
}

#endif
