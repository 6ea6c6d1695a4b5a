/* cli/suggest.c — finds the known word that is most like a misspelled one. */
#include "cli/suggest.h"

#include "cli/limits.h"

const char *suggest_word(str word, const char *const *candidates)
{
    const char *best = NULL;
    size_t best_distance = SIZE_MAX;
    if (!word.n || word.n > SUGGESTED_BYTES_MAX) return NULL;
    for (size_t i = 0; candidates[i]; i++) {
        str candidate = str_of(candidates[i]);
        if (candidate.n > SUGGESTED_BYTES_MAX) continue;
        size_t far = str_distance(word, candidate, false);
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
