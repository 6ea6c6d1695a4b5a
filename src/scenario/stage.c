/* scenario/stage.c — the traces that a run leaves: its problem, its record, its differences. */
#include "scenario/scenario_int.h"

#include "base/must.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

bool stage_stop(struct stage *stage, const char *format, ...)
{
    if (stage->problem.n) return false;
    char text[ERROR_MESSAGE_BYTES * 2];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    stage->problem = arena_str(stage->arena, str_of(text));
    return false;
}

/* Cuts at a character's boundary. */
static str cut(struct arena *arena, str text)
{
    if (text.n <= RECORD_TEXT_BYTES_MAX) return text;
    text = utf8_cut(text, RECORD_TEXT_BYTES_MAX);
    return arena_printf(arena, "%.*s…", STR_ARG(text));
}

void stage_record(struct stage *stage, const char *word, str instance, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    must(n >= 0);
    char *text = arena_alloc(stage->arena, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);

    struct record *record = arena_make(stage->arena, struct record);
    *record = (struct record){ .at_ms = stage->now_ms - stage->start_ms,
                               .word = arena_str(stage->arena, str_of(word)),
                               .instance = instance,
                               .text = cut(stage->arena, (str){ text, (size_t)n }) };
    if (stage->last_record) stage->last_record->next = record;
    else stage->first_record = record;
    stage->last_record = record;
}

void stage_differs(struct stage *stage, str where, str expected, str actual)
{
    if (stage->difference_count++ >= DIFFERENCES_MAX) return;
    struct difference *difference = arena_make(stage->arena, struct difference);
    *difference = (struct difference){ .where = where, .expected = expected, .actual = actual };
    if (stage->last_difference) stage->last_difference->next = difference;
    else stage->first_difference = difference;
    stage->last_difference = difference;
}

str stage_text(struct stage *stage, const struct json *value)
{
    struct buf out;
    if (!value) return STR("nothing");
    buf_init(&out, stage->arena);
    json_print(value, &out);
    return buf_str(&out);
}
