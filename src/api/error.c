/* api/error.c — the formats of errors. Each surface has one. */
#include "api/answer_int.h"

#include "base/ascii.h"
#include "json/put.h"

str error_sentence(const struct error *err, struct arena *arena)
{
    const char *text = err->message[0] ? err->message : status_meaning(err->status);
    if (!err->line) return str_of(text);
    return arena_printf(arena, "line %u, column %u: %s", err->line, err->column, text);
}

const char *error_word(const struct error *err)
{
    return err->code && ascii_is_lower(err->code[0]) ? err->code : status_word(err->status);
}

static void put_plain(enum status status, const char *word, str sentence, struct buf *out)
{
    (void)status;
    PUT(out, "{\"error\":");
    put_text(out, str_of(word));
    PUT(out, ",\"reason\":");
    put_text(out, sentence);
    PUT(out, ",\"message\":");
    put_text(out, sentence);
}

static void put_problem(enum status status, const char *word, str sentence, struct buf *out)
{
    int http_status = status_http(status);
    put_plain(status, word, sentence, out);
    PUT(out, ",\"type\":\"about:blank\",\"title\":");
    put_text(out, str_of(http_reason(http_status)));
    PUT(out, ",\"status\":");
    put_int(out, http_status);
    PUT(out, ",\"detail\":");
    put_text(out, sentence);
}

const struct error_format error_plain = { STR_INIT("application/json"), put_plain };
const struct error_format error_problem = { STR_INIT("application/problem+json"), put_problem };
