/* cli/table.c — prints rows in aligned columns. */
#include "cli/table.h"

#include "base/array.h"
#include "base/must.h"
#include "base/utf8.h"
#include "cli/output.h"
#include "dialect/show/sentences.h"

#define RED "\033[31m"
#define GREEN "\033[32m"
#define YELLOW "\033[33m"
#define PURPLE "\033[35m"
#define CYAN "\033[36m"

void table_init(struct text_table *table, struct arena *arena, const char *const *headings)
{
    *table = (struct text_table){ .arena = arena };
    while (headings[table->column_count]) {
        must(table->column_count < TABLE_COLUMNS_MAX);
        table->heading[table->column_count] = headings[table->column_count];
        table->column_count++;
    }
}

void table_add(struct text_table *table, const str *cells)
{
    if (table->row_count == table->row_cap)
        table->cell = array_grow_in(table->arena, table->cell, &table->row_cap,
                                    table->column_count * sizeof *table->cell);
    memcpy(&table->cell[table->row_count++ * table->column_count], cells,
           table->column_count * sizeof *cells);
}

static const char *colour_of_status(str word)
{
    static const char *const colours[] = {
        [SHOW_FAILED] = RED,   [SHOW_COMPLETED] = GREEN, [SHOW_CANCELLED] = PURPLE,
        [SHOW_RUNNING] = CYAN, [SHOW_PERSON] = YELLOW,   [SHOW_WAITING] = YELLOW,
    };
    for (int i = 0; i < SHOW_STATUS_COUNT; i++)
        if (str_equal(str_of(show_status_screen((enum show_status)i)), word)) return colours[i];
    return NULL;
}

/* Words that are no status of an instance: of visits, jobs and arrivals. */
static const char *colour_of(str word)
{
    static const struct {
        const char *word, *colour;
    } colours[] = {
        { "LOCKED", CYAN },     { "UNLOCKED", YELLOW },  { "DELAYED", PURPLE }, { "started", GREEN },
        { "delivered", GREEN }, { "unmatched", YELLOW }, { "refused", RED },
    };
    for (size_t i = 0; i < COUNT(colours); i++)
        if (str_equal(str_of(colours[i].word), word)) return colours[i].colour;
    return colour_of_status(word);
}

void table_print_word(str word, bool colours, struct buf *out)
{
    const char *colour = colours ? colour_of(word) : NULL;
    if (colour) buf_add_str(out, str_of(colour));
    output_add_safe(out, word, false);
    if (colour) buf_add_str(out, STR("\033[0m"));
}

/* Counts characters, which is close enough to columns for names and dates. */
static size_t width_of(str text)
{
    size_t width = 0;
    for (size_t i = 0; i < text.n; i++) width += utf8_begins(text.p[i]);
    return width;
}

static void print_row(const struct text_table *table, const str *cells, const size_t *width, bool colours,
                      struct buf *out)
{
    for (size_t column = 0; column < table->column_count; column++) {
        table_print_word(cells[column], colours, out);
        if (column + 1 == table->column_count) break;
        for (size_t n = width_of(cells[column]); n < width[column] + 2; n++) buf_add_char(out, ' ');
    }
    while (out->n && out->p[out->n - 1] == ' ') out->n--;
    buf_add_char(out, '\n');
}

void table_print(const struct text_table *table, bool colours, struct buf *out)
{
    size_t width[TABLE_COLUMNS_MAX];
    str headings[TABLE_COLUMNS_MAX];
    for (size_t column = 0; column < table->column_count; column++) {
        headings[column] = str_of(table->heading[column]);
        width[column] = headings[column].n;
        for (size_t row = 0; row < table->row_count; row++) {
            size_t wide = width_of(table->cell[row * table->column_count + column]);
            if (wide > width[column]) width[column] = wide;
        }
    }
    if (colours) buf_add_str(out, STR("\033[1m"));
    print_row(table, headings, width, false, out);
    if (colours) buf_add_str(out, STR("\033[0m"));
    for (size_t row = 0; row < table->row_count; row++)
        print_row(table, &table->cell[row * table->column_count], width, colours, out);
}
