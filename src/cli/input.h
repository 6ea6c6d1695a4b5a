/* cli/input.h — reads values from arguments and files. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "cli/options.h"
#include "json/json.h"

/* The file's bytes, or standard input's for "-". */
enum status input_read_file(const char *path, size_t bytes_max, struct arena *arena, str *ret_text,
                            struct error *err);

/* JSON as text, or JSON or YAML in a file named by @FILE, or on standard input (@-). `where`
 * names the option in messages. */
enum status input_json(str text, const char *where, struct arena *arena, const struct json **ret_value,
                       struct error *err);

/* An object from --input with every --var set in it; NULL if neither was given. */
enum status input_variables(const struct options *options, const struct json **ret_variables,
                            struct error *err);

/* The same as {"variables": …}, or NULL. */
enum status input_variables_body(const struct options *options, const struct json **ret_body,
                                 struct error *err);

/* An object from a list of NAME=VALUE. */
enum status input_assignments(const struct option_value *assignments, const char *where, struct arena *arena,
                              const struct json **ret_object, struct error *err);

#endif
