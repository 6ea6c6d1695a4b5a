/* cli/access/prompt.c — reads secrets from the terminal or from standard input. */
#include "cli/access/prompt.h"

#include "cli/input.h"

#include <stdio.h>
#include <termios.h>
#include <unistd.h>

str prompt_line(str text)
{
    if (text.n && text.p[text.n - 1] == '\n') text.n--;
    if (text.n && text.p[text.n - 1] == '\r') text.n--;
    return text;
}

enum status prompt_typed(const char *what, size_t bytes_max, struct arena *arena, str *ret_secret,
                         struct error *err)
{
    char *line = arena_zero(arena, 1, bytes_max + 2);
    struct termios before, quiet;
    bool hidden = tcgetattr(STDIN_FILENO, &before) == 0;
    fprintf(stderr, "%s: ", what);
    fflush(stderr);
    if (hidden) {
        quiet = before;
        quiet.c_lflag &= ~(tcflag_t)ECHO;
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
    }
    bool read = fgets(line, (int)(bytes_max + 2), stdin) != NULL;
    if (hidden) tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    fputc('\n', stderr);
    if (!read) return fail(err, ST_INVALID, "", "no %s was given", what);
    *ret_secret = prompt_line(str_of(line));
    return ST_OK;
}

enum status prompt_secret(const char *what, bool twice, size_t bytes_max, struct arena *arena,
                          str *ret_secret, struct error *err)
{
    str again = STR_NONE;
    if (!isatty(STDIN_FILENO)) {
        TRY(input_read_file("-", bytes_max + 2, arena, ret_secret, err));
        *ret_secret = prompt_line(*ret_secret);
    } else {
        TRY(prompt_typed(what, bytes_max, arena, ret_secret, err));
        if (twice) TRY(prompt_typed("once more", bytes_max, arena, &again, err));
        bool is_same = !twice || str_equal(*ret_secret, again);
        prompt_wipe(again);
        if (!is_same) return fail(err, ST_INVALID, "", "the two are not the same");
    }
    return ret_secret->n ? ST_OK : fail(err, ST_INVALID, "", "no %s was given", what);
}

void prompt_wipe(str secret)
{
    if (secret.n) explicit_bzero((char *)(uintptr_t)secret.p, secret.n);
}
