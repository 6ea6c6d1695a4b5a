/* base/log.c — writes each log line as JSON, in one write. */
#define _GNU_SOURCE /* dup3 */

#include "base/log.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/datetime.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <unistd.h>

static const char *const level_names[] = {
    [LOG_DEBUG] = "debug", [LOG_INFO] = "info", [LOG_WARN] = "warn", [LOG_ERROR] = "error", [LOG_OFF] = "off",
};

static atomic_int lowest_level = LOG_INFO;
static atomic_int lines_fd = STDERR_FILENO;
static _Thread_local bool is_quiet;

void log_set_level(enum log_level level) { atomic_store(&lowest_level, level); }

/* The descriptor stays the same once there is a file: another thread may be about to write to it. */
enum status log_open(const char *path, struct error *err)
{
    int before = atomic_load(&lines_fd), fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0) return fail(err, ST_INVALID, path, "%s: %s", path, strerror(errno));
    if (before == STDERR_FILENO) {
        atomic_store(&lines_fd, fd);
        return ST_OK;
    }
    bool moved = dup3(fd, before, O_CLOEXEC) == before;
    close(fd);
    return moved ? ST_OK : fail(err, ST_INVALID, path, "%s: %s", path, strerror(errno));
}

void log_keep_quiet(bool quiet) { is_quiet = quiet; }

bool log_level_parse(str word, enum log_level *ret_level)
{
    for (size_t i = 0; i < COUNT(level_names); i++) {
        if (!str_equal(word, str_of(level_names[i]))) continue;
        *ret_level = (enum log_level)i;
        return true;
    }
    return false;
}

/* base cannot use json/. Text that is not UTF-8 must not spoil the line, so its bytes
 * beyond ASCII are replaced. */
static void add_quoted(struct buf *line, const char *text)
{
    bool utf8 = utf8_is_valid(str_of(text));
    buf_add_char(line, '"');
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\') buf_printf(line, "\\%c", *p);
        else if (*p < 0x20) buf_printf(line, "\\u%04x", *p);
        else if (*p >= 0x80 && !utf8) buf_add_str(line, STR("\\ufffd"));
        else buf_add_char(line, (char)*p);
    }
    buf_add_char(line, '"');
}

static void add_pair(struct buf *line, const char *key, const char *value)
{
    buf_add_char(line, line->n ? ',' : '{');
    add_quoted(line, key);
    buf_add_char(line, ':');
    add_quoted(line, value);
}

void log_write(enum log_level level, const char *event, ...)
{
    if (is_quiet || level >= LOG_OFF || (int)level < atomic_load(&lowest_level)) return;
    int errno_before = errno;

    struct buf line;
    buf_init(&line, NULL);
    struct clock clock = clock_system();
    char time[DATETIME_CHARS + 1];
    datetime_print(clock_now_ms(&clock), time);
    add_pair(&line, "time", time);
    add_pair(&line, "level", level_names[level]);
    add_pair(&line, "event", event);
    va_list pairs;
    va_start(pairs, event);
    for (const char *key; (key = va_arg(pairs, const char *));) {
        const char *value = va_arg(pairs, const char *);
        /* A NULL value cannot be told from the end, so it is the end. */
        if (!value) break;
        add_pair(&line, key, value);
    }
    va_end(pairs);
    buf_add_str(&line, STR("}\n"));

    /* A log that cannot be written has nobody to tell. */
    ssize_t written = write(atomic_load(&lines_fd), line.p, line.n);
    (void)written;
    buf_done(&line);
    errno = errno_before;
}
