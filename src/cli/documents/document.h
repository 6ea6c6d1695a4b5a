/* cli/documents/document.h — a definition in a file, JSON or YAML, compiled. */
#ifndef CLI_DOCUMENTS_DOCUMENT_H
#define CLI_DOCUMENTS_DOCUMENT_H

#include "cli/options.h"
#include "source/source.h"

struct document {
    str name; /* The file, or "standard input". */
    str text;
    struct problems problems;
    struct program *program;   /* NULL if there are errors among the problems. */
    const struct json *normal; /* The document as an engine would store it; NULL like the program. */
};

/* Fails only if the file cannot be read. */
enum status document_read(struct document *document, const char *file, struct arena *arena,
                          struct error *err);
void document_done(struct document *document);
/* Checks the definitions that the documents start of each other; warnings go to their problems. */
void document_check_family(struct document *document, size_t count, struct arena *arena);

/* The same, but problems with errors are printed to standard error. Returns an exit code. */
int document_open(struct document *document, const char *file, struct arena *arena);

#endif
