/* dialect/show/headline.c — failures as headlines, and durations, for people.
 *
 * A failure whose case the engine knows has a code (program/reason.h), and each code has its headline here. A
 * failure without one is somebody's own sentence: its first line is the headline, unless phrases.c
 * knows the words.
 */
#include "dialect/show/sentences.h"

#include "base/ascii.h"
#include "base/utf8.h"
#include "program/reason.h"

/* ---- codes ---- */

static const char *const headlines[REASON_CODE_COUNT] = {
    [REASON_ANSWER_LATE] = "The other side took too long to answer",
    [REASON_RESULT_LATE] = "The database took too long",
    [REASON_CONNECTION_REFUSED] = "The other side could not be reached",
    [REASON_CONNECTION_FAILED] = "The other side could not be reached",
    [REASON_CONNECTION_LATE] = "The other side could not be reached",
    [REASON_ADDRESS_REFUSED] = "The address is in a network that calls may not reach",
    [REASON_NAME_NOT_FOUND] = "The other side's name is not known",
    [REASON_NAME_NOT_RESOLVED] = "The other side's name is not known",
    [REASON_UNTRUSTED] = "The other side's certificate is not trusted",
    [REASON_NO_RECEIVER] = "The e-mail has no receiver",
    [REASON_TABLE_NO_RULE] = "No line of the table fits",
    [REASON_TABLE_CELL] = "A cell of the table could not be worked out",
    [REASON_TABLE_OUTPUT] = "A result of the table could not be worked out",
    [REASON_NO_BRANCH] = "No branch of the decision fits",
    [REASON_NO_LIST] = "The items to go through are not a list",
    [REASON_EXPRESSION] = "A formula could not be worked out",
};

/* ---- answers of web services ---- */

static const char *answer_words(int status)
{
    switch (status) {
    case 401:
    case 403: return "The web service refused access";
    case 404:
    case 410: return "The web service does not know what was asked for";
    case 408:
    case 504: return "The web service took too long";
    case 409: return "The web service reported a conflict";
    case 413: return "What was sent is too large for the web service";
    case 429: return "The web service gets too many requests";
    case 502:
    case 503: return "The web service did not answer";
    default: return status >= 500 ? "The web service failed" : "The web service refused the request";
    }
}

/* ---- somebody's own sentence ---- */

str show_uncoded(str reason)
{
    size_t at = 0;
    while (at < reason.n &&
           (ascii_is_upper(reason.p[at]) || reason.p[at] == '_' || (at && ascii_is_digit(reason.p[at]))))
        at++;
    if (at < 3 || at + 2 >= reason.n || reason.p[at] != ':' || reason.p[at + 1] != ' ') return reason;
    return str_slice(reason, at + 2, reason.n);
}

/* "CARD_DECLINED" alone reads better as "Card declined". */
static bool is_code(str text)
{
    bool joined = false;
    for (size_t i = 0; i < text.n; i++) {
        joined = joined || text.p[i] == '_';
        if (!ascii_is_upper(text.p[i]) && !ascii_is_digit(text.p[i]) && text.p[i] != '_') return false;
    }
    return joined;
}

static str own_words(str reason, struct arena *arena)
{
    str line = str_trim(str_slice(reason, 0, str_find(reason, STR("\n"), 0)));
    str rest = str_trim(show_uncoded(line));
    str cut = utf8_cut(rest, SHOW_HEADLINE_BYTES - 4);
    bool whole = cut.n == rest.n, code = is_code(cut);
    struct buf out;
    while (cut.n && (cut.p[cut.n - 1] == '.' || cut.p[cut.n - 1] == ' ')) cut.n--;
    buf_init(&out, arena);
    for (size_t i = 0; i < cut.n; i++) {
        char c = cut.p[i];
        if (code) c = c == '_' ? ' ' : ascii_lower(c);
        buf_add_char(&out, i ? c : ascii_upper(c));
    }
    if (!whole) buf_add_str(&out, STR("\xe2\x80\xa6"));
    return buf_str(&out);
}

str show_code(str code, str reason, struct arena *arena)
{
    return reason_code_is_known(code) ? arena_str(arena, code) : show_code_of_words(reason, arena);
}

str show_headline(str code, str reason, struct arena *arena)
{
    code = show_code(code, reason, arena);
    int status = reason_code_status(code);
    if (status) return arena_printf(arena, "%s (%d)", answer_words(status), status);
    const char *headline = headlines[reason_code_find(code)];
    return headline ? str_of(headline) : own_words(reason, arena);
}

/* ---- durations ---- */

str show_duration(int64_t ms, struct arena *arena)
{
    static const struct {
        int64_t upto_s, unit_s;
        const char *word, *words;
    } units[] = {
        { 120, 1, " s", " s" },
        { 120 * 60, 60, " min", " min" },
        { 48 * 3600, 3600, " h", " h" },
        { INT64_MAX, 86400, " day", " days" },
    };
    int64_t seconds = ms < 0 ? 0 : ms / 1000;
    for (size_t i = 0; i < COUNT(units); i++) {
        if (seconds >= units[i].upto_s) continue;
        int64_t count = seconds / units[i].unit_s;
        return arena_printf(arena, "%lld%s", (long long)count, count == 1 ? units[i].word : units[i].words);
    }
    return STR_NONE;
}
