/* api/answer_int.h — how requests are answered, and how errors look. */
#ifndef API_ANSWER_INT_H
#define API_ANSWER_INT_H

#include "api/api_int.h"

/* ---- errors (error.c) ---- */

/* A format of errors: a surface tells clients with it what went wrong. */
struct error_format {
    str media_type;
    /* Writes a JSON object without its closing brace, so that members may follow. */
    void (*put)(enum status status, const char *word, str sentence, struct buf *out);
    /* NULL, or instead of `put`, for a format that tells more than that. */
    void (*put_error)(const struct api_request *request, const struct error *err, struct buf *out);
    const char *end; /* Written behind it; NULL: the closing brace. */
    /* NULL: the status of HTTP is that of the error's status. */
    int (*http_status)(const struct error *err);
    /* NULL, or the header line of a 401, if the format has one of its own; empty: it has not. */
    str (*challenge)(const struct api_request *request);
};

extern const struct error_format error_plain;   /* {"error","reason","message"} */
extern const struct error_format error_problem; /* A problem document (RFC 9457) with these members, too. */

/* The error for programs: its code if that is a word of its own ("tenant-limit"), else that of its status. */
const char *error_word(const struct error *err);

/* The error for people: with its place, if it is about one in a text. */
str error_sentence(const struct error *err, struct arena *arena);

/* ---- answers (answer.c) ---- */

/* `headers` are complete lines; a body is JSON unless they name another Content-Type. */
void answer(struct api_request *request, int http_status, str headers, str body);
void answer_typed(struct api_request *request, int http_status, str type, str headers, str body);
/* A body that lives as long as the API is not copied, however many clients leave it unread. */
void answer_lasting(struct api_request *request, int http_status, str type, str headers, str body);
void answer_error(struct api_request *request, const struct error *err);
/* Its body, in the format of the request's surface. */
str answer_error_body(struct api_request *request, const struct error *err, struct arena *arena);
/* The error of a call whose document was refused, with all its problems. */
void answer_problems(struct api_request *request, const struct call *call, str refusal, str problems);
/* The lines of every answer to the request: those that let pages of other origins read it, and its warning.
 * Empty if there is neither. */
str answer_lines(struct api_request *request);
void answer_preflight(struct api_request *request, str methods);

/* Header lines that go with an error: when to come back, what to send. */
str answer_advice(enum status status);

/* The end of what a START is answered, behind the instance that the caller has written: the outcome of an
 * arrival. A start that waits for a place has no instance, and this is all. Returns the HTTP status: 201, or
 * 200 if the instance was there before, or 202 if the start waits. */
int answer_put_start(const struct call *call, struct buf *out);

/* A renderer for calls whose success needs no words: 204. */
void answer_render_nothing(const struct call *call, int *ret_http_status, struct buf *out);

#endif
