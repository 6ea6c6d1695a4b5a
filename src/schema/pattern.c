/* schema/pattern.c — regular expressions of ECMAScript, in the words of PCRE2.
 *
 * Most of the syntax is the same. This file translates what is not (\s, \u, \v, the dot, long names of
 * properties), and refuses what only PCRE2 has: so a pattern either means what its author reads, or is an
 * error.
 */
#include "schema/schema_int.h"

#include "base/ascii.h"
#include "base/utf8.h"

#include <stdio.h>

struct translation {
    const char *p, *end;
    struct buf out;
    const char *complaint;
};

/* Members of a class, without its brackets: white space of ECMAScript, and everything else. */
static const char white_space[] =
    "\\x09-\\x0d\\x20\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}"
    "\\x{205f}\\x{3000}\\x{feff}";
static const char no_white_space[] =
    "\\x00-\\x08\\x0e-\\x1f\\x21-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}"
    "\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}"
    "\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";

static bool complain(struct translation *to, const char *complaint)
{
    if (!to->complaint) to->complaint = complaint;
    return false;
}

static void add(struct translation *to, const char *text) { buf_add_str(&to->out, str_of(text)); }
static void add_character(struct translation *to, uint32_t character)
{
    buf_printf(&to->out, "\\x{%x}", character);
}
static bool at(const struct translation *to, const char *text)
{
    return str_starts((str){ to->p, (size_t)(to->end - to->p) }, str_of(text));
}

/* ---- escapes ---- */

static bool take_hex(struct translation *to, int digits, uint32_t *ret_value)
{
    if (to->end - to->p < digits) return false;
    *ret_value = 0;
    for (int i = 0; i < digits; i++) {
        if (ascii_hex(to->p[i]) < 0) return false;
        *ret_value = *ret_value * 16 + (uint32_t)ascii_hex(to->p[i]);
    }
    to->p += digits;
    return true;
}

/* \u{1f600}, \u00e4, or two surrogates. */
static bool take_unicode(struct translation *to)
{
    uint32_t value = 0, low;
    if (at(to, "{")) {
        const char *p = to->p + 1;
        while (p < to->end && ascii_hex(*p) >= 0 && value <= 0x10ffff)
            value = value * 16 + (uint32_t)ascii_hex(*p++);
        if (p == to->end || *p != '}' || p == to->p + 1 || value > 0x10ffff)
            return complain(to, "a wrong \\u{…}");
        to->p = p + 1;
    } else if (!take_hex(to, 4, &value)) {
        return complain(to, "\\u needs four hexadecimal digits");
    }
    if (value >= 0xd800 && value <= 0xdbff && at(to, "\\u")) {
        to->p += 2;
        if (!take_hex(to, 4, &low) || low < 0xdc00 || low > 0xdfff)
            return complain(to, "half of a surrogate pair");
        value = 0x10000 + ((value - 0xd800) << 10) + (low - 0xdc00);
    }
    if (value >= 0xd800 && value <= 0xdfff) return complain(to, "half of a surrogate pair");
    add_character(to, value);
    return true;
}

/* \p{…}: PCRE2 knows the short names of general categories, and scripts without "Script=". */
static bool take_property(struct translation *to, char letter)
{
    static const struct {
        str name;
        const char *code;
    } categories[] = {
        { STR_INIT("Letter"), "L" },
        { STR_INIT("Cased_Letter"), "L&" },
        { STR_INIT("Uppercase_Letter"), "Lu" },
        { STR_INIT("Lowercase_Letter"), "Ll" },
        { STR_INIT("Titlecase_Letter"), "Lt" },
        { STR_INIT("Modifier_Letter"), "Lm" },
        { STR_INIT("Other_Letter"), "Lo" },
        { STR_INIT("Mark"), "M" },
        { STR_INIT("Number"), "N" },
        { STR_INIT("Decimal_Number"), "Nd" },
        { STR_INIT("digit"), "Nd" },
        { STR_INIT("Letter_Number"), "Nl" },
        { STR_INIT("Other_Number"), "No" },
        { STR_INIT("Punctuation"), "P" },
        { STR_INIT("punct"), "P" },
        { STR_INIT("Symbol"), "S" },
        { STR_INIT("Math_Symbol"), "Sm" },
        { STR_INIT("Currency_Symbol"), "Sc" },
        { STR_INIT("Separator"), "Z" },
        { STR_INIT("Space_Separator"), "Zs" },
        { STR_INIT("Other"), "C" },
        { STR_INIT("Control"), "Cc" },
        { STR_INIT("cntrl"), "Cc" },
        { STR_INIT("Uppercase"), "Lu" },
        { STR_INIT("Lowercase"), "Ll" },
        { STR_INIT("Alphabetic"), "L" },
    };
    static const str prefixes[] = {
        STR_INIT("General_Category="),  STR_INIT("gc="), STR_INIT("Script="), STR_INIT("sc="),
        STR_INIT("Script_Extensions="), STR_INIT("scx=")
    };
    const char *close = at(to, "{") ? memchr(to->p, '}', (size_t)(to->end - to->p)) : NULL;
    if (!close) return complain(to, "\\p needs a property in braces");
    str name = { to->p + 1, (size_t)(close - to->p - 1) };
    for (size_t i = 0; i < COUNT(prefixes); i++)
        if (str_starts(name, prefixes[i])) name = str_slice(name, prefixes[i].n, name.n);
    for (size_t i = 0; i < COUNT(categories); i++)
        if (str_equal(categories[i].name, name)) name = str_of(categories[i].code);
    buf_printf(&to->out, "\\%c{%.*s}", letter, STR_ARG(name));
    to->p = close + 1;
    return true;
}

static bool take_backreference(struct translation *to, char first)
{
    unsigned number = (unsigned)(first - '0');
    while (to->p < to->end && ascii_is_digit(*to->p) && number < 1000)
        number = number * 10 + (unsigned)(*to->p++ - '0');
    buf_printf(&to->out, "\\g{%u}", number);
    return true;
}

/* Behind a backslash; `c` is taken. */
static bool take_escape(struct translation *to, char c, bool in_class)
{
    uint32_t value;
    switch (c) {
    case 'd':
    case 'D':
    case 'w':
    case 'W':
    case 'f':
    case 'n':
    case 'r':
    case 't': buf_printf(&to->out, "\\%c", c); return true;
    case 's':
    case 'S':
        if (!in_class) add(to, "[");
        add(to, c == 's' ? white_space : no_white_space);
        if (!in_class) add(to, "]");
        return true;
    case 'v': add_character(to, 0x0b); return true;
    case '0': add_character(to, 0); return true;
    case 'x':
        if (!take_hex(to, 2, &value)) return complain(to, "\\x needs two hexadecimal digits");
        add_character(to, value);
        return true;
    case 'u': return take_unicode(to);
    case 'p':
    case 'P': return take_property(to, c);
    case 'c':
        if (to->p == to->end || !ascii_is_letter(*to->p)) return complain(to, "\\c needs a letter");
        add_character(to, (uint32_t)*to->p++ & 31);
        return true;
    case 'b':
        if (in_class) add_character(to, 8);
        else add(to, "\\b");
        return true;
    default: break;
    }
    if (!in_class && c == 'B') {
        add(to, "\\B");
        return true;
    }
    if (!in_class && c >= '1' && c <= '9') return take_backreference(to, c);
    if (!in_class && c == 'k' && at(to, "<")) {
        add(to, "\\k");
        return true;
    }
    if (ascii_is_alphanumeric(c))
        return complain(to, "a letter or digit behind a backslash that means nothing");
    if ((unsigned char)c < 0x80) buf_add_char(&to->out, '\\');
    buf_add_char(&to->out, c);
    return true;
}

/* ---- classes and groups ---- */

/* Behind the [ of a class. */
static bool take_class(struct translation *to)
{
    buf_add_char(&to->out, '[');
    if (at(to, "^")) buf_add_char(&to->out, *to->p++);
    while (to->p < to->end && *to->p != ']') {
        char c = *to->p++;
        if (c == '[') {
            add(to, "\\[");
        } else if (c != '\\') {
            buf_add_char(&to->out, c);
        } else {
            if (to->p == to->end) return complain(to, "a backslash at the end");
            if (!take_escape(to, *to->p++, true)) return false;
        }
    }
    if (to->p == to->end) return complain(to, "a class without its ]");
    buf_add_char(&to->out, *to->p++);
    return true;
}

/* Behind a (. */
static bool take_group(struct translation *to)
{
    static const char *const kinds[] = { "?:", "?=", "?!", "?<=", "?<!" };
    buf_add_char(&to->out, '(');
    if (at(to, "*")) return complain(to, "nothing that * could repeat");
    if (!at(to, "?")) return true;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (!at(to, kinds[i])) continue;
        add(to, kinds[i]);
        to->p += strlen(kinds[i]);
        return true;
    }
    if (!at(to, "?<")) return complain(to, "a group of an unknown kind");
    add(to, "?<");
    to->p += 2;
    return true;
}

/* Is there a quantifier in braces at p, which is behind the brace? */
static bool is_range(const char *p, const char *end)
{
    const char *start = p;
    while (p < end && ascii_is_digit(*p)) p++;
    if (p == start) return false;
    if (p < end && *p == ',')
        for (p++; p < end && ascii_is_digit(*p);) p++;
    return p < end && *p == '}';
}

/* Takes a quantifier whose first character is taken, and what makes it lazy. */
static bool take_quantifier(struct translation *to, char c)
{
    buf_add_char(&to->out, c);
    if (c == '{') do
            buf_add_char(&to->out, *to->p);
        while (*to->p++ != '}');
    if (at(to, "?")) buf_add_char(&to->out, *to->p++);
    if (at(to, "*") || at(to, "+") || at(to, "?") || (at(to, "{") && is_range(to->p + 1, to->end)))
        return complain(to, "two quantifiers behind each other");
    return true;
}

static bool take(struct translation *to)
{
    char c = *to->p++;
    switch (c) {
    case '\\':
        if (to->p == to->end) return complain(to, "a backslash at the end");
        return take_escape(to, *to->p++, false);
    case '[': return take_class(to);
    case '(': return take_group(to);
    case '.': add(to, "[^\\n\\r\\x{2028}\\x{2029}]"); return true;
    case '*':
    case '+':
    case '?': return take_quantifier(to, c);
    case '{':
        if (is_range(to->p, to->end)) return take_quantifier(to, c);
        add(to, "\\{");
        return true;
    case '}': add(to, "\\}"); return true;
    case ']': add(to, "\\]"); return true;
    default: buf_add_char(&to->out, c); return true;
    }
}

const struct regex *schema_pattern(str pattern, struct arena *arena, char message[REGEX_MESSAGE_BYTES])
{
    struct translation to = { .p = pattern.p, .end = pattern.p + pattern.n };
    buf_init(&to.out, arena);
    while (to.p < to.end && take(&to)) continue;
    if (!to.complaint) return regex_compile(buf_str(&to.out), REGEX_ECMASCRIPT, arena, message);
    str before = { pattern.p, (size_t)(to.p - pattern.p) };
    snprintf(message, REGEX_MESSAGE_BYTES, "bad regular expression: %s after %zu characters", to.complaint,
             utf8_count(before));
    return NULL;
}
