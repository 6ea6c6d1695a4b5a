/* api/forms/languages.c — in which language a page is, and how it quotes the engine, which speaks English. */
#include "api/forms/forms_int.h"

#include "base/escape.h"
#include "json/put.h"
#include "net/weighted.h"

static const struct form_words *const languages[] = { &forms_english, &forms_german };

/* "de" and "de-AT" are the same language. */
static const struct form_words *find_language(str tag)
{
    str primary = str_slice(tag, 0, str_find(tag, STR("-"), 0));
    for (size_t i = 0; i < COUNT(languages); i++)
        if (str_equal_ignoring_case(languages[i]->language, primary)) return languages[i];
    return NULL;
}

const struct form_words *forms_words(const struct http_request *request)
{
    str list = http_header(request, STR("Accept-Language"));
    const struct form_words *best = &forms_english;
    struct weighted_item item;
    int most = 0;
    while (weighted_next(&list, &item)) {
        const struct form_words *words = find_language(item.name);
        if (!words || item.weight <= most) continue;
        best = words;
        most = item.weight;
    }
    return best;
}

void forms_put_engine(const struct form_words *words, const char *tag, str sentence, struct buf *out)
{
    bool is_foreign = words != &forms_english;
    buf_printf(out, "<%s%s>", tag, is_foreign ? " lang=\"en\"" : "");
    escape_html(out, sentence);
    buf_printf(out, "</%s>", tag);
}

void forms_put_problem(const struct form_words *words, const struct schema_problem *problem,
                       struct arena *arena, struct buf *out)
{
    str sentence = words->problem(problem, arena);
    if (sentence.n) escape_html(out, sentence);
    else forms_put_engine(words, "span", problem->message, out);
}
