/* dialect/show/saying.c — a code with values as an English sentence, and as JSON. */
#include "dialect/show/saying.h"

#include "base/must.h"
#include "json/put.h"

static const struct {
    const char *word, *alone, *before;
    bool quoted;
} sayings[SAYING_CODE_COUNT] = {
#define XX(NAME, word, alone, before, quoted) [SAYING_##NAME] = { word, alone, before, quoted },
    SAYING_MAP(XX)
#undef XX
};

const char *saying_word(enum saying_code code) { return sayings[code].word; }

/* ---- a sentence ---- */

static void say_attempts(const struct saying *saying, struct buf *out)
{
    if (!saying->failed) return;
    buf_add_str(out, STR("failed "));
    if (saying->failed == 1) buf_add_str(out, STR("once"));
    else if (saying->failed == 2) buf_add_str(out, STR("twice"));
    else buf_printf(out, "%u times", saying->failed);
    buf_add_str(out, saying->code == SAYING_AGAIN ? STR(" and ") : STR(" and is being tried again: it "));
}

/* "Anna, Ben or 3 others". */
static void say_names(const struct saying *saying, struct buf *out)
{
    bool quoted = sayings[saying->code].quoted;
    const char *last = saying->code == SAYING_TRANSITION || saying->others ? ", " : " or ";
    for (size_t i = 0; i < saying->name_count; i++) {
        if (i) buf_add_str(out, str_of(i + 1 == saying->name_count ? last : ", "));
        buf_printf(out, quoted ? "\xe2\x80\x9c%.*s\xe2\x80\x9d" : "%.*s", STR_ARG(saying->name[i]));
    }
    if (saying->others) buf_printf(out, " or %zu other%s", saying->others, saying->others > 1 ? "s" : "");
}

static void say_values(const struct saying *saying, struct buf *out)
{
    if (saying->code == SAYING_ITEMS || saying->code == SAYING_ITEMS_LEFT)
        buf_printf(out, " %zu of %zu items", saying->done, saying->total);
    if (saying->code == SAYING_ITEMS_LEFT) buf_add_str(out, STR("; the flow went on without the others"));
    if (saying->key.n) buf_printf(out, " with the key %.*s", STR_ARG(saying->key));
    if (saying->is_late) buf_add_str(out, STR(" and is late"));
    if (saying->reason.n) buf_printf(out, ": %.*s", STR_ARG(saying->reason));
}

str saying_text(const struct saying *saying, struct arena *arena)
{
    struct buf out;
    must(saying->code < SAYING_CODE_COUNT && saying->name_count <= SAYING_NAMES_MAX);
    buf_init(&out, arena);
    if (saying->title.n) buf_printf(&out, "\xe2\x80\x9c%.*s\xe2\x80\x9d ", STR_ARG(saying->title));
    if (saying->is_stopped) buf_add_str(&out, STR("stands still because the run failed; it "));
    say_attempts(saying, &out);
    buf_add_str(&out,
                str_of(saying->name_count ? sayings[saying->code].before : sayings[saying->code].alone));
    say_names(saying, &out);
    say_values(saying, &out);
    buf_add_char(&out, '.');
    return buf_str(&out);
}

/* ---- JSON ---- */

static void put_words(struct buf *out, const char *name, str text)
{
    if (!text.n) return;
    buf_printf(out, ",\"%s\":", name);
    put_text(out, text);
}

static void put_number(struct buf *out, const char *name, size_t number)
{
    if (number) buf_printf(out, ",\"%s\":%zu", name, number);
}

str saying_json(const struct saying *saying, struct arena *arena)
{
    struct buf out;
    must(saying->code < SAYING_CODE_COUNT && saying->name_count <= SAYING_NAMES_MAX);
    buf_init(&out, arena);
    PUT(&out, "{\"code\":");
    put_text(&out, str_of(saying_word(saying->code)));
    put_words(&out, "title", saying->title);
    if (saying->is_stopped) PUT(&out, ",\"stopped\":true");
    put_number(&out, "failed", saying->failed);
    for (size_t i = 0; i < saying->name_count; i++) {
        if (i) buf_add_char(&out, ',');
        else PUT(&out, ",\"names\":[");
        put_text(&out, saying->name[i]);
    }
    if (saying->name_count) buf_add_char(&out, ']');
    put_number(&out, "others", saying->others);
    put_words(&out, "key", saying->key);
    if (saying->code == SAYING_ITEMS || saying->code == SAYING_ITEMS_LEFT)
        buf_printf(&out, ",\"done\":%zu,\"total\":%zu", saying->done, saying->total);
    if (saying->is_late) PUT(&out, ",\"late\":true");
    put_words(&out, "reason", saying->reason);
    put_words(&out, "reasonCode", saying->reason_code);
    buf_add_char(&out, '}');
    return buf_str(&out);
}
