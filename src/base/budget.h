/* base/budget.h — bytes that several threads hold, and the most they should hold together.
 *
 * A thread that makes something large counts it here while it is in memory. The budget itself refuses
 * nothing: code that can refuse work checks budget_over() before it begins. So the sum may exceed the
 * maximum by one piece of work per thread.
 */
#ifndef BASE_BUDGET_H
#define BASE_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct budget {
    _Atomic int64_t used;
    int64_t max;
};

/* Negative bytes are given back. NULL is a budget without end. */
static inline void budget_add(struct budget *budget, int64_t bytes)
{
    if (budget && bytes) atomic_fetch_add_explicit(&budget->used, bytes, memory_order_relaxed);
}

static inline bool budget_over(struct budget *budget)
{
    return budget && atomic_load_explicit(&budget->used, memory_order_relaxed) >= budget->max;
}

#endif
