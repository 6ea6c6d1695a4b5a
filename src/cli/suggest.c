#include "cli/suggest.h"

#include "cli/limits.h"

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* How many letters must be inserted, removed or replaced to turn one word into the other. */
static size_t distance(str a, str b)
{
    size_t row[SUGGESTED_BYTES_MAX + 1];
    for (size_t j = 0; j <= b.n; j++) row[j] = j;
    for (size_t i = 1; i <= a.n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.n; j++) {
            size_t above = row[j];
            row[j] = least(row[j] + 1, row[j - 1] + 1, diagonal + (a.p[i - 1] != b.p[j - 1]));
            diagonal = above;
        }
    }
    return row[b.n];
}

const char *suggest_word(str word, const char *const *candidates)
{
    const char *best = NULL;
    size_t best_distance = SIZE_MAX;
    if (!word.n || word.n > SUGGESTED_BYTES_MAX) return NULL;
    for (size_t i = 0; candidates[i]; i++) {
        str candidate = str_of(candidates[i]);
        if (candidate.n > SUGGESTED_BYTES_MAX) continue;
        size_t far = distance(word, candidate);
        /* Up to a third of the letters may be wrong; more would be a guess. A beginning of the word also
         * counts. */
        bool close = far <= (candidate.n + 2) / 3 && far < candidate.n;
        bool cut = word.n >= 2 && str_starts(candidate, word);
        if ((close || cut) && far < best_distance) {
            best = candidates[i];
            best_distance = far;
        }
    }
    return best;
}
