/* tests/power/recorder.h — what recorder.c writes down and replay.c reads. */
#ifndef TESTS_POWER_RECORDER_H
#define TESTS_POWER_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

enum recorded_kind {
    RECORDED_CREATE, /* Bytes: the name in the data directory. */
    RECORDED_DELETE, /* The same. */
    RECORDED_WRITE,
    RECORDED_TRUNCATE, /* `offset`: the length. */
    RECORDED_SYNC,
    RECORDED_SYNC_DIRECTORY, /* Bytes: its path. */
    RECORDED_MAKE_DIRECTORY, /* The same. */
};

/* The bytes follow. */
struct recorded_op {
    uint32_t kind, inode;
    uint64_t offset, n;
};

#endif
