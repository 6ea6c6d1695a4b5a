/* perform/mail/mailbox.c — addresses: `ann@a.example`, `Ann Other <ann@a.example>`, `"Other, Ann"
 * <ann@a.example>`.
 *
 * A text may hold several, separated by commas. It reads addresses as people write them, not all of RFC 5322:
 * no comments, no groups, no folding.
 */
#include "perform/mail/mail_int.h"

#include "base/array.h"
#include "base/ascii.h"
#include "base/utf8.h"
#include "perform/limits.h"

bool mail_is_header_text(str text)
{
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] < 0x20 || text.p[i] == 0x7f) return false;
    return utf8_is_valid(text);
}

/* Walks over a text and knows what is inside of quotes. */
struct quoting {
    bool quoted, escaped;
};

static bool is_outside(struct quoting *quoting, char c)
{
    if (quoting->escaped) quoting->escaped = false;
    else if (quoting->quoted && c == '\\') quoting->escaped = true;
    else if (c == '"') quoting->quoted = !quoting->quoted;
    else return !quoting->quoted;
    return false;
}

/* The first of these characters outside of quotes, from there on; the text's length if there is none. */
static size_t find_outside(str text, size_t from, const char *characters)
{
    struct quoting quoting = { 0 };
    for (size_t i = from; i < text.n; i++)
        if (is_outside(&quoting, text.p[i]) && strchr(characters, text.p[i])) return i;
    return text.n;
}

/* ---- the address ---- */

static bool is_local_character(char c)
{
    return ascii_is_alphanumeric(c) || (unsigned char)c >= 0x80 || (c && strchr("!#$%&'*+-/=?^_`{|}~.", c));
}

/* Quotes inside must be escaped. */
static bool is_quoted_local(str local)
{
    if (local.n < 2 || local.p[0] != '"' || local.p[local.n - 1] != '"') return false;
    for (size_t i = 1; i + 1 < local.n; i++) {
        if (local.p[i] == '\\' && i + 2 < local.n) i++;
        else if (local.p[i] == '"' || local.p[i] == '\\') return false;
    }
    return true;
}

static bool is_local(str local)
{
    if (!local.n || local.n > MAIL_LOCAL_BYTES_MAX) return false;
    if (local.p[0] == '"') return is_quoted_local(local);
    for (size_t i = 0; i < local.n; i++) {
        bool lone_dot = local.p[i] == '.' && (!i || i + 1 == local.n || local.p[i - 1] == '.');
        if (!is_local_character(local.p[i]) || lone_dot) return false;
    }
    return true;
}

/* [192.0.2.1] or [IPv6:2001:db8::1]: the server looks at it. */
static bool is_literal(str domain)
{
    if (domain.n < 3 || domain.p[0] != '[' || domain.p[domain.n - 1] != ']') return false;
    for (size_t i = 1; i + 1 < domain.n; i++)
        if (!ascii_is_alphanumeric(domain.p[i]) && domain.p[i] != ':' && domain.p[i] != '.') return false;
    return true;
}

static bool is_label(str label)
{
    if (!label.n || label.p[0] == '-' || label.p[label.n - 1] == '-') return false;
    for (size_t i = 0; i < label.n; i++)
        if (!ascii_is_alphanumeric(label.p[i]) && label.p[i] != '-' && (unsigned char)label.p[i] < 0x80)
            return false;
    return true;
}

static bool is_domain(str domain)
{
    if (domain.n > MAIL_DOMAIN_BYTES_MAX) return false;
    if (is_literal(domain)) return true;
    for (size_t at = 0, end; at <= domain.n; at = end + 1) {
        end = str_find(domain, STR("."), at);
        if (end == SIZE_MAX) end = domain.n;
        if (!is_label(str_slice(domain, at, end))) return false;
    }
    return true;
}

static bool is_address(str address)
{
    size_t at = SIZE_MAX;
    for (size_t i = 0; i < address.n; i++)
        if (address.p[i] == '@') at = i;
    return at != SIZE_MAX && is_local(str_slice(address, 0, at)) &&
           is_domain(str_slice(address, at + 1, address.n));
}

static bool is_ascii(str text)
{
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] >= 0x80) return false;
    return true;
}

/* ---- name and address ---- */

/* Without the quotes around it, and what they escape. */
static str unquoted(str text, struct arena *arena)
{
    text = str_trim(text);
    if (text.n < 2 || text.p[0] != '"' || text.p[text.n - 1] != '"') return text;
    struct buf out;
    buf_init(&out, arena);
    for (size_t i = 1; i + 1 < text.n; i++) {
        if (text.p[i] == '\\' && i + 2 < text.n) i++;
        buf_add_char(&out, text.p[i]);
    }
    return buf_str(&out);
}

static const char *read_one(str text, struct arena *arena, struct mailbox *ret_mailbox)
{
    struct mailbox mailbox = { .address = text };
    size_t open = find_outside(text, 0, "<");
    if (open < text.n) {
        if (text.p[text.n - 1] != '>') return "an address does not end with >";
        mailbox.name = unquoted(str_slice(text, 0, open), arena);
        mailbox.address = str_trim(str_slice(text, open + 1, text.n - 1));
    }
    if (!is_address(mailbox.address)) return "an address is not of the form name@domain";
    if (mailbox.name.n > MAIL_NAME_BYTES_MAX) return "the name before an address is too long";
    mailbox.utf8 = !is_ascii(mailbox.address);
    *ret_mailbox = mailbox;
    return NULL;
}

const char *mailbox_read_list(str text, struct arena *arena, struct mailboxes *list)
{
    if (!mail_is_header_text(text)) return "an address holds a line end or another control character";
    for (size_t at = 0; at <= text.n;) {
        size_t end = find_outside(text, at, ",");
        str one = str_trim(str_slice(text, at, end));
        at = end + 1;
        if (!one.n) return "an address is empty";
        if (list->count == MAIL_RECIPIENTS_MAX) return "there are too many addresses";
        array_reserve_in(arena, list->item, list->count, list->cap);
        const char *wrong = read_one(one, arena, &list->item[list->count]);
        if (wrong) return wrong;
        list->count++;
    }
    return NULL;
}
