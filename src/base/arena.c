/* base/arena.c — chunks of memory, taken one after the other and freed together. */
#include "base/arena.h"

#include "base/heap.h"
#include "base/limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHUNK_BYTES_LEAST = 256, CHUNK_BYTES_FIRST = 4096 };

struct arena_chunk {
    struct arena_chunk *before;
    size_t bytes; /* Behind this header. */
};

void arena_init(struct arena *arena, size_t budget) { *arena = (struct arena){ .budget = budget }; }

static void free_chunks(struct arena_chunk *chunk)
{
    while (chunk) {
        struct arena_chunk *before = chunk->before;
        heap_give_back(sizeof *chunk + chunk->bytes);
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

void arena_adopt(struct arena *arena, struct arena *from)
{
    struct arena_chunk *oldest = from->chunk;
    if (!oldest) return;
    while (oldest->before) oldest = oldest->before;
    if (arena->chunk) {
        /* The newest chunk stays the one that is filled. */
        oldest->before = arena->chunk->before;
        arena->chunk->before = from->chunk;
    } else {
        arena->chunk = from->chunk;
        arena->next = from->next;
        arena->end = from->end;
    }
    arena->used += from->used;
    arena_init(from, from->budget);
}

static size_t chunk_after(size_t bytes)
{
    return bytes < ARENA_CHUNK_BYTES_MAX / 2 ? bytes * 2 : ARENA_CHUNK_BYTES_MAX;
}

void arena_reset(struct arena *arena)
{
    struct arena_chunk *kept = arena->chunk;
    if (kept) {
        /* Chunks double, so the newest is the largest unless one request was huge. */
        free_chunks(kept->before);
        kept->before = NULL;
        if (kept->bytes > ARENA_CHUNK_BYTES_MAX) {
            free_chunks(kept);
            kept = NULL;
        }
    }
    arena_init(arena, arena->budget);
    if (!kept) return;
    use_chunk(arena, kept);
    arena->chunk_bytes = chunk_after(kept->bytes);
}

static struct arena_chunk *chunk_new(size_t size)
{
    must(size <= SIZE_MAX - sizeof(struct arena_chunk));
    struct arena_chunk *chunk = malloc(sizeof *chunk + size);
    must(chunk);
    *chunk = (struct arena_chunk){ .bytes = size };
    heap_take(sizeof *chunk + size);
    return chunk;
}

static void add_chunk(struct arena *arena, size_t size)
{
    struct arena_chunk *chunk = chunk_new(size);
    chunk->before = arena->chunk;
    use_chunk(arena, chunk);
}

static void grow(struct arena *arena, size_t bytes)
{
    size_t size = arena->chunk_bytes ? arena->chunk_bytes : CHUNK_BYTES_FIRST;
    if (size < bytes) size = bytes;
    add_chunk(arena, size);
    arena->chunk_bytes = chunk_after(size);
}

void arena_reserve(struct arena *arena, size_t bytes)
{
    must(!arena->chunk && bytes <= SIZE_MAX - ARENA_ALIGNMENT);
    add_chunk(arena, arena_rounded(bytes));
    size_t next = bytes / 4;
    arena->chunk_bytes = next < CHUNK_BYTES_LEAST       ? CHUNK_BYTES_LEAST
                         : next > ARENA_CHUNK_BYTES_MAX ? ARENA_CHUNK_BYTES_MAX
                                                        : next;
}

size_t arena_bytes(const struct arena *arena)
{
    size_t bytes = 0;
    for (const struct arena_chunk *chunk = arena->chunk; chunk; chunk = chunk->before)
        bytes += sizeof *chunk + chunk->bytes;
    return bytes;
}

void *arena_alloc_anew(struct arena *arena, size_t bytes)
{
    must(bytes <= SIZE_MAX - ARENA_ALIGNMENT);
    if (bytes == 0) bytes = 1;
    if ((size_t)(arena->end - arena->next) < arena_rounded(bytes)) grow(arena, arena_rounded(bytes));
    return arena_alloc(arena, bytes);
}

void *arena_alloc_apart(struct arena *arena, size_t count, size_t bytes)
{
    size_t total;
    must(!__builtin_mul_overflow(count, bytes, &total) && total <= SIZE_MAX - ARENA_ALIGNMENT);
    size_t rounded = arena_rounded(total);
    if (!arena->chunk || rounded <= (size_t)(arena->end - arena->next)) return arena_alloc(arena, total);
    struct arena_chunk *chunk = chunk_new(rounded);
    chunk->before = arena->chunk->before;
    arena->chunk->before = chunk;
    arena->used += rounded;
    return chunk + 1;
}

bool arena_extend(struct arena *arena, void *p, size_t from, size_t to)
{
    size_t old = arena_rounded(from), new = arena_rounded(to);
    if ((char *)p + old != arena->next || new < old || new - old > (size_t)(arena->end - arena->next))
        return false;
    arena->next += new - old;
    arena->used += new - old;
    return true;
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
