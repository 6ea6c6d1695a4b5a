/* base/status.h — how things fail, outside of the core and inside it.
 *
 * Three kinds of failure, never mixed: the caller asked for something impossible, the
 * world failed (retry is true), or we are wrong (must()). A status maps to an HTTP
 * code, a gRPC code, an API error word, a CLI exit code and a retry advice in this one list.
 */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include "base/str.h"

/* clang-format off */
#define STATUS_MAP(XX)                                                                           \
    /* name          http  grpc exit  retry  word                  meaning                         */ \
    XX(OK,           200,  0,   0,    false, "ok",                 "done")                            \
    XX(INVALID,      400,  3,   2,    false, "bad-request",        "the request or document is wrong") \
    XX(UNAUTHORIZED, 401,  16,  5,    false, "unauthenticated",    "no credential that counts was sent") \
    XX(FORBIDDEN,    403,  7,   5,    false, "forbidden",          "the caller may not do this") \
    XX(NOT_FOUND,    404,  5,   3,    false, "not-found",          "no such thing")                   \
    XX(CONFLICT,     409,  9,   4,    false, "conflict",           "its state does not allow that")   \
    XX(STALE,        412,  10,  4,    false, "precondition-failed", "it has changed since it was read")    \
    XX(LIMIT,        413,  3,   2,    false, "limit-exceeded",     "larger, deeper or longer than we allow") \
    XX(UNSUPPORTED,  415,  3,   2,    false, "unsupported-format", "a format we do not read")         \
    XX(MISDIRECTED,  421,  7,   5,    false, "misdirected",        "this engine does not serve that host") \
    XX(UNPROCESSABLE, 422, 3,   2,    false, "unprocessable",      "understood, but not acceptable")  \
    XX(OVERLOAD,     429,  8,   6,    true,  "overloaded",         "too much work at once")           \
    XX(INTERNAL,     500,  13,  1,    false, "internal-error",     "our mistake")                     \
    XX(STORE,        503,  14,  6,    true,  "store-unavailable",  "the database refused or went away") \
    XX(AGAIN,        503,  10,  6,    true,  "try-again",          "another node was faster; nothing happened") \
    XX(DRAINING,     503,  14,  6,    true,  "shutting-down",      "the engine is stopping")          \
    XX(BUSY,         503,  14,  6,    true,  "overloaded",         "too many bytes wait in memory")    \
    XX(FULL,         507,  8,   6,    true,  "storage-full",       "no space left to store it")
/* clang-format on */

enum status {
#define XX(NAME, http, grpc, exit, retry, word, meaning) ST_##NAME,
    STATUS_MAP(XX)
#undef XX
        STATUS_COUNT
};

enum { ERROR_WHERE_BYTES = 256, ERROR_MESSAGE_BYTES = 1024 };

/* A failure in words that a user understands. `where` is a JSON Pointer, a file, a
 * table; line and column are 1-based, 0 when there are none. */
struct error {
    enum status status;
    uint32_t line;
    uint32_t column;
    uint32_t wait_s;      /* The caller may try again after so many seconds; 0: the status says how many. */
    uint32_t details_at_; /* Where the details begin in `message`, behind its end; 0: there are none. */
    const char *code;     /* A stable word for programs, finer than the status: "NOT_WAITING"; NULL: none. */
    char where[ERROR_WHERE_BYTES];
    char message[ERROR_MESSAGE_BYTES];
};

/* An error that says nothing yet. The texts behind their ends are left as they are: every call has an error,
 * and few calls fail. */
static inline void error_init(struct error *err)
{
    err->status = ST_OK;
    err->line = err->column = err->wait_s = err->details_at_ = 0;
    err->code = NULL;
    err->where[0] = err->message[0] = '\0';
}

int status_http(enum status status);
int status_grpc(enum status status);
int status_exit(enum status status);
bool status_retry(enum status status);
const char *status_word(enum status status);
const char *status_meaning(enum status status);

/* Writes an error and returns its status: the only writer of struct error. `err` may be
 * NULL; text that does not fit is cut at a character boundary. */
__attribute__((format(printf, 4, 5))) enum status fail(struct error *err, enum status status,
                                                       const char *where, const char *format, ...);

/* The same, with a code (a literal) for programs. */
__attribute__((format(printf, 4, 5))) enum status fail_code(struct error *err, enum status status,
                                                            const char *code, const char *format, ...);

/* The same, with a place in a text. */
__attribute__((format(printf, 5, 6))) enum status fail_at(struct error *err, enum status status,
                                                          uint32_t line, uint32_t column, const char *format,
                                                          ...);

/* Adds words to the message. The details are lost: add them afterwards. */
__attribute__((format(printf, 2, 3))) void fail_more(struct error *err, const char *format, ...);

/* Adds a member to the details of an error that was written. `value` is JSON; a member that does not fit is
 * left out. `err` may be NULL. */
void fail_detail(struct error *err, const char *name, str value);
/* Adds members that fail_details_of() gave. */
void fail_details(struct error *err, str members);
/* Members of a JSON object, for programs: `,"name":value` each. */
const char *fail_details_of(const struct error *err);

/* Leaves the function with the status of the first call that fails. Only where nothing
 * needs undoing: arena memory does not, a transaction does. */
#define TRY(call)                             \
    do {                                      \
        enum status status_ = (call);         \
        if (status_ != ST_OK) return status_; \
    } while (0)

#endif
