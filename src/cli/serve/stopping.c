/* cli/serve/stopping.c — ends a process that takes too long to stop, and names the part that it awaited. */
#include "cli/serve/stopping.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES = 400, NUMBER_DIGITS = 20, WHAT_BYTES = 96 };

struct open_part {
    char what[WHAT_BYTES];
    stopping_count_fn *count;
    const void *context;
};

/* The handler reads the newest one while the other one is being written. */
static struct open_part parts[2];
static _Atomic(const struct open_part *) newest;
static struct open_part suspected; /* Read while `suspects` is true. */
static atomic_bool suspects;

/* ---- a line, made with nothing but memory ---- */

struct line {
    char text[LINE_BYTES];
    size_t n;
};

static void add(struct line *line, const char *text)
{
    size_t n = strlen(text), room = sizeof line->text - line->n;
    if (n > room) n = room;
    memcpy(line->text + line->n, text, n);
    line->n += n;
}

static void add_number(struct line *line, size_t number)
{
    char digits[NUMBER_DIGITS + 1];
    char *at = digits + NUMBER_DIGITS;
    *at = '\0';
    do *--at = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    add(line, at);
}

static void add_part(struct line *line, const struct open_part *part)
{
    add(line, part->what);
    if (!part->count) return;
    add(line, " (");
    add_number(line, part->count(part->context));
    add(line, ")");
}

/* May run at any moment, in any thread, so it makes only system calls. */
static void give_up(int signal)
{
    const struct open_part *part = atomic_load(&newest);
    struct line line = { .n = 0 };
    (void)signal;
    add(&line, "pawl: stopped where it stands: the engine did not come to an end in time; still open: ");
    if (part) add_part(&line, part);
    else add(&line, "everything");
    if (atomic_load(&suspects) && suspected.count(suspected.context)) {
        add(&line, "; ");
        add_part(&line, &suspected);
    }
    add(&line, "\n");
    ssize_t written = write(STDERR_FILENO, line.text, line.n);
    (void)written;
    _exit(1);
}

void stopping_begin(unsigned seconds)
{
    signal(SIGALRM, give_up);
    alarm(seconds);
}

static struct open_part make_part(const char *what, stopping_count_fn *count, const void *context)
{
    struct open_part part = { .count = count, .context = context };
    snprintf(part.what, sizeof part.what, "%s", what);
    return part;
}

void stopping_wait_for(const char *what, stopping_count_fn *count, const void *context)
{
    struct open_part *part = atomic_load(&newest) == &parts[0] ? &parts[1] : &parts[0];
    *part = make_part(what, count, context);
    atomic_store(&newest, part);
}

void stopping_suspect(const char *what, stopping_count_fn *count, const void *context)
{
    atomic_store(&suspects, false);
    if (!count) return;
    suspected = make_part(what, count, context);
    atomic_store(&suspects, true);
}

void stopping_done(void) { alarm(0); }
