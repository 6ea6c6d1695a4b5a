/* expr/chars_int.h — texts of values, and case.
 */
#ifndef EXPR_CHARS_INT_H
#define EXPR_CHARS_INT_H

#include "expr/vm_int.h"

/* A value as text: strings as they are, anything else as JSON. */
str chars_of(const struct json *value, struct arena *arena);
enum status chars_change_case(struct vm *vm, str text, bool upper, str *ret_text);

#endif
