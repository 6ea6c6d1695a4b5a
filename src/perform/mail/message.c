/* perform/mail/message.c — makes the text of a message (RFC 5322, MIME) from a job's input.
 *
 * Names and subjects that are not ASCII are encoded words (RFC 2047). Bodies are base64 unless they are short
 * lines of ASCII. Addresses that are not ASCII stay as they are, and the server must offer SMTPUTF8.
 */
#include "perform/mail/mail_int.h"

#include "base/ascii.h"
#include "base/base64.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "perform/limits.h"

#include <time.h>

enum {
    WORD_BYTES = 45,   /* Bytes of text in one encoded word, which has at most 75 characters. */
    PLAIN_BYTES = 200, /* A longer header text is encoded, which folds it. */
    LINE_BYTES = 990,  /* SMTP allows lines of 998. */
    BASE64_LINE = 57,  /* Bytes that become a line of 76. */
};

/* ---- headers ---- */

static bool is_plain(str text)
{
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] >= 0x80) return false;
    /* Text that looks like an encoded word would be decoded. */
    return text.n <= PLAIN_BYTES && str_find(text, STR("=?"), 0) == SIZE_MAX;
}

static void add_encoded_words(struct buf *out, str text, struct arena *arena)
{
    for (size_t at = 0; at < text.n;) {
        str part = utf8_cut(str_slice(text, at, text.n), WORD_BYTES);
        str coded = base64_encode(part, arena);
        buf_printf(out, "%s=?UTF-8?B?%.*s?=", at ? "\r\n " : "", STR_ARG(coded));
        at += part.n;
    }
}

static void add_header(struct buf *out, const char *name, str text, struct arena *arena)
{
    buf_printf(out, "%s: ", name);
    if (is_plain(text)) buf_add_str(out, text);
    else add_encoded_words(out, text, arena);
    buf_add_str(out, STR("\r\n"));
}

static void add_mailbox(struct buf *out, const struct mailbox *mailbox, struct arena *arena)
{
    if (mailbox->name.n && is_plain(mailbox->name)) {
        buf_add_char(out, '"');
        for (size_t i = 0; i < mailbox->name.n; i++) {
            if (mailbox->name.p[i] == '"' || mailbox->name.p[i] == '\\') buf_add_char(out, '\\');
            buf_add_char(out, mailbox->name.p[i]);
        }
        buf_add_str(out, STR("\" "));
    } else if (mailbox->name.n) {
        add_encoded_words(out, mailbox->name, arena);
        buf_add_char(out, ' ');
    }
    buf_printf(out, "<%.*s>", STR_ARG(mailbox->address));
}

static void add_mailboxes(struct buf *out, const char *name, const struct mailboxes *list,
                          struct arena *arena)
{
    if (!list->count) return;
    buf_printf(out, "%s: ", name);
    for (size_t i = 0; i < list->count; i++) {
        if (i) buf_add_str(out, STR(",\r\n "));
        add_mailbox(out, &list->item[i], arena);
    }
    buf_add_str(out, STR("\r\n"));
}

static void add_date(struct buf *out, int64_t ms)
{
    static const char *const days[] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
    static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
    time_t seconds = (time_t)(ms / 1000);
    struct tm at;
    gmtime_r(&seconds, &at);
    buf_printf(out, "Date: %s, %02d %s %d %02d:%02d:%02d +0000\r\n", days[at.tm_wday], at.tm_mday,
               months[at.tm_mon], at.tm_year + 1900, at.tm_hour, at.tm_min, at.tm_sec);
}

/* ---- bodies ---- */

/* True if the text can be sent as it is, once its line ends are those of SMTP. */
static bool is_seven_bit(str text)
{
    size_t line = 0;
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        line = c == '\n' ? 0 : line + 1;
        bool line_end = c == '\n' || (c == '\r' && i + 1 < text.n && text.p[i + 1] == '\n');
        if (line > LINE_BYTES || c >= 0x7f || (c < 0x20 && c != '\t' && !line_end)) return false;
    }
    return true;
}

static void add_seven_bit(struct buf *out, str text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '\r') continue;
        if (text.p[i] == '\n') buf_add_str(out, STR("\r\n"));
        else buf_add_char(out, text.p[i]);
    }
    buf_add_str(out, STR("\r\n"));
}

static void add_base64(struct buf *out, str text, struct arena *arena)
{
    for (size_t at = 0; at < text.n; at += BASE64_LINE) {
        str line = base64_encode(str_slice(text, at, at + BASE64_LINE), arena);
        buf_printf(out, "%.*s\r\n", STR_ARG(line));
    }
}

/* A part of a multipart message is always base64: no line of it can look like the boundary. */
static void add_part(struct buf *out, const char *type, str text, bool always_coded, struct arena *arena)
{
    bool plain = !always_coded && is_seven_bit(text);
    buf_printf(out, "Content-Type: %s; charset=utf-8\r\nContent-Transfer-Encoding: %s\r\n\r\n", type,
               plain ? "7bit" : "base64");
    if (plain) add_seven_bit(out, text);
    else add_base64(out, text, arena);
}

static void add_body(struct buf *out, str body, str html, uint64_t mark, struct arena *arena)
{
    if (!html.n || !body.n) {
        add_part(out, html.n ? "text/html" : "text/plain", html.n ? html : body, false, arena);
        return;
    }
    str boundary = arena_printf(arena, "=_pawl_%016llx", (unsigned long long)mark);
    buf_printf(out, "Content-Type: multipart/alternative; boundary=\"%.*s\"\r\n\r\n--%.*s\r\n",
               STR_ARG(boundary), STR_ARG(boundary));
    add_part(out, "text/plain", body, true, arena);
    buf_printf(out, "--%.*s\r\n", STR_ARG(boundary));
    add_part(out, "text/html", html, true, arena);
    buf_printf(out, "--%.*s--\r\n", STR_ARG(boundary));
}

/* ---- the input ---- */

static bool read_text(struct engine_job *job, const char *name, str *ret_text)
{
    const struct json *value = json_get(job->input, str_of(name));
    *ret_text = STR_NONE;
    if (!value || json_is(value, JSON_NULL)) return true;
    if (!json_is(value, JSON_STRING)) return mail_fail(job, MAIL_ERROR_EMAIL_INPUT, "%s is not a text", name);
    *ret_text = json_string(value);
    return true;
}

static bool read_header_text(struct engine_job *job, const char *name, str *ret_text)
{
    if (!read_text(job, name, ret_text)) return false;
    if (ret_text->n > MAIL_HEADER_BYTES_MAX)
        return mail_fail(job, MAIL_ERROR_EMAIL_HEADER, "%s has more than %d bytes", name,
                         MAIL_HEADER_BYTES_MAX);
    if (mail_is_header_text(*ret_text)) return true;
    return mail_fail(job, MAIL_ERROR_EMAIL_HEADER, "%s holds a line end or another control character", name);
}

static bool take_addresses(struct engine_job *job, const char *name, str text, struct mailboxes *list)
{
    const char *wrong = mailbox_read_list(text, job->arena, list);
    if (!wrong) return true;
    return mail_fail(job, mail_is_header_text(text) ? MAIL_ERROR_EMAIL_INPUT : MAIL_ERROR_EMAIL_HEADER,
                     "%s: %s", name, wrong);
}

/* A text, or a list that holds texts and, `depth` levels deep, such lists. */
static bool take_values(struct engine_job *job, const char *name, const struct json *value, unsigned depth,
                        struct mailboxes *list)
{
    if (json_is(value, JSON_STRING)) return take_addresses(job, name, json_string(value), list);
    if (!json_is(value, JSON_ARRAY) || !depth)
        return mail_fail(job, MAIL_ERROR_EMAIL_INPUT, "%s is neither a text nor a list of texts", name);
    struct json_each each = json_each(value);
    while (json_next(&each))
        if (!take_values(job, name, each.value, depth - 1, list)) return false;
    return true;
}

/* Reads recipients; absent: no address. A list inside of the list is a placeholder among other recipients. */
static bool read_addresses(struct engine_job *job, const char *name, struct mailboxes *list)
{
    const struct json *value = json_get(job->input, str_of(name));
    *list = (struct mailboxes){ 0 };
    return !value || json_is(value, JSON_NULL) || take_values(job, name, value, 2, list);
}

static bool read_one_address(struct engine_job *job, const char *name, str text, struct mailboxes *list)
{
    *list = (struct mailboxes){ 0 };
    if (!text.n) return true;
    if (!take_addresses(job, name, text, list)) return false;
    return list->count == 1 || mail_fail(job, MAIL_ERROR_EMAIL_INPUT, "%s is more than one address", name);
}

/* ---- headers of the author ---- */

static bool is_header_name(str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!ascii_is_alphanumeric(name.p[i]) && name.p[i] != '-' && name.p[i] != '_') return false;
    return name.n > 0 && name.n <= MAIL_HEADER_NAME_BYTES_MAX;
}

/* Headers that the message has anyway, or that are the servers' own. */
static bool is_taken_name(str name)
{
    static const char *const taken[] = { "from",          "to",           "cc",          "bcc",
                                         "reply-to",      "subject",      "date",        "message-id",
                                         "sender",        "mime-version", "return-path", "received",
                                         "dkim-signature" };
    for (size_t i = 0; i < COUNT(taken); i++)
        if (str_equal_ignoring_case(name, str_of(taken[i]))) return true;
    return str_equal_ignoring_case(str_slice(name, 0, 8), STR("content-"));
}

static bool add_own_headers(struct engine_job *job, struct buf *out)
{
    const struct json *headers = json_get(job->input, STR("headers"));
    if (!headers || json_is(headers, JSON_NULL)) return true;
    if (!json_is(headers, JSON_OBJECT) || json_count(headers) > MAIL_HEADERS_MAX)
        return mail_fail(job, MAIL_ERROR_EMAIL_INPUT, "headers is not an object with at most %d members",
                         MAIL_HEADERS_MAX);
    struct json_each each = json_each(headers);
    while (json_next(&each)) {
        if (!is_header_name(each.name) || is_taken_name(each.name))
            return mail_fail(job, MAIL_ERROR_EMAIL_HEADER, "headers: a name that cannot be set");
        if (!json_is(each.value, JSON_STRING))
            return mail_fail(job, MAIL_ERROR_EMAIL_INPUT, "headers: a value is not a text");
        str value = json_string(each.value);
        if (!mail_is_header_text(value) || value.n > MAIL_HEADER_BYTES_MAX)
            return mail_fail(
                job, MAIL_ERROR_EMAIL_HEADER,
                "headers: a value holds a line end or another control character, or is too long");
        add_header(out, arena_str(job->arena, each.name).p, value, job->arena);
    }
    return true;
}

/* ---- the whole ---- */

/* Follows from the idempotency key, so it is the same in all attempts. */
static str make_id(const struct engine_job *job, str sender)
{
    struct buf id;
    buf_init(&id, job->arena);
    buf_add_char(&id, '<');
    str key = str_slice(job->idempotency_key, 0, MAIL_NAME_BYTES_MAX);
    for (size_t i = 0; i < key.n; i++)
        buf_add_char(&id, ascii_is_alphanumeric(key.p[i]) || key.p[i] == '-' ? key.p[i] : '_');
    size_t at = sender.n;
    while (at && sender.p[at - 1] != '@') at--;
    buf_printf(&id, ".%016llx@%.*s>", (unsigned long long)hash_bytes(job->idempotency_key),
               (int)(sender.n - at), sender.p + at);
    return buf_str(&id);
}

struct letter {
    struct mailboxes from, reply_to, to, cc, bcc;
    str subject, body, html;
};

static bool read_letter(struct engine_job *job, str default_from, struct letter *letter)
{
    str from, reply_to;
    if (!json_is(job->input, JSON_OBJECT)) return mail_fail(job, MAIL_ERROR_EMAIL_INPUT, "there is no input");
    if (!read_header_text(job, "from", &from) || !read_header_text(job, "replyTo", &reply_to) ||
        !read_header_text(job, "subject", &letter->subject) || !read_text(job, "body", &letter->body) ||
        !read_text(job, "html", &letter->html))
        return false;
    if (!from.n) from = default_from;
    if (!from.n)
        return mail_fail(job, MAIL_ERROR_EMAIL_INPUT, "there is no sender: give from, or one for the server");
    return read_one_address(job, "from", from, &letter->from) &&
           read_one_address(job, "replyTo", reply_to, &letter->reply_to) &&
           read_addresses(job, "to", &letter->to) && read_addresses(job, "cc", &letter->cc) &&
           read_addresses(job, "bcc", &letter->bcc);
}

static bool take_recipients(struct engine_job *job, const struct letter *letter, struct mail_message *message)
{
    const struct mailboxes *lists[] = { &letter->to, &letter->cc, &letter->bcc };
    size_t count = letter->to.count + letter->cc.count + letter->bcc.count;
    if (!count)
        return mail_fail_code(job, MAIL_ERROR_EMAIL_INPUT, REASON_NO_RECEIVER,
                              "there is nobody to send it to");
    if (count > MAIL_RECIPIENTS_MAX)
        return mail_fail(job, MAIL_ERROR_EMAIL_INPUT, "%zu recipients; the most is %d", count,
                         MAIL_RECIPIENTS_MAX);
    message->recipients.item = arena_make_n(job->arena, struct mailbox, count);
    for (size_t i = 0; i < COUNT(lists); i++)
        for (size_t k = 0; k < lists[i]->count; k++)
            message->recipients.item[message->recipients.count++] = lists[i]->item[k];
    message->utf8 = letter->from.item[0].utf8;
    for (size_t i = 0; i < count; i++) message->utf8 |= message->recipients.item[i].utf8;
    return true;
}

bool mail_message_make(struct engine_job *job, str default_from, struct mail_message *ret_message)
{
    struct letter letter = { 0 };
    struct mail_message message = { 0 };
    if (!read_letter(job, default_from, &letter) || !take_recipients(job, &letter, &message)) return false;
    message.sender = letter.from.item[0].address;
    message.id = make_id(job, message.sender);
    struct arena *arena = job->arena;
    struct buf out;
    buf_init(&out, arena);
    add_date(&out, job->now_ms);
    add_mailboxes(&out, "From", &letter.from, arena);
    add_mailboxes(&out, "Reply-To", &letter.reply_to, arena);
    add_mailboxes(&out, "To", &letter.to, arena);
    add_mailboxes(&out, "Cc", &letter.cc, arena);
    add_header(&out, "Subject", letter.subject, arena);
    buf_printf(&out, "Message-ID: %.*s\r\n", STR_ARG(message.id));
    /* Vacation notices and the like do not answer it. */
    buf_add_str(&out, STR("Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n"));
    if (!add_own_headers(job, &out)) return false;
    add_body(&out, letter.body, letter.html, hash_bytes(job->idempotency_key), arena);
    message.text = buf_str(&out);
    if (message.text.n > MAIL_BYTES_MAX)
        return mail_fail(job, MAIL_ERROR_EMAIL_INPUT, "the message has more than %d bytes", MAIL_BYTES_MAX);
    *ret_message = message;
    return true;
}
