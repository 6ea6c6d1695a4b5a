/* expr/case_folding_int.h — texts without regard to case.
 */
#ifndef EXPR_CASE_FOLDING_INT_H
#define EXPR_CASE_FOLDING_INT_H

#include "base/arena.h"

/* The text with each character replaced by its simple case folding (Unicode 14): texts that differ only in
 * case become equal. A text that has nothing to fold is returned as it is, else it lives in the arena and has
 * at most 1.5 times as many bytes. */
str case_folding_of(str text, struct arena *arena);

#endif
