/* base/log.c — writes each log line as JSON or as text, in one write. */
#define _GNU_SOURCE /* dup3 */

#include "base/log.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/datetime.h"
#include "base/hash.h"
#include "base/log_repeats_int.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* docs/logs.md lists it with the others. */
#define LOST_EVENT "lines of the log were lost, because nobody reads them"

static const char *const level_names[] = {
    [LOG_DEBUG] = "debug", [LOG_INFO] = "info", [LOG_WARN] = "warn", [LOG_ERROR] = "error", [LOG_OFF] = "off",
};

static atomic_int lowest_level = LOG_INFO;
static atomic_int lines_fd = STDERR_FILENO;
static atomic_int lines_format = LOG_JSON;
static _Thread_local bool is_quiet;

void log_set_level(enum log_level level) { atomic_store(&lowest_level, level); }

void log_set_format(enum log_format format) { atomic_store(&lines_format, format); }

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

static bool is_written(enum log_level level)
{
    return !is_quiet && level < LOG_OFF && (int)level >= atomic_load(&lowest_level);
}

void log_collect(va_list pairs, const char *ret_pair[2 * LOG_PAIRS_MAX + 1])
{
    size_t n = 0;
    for (const char *key; (key = va_arg(pairs, const char *)) && n < 2 * LOG_PAIRS_MAX;) {
        const char *value = va_arg(pairs, const char *);
        /* A NULL value cannot be told from the end, so it is the end. */
        if (!value) break;
        ret_pair[n++] = key;
        ret_pair[n++] = value;
    }
    ret_pair[n] = NULL;
}

/* ---- lines ---- */

/* Numbers are written as they are, if they are numbers. */
static bool is_number(const char *text)
{
    const char *p = text + (*text == '-');
    if (*p < '0' || *p > '9' || (*p == '0' && p[1])) return false;
    while (*p >= '0' && *p <= '9') p++;
    return *p == '\0';
}

static void add_json_pair(struct buf *line, const char *key, const char *value)
{
    bool number = *key == '#';
    buf_add_char(line, line->n ? ',' : '{');
    add_quoted(line, key + number);
    buf_add_char(line, ':');
    if (number && is_number(value)) buf_add_str(line, str_of(value));
    else add_quoted(line, value);
}

/* Words that could be taken for another pair, and control characters, are in quotes. */
static void add_text_pair(struct buf *line, const char *key, const char *value)
{
    bool plain = *value != '\0' && utf8_is_valid(str_of(value));
    for (const unsigned char *p = (const unsigned char *)value; *p && plain; p++)
        plain = *p > ' ' && *p != '"' && *p != '=' && *p != 0x7f;
    buf_printf(line, " %s=", key + (*key == '#'));
    if (plain) buf_add_str(line, str_of(value));
    else add_quoted(line, value);
}

static void add_pair(struct buf *line, enum log_format format, const char *key, const char *value)
{
    (format == LOG_JSON ? add_json_pair : add_text_pair)(line, key, value);
}

static void add_head(struct buf *line, enum log_format format, enum log_level level, const char *event,
                     int64_t now_ms)
{
    char time[DATETIME_CHARS + 1];
    datetime_print(now_ms, time);
    if (format == LOG_TEXT) {
        buf_printf(line, "%s %-5s %s", time, level_names[level], event);
        return;
    }
    add_json_pair(line, "time", time);
    add_json_pair(line, "level", level_names[level]);
    add_json_pair(line, "event", event);
}

/* ---- writing ---- */

static pthread_mutex_t write_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t lost_count; /* Guarded by write_lock. */

/* A pipe or a socket that nobody reads is full at some time. The engine's thread must not wait for its
 * reader. */
static bool can_write(int fd)
{
    struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };
    return poll(&poll_fd, 1, 0) != 0;
}

/* A log that cannot be written has nobody to tell. */
static void write_text(int fd, struct buf *line, enum log_format format)
{
    if (format == LOG_JSON) buf_add_char(line, '}');
    buf_add_char(line, '\n');
    ssize_t written = write(fd, line->p, line->n);
    (void)written;
}

static void write_lost(int fd, enum log_format format, uint64_t count)
{
    struct clock clock = clock_system();
    struct buf line;
    char number[24];
    buf_init(&line, NULL);
    snprintf(number, sizeof number, "%llu", (unsigned long long)count);
    add_head(&line, format, LOG_WARN, LOST_EVENT, clock_now_ms(&clock));
    add_pair(&line, format, "#lines", number);
    write_text(fd, &line, format);
    buf_done(&line);
}

static void write_line(struct buf *line, enum log_format format)
{
    int fd = atomic_load(&lines_fd);
    pthread_mutex_lock(&write_lock);
    if (lost_count > 0 && can_write(fd)) {
        write_lost(fd, format, lost_count);
        lost_count = 0;
    }
    if (can_write(fd)) write_text(fd, line, format);
    else lost_count++;
    pthread_mutex_unlock(&write_lock);
}

/* ---- a bounded number of lines in a second ---- */

static struct log_repeats repeats;
static pthread_mutex_t repeats_lock = PTHREAD_MUTEX_INITIALIZER;

/* The values of these keys only say which one it was. */
static bool is_individual(const char *key)
{
    static const char *const individuals[] = { "instance", "name", "trace", "job", "entity" };
    for (size_t i = 0; i < COUNT(individuals); i++)
        if (strcmp(key, individuals[i]) == 0) return true;
    return false;
}

static bool keep_back(const char *event, const struct buf *says, const struct buf *line, int64_t now_ms)
{
    pthread_mutex_lock(&repeats_lock);
    bool kept = log_repeats_keep(&repeats, hash_bytes(str_of(event)), hash_bytes(buf_str(says)),
                                 buf_str(line), now_ms);
    pthread_mutex_unlock(&repeats_lock);
    return kept;
}

void log_flush(bool all)
{
    struct clock clock = clock_system();
    int64_t now_ms = clock_now_ms(&clock);
    enum log_format format = (enum log_format)atomic_load(&lines_format);
    struct buf line;
    str kept;
    uint64_t count;
    char number[24];
    pthread_mutex_lock(&repeats_lock);
    while (log_repeats_next(&repeats, now_ms, all, &kept, &count)) {
        buf_init(&line, NULL);
        buf_add_str(&line, kept);
        snprintf(number, sizeof number, "%llu", (unsigned long long)count);
        add_pair(&line, format, "#repeated", number);
        write_line(&line, format);
        buf_done(&line);
    }
    pthread_mutex_unlock(&repeats_lock);
}

void log_write_pairs(enum log_level level, const char *event, const char *const *pair)
{
    if (!is_written(level)) return;
    int errno_before = errno;
    enum log_format format = (enum log_format)atomic_load(&lines_format);
    struct clock clock = clock_system();
    int64_t now_ms = clock_now_ms(&clock);

    struct buf line, says;
    buf_init(&line, NULL);
    buf_init(&says, NULL);
    add_head(&line, format, level, event, now_ms);
    buf_add_str(&says, str_of(event));
    for (; pair[0]; pair += 2) {
        if (!*pair[1]) continue;
        add_pair(&line, format, pair[0], pair[1]);
        if (!is_individual(pair[0])) buf_printf(&says, "\n%s=%s", pair[0], pair[1]);
    }
    if (level == LOG_DEBUG || !keep_back(event, &says, &line, now_ms)) write_line(&line, format);
    buf_done(&line);
    buf_done(&says);
    errno = errno_before;
}

void log_write(enum log_level level, const char *event, ...)
{
    if (!is_written(level)) return;
    const char *pair[2 * LOG_PAIRS_MAX + 1];
    va_list pairs;
    va_start(pairs, event);
    log_collect(pairs, pair);
    va_end(pairs);
    log_write_pairs(level, event, pair);
}
