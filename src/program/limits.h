/* program/limits.h — limits that only program/ knows. */
#ifndef PROGRAM_LIMITS_H
#define PROGRAM_LIMITS_H

enum {
    /* Work of one check, in looks at a node or a rule: about a second. Larger graphs are reported as
     * TOO_LARGE. */
    CHECK_WORK_MAX = 20 * 1000 * 1000,
    CHECK_TABLE_PATHS_MAX =
        16, /* Different inputs of a table in which gaps are looked for: the search is as deep. */
    CHECK_TABLE_PAIRS_MAX = 500 * 1000, /* Rules that are compared with an earlier one. */
    CHECK_RULE_TESTS_MAX = 32,          /* Tests of one rule; rules with more are not compared. */

    /* Pictures: longer texts are cut, and what costs more than linear time has an end. */
    DRAW_TITLE_CHARACTERS_MAX = 34,
    DRAW_WHOLE_TITLE_MAX = 200,   /* For a picture as JSON, whose reader cuts titles itself. */
    DRAW_PLACE_MAX = 1000 * 1000, /* A node that is farther away has no place. */
    DRAW_BOX_LEAST = 8,           /* A size below it is none. */
    DRAW_CAPTION_CHARACTERS_MAX = 44,
    DRAW_LABEL_CHARACTERS_MAX = 44,
    DRAW_LABEL_LINES_MAX = 4,    /* Reasons on one arrow. */
    DRAW_ZONES_DEPTH_MAX = 16,   /* Bodies of loops inside each other; what is deeper is left out. */
    DRAW_NODES_MAX = 2000,       /* For a picture in layers; larger ones are put in rows … */
    DRAW_ARROWS_MAX = 8000,      /* … and so are those with more arrows. */
    DRAW_CELLS_MAX = 20000,      /* Arrows beyond it have no places in the layers they cross. */
    DRAW_CLEAR_MAX = 250 * 1000, /* Nodes times arrows: beyond it arrows between placed nodes run straight. */
    DRAW_LINKS_COUNTED_MAX = 1500, /* With more, crossings are not counted after each round. */
    DRAW_ALIGN_DISTANCE_MAX = 50,  /* A cell is put under the one above it if that is so near. */

    ARRIVAL_PATH_BYTES_MAX = 1024,            /* For a webhook. */
    ARRIVAL_FORM_FIELDS_MAX = 256,            /* For a request's form. */
    ARRIVAL_BOUNDARY_BYTES_MAX = 70,          /* Between the parts of a form (RFC 2046). */
    ARRIVAL_INTERVAL_UNITS_MAX = 1000 * 1000, /* For a schedule or for polling, in its unit. */

    TOPIC_BYTES_MAX = 65535, /* MQTT counts a topic's bytes with 16 bits. */

    PROBLEM_INDEX_DIGITS_MAX = 20,  /* Digits of a 64-bit number. */
    PROBLEM_QUOTED_BYTES_MAX = 320, /* Longer texts of the document are cut where a message quotes them. */
    PROGRAM_FIRST_BYTES_MAX = 128 << 10, /* Taken at once for a program; a large document is mostly data. */
};

#endif
