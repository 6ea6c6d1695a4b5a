/* base/status.c — the columns of STATUS_MAP as functions, and errors with their messages. */
#include "base/status.h"

#include "base/must.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    int http;
    int grpc;
    int exit;
    bool retry;
    const char *word;
    const char *meaning;
} statuses[STATUS_COUNT] = {
#define XX(NAME, http, grpc, exit, retry, word, meaning) \
    [ST_##NAME] = { http, grpc, exit, retry, word, meaning },
    STATUS_MAP(XX)
#undef XX
};

int status_http(enum status status) { return statuses[status].http; }
int status_grpc(enum status status) { return statuses[status].grpc; }
int status_exit(enum status status) { return statuses[status].exit; }
bool status_retry(enum status status) { return statuses[status].retry; }
const char *status_word(enum status status) { return statuses[status].word; }
const char *status_meaning(enum status status) { return statuses[status].meaning; }

/* The longest message of an error with details. */
enum { ERROR_DETAILED_BYTES = 640 };

/* Cuts a text that filled its array, so that it does not end inside a character. */
static void cut_clean(char *text, size_t bytes)
{
    size_t n = strlen(text);
    if (n + 1 < bytes) return;
    while (n && !utf8_begins(text[n - 1])) n--;
    if (n && (unsigned char)text[n - 1] >= 0xc0) n--;
    text[n] = '\0';
}

__attribute__((format(printf, 2, 0))) static void write_message(struct error *err, const char *format,
                                                                va_list args)
{
    vsnprintf(err->message, sizeof err->message, format, args);
    cut_clean(err->message, sizeof err->message);
}

static void begin(struct error *err, enum status status)
{
    error_init(err);
    err->status = status;
}

enum status fail(struct error *err, enum status status, const char *where, const char *format, ...)
{
    if (!err) return status;
    begin(err, status);
    snprintf(err->where, sizeof err->where, "%s", where ? where : "");
    cut_clean(err->where, sizeof err->where);
    va_list args;
    va_start(args, format);
    write_message(err, format, args);
    va_end(args);
    return status;
}

enum status fail_code(struct error *err, enum status status, const char *code, const char *format, ...)
{
    if (!err) return status;
    begin(err, status);
    err->code = code;
    va_list args;
    va_start(args, format);
    write_message(err, format, args);
    va_end(args);
    return status;
}

enum status fail_at(struct error *err, enum status status, uint32_t line, uint32_t column, const char *format,
                    ...)
{
    if (!err) return status;
    begin(err, status);
    err->line = line;
    err->column = column;
    va_list args;
    va_start(args, format);
    write_message(err, format, args);
    va_end(args);
    return status;
}

void fail_more(struct error *err, const char *format, ...)
{
    size_t at = strlen(err->message);
    va_list args;
    va_start(args, format);
    vsnprintf(err->message + at, sizeof err->message - at, format, args);
    va_end(args);
    cut_clean(err->message, sizeof err->message);
    err->details_at_ = 0;
}

const char *fail_details_of(const struct error *err)
{
    return err->details_at_ ? err->message + err->details_at_ : "";
}

/* The details share the room of the message, which is nearly always short. A long one gives way to them. */
static void begin_details(struct error *err)
{
    if (err->details_at_) return;
    if (strlen(err->message) > ERROR_DETAILED_BYTES) {
        err->message[ERROR_DETAILED_BYTES] = '\0';
        cut_clean(err->message, ERROR_DETAILED_BYTES + 1);
    }
    err->details_at_ = (uint32_t)strlen(err->message) + 1;
    err->message[err->details_at_] = '\0';
}

__attribute__((format(printf, 2, 3))) static void add_detail(struct error *err, const char *format, ...)
{
    begin_details(err);
    size_t at = err->details_at_ + strlen(err->message + err->details_at_), left = sizeof err->message - at;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(err->message + at, left, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= left) err->message[at] = '\0';
}

void fail_detail(struct error *err, const char *name, str value)
{
    if (err) add_detail(err, ",\"%s\":%.*s", name, STR_ARG(value));
}

void fail_details(struct error *err, str members) { add_detail(err, "%.*s", STR_ARG(members)); }

void must_failed(const char *condition, const char *file, int line, const char *function)
{
    fprintf(stderr, "pawl: %s:%d: %s: must hold and does not: %s\n", file, line, function, condition);
    abort();
}
