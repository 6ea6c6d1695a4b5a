/* base/log_repeats.c — finds, counts and keeps lines that are not written yet. See log_repeats_int.h. */
#include "base/log_repeats_int.h"

/* A clock that was set back ends the second. */
static bool is_over(const struct log_repeat *slot, int64_t now_ms)
{
    return now_ms - slot->written_ms >= LOG_REPEATS_MS || now_ms < slot->written_ms;
}

static bool count(struct log_repeat *slot, str line)
{
    slot->count++;
    slot->line.n = 0;
    buf_add_str(&slot->line, line);
    return true;
}

bool log_repeats_keep(struct log_repeats *repeats, uint64_t event, uint64_t says, str line, int64_t now_ms)
{
    struct log_repeat *free_slot = NULL, *of_event = NULL;
    size_t lines_of_event = 0;
    for (size_t i = 0; i < LOG_REPEATS_MAX; i++) {
        struct log_repeat *slot = &repeats->slot[i];
        bool holds = slot->count > 0, over = is_over(slot, now_ms);
        if (!holds && over) {
            if (!free_slot) free_slot = slot;
        } else if (slot->says == says) {
            return count(slot, line);
        } else if (slot->event == event) {
            of_event = slot;
            lines_of_event++;
        }
    }
    if (lines_of_event >= LOG_EVENT_LINES_MAX) return count(of_event, line);
    if (!free_slot) {
        if (repeats->others.count == 0) repeats->others.written_ms = now_ms;
        return count(&repeats->others, line);
    }
    free_slot->event = event;
    free_slot->says = says;
    free_slot->written_ms = now_ms;
    return false;
}

static bool take(struct log_repeat *slot, int64_t now_ms, bool all, str *ret_line, uint64_t *ret_count)
{
    if (slot->count == 0 || (!all && !is_over(slot, now_ms))) return false;
    *ret_line = buf_str(&slot->line);
    *ret_count = slot->count;
    slot->count = 0;
    slot->written_ms = now_ms;
    return true;
}

bool log_repeats_next(struct log_repeats *repeats, int64_t now_ms, bool all, str *ret_line,
                      uint64_t *ret_count)
{
    for (size_t i = 0; i < LOG_REPEATS_MAX; i++)
        if (take(&repeats->slot[i], now_ms, all, ret_line, ret_count)) return true;
    return take(&repeats->others, now_ms, all, ret_line, ret_count);
}
