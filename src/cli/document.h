/* cli/document.h — a definition in a file, compiled. */
#ifndef CLI_DOCUMENT_H
#define CLI_DOCUMENT_H

#include "cli/options.h"
#include "dialect/dialect.h"

struct document {
    str name; /* The file, or "standard input". */
    str text;
    struct problems problems;
    struct program *program; /* NULL if there are errors among the problems. */
};

/* Fails only if the file cannot be read. */
enum status document_read(struct document *document, const char *file, struct arena *arena, struct error *err);
void document_done(struct document *document);

/* The same, but problems with errors are printed to standard error. Returns an exit code. */
int document_open(struct document *document, const char *file, struct arena *arena);

#endif
