/* access/directory_refusals.c — a ring of the last refusals. */
#include "access/directory_int.h"

void directory_note_refusal(struct directory *directory, const struct refusal_note *note)
{
    directory_lock(directory);
    directory->refusal[directory->refusal_count++ % DIRECTORY_REFUSALS_MAX] = *note;
    directory_unlock(directory);
}

size_t directory_refusals(struct directory *directory, struct arena *arena, struct refusal_note **ret_note)
{
    struct refusal_note *note = arena_make_n(arena, struct refusal_note, DIRECTORY_REFUSALS_MAX);
    directory_lock(directory);
    size_t all = directory->refusal_count;
    size_t count = all < DIRECTORY_REFUSALS_MAX ? all : DIRECTORY_REFUSALS_MAX;
    for (size_t i = 0; i < count; i++) note[i] = directory->refusal[(all - 1 - i) % DIRECTORY_REFUSALS_MAX];
    directory_unlock(directory);
    *ret_note = note;
    return count;
}
