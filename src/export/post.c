/* export/post.c — messages to a collector, with libcurl. */
#include "export/post.h"

#include "base/clock.h"
#include "base/must.h"
#include "base/read.h"
#include "base/utf8.h"
#include "export/limits.h"
#include "json/json.h"
#include "perform/libcurl.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

struct post {
    const struct exporter_config *config;
    struct post_config opened;
    CURL *easy;
    struct curl_slist *headers;
    struct buf answer, packed;
};

/* ---- what libcurl asks ---- */

static size_t take_answer(char *bytes, size_t size, size_t count, void *context)
{
    struct post *post = context;
    size_t n = size * count;
    if (post->answer.n + n > COLLECTOR_BYTES_MAX) return 0; /* libcurl gives up. */
    buf_add(&post->answer, bytes, n);
    return n;
}

static int look(void *context, curl_off_t down, curl_off_t down_now, curl_off_t up, curl_off_t up_now)
{
    const struct post *post = context;
    (void)down, (void)down_now, (void)up, (void)up_now;
    if (post->opened.meanwhile) post->opened.meanwhile(post->opened.context);
    int64_t end_us = atomic_load(post->opened.end_us);
    return end_us && clock_monotonic_us() >= end_us;
}

/* ---- opening ---- */

#define SET(option, value) must(libcurl.easy_setopt(post->easy, option, value) == CURLE_OK)

static void add_header(struct post *post, const char *line)
{
    struct curl_slist *more = libcurl.slist_append(post->headers, line);
    must(more);
    post->headers = more;
}

static void set_up(struct post *post)
{
    const struct exporter_config *config = post->config;
    add_header(post,
               config->is_json ? "Content-Type: application/json" : "Content-Type: application/x-protobuf");
    add_header(post, "Expect:");
    if (!config->is_plain) add_header(post, "Content-Encoding: gzip");
    for (size_t i = 0; i < config->header_count; i++) add_header(post, config->header[i]);
    SET(CURLOPT_URL, config->url);
    SET(CURLOPT_HTTPHEADER, post->headers);
    SET(CURLOPT_USERAGENT, "pawl/" PAWL_VERSION);
    SET(CURLOPT_TIMEOUT_MS, (long)config->timeout_ms);
    SET(CURLOPT_CONNECTTIMEOUT_MS,
        (long)(config->timeout_ms < COLLECTOR_CONNECT_MS_MAX ? config->timeout_ms
                                                             : COLLECTOR_CONNECT_MS_MAX));
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_NOPROXY, "*");
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_WRITEFUNCTION, take_answer);
    SET(CURLOPT_WRITEDATA, (void *)post);
    SET(CURLOPT_NOPROGRESS, 0L);
    SET(CURLOPT_XFERINFOFUNCTION, look);
    SET(CURLOPT_XFERINFODATA, (void *)post);
    libcurl_trust(post->easy);
    if (config->authorities) SET(CURLOPT_CAINFO, config->authorities);
}

enum status post_open(const struct post_config *config, struct post **ret_post, struct error *err)
{
    TRY(libcurl_load(err));
    struct post *post = calloc(1, sizeof *post);
    must(post);
    *post = (struct post){ .config = config->exporter, .opened = *config, .easy = libcurl.easy_init() };
    must(post->easy);
    buf_init(&post->answer, NULL);
    buf_init(&post->packed, NULL);
    set_up(post);
    *ret_post = post;
    return ST_OK;
}

void post_close(struct post *post)
{
    if (!post) return;
    libcurl.easy_cleanup(post->easy);
    libcurl.slist_free_all(post->headers);
    buf_done(&post->answer);
    buf_done(&post->packed);
    free(post);
}

/* ---- the message ---- */

/* In the form of gzip, which costs a tenth of the bytes: spans of a run say much twice. */
static str pack(struct post *post, str body)
{
    enum { GZIP_WINDOW = 15 + 16, MEMORY = 8 };
    z_stream stream = { 0 };
    must(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK);
    size_t most = deflateBound(&stream, body.n);
    post->packed.n = 0;
    stream.next_in = (unsigned char *)(uintptr_t)body.p;
    stream.avail_in = (unsigned)body.n;
    stream.next_out = (unsigned char *)buf_reserve(&post->packed, most);
    stream.avail_out = (unsigned)most;
    must(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    post->packed.n = stream.total_out;
    deflateEnd(&stream);
    return buf_str(&post->packed);
}

/* ---- the answer ---- */

/* ExportTraceServiceResponse { 1: partial_success { 1: rejected_spans } } */
static bool read_rejected(str answer, uint64_t *ret_count)
{
    struct reader all = { .p = answer.p, .end = answer.p + answer.n };
    while (all.p < all.end && !all.bad) {
        uint64_t key = read_varint(&all), n = read_varint(&all);
        if (all.bad || (key & 7) != 2 || n > (size_t)(all.end - all.p)) return false;
        struct reader part = { .p = all.p, .end = all.p + n };
        all.p += n;
        while (key >> 3 == 1 && part.p < part.end && !part.bad) {
            uint64_t inner = read_varint(&part), value = read_varint(&part);
            if (part.bad) return false;
            if (inner == 8) *ret_count = value;
            else if ((inner & 7) == 2 && value <= (size_t)(part.end - part.p)) part.p += value;
            else if ((inner & 7) != 0) return false;
        }
        if (part.bad) return false;
    }
    return !all.bad;
}

static bool read_rejected_json(str answer, uint64_t *ret_count)
{
    struct arena arena;
    const struct json *value;
    int64_t count = 0;
    if (!str_trim(answer).n) return true;
    arena_init(&arena, 0);
    bool good = json_parse(answer, NULL, &arena, &value, NULL) == ST_OK && json_is(value, JSON_OBJECT);
    if (good) {
        const struct json *rejected = json_get(json_get(value, STR("partialSuccess")), STR("rejectedSpans"));
        if (json_is(rejected, JSON_STRING)) str_to_int64(json_string(rejected), &count);
        else if (rejected) json_int64(rejected, &count);
    }
    if (count > 0) *ret_count = (uint64_t)count;
    arena_done(&arena);
    return good;
}

static int64_t pause_of(struct post *post)
{
    curl_off_t seconds = 0;
    libcurl.easy_getinfo(post->easy, CURLINFO_RETRY_AFTER, &seconds);
    if (seconds <= 0) return 0;
    return seconds > COLLECTOR_PAUSE_MS_MAX / 1000 ? COLLECTOR_PAUSE_MS_MAX : (int64_t)seconds * 1000;
}

/* Tells the beginning of the collector's answer, if it can be shown. */
static void tell_why(const struct post *post, long status, struct post_answer *answer)
{
    char words[COLLECTOR_SHOWN_MAX + 1];
    str said = utf8_cut(buf_str(&post->answer), COLLECTOR_SHOWN_MAX);
    size_t n = 0;
    for (size_t i = 0; i < said.n; i++) words[n++] = (unsigned char)said.p[i] < ' ' ? ' ' : said.p[i];
    words[n] = '\0';
    bool shown = n && utf8_is_valid(said);
    snprintf(answer->why, sizeof answer->why, "it answered %ld%s%s", status, shown ? ": " : "",
             shown ? words : "");
}

void post_send(struct post *post, str body, struct post_answer *ret_answer)
{
    long status = 0;
    *ret_answer = (struct post_answer){ .fate = POST_LATER };
    str sent = post->config->is_plain ? body : pack(post, body);
    post->answer.n = 0;
    SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)sent.n);
    SET(CURLOPT_POSTFIELDS, sent.p);
    CURLcode code = libcurl.easy_perform(post->easy);
    if (code != CURLE_OK) {
        snprintf(ret_answer->why, sizeof ret_answer->why, "%s", libcurl.easy_strerror(code));
        return;
    }
    libcurl.easy_getinfo(post->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status >= 200 && status < 300) {
        str answer = buf_str(&post->answer);
        ret_answer->fate = POST_TAKEN;
        ret_answer->is_rubbish = !(post->config->is_json ? read_rejected_json(answer, &ret_answer->refused)
                                                         : read_rejected(answer, &ret_answer->refused));
        return;
    }
    bool passes = status == 429 || status == 502 || status == 503 || status == 504;
    if (!passes) ret_answer->fate = POST_REFUSED;
    else ret_answer->pause_ms = pause_of(post);
    tell_why(post, status, ret_answer);
}
