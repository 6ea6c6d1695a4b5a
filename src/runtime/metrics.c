#include "runtime/metrics.h"

const int64_t histogram_bounds_us[HISTOGRAM_BUCKETS] = {
    50, 100, 250, 500, 1000, 2500, 5000, 10000, 25000, 100000, 500000, 2500000, 10000000, 60000000,
};

void histogram_add(struct histogram *histogram, int64_t us)
{
    if (us < 0) us = 0;
    size_t i = 0;
    while (i < HISTOGRAM_BUCKETS && us > histogram_bounds_us[i]) i++;
    metric_add(&histogram->bucket[i], 1);
    metric_add(&histogram->sum_us, (uint64_t)us);
}
