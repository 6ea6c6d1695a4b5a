/* tests/fuzz/fuzz_http.c — requests: a head, and behind it a body.
 *
 * Bytes arrive in pieces of any size. Whatever the pieces, the verdict is the same, and a
 * beginning gets no other verdict than the whole.
 */

#include "fuzz.h"

#include "net/parse_int.h"

enum { PREFIXES_MAX = 48, BODY_MAX = 4096 };

static bool known_verdict(int verdict)
{
    switch (verdict) {
    case -400:
    case -417:
    case -431:
    case -501:
    case -505: return true;
    default: return verdict >= 0;
    }
}

static bool inside(str part, str whole)
{
    return part.p >= whole.p && part.n <= whole.n && part.p + part.n <= whole.p + whole.n;
}

/* ---- heads ---- */

static void check_field(const struct http_header *field, str head)
{
    must(inside(field->name, head) && inside(field->value, head) && field->name.n);
    for (size_t i = 0; i < field->name.n; i++) must(parse_is_name(field->name.p[i]));
    for (size_t i = 0; i < field->value.n; i++) {
        uint8_t c = (uint8_t)field->value.p[i];
        must(c == '\t' || (c >= 0x20 && c != 0x7f));
    }
    if (!field->value.n) return;
    must(field->value.p[0] > ' ' || (uint8_t)field->value.p[0] >= 0x80);
    must(field->value.p[field->value.n - 1] > ' ' || (uint8_t)field->value.p[field->value.n - 1] >= 0x80);
}

static void check_head(const struct http_head *head, str bytes, const struct limits *limits)
{
    must(head->minor == 0 || head->minor == 1);
    must(head->method.n && inside(head->method, bytes));
    must(head->target.n && inside(head->target, bytes));
    for (size_t i = 0; i < head->target.n; i++) must(head->target.p[i] > ' ' && head->target.p[i] < 0x7f);
    must(head->header_count <= (size_t)limits->header_count_max);
    must(head->content_length >= -1);
    must(!head->chunked || (head->content_length < 0 && head->minor == 1));
    size_t hosts = 0, lengths = 0;
    for (size_t i = 0; i < head->header_count; i++) {
        check_field(&head->header[i], bytes);
        hosts += str_equal_ignoring_case(head->header[i].name, STR("host"));
        lengths += str_equal_ignoring_case(head->header[i].name, STR("content-length"));
    }
    must(hosts <= 1 && (head->minor == 0 || hosts == 1));
    must(lengths == (head->content_length >= 0));
}

static void check_same_head(const struct http_head *a, const struct http_head *b)
{
    must(str_equal(a->method, b->method) && str_equal(a->target, b->target));
    must(a->minor == b->minor && a->content_length == b->content_length && a->chunked == b->chunked);
    must(a->keep_alive == b->keep_alive && a->expect_continue == b->expect_continue);
    must(a->header_count == b->header_count);
    for (size_t i = 0; i < a->header_count; i++) {
        must(str_equal(a->header[i].name, b->header[i].name));
        must(str_equal(a->header[i].value, b->header[i].value));
    }
}

static void check_prefix(str bytes, size_t n, int whole, const struct http_head *head,
                         const struct limits *limits)
{
    str block = fuzz_block(str_slice(bytes, 0, n));
    struct http_head other;
    int verdict = http_parse_head(block, limits, &other);
    must(verdict == whole || verdict == 0);
    if (whole > 0) must((verdict == whole) == (n >= (size_t)whole));
    if (verdict > 0) check_same_head(&other, head);
    fuzz_block_free(block);
}

static void check_prefixes(str bytes, int whole, const struct http_head *head, const struct limits *limits,
                           struct choices *choices)
{
    if (whole > 0) {
        check_prefix(bytes, (size_t)whole, whole, head, limits);
        check_prefix(bytes, (size_t)whole - 1, whole, head, limits);
    }
    size_t step = bytes.n / PREFIXES_MAX + 1;
    for (size_t n = step > 1 ? choose(choices, (uint32_t)step) : 0; n < bytes.n; n += step)
        check_prefix(bytes, n, whole, head, limits);
}

/* Lower limits refuse, and change nothing else. */
static void check_limits(str bytes, int whole, struct choices *choices)
{
    struct limits low = limits_default();
    low.header_bytes_max = 1 + choose(choices, 200);
    low.header_count_max = choose(choices, 6);
    struct http_head head;
    int verdict = http_parse_head(bytes, &low, &head);
    must(verdict == -431 || verdict == whole);
    if (verdict > 0)
        must(verdict <= low.header_bytes_max && head.header_count <= (size_t)low.header_count_max);
}

static void check_query(const struct http_head *head)
{
    struct arena arena;
    struct http_request request = { .method = head->method,
                                    .target = head->target,
                                    .arena = &arena,
                                    .header = head->header,
                                    .header_count = head->header_count };
    str text;
    arena_init(&arena, 0);
    parse_split_target(head->target, &request.path, &request.query);
    must(request.path.n && request.path.n + request.query.n <= head->target.n + 1);
    if (http_decode(request.path, false, &arena, &text)) must(text.n <= request.path.n);
    if (http_query(&request, STR("a"), &text)) must(text.n <= request.query.n);
    if (http_query(&request, STR(""), &text)) must(text.n <= request.query.n);
    for (size_t i = 0; i < head->header_count; i++) must(http_header(&request, head->header[i].name).p);
    arena_done(&arena);
}

/* ---- chunks ---- */

struct decoded {
    struct buf body;
    int64_t verdict; /* All bytes used, or a status. */
    bool complete;
};

/* Feeds the bytes in pieces of at most `piece_max`, each with nothing behind it. */
static struct decoded decode(str bytes, size_t body_max, size_t piece_max, struct choices *choices)
{
    struct decoded decoded = { 0 };
    struct http_chunks state = { 0 };
    size_t at = 0;
    buf_init(&decoded.body, NULL);
    while (at < bytes.n && !decoded.complete) {
        size_t n = piece_max < SIZE_MAX ? 1 + choose(choices, (uint32_t)piece_max) : bytes.n;
        str piece = fuzz_block(str_slice(bytes, at, at + n));
        int64_t used = http_parse_chunks(&state, piece, body_max, &decoded.body, &decoded.complete);
        must(used < 0 || decoded.complete || (size_t)used == piece.n);
        must(used <= (int64_t)piece.n && decoded.body.n <= body_max);
        fuzz_block_free(piece);
        decoded.verdict = used < 0 ? used : decoded.verdict + used;
        if (used < 0) break;
        at += (size_t)used;
    }
    return decoded;
}

static void check_chunks(str bytes, struct choices *choices)
{
    struct decoded whole = decode(bytes, BODY_MAX, SIZE_MAX, choices);
    must(whole.verdict >= 0 || whole.verdict == -400 || whole.verdict == -413 || whole.verdict == -431);
    static const size_t sizes[] = { 1, 3, 40 };
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct decoded pieces = decode(bytes, BODY_MAX, sizes[i], choices);
        must(pieces.verdict == whole.verdict && pieces.complete == whole.complete);
        if (whole.verdict >= 0) must(str_equal(buf_str(&pieces.body), buf_str(&whole.body)));
        buf_done(&pieces.body);
    }
    /* With exactly the room it needs it fits, with less it does not. */
    if (whole.complete && whole.body.n) {
        struct decoded tight = decode(bytes, whole.body.n, SIZE_MAX, choices);
        must(tight.complete);
        buf_done(&tight.body);
        struct decoded small = decode(bytes, whole.body.n - 1, SIZE_MAX, choices);
        must(small.verdict == -413);
        buf_done(&small.body);
    }
    buf_done(&whole.body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str bytes = { (const char *)data, size };
    const struct limits limits = limits_default();
    struct choices choices = choices_from(STR_NONE, bytes);
    struct http_head head;
    int verdict = http_parse_head(bytes, &limits, &head);
    must(known_verdict(verdict) && verdict <= (int)size);
    check_prefixes(bytes, verdict, &head, &limits, &choices);
    check_limits(bytes, verdict, &choices);
    if (verdict > 0) {
        check_head(&head, str_slice(bytes, 0, (size_t)verdict), &limits);
        check_query(&head);
    }
    if (verdict > 0 && head.chunked) check_chunks(str_slice(bytes, (size_t)verdict, size), &choices);
    /* A body may also come alone. */
    if (verdict < 0) check_chunks(bytes, &choices);
    return 0;
}
