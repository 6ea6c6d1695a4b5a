/* cli/maintain/store_copy.c — `pawl store copy`: moves a store to another back end. */
#include "cli/maintain/store_copy.h"

#include "base/clock.h"
#include "cli/serve/directory.h"
#include "cli/output.h"
#include "cli/table.h"
#include "json/json.h"
#include "store/copy/copy.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PROGRESS_US = 200000 };

/* ---- names of stores ---- */

static bool is_file_name(str path)
{
    return path.n > 3 && str_equal(str_slice(path, path.n - 3, path.n), STR(".db"));
}

enum status store_copy_place(str name, struct arena *arena, const char **ret_path, const char **ret_directory,
                             struct error *err)
{
    struct stat about;
    const char *path = arena_str(arena, name).p;
    *ret_path = path;
    *ret_directory = NULL;
    if (store_path_is_database(path)) return ST_OK;
    if (str_starts(name, STR("sqlite:"))) name = str_slice(name, strlen("sqlite:"), name.n);
    if (!name.n || str_find(name, STR("://"), 0) != SIZE_MAX)
        return fail(err, ST_INVALID, "store", "%s is neither a data directory nor a file nor postgres://…",
                    path);
    *ret_path = path = arena_str(arena, name).p;
    bool there = stat(path, &about) == 0;
    if (there ? !S_ISDIR(about.st_mode) : is_file_name(name)) return ST_OK;
    if (!there) *ret_directory = path;
    *ret_path = arena_printf(arena, "%s/pawl.db", path).p;
    return ST_OK;
}

/* The directory of the target is made if something can be copied to it: stores of one kind are refused. */
static enum status find_stores(const struct options *options, struct store_copying *copying,
                               struct error *err)
{
    const char *from_directory, *to_directory;
    TRY(store_copy_place(options->argument[1], options->arena, &copying->from, &from_directory, err));
    TRY(store_copy_place(options->argument[2], options->arena, &copying->to, &to_directory, err));
    if (from_directory) return fail(err, ST_NOT_FOUND, from_directory, "there is no file %s", copying->from);
    bool make = to_directory && store_path_is_database(copying->from);
    return make ? directory_make(to_directory, options->arena, err) : ST_OK;
}

/* ---- how far it is ---- */

struct showing {
    bool shown; /* Standard error is a terminal. */
    int64_t next_us;
};

static void show_progress(void *context, const char *table, bool comparing, int64_t rows)
{
    struct showing *showing = context;
    int64_t now_us = clock_monotonic_us();
    if (!showing->shown || now_us < showing->next_us) return;
    showing->next_us = now_us + PROGRESS_US;
    fprintf(stderr, "\r\033[K%s %s: %" PRId64 " rows", comparing ? "comparing" : "copying", table, rows);
    fflush(stderr);
}

/* ---- the report ---- */

static int print_text(const struct options *options, const struct store_copied *copied)
{
    static const char *const headings[] = { "TABLE", "ROWS", "COMPARED", NULL };
    struct text_table table;
    struct buf out;
    int64_t rows = 0;
    table_init(&table, options->arena, headings);
    for (size_t i = 0; i < copied->count; i++) {
        const struct copied_table *one = &copied->table[i];
        const str cell[] = { str_of(one->name), arena_printf(options->arena, "%" PRId64, one->rows),
                             arena_printf(options->arena, "%" PRId64, one->compared) };
        table_add(&table, cell);
        rows += one->rows;
    }
    buf_init(&out, options->arena);
    table_print(&table, output_colours(), &out);
    buf_printf(&out, "%" PRId64 " rows copied, and every one compared: no difference\n", rows);
    return output_write(buf_str(&out));
}

static int print_json(const struct options *options, const struct store_copied *copied)
{
    struct json_builder builder;
    struct buf out;
    json_builder_init(&builder, options->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("tables"));
    json_open_array(&builder);
    for (size_t i = 0; i < copied->count; i++) {
        json_open_object(&builder);
        json_add_name(&builder, STR("name"));
        json_add_string(&builder, str_of(copied->table[i].name));
        json_add_name(&builder, STR("rows"));
        json_add_int(&builder, copied->table[i].rows);
        json_add_name(&builder, STR("compared"));
        json_add_int(&builder, copied->table[i].compared);
        json_close(&builder);
    }
    json_close(&builder);
    json_close(&builder);
    buf_init(&out, options->arena);
    json_print_pretty(json_built(&builder), &out);
    buf_add_char(&out, '\n');
    return output_write(buf_str(&out));
}

int store_copy_run(const struct options *options)
{
    struct showing showing = { .shown = isatty(STDERR_FILENO) != 0 };
    struct store_copying copying = { .overwrite = option_on(options, OPTION_OVERWRITE),
                                     .progress = show_progress,
                                     .context = &showing };
    struct store_copied copied;
    struct error err;
    if (find_stores(options, &copying, &err) != ST_OK) return output_fail(&err);
    enum status status = store_copy(&copying, &copied, &err);
    if (showing.shown) fputs("\r\033[K", stderr);
    if (status != ST_OK) return output_fail(&err);
    return option_on(options, OPTION_JSON) ? print_json(options, &copied) : print_text(options, &copied);
}
