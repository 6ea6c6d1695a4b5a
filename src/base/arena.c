#include "base/arena.h"

#include "base/must.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { ALIGNMENT = 16, CHUNK_BYTES_FIRST = 4096, CHUNK_BYTES_MAX = 1 << 20 };

struct arena_chunk {
    struct arena_chunk *before;
    size_t bytes; /* Behind this header. */
};

void arena_init(struct arena *arena, size_t budget) { *arena = (struct arena){ .budget = budget }; }

static void free_chunks(struct arena_chunk *chunk)
{
    while (chunk) {
        struct arena_chunk *before = chunk->before;
        free(chunk);
        chunk = before;
    }
}

void arena_done(struct arena *arena)
{
    free_chunks(arena->chunk);
    arena_init(arena, arena->budget);
}

static void use_chunk(struct arena *arena, struct arena_chunk *chunk)
{
    arena->chunk = chunk;
    arena->next = (char *)(chunk + 1);
    arena->end = arena->next + chunk->bytes;
}

void arena_reset(struct arena *arena)
{
    struct arena_chunk *kept = arena->chunk;
    if (kept) {
        /* Chunks double, so the newest is the largest unless one request was huge. */
        free_chunks(kept->before);
        kept->before = NULL;
        if (kept->bytes > CHUNK_BYTES_MAX) {
            free(kept);
            kept = NULL;
        }
    }
    arena_init(arena, arena->budget);
    if (kept) use_chunk(arena, kept);
}

static void grow(struct arena *arena, size_t bytes)
{
    size_t size = arena->chunk ? arena->chunk->bytes * 2 : CHUNK_BYTES_FIRST;
    if (size > CHUNK_BYTES_MAX) size = CHUNK_BYTES_MAX;
    if (size < bytes) size = bytes;
    must(size <= SIZE_MAX - sizeof(struct arena_chunk));
    struct arena_chunk *chunk = malloc(sizeof *chunk + size);
    must(chunk);
    *chunk = (struct arena_chunk){ .before = arena->chunk, .bytes = size };
    use_chunk(arena, chunk);
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
    must(bytes <= SIZE_MAX - ALIGNMENT);
    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (bytes == 0) bytes = ALIGNMENT;
    if ((size_t)(arena->end - arena->next) < bytes) grow(arena, bytes);
    void *p = arena->next;
    arena->next += bytes;
    arena->used += bytes;
    return p;
}

void *arena_zero(struct arena *arena, size_t count, size_t bytes)
{
    size_t total;
    must(!__builtin_mul_overflow(count, bytes, &total));
    void *p = arena_alloc(arena, total);
    memset(p, 0, total);
    return p;
}

str arena_str(struct arena *arena, str text)
{
    char *p = arena_alloc(arena, text.n + 1);
    if (text.n) memcpy(p, text.p, text.n);
    p[text.n] = '\0';
    return (str){ p, text.n };
}

str arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    must(n >= 0);
    char *p = arena_alloc(arena, (size_t)n + 1);
    vsnprintf(p, (size_t)n + 1, format, again);
    va_end(again);
    return (str){ p, (size_t)n };
}
