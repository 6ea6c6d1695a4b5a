/* cli/access/prompt.h — asks for secrets.
 *
 * A secret comes from the terminal, which does not show it, or from standard input. It is never an argument:
 * arguments are shown by `ps` and kept by shells.
 */
#ifndef CLI_ACCESS_PROMPT_H
#define CLI_ACCESS_PROMPT_H

#include "base/arena.h"
#include "base/status.h"

/* Asks at the terminal; `what` names the secret. A line end is not part of it. */
enum status prompt_typed(const char *what, size_t bytes_max, struct arena *arena, str *ret_secret,
                         struct error *err);

/* From the terminal, else the whole of standard input. With `twice` a terminal is asked again, and both must
 * be the same. Wipe the secret after its use. */
enum status prompt_secret(const char *what, bool twice, size_t bytes_max, struct arena *arena,
                          str *ret_secret, struct error *err);

/* The text without a line end at its end. */
str prompt_line(str text);

/* Overwrites a secret. */
void prompt_wipe(str secret);

#endif
