/* perform/transfer.c — one call as libcurl sees it: options, headers, answer, failure. */
#include "perform/outcall_int.h"

#include "base/ascii.h"
#include "base/must.h"
#include "perform/limits.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>

enum { SENTENCE_BYTES = 512 };

/* Setting an option fails only by a mistake in this file, or without memory. */
#define SET(easy, option, value) must(libcurl.easy_setopt((easy), (option), (value)) == CURLE_OK)

__attribute__((format(printf, 4, 0))) static void set_failure(struct transfer *transfer,
                                                              enum outcall_failure failure,
                                                              enum reason_code code, const char *format,
                                                              va_list arguments)
{
    char sentence[SENTENCE_BYTES];
    vsnprintf(sentence, sizeof sentence, format, arguments);
    transfer->call->failure = failure;
    transfer->call->code = code;
    transfer->call->message = arena_str(transfer->call->arena, str_of(sentence));
}

void transfer_fail(struct transfer *transfer, enum outcall_failure failure, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_failure(transfer, failure, REASON_NONE, format, arguments);
    va_end(arguments);
}

void transfer_fail_code(struct transfer *transfer, enum outcall_failure failure, enum reason_code code,
                        const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_failure(transfer, failure, code, format, arguments);
    va_end(arguments);
}

/* ---- checking the request ---- */

/* A "token" of RFC 9110: methods and header names. */
static bool is_word(str text)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        bool word = ascii_is_alphanumeric(c);
        if (!word && (c == 0 || !strchr("!#$%&'*+-.^_`|~", c))) return false;
    }
    return text.n > 0;
}

/* True if no character could end the line or the header. */
static bool is_header_value(str text)
{
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f) return false;
    }
    return true;
}

static bool check_headers(struct transfer *transfer)
{
    const struct outcall *call = transfer->call;
    const struct outcall_header fixed[] = {
        { STR("Content-Type"), call->content_type },
        { STR("Idempotency-Key"), call->idempotency_key },
        { STR("traceparent"), call->traceparent },
    };
    if (!is_word(call->method)) {
        transfer_fail(transfer, OUTCALL_INVALID_HEADER, "the method is not a word");
        return false;
    }
    for (size_t i = 0; i < COUNT(fixed) + call->header_count; i++) {
        const struct outcall_header *header = i < COUNT(fixed) ? &fixed[i] : &call->header[i - COUNT(fixed)];
        if (!is_word(header->name)) {
            transfer_fail(transfer, OUTCALL_INVALID_HEADER, "a header's name is not a word");
            return false;
        }
        if (!is_header_value(header->value)) {
            transfer_fail(transfer, OUTCALL_INVALID_HEADER,
                          "the header %.*s has characters that cannot be sent", STR_ARG(header->name));
            return false;
        }
    }
    return true;
}

static bool is_ascii(const char *text)
{
    while (*text && (unsigned char)*text < 0x80) text++;
    return !*text;
}

/* libcurl takes http:/a and http:///a for http://a, so slashes are checked here. */
static bool is_http(str url)
{
    size_t at = str_find(url, STR("://"), 0);
    str scheme = str_slice(url, 0, at);
    return at != SIZE_MAX && at + 3 < url.n && url.p[at + 3] != '/' &&
           (str_equal_ignoring_case(scheme, STR("http")) || str_equal_ignoring_case(scheme, STR("https")));
}

/* Checks whether the URL may be called, apart from its address. Returns NULL, or what is wrong. */
static const char *check_parts(CURLU *url, const char *text, struct arena *arena, str *ret_place)
{
    switch (libcurl.url_set(url, CURLUPART_URL, text, CURLU_DISALLOW_USER)) {
    case CURLUE_OK: break;
    case CURLUE_USER_NOT_ALLOWED: return "the URL has a user or a password in it, which is not allowed";
    case CURLUE_BAD_PORT_NUMBER: return "the URL's port is not a number from 1 to 65535";
    default: return "the URL is malformed";
    }
    char *scheme = NULL, *host = NULL, *port = NULL;
    must(libcurl.url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK);
    must(libcurl.url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK);
    must(libcurl.url_get(url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK);
    bool ascii = is_ascii(host);
    if (ascii) *ret_place = arena_printf(arena, "%s://%s:%s", scheme, host, port);
    libcurl.free(scheme);
    libcurl.free(host);
    libcurl.free(port);
    return ascii ? NULL : "the URL's host is not in ASCII; names in other scripts are written with xn--";
}

static bool check_url(struct transfer *transfer)
{
    str text = transfer->call->url;
    if (text.n > OUTCALL_URL_BYTES_MAX) {
        transfer_fail(transfer, OUTCALL_INVALID_URL, "the URL is longer than %d bytes",
                      OUTCALL_URL_BYTES_MAX);
        return false;
    }
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c > ' ' && c < 0x7f) continue;
        transfer_fail(transfer, OUTCALL_INVALID_URL,
                      "the URL has a character in it that must be percent-encoded");
        return false;
    }
    if (!is_http(text)) {
        transfer_fail(transfer, OUTCALL_INVALID_URL,
                      "only URLs that begin with http://HOST or https://HOST can be called");
        return false;
    }
    CURLU *url = libcurl.url();
    must(url);
    struct arena *arena = transfer->call->arena;
    const char *problem = check_parts(url, arena_str(arena, text).p, arena, &transfer->place);
    libcurl.url_cleanup(url);
    if (problem) transfer_fail(transfer, OUTCALL_INVALID_URL, "%s", problem);
    return !problem;
}

bool transfer_check(struct transfer *transfer) { return check_headers(transfer) && check_url(transfer); }

/* ---- callbacks of libcurl ---- */

/* Makes every socket of a call. libcurl calls it for each address that it tries. */
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct transfer *transfer = context;
    (void)purpose;
    const char *network = reach_refusal(transfer->reach, reach_host_of(transfer->place), &address->addr);
    if (network) {
        transfer->refused_class = network;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
    struct transfer *transfer = context;
    size_t n = size * count;
    if (n > transfer->answer_bytes_max - transfer->answer.n) {
        transfer->too_large = true;
        return CURL_WRITEFUNC_ERROR;
    }
    buf_add(&transfer->answer, bytes, n);
    return n;
}

/* ---- sending ---- */

static void add_header(struct transfer *transfer, str name, str value)
{
    /* libcurl sends an empty header if its name ends with a semicolon. */
    struct arena *arena = transfer->call->arena;
    str line = value.n ? arena_printf(arena, "%.*s: %.*s", STR_ARG(name), STR_ARG(value))
                       : arena_printf(arena, "%.*s;", STR_ARG(name));
    transfer->header = libcurl.slist_append(transfer->header, line.p);
    must(transfer->header);
}

/* Drops a header that libcurl would add. */
static void drop_header(struct transfer *transfer, const char *line)
{
    transfer->header = libcurl.slist_append(transfer->header, line);
    must(transfer->header);
}

static void set_headers(struct transfer *transfer)
{
    const struct outcall *call = transfer->call;
    if (call->content_type.n) add_header(transfer, STR("Content-Type"), call->content_type);
    else drop_header(transfer, "Content-Type:");
    drop_header(transfer, "Expect:"); /* Costs a round trip, and few servers answer it. */
    if (call->idempotency_key.n) add_header(transfer, STR("Idempotency-Key"), call->idempotency_key);
    if (call->traceparent.n) add_header(transfer, STR("traceparent"), call->traceparent);
    for (size_t i = 0; i < call->header_count; i++)
        add_header(transfer, call->header[i].name, call->header[i].value);
    SET(transfer->easy, CURLOPT_HTTPHEADER, transfer->header);
}

static void set_method(struct transfer *transfer)
{
    struct outcall *call = transfer->call;
    /* Without a body these methods send Content-Length: 0, the others send no such header. */
    bool always_body = str_equal(call->method, STR("POST")) || str_equal(call->method, STR("PUT")) ||
                       str_equal(call->method, STR("PATCH"));
    if (str_equal(call->method, STR("HEAD"))) {
        SET(transfer->easy, CURLOPT_NOBODY, 1L);
        return;
    }
    if (call->body.p || always_body) {
        SET(transfer->easy, CURLOPT_POSTFIELDS, call->body.p ? call->body.p : "");
        SET(transfer->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body.n);
    }
    SET(transfer->easy, CURLOPT_CUSTOMREQUEST, arena_str(call->arena, call->method).p);
}

/* Sets the rules that no document can change. Most are libcurl's defaults, written down because the engine
 * relies on them; there is no cookie engine and no .netrc unless asked for. */
static void set_rules(CURL *easy)
{
    SET(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    SET(easy, CURLOPT_FOLLOWLOCATION, 0L);
    SET(easy, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    SET(easy, CURLOPT_PROXY, ""); /* Also none from the environment. */
    SET(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    SET(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(easy, CURLOPT_HTTP09_ALLOWED, 0L);
    SET(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    SET(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    SET(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    libcurl_trust(easy);
    SET(easy, CURLOPT_NOSIGNAL, 1L);
    /* Without it, breaking off a call would wait until its name is resolved, and hold up all others. */
    SET(easy, CURLOPT_QUICK_EXIT, 1L);
    SET(easy, CURLOPT_USERAGENT, "pawl/" PAWL_VERSION);
}

void transfer_open(struct transfer *transfer, const struct outcalls_config *config)
{
    struct outcall *call = transfer->call;
    transfer->easy = libcurl.easy_init();
    must(transfer->easy);
    transfer->reach = &config->reach;
    transfer->answer_bytes_max = config->answer_bytes_max;
    transfer->timeout_ms = call->timeout_ms > 0 ? call->timeout_ms : config->timeout_ms;
    /* libcurl keeps milliseconds in an int. */
    if (transfer->timeout_ms > INT32_MAX) transfer->timeout_ms = INT32_MAX;
    buf_init(&transfer->answer, call->arena);

    CURL *easy = transfer->easy;
    set_rules(easy);
    SET(easy, CURLOPT_URL, arena_str(call->arena, call->url).p);
    SET(easy, CURLOPT_TIMEOUT_MS, (long)transfer->timeout_ms);
    SET(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)config->connect_timeout_ms);
    SET(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(easy, CURLOPT_OPENSOCKETDATA, transfer);
    SET(easy, CURLOPT_WRITEFUNCTION, take_body);
    SET(easy, CURLOPT_WRITEDATA, transfer);
    SET(easy, CURLOPT_PRIVATE, transfer);
    set_method(transfer);
    set_headers(transfer);
}

void transfer_close(struct transfer *transfer)
{
    libcurl.easy_cleanup(transfer->easy);
    libcurl.slist_free_all(transfer->header);
    transfer->easy = NULL;
    transfer->header = NULL;
}

/* ---- the end ---- */

static void read_connect_failure(struct transfer *transfer)
{
    long code = 0;
    libcurl.easy_getinfo(transfer->easy, CURLINFO_OS_ERRNO, &code);
    if (transfer->refused_class)
        transfer_fail_code(transfer, OUTCALL_ADDRESS_REFUSED, REASON_ADDRESS_REFUSED,
                           "%.*s is in a network that calls may not reach (%s) without --allow-private-calls",
                           STR_ARG(transfer->place), transfer->refused_class);
    else if (code == ECONNREFUSED)
        transfer_fail_code(transfer, OUTCALL_CONNECTION_REFUSED, REASON_CONNECTION_REFUSED,
                           "%.*s refused the connection", STR_ARG(transfer->place));
    else
        transfer_fail_code(transfer, OUTCALL_CONNECTION_FAILED, REASON_CONNECTION_FAILED,
                           "no connection to %.*s", STR_ARG(transfer->place));
}

static void read_timeout(struct transfer *transfer)
{
    long sent_bytes = 0;
    libcurl.easy_getinfo(transfer->easy, CURLINFO_REQUEST_SIZE, &sent_bytes);
    if (sent_bytes)
        transfer_fail_code(transfer, OUTCALL_TIMEOUT, REASON_ANSWER_LATE,
                           "no answer from %.*s in time (%lld ms)", STR_ARG(transfer->place),
                           (long long)transfer->timeout_ms);
    else
        transfer_fail_code(transfer, OUTCALL_TIMEOUT, REASON_CONNECTION_LATE, "no connection to %.*s in time",
                           STR_ARG(transfer->place));
}

static void read_failure(struct transfer *transfer, CURLcode code)
{
    str place = transfer->place;
    switch ((int)code) {
    case CURLE_URL_MALFORMAT: transfer_fail(transfer, OUTCALL_INVALID_URL, "the URL is malformed"); break;
    case CURLE_COULDNT_RESOLVE_HOST:
        transfer_fail_code(transfer, OUTCALL_NAME_NOT_FOUND, REASON_NAME_NOT_FOUND,
                           "no address was found for %.*s", STR_ARG(place));
        break;
    case CURLE_COULDNT_CONNECT: read_connect_failure(transfer); break;
    case CURLE_OPERATION_TIMEDOUT: read_timeout(transfer); break;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_PEER_FAILED_VERIFICATION:
        transfer_fail_code(transfer, OUTCALL_TLS, REASON_UNTRUSTED, "no trusted TLS connection to %.*s: %s",
                           STR_ARG(place), libcurl.easy_strerror(code));
        break;
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
        transfer_fail(transfer, OUTCALL_CONNECTION_FAILED, "%.*s closed the connection without an answer",
                      STR_ARG(place));
        break;
    case CURLE_PARTIAL_FILE:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL: /* The URL's was checked: this is an answer in HTTP/0.9. */
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_HTTP2:
        transfer_fail(transfer, OUTCALL_MALFORMED, "the answer of %.*s is cut off or is not HTTP",
                      STR_ARG(place));
        break;
    default:
        transfer_fail(transfer, OUTCALL_OTHER, "the call of %.*s failed: %s", STR_ARG(place),
                      libcurl.easy_strerror(code));
    }
}

static bool is_kept(const struct outcall *call, str name)
{
    return call->keeps_headers || str_equal_ignoring_case(str_slice(name, 0, 3), STR("ce-")) ||
           str_equal_ignoring_case(name, STR("retry-after"));
}

static void read_headers(struct transfer *transfer)
{
    struct outcall *call = transfer->call;
    struct outcall_header *list = NULL;
    size_t count = 0;
    struct curl_header *header = NULL;
    while (count < OUTCALL_HEADERS_KEPT_MAX &&
           (header = libcurl.easy_nextheader(transfer->easy, CURLH_HEADER, -1, header))) {
        str name = str_of(header->name);
        if (!is_kept(call, name)) continue;
        if (!list) list = arena_make_n(call->arena, struct outcall_header, OUTCALL_HEADERS_KEPT_MAX);
        list[count++] = (struct outcall_header){
            .name = arena_str(call->arena, name),
            .value = arena_str(call->arena, str_of(header->value)),
        };
    }
    call->answer_header = list;
    call->answer_header_count = count;
}

void transfer_read(struct transfer *transfer, CURLcode code)
{
    struct outcall *call = transfer->call;
    if (transfer->too_large) {
        transfer_fail(transfer, OUTCALL_TOO_LARGE, "answer larger than %zu bytes",
                      transfer->answer_bytes_max);
        return;
    }
    if (code != CURLE_OK) {
        read_failure(transfer, code);
        return;
    }
    long status = 0;
    const char *type = NULL;
    libcurl.easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    libcurl.easy_getinfo(transfer->easy, CURLINFO_CONTENT_TYPE, &type);
    call->failure = OUTCALL_NONE;
    call->status = (int)status;
    call->answer_type = arena_str(call->arena, str_of(type));
    call->answer = buf_str(&transfer->answer);
    read_headers(transfer);
}
