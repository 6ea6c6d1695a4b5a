/* json/json.h — JSON values: immutable, ordered, exact.
 *
 * A value is one contiguous run of 4-byte cells without pointers. So it can be copied by
 * memcpy, put inside another value, stored as it is and read back without parsing. A
 * `const struct json *` points at a value's first cell; NULL means absent. Values never
 * change; functions that make one put it in the arena they are given.
 *
 * Objects keep the order of their members and have no duplicate names. Numbers keep their
 * text: 1.0 prints as 1.0, 12345678901234567890 keeps every digit, and both compare by
 * value (1.0 equals 1).
 *
 * The cells (head = tag in the low 4 bits, n in the high 28):
 *   NULL FALSE TRUE     head
 *   SMALL               head, n = signed 28-bit integer
 *   INT                 head, 8 bytes: an int64
 *   NUMBER              head (n = text length), 8 bytes: nearest double, the text, padded
 *   STRING              head (n = byte length), bytes, padded
 *   ARRAY               head (n = count), body cells, children; from 16 children on an offset table
 *   OBJECT              head (n = count), body cells, (STRING, value)*; from 16 members on a
 *                       table of offsets sorted by name
 * Little-endian machines only (checked at compile time).
 */
#ifndef JSON_JSON_H
#define JSON_JSON_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/status.h"

struct json;

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* ---- looking ---- */

enum json_kind json_kind(const struct json *value);
const char *json_kind_name(enum json_kind kind);             /* "null", "boolean", "number", … */
const char *json_kind_phrase(enum json_kind kind);           /* "null", "a boolean", "an array", … */
bool json_is(const struct json *value, enum json_kind kind); /* False for NULL. */

bool json_bool(const struct json *value);
str json_string(const struct json *value);   /* A string's bytes, borrowed. */
size_t json_count(const struct json *value); /* Children of an array or object, else 0. */
const struct json *json_item(const struct json *array, size_t index); /* NULL outside. */
const struct json *json_get(const struct json *object, str name);     /* NULL if absent or not an object. */

/* True and the value if the number is an integer that fits (1.0 and 1e2 are integers). */
bool json_int64(const struct json *value, int64_t *ret_value);
/* The integer at an index of an array; 0 if there is none. For values that the engine itself has written. */
int64_t json_item_int64(const struct json *array, size_t index);
double json_double(const struct json *value);

/* Members by name, for values whose form somebody else has checked: the member if it is a text, true or an
 * integer that fits; else empty, false or 0. The text is borrowed. */
str json_text(const struct json *object, str name);
bool json_flag(const struct json *object, str name);
int64_t json_integer(const struct json *object, str name);

/* Size in bytes of the value's cells, a multiple of 4. */
size_t json_bytes(const struct json *value);

/* The number of arrays and objects around the deepest value; counts to JSON_DEPTH_MAX + 1. Parsed and decoded
 * values have at most JSON_DEPTH_MAX. Callers that nest values in a loop must check the depth themselves. */
uint32_t json_depth(const struct json *value);

/* Visits the children of an array or object in order:
 *     struct json_each each = json_each(value);
 *     while (json_next(&each)) use(each.name, each.value);
 */
struct json_each {
    str name; /* Empty for arrays. */
    const struct json *value;
    const uint32_t *next_;
    uint32_t left_;
    bool object_;
};

struct json_each json_each(const struct json *value);
bool json_next(struct json_each *each);

/* ---- reading and writing text ---- */

struct json_limits {
    size_t bytes_max;   /* Bytes of the text; 0: as many as the format can hold. */
    uint32_t depth_max; /* 0: JSON_DEPTH_MAX, which is also the most. */
    size_t *rest;       /* If given, text behind the value is allowed, and this is where it begins. */
};

/* Strict RFC 8259: one value, nothing behind it, UTF-8, no lone surrogates, no duplicate
 * names, no NaN. Errors have line and column (in characters); limits give ST_LIMIT. `limits`
 * may be NULL. */
enum status json_parse(str text, const struct json_limits *limits, struct arena *arena,
                       const struct json **ret_value, struct error *err);

void json_print(const struct json *value, struct buf *out);        /* Compact. */
void json_print_pretty(const struct json *value, struct buf *out); /* Two spaces. */
/* Names sorted by bytes, numbers in one form per value: equal values print equally. */
void json_print_canonical(const struct json *value, struct buf *out);
/* A quoted string, escaped as JSON. */
void json_print_string(str text, struct buf *out);

/* ---- making ---- */

struct json_builder {
    struct buf cells;
    uint32_t open[160]; /* Cell offsets of the containers that are open. */
    uint32_t depth;
};

/* A builder needs no done function: json_built() gives the finished value, which lives in the arena. */
void json_builder_init(struct json_builder *builder, struct arena *arena);
void json_open_object(struct json_builder *builder);
void json_open_array(struct json_builder *builder);
void json_close(struct json_builder *builder);
void json_add_name(
    struct json_builder *builder,
    str name); /* Before each member of an object. The caller sees to it that names are not repeated. */
void json_add(struct json_builder *builder, const struct json *value); /* A copy; NULL adds null. */
void json_add_null(struct json_builder *builder);
void json_add_bool(struct json_builder *builder, bool value);
void json_add_int(struct json_builder *builder, int64_t value);
void json_add_double(struct json_builder *builder,
                     double value); /* Must be finite; integral values below 1e15 become integers. */
void json_add_string(struct json_builder *builder, str text);         /* Must be UTF-8. */
void json_add_text(struct json_builder *builder, str name, str text); /* A member, with its name. */
const struct json *json_built(struct json_builder *builder);

const struct json *json_null(void);
const struct json *json_of_bool(bool value);
const struct json *json_empty_object(void);
const struct json *json_empty_array(void);
const struct json *json_of_int(struct arena *arena, int64_t value);
const struct json *json_of_double(struct arena *arena, double value);
const struct json *json_of_string(struct arena *arena, str text);
const struct json *json_copy(struct arena *arena, const struct json *value);

/* A copy of the object with one member set (replaced in place, or appended). */
const struct json *json_set(struct arena *arena, const struct json *object, str name,
                            const struct json *value);
const struct json *json_without(struct arena *arena, const struct json *object, str name);

/* A step into a value: to the member `name` or, if `element`, to the element `index`. */
struct json_step {
    bool element;
    str name;
    size_t index;
};

/* A copy of `base` with the value at the end of the steps set. Before the last step every object may be
 * absent or null, and is made then; every array must be there and have the element. At most JSON_DEPTH_MAX
 * steps; the caller checks what the steps lead through, and the depth of the result. */
const struct json *json_set_at(struct arena *arena, const struct json *base, const struct json_step *step,
                               size_t count, const struct json *value);

/* ---- numbers ---- */

/* Exact decimal arithmetic while the result has at most 34 digits, else the nearest
 * double. Results are in lowest form: 0.5 + 0.5 is 1. Both operands are numbers. Fails
 * with ST_INVALID: division by zero, % on what is not an integer, overflow of a double. */
enum json_operator { JSON_PLUS, JSON_MINUS, JSON_TIMES, JSON_DIVIDED, JSON_MODULO, JSON_POWER };
enum status json_calculate(enum json_operator op, const struct json *a, const struct json *b,
                           struct arena *arena, const struct json **ret_value, struct error *err);
int json_number_compare(const struct json *a, const struct json *b); /* By value, exact. */
/* Both are exact. The divisor is not 0. */
bool json_is_integer(const struct json *value); /* 1.0 and 1e400 are; false for NULL and what is no number. */
bool json_is_multiple(const struct json *value, const struct json *divisor);
/* Any number, exactly: digits × 10^exponent, without zeros at either end; 0 has no digits. */
struct json_digits {
    bool negative;
    uint32_t count;
    int64_t exponent;
    char digit[JSON_NUMBER_BYTES_MAX];
};
void json_digits(const struct json *number, struct json_digits *ret_digits);
/* The text as a number (JSON syntax, white space around it allowed), or NULL. */
const struct json *json_number_parse(str text, struct arena *arena);

/* ---- whole values ---- */

bool json_equal(const struct json *a,
                const struct json *b); /* By value: order of members is irrelevant, 1 equals 1.0. */

/* b's members replace or follow a's. Both are objects. */
const struct json *json_merge(const struct json *a, const struct json *b, struct arena *arena);
/* The same, and where both sides hold objects they are merged in turn. */
const struct json *json_merge_deep(const struct json *a, const struct json *b, struct arena *arena);

/* JSON Merge Patch (RFC 7396): members of the patch replace those of the value, null removes them. */
const struct json *json_merge_patch(const struct json *value, const struct json *patch, struct arena *arena);

/* JSON Pointer (RFC 6901): the value, or NULL. */
const struct json *json_pointer(const struct json *value, str pointer);
/* Adds "/" and the name, escaped, to a pointer that is being made. */
void json_pointer_add(struct buf *pointer, str name);
/* The place in the text where the pointer's target starts, counted from 1. False if it is not there. The text
 * must have parsed. */
bool json_locate(str text, str pointer, uint32_t *ret_line, uint32_t *ret_column);

/* The changes that turn one value into another: an array of [pointer, new value] or, for removed
 * members, [pointer]. Objects are compared member by member, anything else as a whole.
 * Equal values give an empty array. json_patch(a, json_diff(a, b)) equals b, member order
 * included unless only the order differs. A patch takes changes only in the order in which
 * a diff gives them. */
const struct json *json_diff(const struct json *from, const struct json *to, struct arena *arena);
enum status json_patch(const struct json *value, const struct json *diff, struct arena *arena,
                       const struct json **ret_value, struct error *err);

/* ---- stored bytes ---- */

/* Copies the cells of a value out of stored bytes after checking every length, tag, text
 * and order in them: safe on bytes from anywhere. NULL if they are not exactly one value. */
const struct json *json_decode(str bytes, struct arena *arena);
static inline str json_encoded(const struct json *value)
{
    return (str){ (const char *)value, json_bytes(value) };
}

/* A part of a value that has the cells of an earlier part: places in json_encoded(), and bytes. */
struct json_repeat {
    size_t at, earlier, n;
};

/* The first of them, in the order of their places, that have at least `bytes_min` bytes. At most `max`, and
 * no more than JSON_REPEATS_MAX different values are compared. Nothing inside of a repeat is one. */
size_t json_repeats(const struct json *value, size_t bytes_min, struct json_repeat *ret_repeat, size_t max);

/* json_bytes() without what these repeats take. */
size_t json_bytes_once(const struct json *value, size_t bytes_min);

/* The value at the start of bytes that json_encoded() gave and that have been in our memory ever
 * since. No copy: it lives as long as the bytes. They begin at a multiple of 4, as cells do, and
 * hold the whole value. Nothing else is checked, and these two with must(). */
const struct json *json_borrow(str bytes);

#endif
