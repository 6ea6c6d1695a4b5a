/* scenario/limits.h — the limits of scenarios and of runs by chance. */
#ifndef SCENARIO_LIMITS_H
#define SCENARIO_LIMITS_H

#include "base/limits.h"

enum {
    FILE_BYTES_MAX = 64 << 20, /* A larger scenario file is a mistake. */

    /* One run. */
    ANSWERS_MAX = 20000,    /* Answers of outside work: more is a loop without end. */
    TIME_MOVES_MAX = 20000, /* From timer to timer: likewise. */
    TURNS_MAX = 1000,       /* Turns of the engine for one batch of calls: more is a mistake of the engine. */
    GUESSED_TRANSITIONS_MAX = 20, /* For an entity, in one simulated run. */
    GUESSED_EVENTS_MAX = 100,     /* In one simulated run: an instance may wait for events for ever. */

    /* A run that somebody watches. */
    REHEARSED_VISITS_MAX = 500,
    REHEARSED_INSTANCES_MAX = 100,
    REHEARSED_LINES_BYTES_MAX = 4 << 20,
    REHEARSED_VALUE_BYTES_MAX = 32 << 10, /* For one value in a line. */
    /* Bytes of memory, which is looked at between turns of the engine that plays, and of one command and one
     * turn. All together stay below 128 MiB: tests/abuse/test_trials.py. */
    REHEARSED_BYTES_MAX = 48 << 20,
    REHEARSED_VARIABLES_BYTES_MAX = 256 << 10,
    REHEARSED_STEP_BYTES_MAX = 4 << 20,
    REHEARSED_SCRIPT_BYTES_MAX =
        32 << 20, /* A run with more memory leaves no scenario file: writing it takes as much again. */
    SAMPLE_DEPTH_MAX = 8, /* For values that are made up for a form; and for inner nodes in a row. */

    /* A scenario that is tried while others wait: its memory, and that of its engine's parts. */
    BOUNDED_BYTES_MAX = 72 << 20,
    BOUNDED_TURN_BYTES_MAX = 4 << 20,
    BOUNDED_CACHE_BYTES_MAX = 4 << 20,
    BOUNDED_PROGRAMS_BYTES_MAX = 16 << 20,

    CANDIDATES_BYTES_MAX =
        40 << 20,         /* Bytes of memory: then no more answers are tried, and the file says what
                           * differs. */
    CANDIDATES_MAX = 200, /* Values of a history that are tried as the answer that it came from. */

    /* The order of steps that happen at once. */
    SERIALISATIONS_MAX = 120, /* Orders of one `concurrent` step that are tried. */
    PERMUTED_MAX = 5,         /* Steps of which all orders are tried: 5! is SERIALISATIONS_MAX. */

    /* Chance. */
    SHRINK_RUNS_MAX = 2000,   /* Runs spent on making a failing one shorter. */
    GENERATED_ITEMS_MAX = 5,  /* In an array whose generator does not say. */
    GENERATOR_DEPTH_MAX = 16, /* Generators inside each other: generating recurses. */
    HINT_TESTS_MAX = 32,      /* Comparisons of one condition that give hints. */

    /* Reports. */
    DIFFERENCES_MAX = 20,        /* Reported per case: the first ones tell enough. */
    RECORD_TEXT_BYTES_MAX = 160, /* Per line of the record. */
    VALUE_BYTES_MAX = 400,       /* Per value in a report for people. */
};

#define REHEARSED_MS_MAX INT64_C(315360000000) /* Ten years of virtual time. */

#endif
