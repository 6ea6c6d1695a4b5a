/* net/parse_int.h — the parser of HTTP/1.1, for the server, the client, the query functions, tests and
 * fuzzing. */
#ifndef NET_PARSE_INT_H
#define NET_PARSE_INT_H

#include "net/limits.h"
#include "net/net.h"

struct http_head {
    str method, target;
    int minor; /* HTTP/1.minor */
    struct http_header header[HTTP_HEADERS_MAX];
    size_t header_count;
    int64_t content_length; /* -1: none given. */
    bool chunked, keep_alive, expect_continue;
};

/* Bytes of the head if it is complete, 0 if more is needed, or a negative HTTP status
 * (-400, -431, -501, -505, -417). Pure. */
int http_parse_head(str bytes, const struct limits *limits, struct http_head *ret_head);

/* Decodes the next bytes of a chunked body and appends them to `out`. Returns how many were
 * used (all of them, unless the body is complete), or a negative HTTP status: -400, -413
 * when `out` would be larger than body_max, -431 for long trailers. The caller zeroes
 * `state` before the first call. Trailer fields are dropped. */
struct http_chunks {
    uint64_t left;
    int state;
    size_t line_bytes;
};
int64_t http_parse_chunks(struct http_chunks *state, str bytes, size_t body_max, struct buf *out,
                          bool *ret_complete);

/* These two return 1 and move the cursor behind the field or the line; 0 if more bytes are needed; or -400.
 */
int parse_field(const char **cursor, const char *end, struct http_header *ret_field);
int parse_empty_line(const char **cursor, const char *end);

/* Takes digits only. INT64_MAX stands for a number that does not fit. */
bool parse_length(str text, int64_t *ret_length);

/* Whether a comma-separated list has the word, in any case. */
bool parse_has_option(str list, str option);

/* Whether the byte may be part of a method or a field name. */
bool parse_is_name(char c);

/* Whether all bytes may be part of a target, or of a host. */
bool parse_is_target(str text);
bool parse_is_host(str text);

/* 1 if a request may have this method and this target, which has no other bytes than a target may have;
 * else -501 or -400. */
int parse_check_target(str method, str target);

void parse_split_target(str target, str *ret_path, str *ret_query);

#endif
