/* cli/help.h — texts made from the tables of verbs and options. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "base/buf.h"
#include "cli/options.h"

void help_overview(struct buf *out);
void help_of(enum verb verb, struct buf *out);

/* Prints help_of(); returns the exit code. */
int help_print(enum verb verb);

/* "usage" of a verb without "pawl": "start DEFINITION [OPTIONS]". */
void help_usage(enum verb verb, struct buf *out);

bool help_has_options(enum verb verb);

/* ---- exit codes, from STATUS_MAP ---- */

enum { EXIT_CODE_HIGHEST = 6 };
/* The meanings of all statuses with that exit code, joined by "; ". */
void help_exit_meaning(int code, struct buf *out);

/* ---- for packagers ---- */

void docs_man(struct buf *out);
void docs_bash(struct buf *out);
void docs_zsh(struct buf *out);
void docs_fish(struct buf *out);

#endif
