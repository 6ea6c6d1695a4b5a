/* source/source.h — the text of a definition or a scenario file, JSON or YAML, as a document with places.
 *
 * YAML is another way to write the same values. Other folders know only JSON documents, and
 * JSON Pointers into them. A pointer leads back to the place in the text its
 * author wrote, whatever the format.
 *
 * YAML means here: one document, UTF-8, with the core schema of YAML 1.2 (README.md has
 * the details). Nothing here is shared between calls, so threads need no lock.
 */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include "dialect/dialect.h"

/* ANY: JSON if it begins with '{', '[' or '"'; else YAML if that gives an object or its first line
 * looks like it; else JSON. */
enum source_format { SOURCE_ANY, SOURCE_JSON, SOURCE_YAML };

/* The format that the name of a file tells: YAML for .yaml and .yml, else ANY. */
enum source_format source_format_of(str file);

struct source_limits {
    size_t bytes_max;  /* Bytes of the text; 0: as many as the format can hold. */
    bool rest_allowed; /* Text behind a JSON document is ignored. YAML never has any. */
};

struct source {
    const struct json *document;
    bool yaml;                       /* Else it was JSON. */
    str text_;                       /* Borrowed from the caller. */
    const struct source_tree *tree_; /* YAML only. */
};

/* The document lives in the arena; the text must outlive the source. Errors have line and
 * column (in characters, 1-based) but for a text that is too large as a whole; limits give
 * ST_LIMIT. `limits` may be NULL. After a failure only `yaml` is set: the format in which
 * the text was read. */
enum status source_parse(str text, enum source_format format, const struct source_limits *limits,
                         struct arena *arena, struct source *ret_source, struct error *err);

/* The place of the value that the JSON Pointer leads to. A missing value has the place of the container that
 * should hold it; a value that an alias repeats has the place where it was written. False if the pointer is
 * malformed. */
bool source_locate(const struct source *source, str pointer, uint32_t *ret_line, uint32_t *ret_column);

/* From text to a program with one reference, or NULL and at least one error. Problems have
 * their lines and columns. `ret_document` (may be NULL) gets the document in its normal form
 * if it compiled; it lives in the problems' arena. Text behind a JSON document is ignored. */
struct program *source_compile(str text, enum source_format format, size_t bytes_max,
                               struct problems *problems, const struct json **ret_document);

/* Gives lines and columns to problems that have none: those that were found after compiling. */
void source_place_problems(str text, enum source_format format, struct problems *problems);

#endif
