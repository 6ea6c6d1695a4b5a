/* dialect/nearest.c — the known word that an author may have meant to write.
 *
 * Texts at most two edits apart are taken for the same word mistyped. Only the cells of
 * the edit matrix within two of its diagonal matter then, so a comparison costs a few
 * operations per character.
 */
#include "dialect/nearest.h"

#include "base/ascii.h"
#include "base/must.h"

#include "dialect/limits.h"
#include "program/problems.h"

enum { BAND = 2 * NEAREST_EDITS_MAX + 1, FAR = NEAREST_BYTES_MAX };
/* Distances of names that are more than a few edits away. */
enum { DISTANCE_BEGINNING = NEAREST_EDITS_MAX + 1, DISTANCE_NONE };
enum { BEGINNING_BYTES_MIN = 4, LONG_WORD_BYTES = 7 };

void nearest_init(struct nearest *nearest, str text)
{
    *nearest = (struct nearest){ .text = text, .distance = DISTANCE_NONE };
}

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Edits from a to b, or more than NEAREST_EDITS_MAX. row[d] is for b's position i + d - NEAREST_EDITS_MAX. */
static size_t edits(str a, str b)
{
    must(a.n <= b.n + NEAREST_EDITS_MAX && b.n <= a.n + NEAREST_EDITS_MAX);
    size_t row[BAND + 2];
    for (size_t d = 0; d < BAND; d++) row[d] = d < NEAREST_EDITS_MAX ? FAR : d - NEAREST_EDITS_MAX;
    row[BAND] = row[BAND + 1] = FAR;
    for (size_t i = 1; i <= a.n; i++) {
        size_t left = FAR;
        for (size_t d = 0; d < BAND; d++) {
            size_t k = i + d; /* b's position + NEAREST_EDITS_MAX */
            if (k < NEAREST_EDITS_MAX || k - NEAREST_EDITS_MAX > b.n) {
                left = row[d] = FAR;
                continue;
            }
            k -= NEAREST_EDITS_MAX;
            size_t change = k ? row[d] + (ascii_lower(a.p[i - 1]) != ascii_lower(b.p[k - 1])) : FAR;
            left = row[d] = least(change, row[d + 1] + 1, left + 1);
        }
    }
    return row[b.n + NEAREST_EDITS_MAX - a.n];
}

/* Is the shorter one the beginning of the longer, and no less than half of it? */
static bool is_beginning(str a, str b)
{
    str shorter = a.n < b.n ? a : b, longer = a.n < b.n ? b : a;
    return shorter.n >= BEGINNING_BYTES_MIN && shorter.n * 2 >= longer.n &&
           str_equal_ignoring_case(shorter, str_slice(longer, 0, shorter.n));
}

static size_t distance_of(str text, str name)
{
    if (text.n > NEAREST_BYTES_MAX || name.n > NEAREST_BYTES_MAX || name.n < NEAREST_EDITS_MAX + 1)
        return DISTANCE_NONE;
    bool near = name.n <= text.n + NEAREST_EDITS_MAX && text.n <= name.n + NEAREST_EDITS_MAX;
    size_t distance = near ? edits(text, name) : DISTANCE_NONE;
    if (distance <= NEAREST_EDITS_MAX) return distance;
    return is_beginning(text, name) ? DISTANCE_BEGINNING : DISTANCE_NONE;
}

void nearest_offer(struct nearest *nearest, str name)
{
    size_t distance = distance_of(nearest->text, name);
    if (distance >= nearest->distance) return;
    nearest->distance = distance;
    nearest->best = name;
}

bool nearest_is_plain(const struct nearest *nearest)
{
    must(nearest->distance <= DISTANCE_NONE);
    if (nearest->distance == DISTANCE_BEGINNING) return nearest->text.n < nearest->best.n;
    return nearest->distance <= (nearest->best.n >= LONG_WORD_BYTES ? 2 : 1) &&
           nearest->best.n >= BEGINNING_BYTES_MIN;
}

const char *nearest_hint(const struct nearest *nearest, struct arena *arena)
{
    if (!nearest->best.n) return NULL;
    return arena_printf(arena, "did you mean %s?", problem_quote(arena, nearest->best)).p;
}
