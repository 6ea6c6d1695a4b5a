/* net/parse_head.c — a request's line and header fields, in place.
 *
 * The parser makes one pass over the bytes, copies nothing and keeps nothing between calls: an
 * incomplete head is parsed again from its start when more has come. The first mistake decides. A
 * prefix of a head gives either 0 or the verdict that the whole head gets.
 *
 * A head is refused if two readers might understand it differently: the first of them may be a proxy
 * that believed it had sent one request.
 */
#include "net/parse_int.h"

#include "base/ascii.h"

#include <endian.h>

/* Classes of bytes: the parts of a head that a byte may stand in. */
enum {
    IN_NAME = 1,   /* Methods and field names. */
    IN_TARGET = 2, /* Visible ASCII but '#', which starts a fragment and is never sent. */
    IN_HOST = 4,
};

#define G IN_TARGET
#define K IN_NAME
#define T (IN_NAME | IN_TARGET)
#define H (IN_TARGET | IN_HOST)
#define A (IN_NAME | IN_TARGET | IN_HOST)
static const uint8_t class_of[256] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* 0x00 */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* 0x10 */
    0, A, G, K, A, A, A, A, H, H, A, A, H, A, A, G, /* 0x20 */
    A, A, A, A, A, A, A, A, A, A, H, H, G, H, G, G, /* 0x30 */
    G, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, /* 0x40 */
    A, A, A, A, A, A, A, A, A, A, A, H, G, H, T, A, /* 0x50 */
    T, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, /* 0x60 */
    A, A, A, A, A, A, A, A, A, A, A, G, T, G, A, 0, /* 0x70 */
};
#undef G
#undef K
#undef T
#undef H
#undef A

static const str methods[] = {
    { "GET", 3 },  { "POST", 4 },  { "PUT", 3 },     { "DELETE", 6 },
    { "HEAD", 4 }, { "PATCH", 5 }, { "OPTIONS", 7 },
};

enum { COMPLETE = 1, MORE = 0 };

/* Facts about fields that are judged when the last field is known. */
struct seen {
    bool host, close, keep_alive;
};

bool parse_is_name(char c) { return class_of[(uint8_t)c] & IN_NAME; }

static inline bool is_in(char c, int class) { return class_of[(uint8_t)c] & class; }

static inline const char *skip_class(const char *p, const char *end, int class)
{
    for (; end - p >= 4; p += 4) {
        if (!is_in(p[0], class)) return p;
        if (!is_in(p[1], class)) return p + 1;
        if (!is_in(p[2], class)) return p + 2;
        if (!is_in(p[3], class)) return p + 3;
    }
    while (p < end && is_in(*p, class)) p++;
    return p;
}

/* The first control character, or the end. Eight bytes at a time: a byte below 0x20 borrows
 * from its top bit when 0x20 is taken away, and so does a DEL once xor has made it zero.
 * (Bytes above the first hit may look hit too: only the lowest counts.) */
static inline const char *find_control(const char *p, const char *end)
{
    const uint64_t each = UINT64_C(0x0101010101010101), top = each * 0x80;
    for (; end - p >= 8; p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        word = le64toh(word);
        uint64_t del = word ^ (each * 0x7f);
        uint64_t hits = (((word - each * 0x20) & ~word) | ((del - each) & ~del)) & top;
        if (hits) return p + __builtin_ctzll(hits) / 8;
    }
    while (p < end && (uint8_t)*p >= 0x20 && *p != 0x7f) p++;
    return p;
}

/* The first byte that may not be in a target: the same, with a space, '#' and all that is not ASCII. */
static inline const char *skip_target(const char *p, const char *end)
{
    const uint64_t each = UINT64_C(0x0101010101010101), top = each * 0x80;
    for (; end - p >= 8; p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        word = le64toh(word);
        uint64_t del = word ^ (each * 0x7f), hash = word ^ (each * '#');
        uint64_t below = (word - each * 0x21) & ~word,
                 is_either = ((del - each) & ~del) | ((hash - each) & ~hash);
        uint64_t hits = (below | is_either | word) & top;
        if (hits) return p + __builtin_ctzll(hits) / 8;
    }
    return skip_class(p, end, IN_TARGET);
}

/* The first byte that may not be in a field's value. HT may. */
static inline const char *skip_value(const char *p, const char *end)
{
    while ((p = find_control(p, end)) < end && *p == '\t') p++;
    return p;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* Whether the text is the word, which is in lower case. No control character gets here, so
 * setting the bit that tells the cases apart makes nothing else equal. */
static inline bool is_word(str text, str lower)
{
    if (text.n != lower.n) return false;
    if (text.n >= 8) { /* Eight bytes at a time; the last eight may overlap those before. */
        for (size_t i = 0; i < text.n; i += 8) {
            size_t at = i + 8 <= text.n ? i : text.n - 8;
            uint64_t a, b;
            memcpy(&a, text.p + at, 8);
            memcpy(&b, lower.p + at, 8);
            if ((a | UINT64_C(0x2020202020202020)) != b) return false;
        }
        return true;
    }
    for (size_t i = 0; i < text.n; i++)
        if ((text.p[i] | 0x20) != lower.p[i]) return false;
    return true;
}

__attribute__((always_inline)) static inline int take_field(const char **cursor, const char *end,
                                                            struct http_header *ret_field)
{
    const char *name = *cursor;
    const char *p = skip_class(name, end, IN_NAME);
    if (p == end) return MORE;
    if (*p != ':' || p == name) return -400; /* Also obs-fold and "Name :". */
    const char *name_end = p++;
    while (p < end && is_blank(*p)) p++;
    const char *value = p;
    p = skip_value(p, end);
    if (p == end) return MORE;
    if (*p != '\r') return -400;
    if (end - p < 2) return MORE;
    if (p[1] != '\n') return -400;
    const char *value_end = p;
    while (value_end > value && is_blank(value_end[-1])) value_end--;

    ret_field->name = (str){ name, (size_t)(name_end - name) };
    ret_field->value = (str){ value, (size_t)(value_end - value) };
    *cursor = p + 2;
    return COMPLETE;
}

int parse_field(const char **cursor, const char *end, struct http_header *ret_field)
{
    return take_field(cursor, end, ret_field);
}

int parse_empty_line(const char **cursor, const char *end)
{
    if (end - *cursor < 2) return MORE;
    if ((*cursor)[1] != '\n') return -400;
    *cursor += 2;
    return COMPLETE;
}

/* A number that is too large for int64 is still a number: it saturates and is refused as
 * too large where limits are known. */
bool parse_length(str text, int64_t *ret_length)
{
    const int64_t safe = INT64_MAX / 10 - 1; /* Below it another digit always fits. */
    int64_t length = 0;
    bool huge = false;
    if (!text.n) return false;
    for (size_t i = 0; i < text.n; i++) {
        if (!ascii_is_digit(text.p[i])) return false;
        if (length > safe) huge = true;
        else length = length * 10 + (text.p[i] - '0');
    }
    *ret_length = huge ? INT64_MAX : length;
    return true;
}

bool parse_has_option(str list, str option)
{
    while (list.n) {
        const char *comma = memchr(list.p, ',', list.n);
        size_t n = comma ? (size_t)(comma - list.p) : list.n;
        if (str_equal_ignoring_case(str_trim((str){ list.p, n }), option)) return true;
        list = str_slice(list, n + 1, list.n);
    }
    return false;
}

/* The scheme and authority of an absolute target, 0 for an origin target. */
static size_t origin_bytes(str target)
{
    static const str schemes[] = { { "http://", 7 }, { "https://", 8 } };
    for (size_t i = 0; i < COUNT(schemes); i++) {
        size_t n = schemes[i].n;
        if (target.n <= n || !str_equal_ignoring_case((str){ target.p, n }, schemes[i])) continue;
        size_t at = n;
        while (at < target.n && target.p[at] != '/' && target.p[at] != '?') at++;
        return at > n ? at : 0;
    }
    return 0;
}

void parse_split_target(str target, str *ret_path, str *ret_query)
{
    str rest = target;
    if (target.p[0] != '/') rest = str_slice(target, origin_bytes(target), target.n);
    const char *mark = rest.n ? memchr(rest.p, '?', rest.n) : NULL;
    size_t path_bytes = mark ? (size_t)(mark - rest.p) : rest.n;
    *ret_path = path_bytes ? (str){ rest.p, path_bytes } : STR("/");
    *ret_query = mark ? (str){ mark + 1, rest.n - path_bytes - 1 } : (str){ "", 0 };
}

int parse_check_target(str method, str target)
{
    size_t i = 0;
    while (i < COUNT(methods) && !str_equal(method, methods[i])) i++;
    if (i == COUNT(methods)) return -501;
    if (target.p[0] == '/' || origin_bytes(target)) return COMPLETE;
    if (str_equal(target, STR("*")) && str_equal(method, STR("OPTIONS"))) return COMPLETE;
    return -400;
}

static int parse_request_line(const char **cursor, const char *end, struct http_head *head)
{
    const char *method = *cursor;
    const char *p = skip_class(method, end, IN_NAME);
    if (p == end) return MORE;
    if (*p != ' ' || p == method) return -400;
    head->method = (str){ method, (size_t)(p - method) };

    const char *target = ++p;
    p = skip_target(p, end);
    if (p == end) return MORE;
    if (*p != ' ' || p == target) return -400;
    head->target = (str){ target, (size_t)(p - target) };

    p++;
    if (end - p < 10) return MORE;
    if (p[8] != '\r' || p[9] != '\n') return -400;
    bool usual = memcmp(p, "HTTP/1.1", 8) == 0;
    if (!usual &&
        (memcmp(p, "HTTP/", 5) != 0 || !ascii_is_digit(p[5]) || p[6] != '.' || !ascii_is_digit(p[7])))
        return -400;
    if (!usual && (p[5] != '1' || p[7] != '0')) return -505;
    head->minor = usual ? 1 : 0;
    *cursor = p + 10;
    return parse_check_target(head->method, head->target);
}

bool parse_is_target(str text) { return skip_class(text.p, text.p + text.n, IN_TARGET) == text.p + text.n; }

bool parse_is_host(str text) { return skip_class(text.p, text.p + text.n, IN_HOST) == text.p + text.n; }

static int note_host(str value, struct seen *seen)
{
    if (seen->host || !parse_is_host(value)) return -400;
    seen->host = true;
    return COMPLETE;
}

/* Fields that decide where the message ends and what becomes of the connection. */
static int note_field(struct http_head *head, const struct http_header *field, struct seen *seen)
{
    str name = field->name, value = field->value;
    switch (name.n) {
    case 4:
        if (is_word(name, STR("host"))) return note_host(value, seen);
        break;
    case 6:
        if (!is_word(name, STR("expect")) || head->minor == 0) break;
        if (!is_word(value, STR("100-continue"))) return -417;
        head->expect_continue = true;
        break;
    case 10:
        if (!is_word(name, STR("connection"))) break;
        seen->close |= parse_has_option(value, STR("close"));
        seen->keep_alive |= parse_has_option(value, STR("keep-alive"));
        break;
    case 14:
        if (!is_word(name, STR("content-length"))) break;
        if (head->content_length >= 0 || !parse_length(value, &head->content_length)) return -400;
        break;
    case 17:
        if (!is_word(name, STR("transfer-encoding"))) break;
        if (head->chunked || !is_word(value, STR("chunked"))) return -400;
        head->chunked = true;
        break;
    default: break;
    }
    return COMPLETE;
}

static int check_whole(struct http_head *head, const struct seen *seen)
{
    if (head->minor == 1 && !seen->host) return -400;
    if (head->chunked && (head->content_length >= 0 || head->minor == 0)) return -400;
    head->keep_alive = !seen->close && (head->minor == 1 || seen->keep_alive);
    return COMPLETE;
}

/* The head within [*cursor, end). */
static int parse_lines(const char **cursor, const char *end, size_t count_max, struct http_head *head)
{
    struct seen seen = { false, false, false };
    int verdict;

    /* Some clients put an empty line behind a body: one is forgiven, as RFC 9112 asks. */
    if (*cursor < end && **cursor == '\r' && (verdict = parse_empty_line(cursor, end)) != COMPLETE)
        return verdict;
    if ((verdict = parse_request_line(cursor, end, head)) != COMPLETE) return verdict;
    for (;;) {
        if (*cursor == end) return MORE;
        if (**cursor == '\r') break;
        if (head->header_count == count_max) return -431;
        struct http_header *field = &head->header[head->header_count];
        if ((verdict = take_field(cursor, end, field)) != COMPLETE) return verdict;
        head->header_count++;
        if ((verdict = note_field(head, field, &seen)) != COMPLETE) return verdict;
    }
    if ((verdict = parse_empty_line(cursor, end)) != COMPLETE) return verdict;
    return check_whole(head, &seen);
}

int http_parse_head(str bytes, const struct limits *limits, struct http_head *ret_head)
{
    size_t bytes_max = (size_t)limits->header_bytes_max;
    size_t count_max = (size_t)limits->header_count_max;
    if (count_max > HTTP_HEADERS_MAX) count_max = HTTP_HEADERS_MAX;
    if (!bytes.n) return MORE;

    ret_head->header_count = 0;
    ret_head->content_length = -1;
    ret_head->chunked = ret_head->expect_continue = ret_head->keep_alive = false;

    const char *cursor = bytes.p;
    size_t window = bytes.n < bytes_max ? bytes.n : bytes_max;
    int verdict = parse_lines(&cursor, bytes.p + window, count_max, ret_head);
    if (verdict == COMPLETE) return (int)(cursor - bytes.p);
    if (verdict == MORE && window == bytes_max) return -431;
    return verdict;
}
