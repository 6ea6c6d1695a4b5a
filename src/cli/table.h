/* cli/table.h — rows of text in aligned columns. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "base/buf.h"
#include "cli/limits.h"

struct text_table {
    struct arena *arena;
    const char *heading[TABLE_COLUMNS_MAX];
    size_t column_count;
    str *cell; /* Row by row. */
    size_t row_count;
    size_t row_cap;
};

/* Headings are C strings that outlive the table, ended by NULL. */
void table_init(struct text_table *table, struct arena *arena, const char *const *headings);

/* Adds a row of column_count cells. Texts are borrowed. */
void table_add(struct text_table *table, const str *cells);

/* With colours: headings are bold and the words of statuses are coloured. */
void table_print(const struct text_table *table, bool colours, struct buf *out);

/* Prints a word in the colour of the status it names, and any other word as it is. */
void table_print_word(str word, bool colours, struct buf *out);

#endif
