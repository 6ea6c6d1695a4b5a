/* api/grpc/symbols_int.h — files of a google.protobuf.FileDescriptorSet, by their name and by what they
 * define.
 *
 * The set is our own and embedded, but it is read as bytes from anywhere would be: with bounds.
 */
#ifndef API_GRPC_SYMBOLS_INT_H
#define API_GRPC_SYMBOLS_INT_H

#include "base/arena.h"

struct symbols_file {
    str bytes; /* A FileDescriptorProto. */
    str name, package;
};

struct symbols {
    const struct symbols_file *file; /* Each behind those that it imports. */
    size_t count;
};

/* Files that are damaged are left out. */
struct symbols symbols_read(str set, struct arena *arena);

/* Index of the file with that name, or of the one that defines a message, an enum, a service or a method of
 * that full name; SIZE_MAX if there is none. */
size_t symbols_find_file(const struct symbols *symbols, str name);
size_t symbols_find(const struct symbols *symbols, str full_name);

/* Sets wanted[i] for each file that wanted[at] needs, directly or not, and for itself. */
void symbols_mark_imports(const struct symbols *symbols, size_t at, bool *wanted);

#endif
