/* cli/documents/document.c — reads a definition from a file and compiles it. */
#include "cli/documents/document.h"

#include "cli/input.h"
#include "cli/output.h"

enum status document_read(struct document *document, const char *file, struct arena *arena, struct error *err)
{
    size_t bytes_max = (size_t)limits_default().body_bytes_max;
    *document = (struct document){ .name = str_of(strcmp(file, "-") == 0 ? "standard input" : file) };
    /* A file of up to 16 times the limit is read whole, so that the dialect refuses it with a problem like
     * any other. */
    TRY(input_read_file(file, bytes_max * 16, arena, &document->text, err));
    problems_init(&document->problems, arena);
    document->program = source_compile(document->text, source_format_of(document->name), bytes_max,
                                       &document->problems, &document->normal);
    return ST_OK;
}

void document_done(struct document *document) { program_unref(document->program); }

void document_check_family(struct document *document, size_t count, struct arena *arena)
{
    const struct program **program = arena_make_n(arena, const struct program *, count);
    struct problems **problems = arena_make_n(arena, struct problems *, count);
    for (size_t i = 0; i < count; i++) {
        program[i] = document[i].program;
        problems[i] = &document[i].problems;
    }
    program_check_family(program, problems, count, arena);
    for (size_t i = 0; i < count; i++)
        source_place_problems(document[i].text, source_format_of(document[i].name), &document[i].problems);
}

int document_open(struct document *document, const char *file, struct arena *arena)
{
    struct error err;
    struct buf out;
    if (document_read(document, file, arena, &err) != ST_OK) return output_fail(&err);
    if (document->program) return 0;
    buf_init(&out, arena);
    problems_print(&document->problems, document->name, &out);
    output_write_error(buf_str(&out));
    return status_exit(ST_INVALID);
}
