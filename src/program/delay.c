/* program/delay.c — how long the engine waits before a retry. */
#include "program/program.h"

#include "base/hash.h"
#include "base/must.h"

int64_t program_delay_ms(const struct program_delay *delay, uint32_t retry)
{
    must(retry > 0);
    if (delay->first_ms <= 0) return 0;
    if (delay->is_linear) {
        int64_t linear_ms;
        bool fits = !__builtin_mul_overflow(delay->first_ms, (int64_t)retry, &linear_ms);
        return fits && linear_ms < delay->max_ms ? linear_ms : delay->max_ms;
    }
    /* factor to the power of retry - 1 by squaring: 32 rounds at most, and infinity is
     * an answer like any other, capped below. */
    double delay_ms = (double)delay->first_ms;
    double power = delay->factor;
    for (uint32_t left = retry - 1; left; left >>= 1) {
        if (left & 1) delay_ms *= power;
        power *= power;
    }
    return delay_ms < (double)delay->max_ms ? (int64_t)delay_ms : delay->max_ms;
}

int64_t program_delay_of(const struct program_delay *delay, uint32_t retry, uint64_t seed)
{
    int64_t delay_ms = program_delay_ms(delay, retry);
    if (delay->jitter <= 0 || delay_ms <= 0) return delay_ms;
    const struct {
        uint64_t seed, retry;
    } mixed = { seed, retry };
    uint64_t hash = hash_bytes((str){ (const char *)&mixed, sizeof mixed });
    double part = (double)(hash >> 11) / (double)(UINT64_C(1) << 53) * 2 - 1; /* -1 to 1 */
    double jittered = (double)delay_ms * (1 + part * (delay->jitter < 1 ? delay->jitter : 1));
    return jittered < 9e15 ? (int64_t)jittered : delay_ms;
}
