/* schema/format_net.c — addresses of machines and of people. */
#include "schema/format_int.h"

#include "base/ascii.h"
#include "base/utf8.h"

enum { LABEL_BYTES = 63, HOST_BYTES = 253, LOCAL_BYTES = 64 };

/* ---- addresses ---- */

bool schema_format_ipv4(struct schema_run *run, str text)
{
    (void)run;
    size_t at = 0;
    for (int part = 0; part < 4; part++) {
        if (part && (at == text.n || text.p[at++] != '.')) return false;
        size_t start = at;
        int value = 0;
        while (at < text.n && ascii_is_digit(text.p[at]) && at - start < 3)
            value = value * 10 + (text.p[at++] - '0');
        if (at == start || value > 255 || (at - start > 1 && text.p[start] == '0')) return false;
    }
    return at == text.n;
}

/* A run of groups that colons part; the last of all may be an IPv4 address, which counts as two. -1: wrong.
 */
static int count_groups(struct schema_run *run, str text, bool last)
{
    int count = 0;
    if (!text.n) return 0;
    for (;;) {
        size_t end = 0;
        while (end < text.n && text.p[end] != ':') end++;
        str group = str_slice(text, 0, end);
        if (end == text.n && last && schema_format_ipv4(run, group)) return count + 2;
        if (group.n < 1 || group.n > 4) return -1;
        for (size_t i = 0; i < group.n; i++)
            if (ascii_hex(group.p[i]) < 0) return -1;
        count++;
        if (end == text.n) return count;
        text = str_slice(text, end + 1, text.n);
    }
}

bool schema_format_ipv6(struct schema_run *run, str text)
{
    size_t gap = str_find(text, STR("::"), 0);
    if (gap == SIZE_MAX) return count_groups(run, text, true) == 8;
    int before = count_groups(run, str_slice(text, 0, gap), false);
    int after = count_groups(run, str_slice(text, gap + 2, text.n), true);
    return before >= 0 && after >= 0 && before + after <= 7;
}

/* ---- names ---- */

static bool is_label(str label, bool wide)
{
    if (!label.n || label.p[0] == '-' || label.p[label.n - 1] == '-') return false;
    if (label.n > LABEL_BYTES && !(wide && utf8_count(label) <= LABEL_BYTES)) return false;
    for (size_t i = 0; i < label.n; i++) {
        char c = label.p[i];
        if (!ascii_is_alphanumeric(c) && c != '-' && !(wide && (unsigned char)c >= 0x80)) return false;
    }
    return true;
}

/* The bytes of a separator of labels at the start of the text, or 0. */
static size_t separator_bytes(str text, bool wide)
{
    static const str wide_dots[] = { STR_INIT("。"), STR_INIT("．"), STR_INIT("｡") };
    if (text.n && text.p[0] == '.') return 1;
    for (size_t i = 0; wide && i < COUNT(wide_dots); i++)
        if (str_starts(text, wide_dots[i])) return wide_dots[i].n;
    return 0;
}

static bool is_host(str text, bool wide)
{
    if (utf8_count(text) > HOST_BYTES) return false;
    size_t start = 0, i = 0;
    while (i < text.n) {
        size_t dot = separator_bytes(str_slice(text, i, text.n), wide);
        if (dot && !is_label(str_slice(text, start, i), wide)) return false;
        i += dot ? dot : 1;
        if (dot) start = i;
    }
    return is_label(str_slice(text, start, text.n), wide);
}

bool schema_format_hostname(struct schema_run *run, str text)
{
    (void)run;
    return is_host(text, false);
}

bool schema_format_idn_hostname(struct schema_run *run, str text)
{
    (void)run;
    return is_host(text, true);
}

/* ---- e-mail ---- */

static bool is_quoted(str local, bool wide)
{
    for (size_t i = 1; i + 1 < local.n; i++) {
        unsigned char c = (unsigned char)local.p[i];
        if (c == '\\' && i + 2 < local.n) c = (unsigned char)local.p[++i];
        else if (c == '"' || c == '\\') return false;
        if (c < ' ' || c == 0x7f || (c >= 0x80 && !wide)) return false;
    }
    return local.n >= 2 && local.p[local.n - 1] == '"';
}

static bool is_local_part(str local, bool wide)
{
    if (!local.n || utf8_count(local) > LOCAL_BYTES) return false;
    if (local.p[0] == '"') return is_quoted(local, wide);
    for (size_t i = 0; i < local.n; i++) {
        char c = local.p[i];
        if (c == '.') {
            if (i == 0 || i + 1 == local.n || local.p[i - 1] == '.') return false;
        } else if (!ascii_is_alphanumeric(c) && !(c && strchr("!#$%&'*+-/=?^_`{|}~", c)) &&
                   !(wide && (unsigned char)c >= 0x80)) {
            return false;
        }
    }
    return true;
}

static bool is_email(struct schema_run *run, str text, bool wide)
{
    size_t at = text.n;
    while (at && text.p[at - 1] != '@') at--;
    if (!at) return false;
    str domain = str_slice(text, at, text.n);
    if (!is_local_part(str_slice(text, 0, at - 1), wide)) return false;
    if (!domain.n || domain.p[0] != '[') return is_host(domain, wide);
    if (domain.p[domain.n - 1] != ']') return false;
    str address = str_slice(domain, 1, domain.n - 1);
    if (str_starts(address, STR("IPv6:"))) return schema_format_ipv6(run, str_slice(address, 5, address.n));
    return schema_format_ipv4(run, address);
}

bool schema_format_email(struct schema_run *run, str text) { return is_email(run, text, false); }
bool schema_format_idn_email(struct schema_run *run, str text) { return is_email(run, text, true); }
