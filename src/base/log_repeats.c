/* base/log_repeats.c — finds, counts and keeps the lines that say the same. See log_repeats_int.h. */
#include "base/log_repeats_int.h"

/* A clock that was set back ends the second. */
static bool is_over(const struct log_repeat *slot, int64_t now_ms)
{
    return now_ms - slot->written_ms >= LOG_REPEATS_MS || now_ms < slot->written_ms;
}

bool log_repeats_keep(struct log_repeats *repeats, uint64_t says, str line, int64_t now_ms)
{
    struct log_repeat *free_slot = NULL;
    for (size_t i = 0; i < LOG_REPEATS_MAX; i++) {
        struct log_repeat *slot = &repeats->slot[i];
        bool holds = slot->count > 0, over = is_over(slot, now_ms);
        if (slot->says == says && (holds || !over)) {
            slot->count++;
            slot->line.n = 0;
            buf_add_str(&slot->line, line);
            return true;
        }
        if (!holds && over && !free_slot) free_slot = slot;
    }
    if (free_slot) {
        free_slot->says = says;
        free_slot->written_ms = now_ms;
    }
    return false;
}

bool log_repeats_next(struct log_repeats *repeats, int64_t now_ms, bool all, str *ret_line,
                      uint64_t *ret_count)
{
    for (size_t i = 0; i < LOG_REPEATS_MAX; i++) {
        struct log_repeat *slot = &repeats->slot[i];
        if (slot->count == 0 || (!all && !is_over(slot, now_ms))) continue;
        *ret_line = buf_str(&slot->line);
        *ret_count = slot->count;
        slot->count = 0;
        slot->written_ms = now_ms;
        return true;
    }
    return false;
}
