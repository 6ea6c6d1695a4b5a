/* cli/documents/graph.c — `pawl graph`: draws a definition. */
#include "cli/documents/document.h"
#include "cli/output.h"
#include "dialect/show/sketch.h"

static enum picture picture_of(const struct options *options)
{
    static const struct {
        str word;
        enum picture picture;
    } words[] = {
        { STR_INIT("svg"), PICTURE_SVG },         { STR_INIT("dot"), PICTURE_DOT },
        { STR_INIT("mermaid"), PICTURE_MERMAID }, { STR_INIT("gv"), PICTURE_DOT },
        { STR_INIT("mmd"), PICTURE_MERMAID },     { STR_INIT("json"), PICTURE_JSON },
    };
    str word = option_text(options, OPTION_FORMAT);
    if (!word.n) {
        str file = option_text(options, OPTION_OUTPUT);
        size_t dot = file.n;
        while (dot && file.p[dot - 1] != '.') dot--;
        word = str_slice(file, dot, file.n);
    }
    for (size_t i = 0; i < COUNT(words); i++)
        if (str_equal(words[i].word, word)) return words[i].picture;
    return PICTURE_SVG;
}

int verb_graph(const struct options *options)
{
    struct document document;
    struct sketch sketch;
    struct buf out;
    int code = document_open(&document, options->argument[0].p, options->arena);
    if (code) return code;
    buf_init(&out, options->arena);
    if (dialect_sketch(document.program, document.normal, false, options->arena, &sketch))
        draw_picture(&sketch, picture_of(options), &out);
    document_done(&document);
    const char *path = option_path(options, OPTION_OUTPUT);
    return path ? output_write_file(path, buf_str(&out)) : output_write(buf_str(&out));
}
