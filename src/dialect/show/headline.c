/* dialect/show/headline.c — reasons of failures as headlines, and durations, for people.
 *
 * Reasons come from performers, expressions, the core and workers. The engine's own reasons are known by
 * their phrases (program/reason.h) and get a headline of their own. Any other one is somebody's own sentence:
 * its first line is the headline.
 */
#include "dialect/show/sentences.h"

#include "base/ascii.h"
#include "base/utf8.h"
#include "program/reason.h"

/* ---- answers of web services ---- */

static bool has(str text, const char *part) { return str_find(text, str_of(part), 0) != SIZE_MAX; }

/* The status of HTTP behind these words; 0: there is none. */
static int status_behind(str reason, str words)
{
    size_t at = str_find(reason, words, 0);
    if (at == SIZE_MAX) return 0;
    int64_t status;
    return str_to_int64(str_slice(reason, at + words.n, at + words.n + 3), &status) && status >= 100 &&
                   status <= 599
               ? (int)status
               : 0;
}

static int http_status_in(str reason)
{
    /* Our own words, then those that workers mostly have. */
    static const str words[] = { STR_INIT(REASON_STATUS), STR_INIT("HTTP status "), STR_INIT("HTTP "),
                                 STR_INIT("status code ") };
    for (size_t i = 0; i < COUNT(words); i++) {
        int status = status_behind(reason, words[i]);
        if (status) return status;
    }
    return 0;
}

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

/* ---- other reasons of the engine's own ---- */

static const struct {
    const char *phrase;
    const char *headline;
} known[] = {
    { REASON_ANSWER_LATE, "The other side took too long to answer" },
    { REASON_NO_ANSWER_FROM, "The other side took too long to answer" },
    { REASON_RESULT_LATE, "The database took too long" },
    { REASON_REFUSED, "The other side could not be reached" },
    { REASON_NO_CONNECTION_TO, "The other side could not be reached" },
    { REASON_CONNECTION_LATE, "The other side could not be reached" },
    { REASON_PRIVATE_CALL, "The address is in a network that calls may not reach" },
    { REASON_PRIVATE_SERVER, "The address is in a network that calls may not reach" },
    { REASON_NO_ADDRESS, "The other side's name is not known" },
    { REASON_UNRESOLVED, "The other side's name is not known" },
    { REASON_UNTRUSTED, "The other side's certificate is not trusted" },
    { REASON_TABLE_NO_RULE, "No line of the table fits" },
    { REASON_TABLE_CELL, "A cell of the table could not be worked out" },
    { REASON_TABLE_OUTPUT, "A result of the table could not be worked out" },
    { REASON_NO_BRANCH, "No branch of the decision fits" },
    { REASON_NO_WAY_OUT, "No branch of the decision fits" },
    { REASON_NO_CHOICE, "No branch of the decision fits" },
    { REASON_NO_LIST, "The items to go through are not a list" },
    { REASON_EXPRESSION, "A formula could not be worked out" },
    { REASON_NO_RECEIVER, "The e-mail has no receiver" },
};

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

str show_headline(str reason, struct arena *arena)
{
    int status = http_status_in(reason);
    if (status >= 400) return arena_printf(arena, "%s (%d)", answer_words(status), status);
    for (size_t i = 0; i < COUNT(known); i++)
        if (has(reason, known[i].phrase)) return str_of(known[i].headline);
    return own_words(reason, arena);
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
