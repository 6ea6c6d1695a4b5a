/* cli/suggest.h — "did you mean". */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include "base/str.h"

/* The candidate that was probably meant, or NULL. Candidates end with NULL. */
const char *suggest_word(str word, const char *const *candidates);

#endif
