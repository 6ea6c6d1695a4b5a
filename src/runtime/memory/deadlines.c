/* runtime/memory/deadlines.c — a binary heap whose entries know their own place. */
#include "runtime/memory/deadlines.h"

#include "base/array.h"
#include "base/must.h"

#include <stdlib.h>

void deadlines_done(struct deadlines *deadlines)
{
    free(deadlines->heap);
    map_done(&deadlines->of_call);
    *deadlines = (struct deadlines){ 0 };
}

static void put(struct deadlines *deadlines, size_t place, struct deadline *deadline)
{
    deadlines->heap[place] = deadline;
    deadline->place = (uint32_t)place;
}

static void sift_up(struct deadlines *deadlines, size_t place, struct deadline *deadline)
{
    while (place > 1 && deadlines->heap[place / 2]->at_ms > deadline->at_ms) {
        put(deadlines, place, deadlines->heap[place / 2]);
        place /= 2;
    }
    put(deadlines, place, deadline);
}

static void sift_down(struct deadlines *deadlines, size_t place, struct deadline *deadline)
{
    for (size_t child = place * 2; child <= deadlines->count; child = place * 2) {
        if (child < deadlines->count && deadlines->heap[child + 1]->at_ms < deadlines->heap[child]->at_ms)
            child++;
        if (deadlines->heap[child]->at_ms >= deadline->at_ms) break;
        put(deadlines, place, deadlines->heap[child]);
        place = child;
    }
    put(deadlines, place, deadline);
}

void deadline_set(struct deadlines *deadlines, struct deadline *deadline, enum deadline_kind kind,
                  int64_t at_ms)
{
    deadline_clear(deadlines, deadline);
    deadline->kind = kind;
    deadline->at_ms = at_ms;
    if (deadlines->count + 1 >= deadlines->cap)
        deadlines->heap = array_grow(deadlines->heap, &deadlines->cap, sizeof deadlines->heap[0]);
    must(deadlines->count < UINT32_MAX - 1);
    deadlines->count++;
    sift_up(deadlines, deadlines->count, deadline);
}

void deadline_set_of_call(struct deadlines *deadlines, struct deadline *deadline, enum deadline_kind kind,
                          int64_t at_ms, uint64_t serial)
{
    deadline_set(deadlines, deadline, kind, at_ms);
    if (serial) map_put(&deadlines->of_call, serial, deadline);
}

void deadline_clear_of_call(struct deadlines *deadlines, struct deadline *deadline, uint64_t serial)
{
    deadline_clear(deadlines, deadline);
    if (serial) map_take(&deadlines->of_call, serial);
}

void deadline_clear(struct deadlines *deadlines, struct deadline *deadline)
{
    size_t place = deadline->place;
    if (!place) return;
    must(place <= deadlines->count && deadlines->heap[place] == deadline);
    deadline->place = 0;
    struct deadline *last = deadlines->heap[deadlines->count--];
    if (last == deadline) return;
    if (place > 1 && deadlines->heap[place / 2]->at_ms > last->at_ms) sift_up(deadlines, place, last);
    else sift_down(deadlines, place, last);
}
