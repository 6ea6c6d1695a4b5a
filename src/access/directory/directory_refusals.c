/* access/directory/directory_refusals.c — a ring of the last refusals, and the counts of a minute. */
#include "access/directory/directory_int.h"

enum { MINUTE_MS = 60 * 1000 };

/* ---- counts ---- */

static bool is_counted_with(const struct refusal_note *a, const struct refusal_note *b)
{
    return a->tenant == b->tenant && a->is_login == b->is_login && strcmp(a->principal, b->principal) == 0;
}

/* The count for a note. From a number of principals on, all others share one, so that a stranger who invents
 * names adds a few rows to the audit and no more. */
static struct refusal_count *count_of(struct directory *directory, const struct refusal_note *note)
{
    size_t i = 0;
    while (i < directory->counted_count && !is_counted_with(&directory->counted[i].newest, note)) i++;
    if (i == directory->counted_count && i <= REFUSAL_COUNTS_MAX) directory->counted_count++;
    else if (i == directory->counted_count) i--;
    struct refusal_count *count = &directory->counted[i];
    must(i <= REFUSAL_COUNTS_MAX);
    if (i == REFUSAL_COUNTS_MAX && count->count && !is_counted_with(&count->newest, note))
        count->is_shared = true;
    return count;
}

static void count_one(struct directory *directory, const struct refusal_note *note)
{
    if (!directory->counted_count) directory->counted_since_ms = note->at_ms;
    struct refusal_count *count = count_of(directory, note);
    count->newest = *note;
    count->count++;
}

size_t directory_take_refusals(struct directory *directory, int64_t now_ms, bool all, struct arena *arena,
                               struct refusal_count **ret_count)
{
    directory_lock(directory);
    size_t count = directory->counted_count;
    int64_t age_ms = now_ms - directory->counted_since_ms;
    if (!all && age_ms >= 0 && age_ms < MINUTE_MS) count = 0;
    if (count) {
        *ret_count = arena_make_n(arena, struct refusal_count, count);
        memcpy(*ret_count, directory->counted, count * sizeof **ret_count);
        memset(directory->counted, 0, sizeof directory->counted);
        directory->counted_count = 0;
    }
    directory_unlock(directory);
    return count;
}

/* ---- the last ones ---- */

void directory_note_refusal(struct directory *directory, const struct refusal_note *note)
{
    directory_lock(directory);
    directory->refusal[directory->refusal_count++ % DIRECTORY_REFUSALS_MAX] = *note;
    count_one(directory, note);
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
