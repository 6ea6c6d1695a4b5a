/* base/arena.h — memory that is freed all at once.
 *
 * An arena belongs to one lifetime: a process, a program, a connection, a request, a
 * step. Running out of memory aborts the process. What may run out visibly is the
 * arena's *budget*: allocation goes on beyond it, but arena_over() turns true, and loops
 * whose length depends on input look at it and give up with ST_LIMIT.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/str.h"

struct arena_chunk;

struct arena {
    struct arena_chunk *chunk; /* The newest chunk; each points to the one before. */
    char *next;
    char *end;
    size_t used;   /* Bytes handed out since init or reset. */
    size_t budget; /* 0: none. */
};

/* An arena in the caller's storage. Allocates nothing yet. */
void arena_init(struct arena *arena, size_t budget);

/* Frees everything. The arena can be used again. */
void arena_done(struct arena *arena);

/* Frees everything but the largest chunk, for the next round. */
void arena_reset(struct arena *arena);

/* Aligned for any type, not zeroed; never NULL, also for 0 bytes. */
void *arena_alloc(struct arena *arena, size_t bytes);

/* The same, zeroed. count * bytes must not overflow: it is checked and aborts. */
void *arena_zero(struct arena *arena, size_t count, size_t bytes);

#define arena_make(arena, type) ((type *)arena_zero((arena), 1, sizeof(type)))
#define arena_make_n(arena, type, count) ((type *)arena_zero((arena), (count), sizeof(type)))

/* A copy of the bytes; a NUL is put behind them for the sake of C interfaces. */
str arena_str(struct arena *arena, str text);

__attribute__((format(printf, 2, 3))) str arena_printf(struct arena *arena, const char *format, ...);

static inline bool arena_over(const struct arena *arena)
{
    return arena->budget && arena->used > arena->budget;
}

#endif
