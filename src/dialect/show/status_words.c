/* dialect/show/status_words.c — reads and writes the words of the one table of status words. */
#include "dialect/show/status_words.h"

#include "base/must.h"

static const struct status_row {
    const char *word, *flow, *group, *screen;
    enum instance_status engine;
    int rank;
} status_rows[] = {
#define XX(NAME, word, engine, flow, group, screen, rank) \
    [SHOW_##NAME] = { word, flow, group, screen, INSTANCE_##engine, rank },
    SHOW_STATUS_MAP(XX)
#undef XX
};

static const char *const wait_words[] = {
#define XX(NAME, word) [SHOW_WAIT_##NAME] = word,
    SHOW_WAIT_MAP(XX)
#undef XX
};

static const struct status_row *row_of(enum show_status status)
{
    must(status < SHOW_STATUS_COUNT);
    return &status_rows[status];
}

const char *show_status_word(enum show_status status) { return row_of(status)->word; }
const char *show_status_flow(enum show_status status) { return row_of(status)->flow; }
const char *show_status_screen(enum show_status status) { return row_of(status)->screen; }
int show_status_rank(enum show_status status) { return row_of(status)->rank; }

enum show_status show_status_of_engine(enum instance_status status)
{
    for (int i = SHOW_STATUS_COUNT; i-- > 0;)
        if (status_rows[i].engine == status) return (enum show_status)i;
    must(!"a status of the engine");
    return SHOW_RUNNING;
}

bool show_status_parse(str word, enum show_status *ret_status)
{
    for (int i = 0; i < SHOW_STATUS_COUNT; i++)
        if (str_equal(word, str_of(status_rows[i].word))) {
            *ret_status = (enum show_status)i;
            return true;
        }
    return false;
}

bool show_flow_parse(str word, enum show_status *ret_status)
{
    for (int i = 0; i < SHOW_STATUS_COUNT; i++)
        if (str_equal(word, str_of(status_rows[i].flow))) {
            *ret_status = (enum show_status)i;
            return true;
        }
    return false;
}

/* The rows that have the word in one of the columns. */
static uint32_t rows_with(str word, bool (*has)(const struct status_row *row, str word))
{
    uint32_t statuses = 0;
    for (int i = 0; i < SHOW_STATUS_COUNT; i++) statuses |= (uint32_t)has(&status_rows[i], word) << i;
    return statuses;
}

static bool has_word(const struct status_row *row, str word) { return str_equal(word, str_of(row->word)); }

static bool has_engine(const struct status_row *row, str word)
{
    return str_equal(word, str_of(instance_status_word(row->engine)));
}

static bool has_flow(const struct status_row *row, str word)
{
    return str_equal_ignoring_case(word, str_of(row->flow)) ||
           str_equal_ignoring_case(word, str_of(row->group));
}

static bool has_other(const struct status_row *row, str word)
{
    return str_equal_ignoring_case(word, str_of(row->word)) ||
           str_equal_ignoring_case(word, str_of(instance_status_word(row->engine)));
}

uint32_t show_statuses_of(str word)
{
    uint32_t statuses = rows_with(word, has_word);
    return statuses ? statuses : rows_with(word, has_engine);
}

uint32_t show_statuses_of_flow(str word)
{
    uint32_t statuses = rows_with(word, has_flow);
    return statuses ? statuses : rows_with(word, has_other);
}

const char *show_wait_word(enum show_wait wait)
{
    must(wait < SHOW_WAIT_COUNT);
    return wait_words[wait];
}

bool show_wait_parse(str word, enum show_wait *ret_wait)
{
    for (int i = 0; i < SHOW_WAIT_COUNT; i++)
        if (str_equal(word, str_of(wait_words[i]))) {
            *ret_wait = (enum show_wait)i;
            return true;
        }
    return false;
}
