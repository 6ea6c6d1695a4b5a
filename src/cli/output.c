/* cli/output.c — writes text safely to the terminal, errors to standard error, and files. */
#include "cli/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int output_write(str text)
{
    if ((!text.n || fwrite(text.p, 1, text.n, stdout) == text.n) && fflush(stdout) == 0) return 0;
    if (errno != EPIPE) output_complain("cannot write to standard output: %s", strerror(errno));
    return 1;
}

void output_write_error(str text)
{
    if (text.n) fwrite(text.p, 1, text.n, stderr);
}

int output_write_file(const char *path, str text)
{
    FILE *file = fopen(path, "w");
    bool written = file && fwrite(text.p, 1, text.n, file) == text.n;
    if (file && fclose(file) != 0) written = false;
    if (written) return 0;
    output_complain("%s: %s", path, strerror(errno));
    return status_exit(ST_INTERNAL);
}

void output_complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("pawl: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

int output_fail(const struct error *err)
{
    output_complain("%s", err->message);
    return status_exit(err->status);
}

bool output_colours(void)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    if (no_color && *no_color) return false;
    return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
}

void output_add_safe(struct buf *out, str text, bool keep_newlines)
{
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        unsigned char next = i + 1 < text.n ? (unsigned char)text.p[i + 1] : 0;
        bool c1_control = c == 0xc2 && next >= 0x80 && next < 0xa0;
        if ((c < 0x20 && !(keep_newlines && c == '\n')) || c == 0x7f || c1_control) {
            buf_add_char(out, '?');
            i += c1_control;
        } else {
            buf_add_char(out, (char)c);
        }
    }
}
