/* json/json_int.h — the cells of a value, for this folder only.
 *
 * json.h has the layout. It leaves these questions open:
 *
 *  (1) Padding is zero, so that equal cells mean equal bytes.
 *  (2) The table of an array or object lies at the end of its body. Its entries count cells
 *      from the body's start; an object's are sorted by the bytes of the names.
 *  (3) There is one way to write a number: SMALL if it fits, else INT if it was a plain
 *      int64, else NUMBER. -0 is no plain int64.
 */
#ifndef JSON_JSON_INT_H
#define JSON_JSON_INT_H

#include "json/json.h"

#include "base/must.h"
#include "json/limits.h"
#include "json/text.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Pawl runs on little-endian machines only: rows of the store hold values as they are in memory"
#endif

enum json_tag {
    TAG_NULL,
    TAG_FALSE,
    TAG_TRUE,
    TAG_SMALL,
    TAG_INT,
    TAG_NUMBER,
    TAG_STRING,
    TAG_ARRAY,
    TAG_OBJECT,
    TAG_COUNT
};

enum {
    TAG_BITS = 4,
    TABLE_COUNT_MIN = 16, /* Children from which on there is a table. */
    SMALL_MIN = -(1 << 27),
};

struct json {
    uint32_t head;
};

/* ---- looking at cells ---- */

static inline uint32_t head_of(enum json_tag tag, size_t n)
{
    return (uint32_t)n << TAG_BITS | (uint32_t)tag;
}

static inline enum json_tag tag_of(const uint32_t *cell) { return (enum json_tag)(*cell & 15); }
static inline uint32_t n_of(const uint32_t *cell) { return *cell >> TAG_BITS; }
static inline size_t cells_for(size_t bytes) { return (bytes + 3) / 4; }

static inline const uint32_t *cells_of(const struct json *value) { return &value->head; }
static inline const struct json *value_at(const uint32_t *cell) { return (const struct json *)cell; }

static inline size_t cell_count(const uint32_t *cell)
{
    enum json_tag tag = tag_of(cell);
    if (tag == TAG_STRING) return 1 + cells_for(n_of(cell));
    if (tag <= TAG_SMALL) return 1;
    if (tag >= TAG_ARRAY) return 2 + (size_t)cell[1];
    return 3 + cells_for(n_of(cell)); /* An INT has no text. */
}

static inline const uint32_t *cell_after(const uint32_t *cell) { return cell + cell_count(cell); }
static inline const uint32_t *body_of(const uint32_t *container) { return container + 2; }

static inline const uint32_t *table_of(const uint32_t *container)
{
    return container + 2 + container[1] - n_of(container);
}

/* The end of the last member: the table, if there is one. */
static inline const uint32_t *members_end(const uint32_t *object)
{
    return n_of(object) >= TABLE_COUNT_MIN ? table_of(object) : cell_after(object);
}

static inline str string_at(const uint32_t *cell) { return (str){ (const char *)(cell + 1), n_of(cell) }; }

static inline str number_text_at(const uint32_t *cell)
{
    return (str){ (const char *)(cell + 3), n_of(cell) };
}

static inline uint64_t word_at(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

static inline uint32_t half_word_at(const char *p)
{
    uint32_t half;
    memcpy(&half, p, sizeof half);
    return half;
}

/* True if the string has the bytes of `text`, which is as long. Most names are too short to
 * call memcmp() for; the last bytes are compared together with some that already were. */
static inline bool string_has_bytes(const uint32_t *cell, const char *text)
{
    const char *p = (const char *)(cell + 1);
    size_t n = n_of(cell);
    if (n >= 8) {
        for (size_t i = 0; i < n - 8; i += 8)
            if (word_at(p + i) != word_at(text + i)) return false;
        return word_at(p + n - 8) == word_at(text + n - 8);
    }
    if (n >= 4)
        return half_word_at(p) == half_word_at(text) && half_word_at(p + n - 4) == half_word_at(text + n - 4);
    for (size_t i = 0; i < n; i++)
        if (p[i] != text[i]) return false;
    return true;
}

/* True and the value for SMALL and INT. */
static inline bool plain_int_at(const uint32_t *cell, int64_t *ret_value)
{
    if (tag_of(cell) == TAG_SMALL) {
        *ret_value = (int32_t)*cell >> TAG_BITS;
        return true;
    }
    if (tag_of(cell) != TAG_INT) return false;
    memcpy(ret_value, cell + 1, sizeof *ret_value);
    return true;
}

/* ---- writing cells (cells.c) ---- */

/* Room for `count` cells at the end; the caller raises buf->n by what it used. */
static inline uint32_t *cells_room(struct buf *cells, size_t count)
{
    return (uint32_t *)(void *)buf_reserve(cells, count * 4);
}

static inline void cells_add_head(struct buf *cells, uint32_t head)
{
    *cells_room(cells, 1) = head;
    cells->n += 4;
}

static inline uint32_t *cell_at_offset(const struct buf *cells, size_t offset)
{
    return (uint32_t *)(void *)(cells->p + offset);
}

/* Starts a container and gives its byte offset, for cells_close(). */
static inline size_t cells_open(struct buf *cells, enum json_tag tag)
{
    size_t offset = cells->n;
    uint32_t *head = cells_room(cells, 2);
    head[0] = head_of(tag, 0);
    head[1] = 0;
    cells->n += 8;
    return offset;
}

void cells_add_table(struct buf *cells, size_t offset, enum json_tag tag, size_t count);

/* Ends the container that holds `count` children: writes its head, and its table. */
static inline void cells_close(struct buf *cells, size_t offset, enum json_tag tag, size_t count)
{
    must(count <= HEAD_N_MAX);
    if (count >= TABLE_COUNT_MIN) cells_add_table(cells, offset, tag, count);
    size_t body = (cells->n - offset) / 4 - 2;
    must(body <= UINT32_MAX);
    uint32_t *head = cell_at_offset(cells, offset);
    head[0] = head_of(tag, count);
    head[1] = (uint32_t)body;
}

void cells_copy(struct buf *cells, const uint32_t *from, const uint32_t *to); /* [from, to) */
void cells_add_value(struct buf *cells, const struct json *value);            /* NULL adds null. */
void cells_add_string(struct buf *cells, str text);
void cells_add_int(struct buf *cells, int64_t value);

/* Index of the first member whose name was there before, or SIZE_MAX. */
size_t cells_find_repeat(const uint32_t *object);

/* True if one of the members from `body` up to `name` has that name. */
bool cells_name_is_before(const uint32_t *body, const uint32_t *name);

/* The same for each name in turn. A bit of *seen, 0 at first, stands for a name's length and its
 * first and last bytes: mostly it was not set before, and then nothing needs to be compared. */
static inline bool cells_name_repeats(uint64_t *seen, const uint32_t *body, const uint32_t *name)
{
    str text = string_at(name);
    uint32_t hash = (uint32_t)text.n;
    if (text.n) hash ^= name[1];
    if (text.n > 4) hash = hash * UINT32_C(0x85ebca6b) + half_word_at(text.p + text.n - 4);
    hash *= UINT32_C(0x9e3779b1);
    uint64_t bit = UINT64_C(1) << (hash >> 26), before = *seen;
    *seen |= bit;
    return (before & bit) && cells_name_is_before(body, name);
}

/* ---- numbers (number.c) ---- */

/* A number's text, taken apart. */
struct literal {
    const char *end; /* Behind it, or where it is wrong. */
    bool negative;
    bool plain;           /* Digits only. */
    uint64_t mantissa;    /* The first 19 significant digits, … */
    uint32_t digit_count; /* … of so many. */
    int64_t exponent;     /* The exponent of the mantissa; valid only if the mantissa has all digits. */
    bool exponent_too_large;
};

/* Reads the longest number at p. NULL, or what is wrong at ret_literal->end. */
const char *json_literal_scan(const char *p, const char *end, struct literal *ret_literal);

/* The nearest double, which may be infinite. */
double json_literal_double(str text, const struct literal *literal);

/* True and the double beside the text if the number is written as NUMBER. */
bool json_literal_number(str text, const struct literal *literal, double *ret_value);

/* Adds the number in its one form. ST_LIMIT if the text is too long or its exponent too large. */
enum status number_add_literal(struct buf *cells, str text, const struct literal *literal);

/* Any number, exactly: digits × 10^exponent, without zeros at either end; 0 has none. */
struct decimal {
    bool negative;
    uint32_t count;
    int64_t exponent;
    char digit[JSON_NUMBER_BYTES_MAX];
};

void json_decimal_of(const uint32_t *number, struct decimal *ret_decimal);
void json_decimal_of_text(str text, struct decimal *ret_decimal);

/* The one text of this value, which is also a JSON number. */
str json_decimal_print(const struct decimal *decimal, char ret_text[DECIMAL_CHARS_MAX]);

void number_add_double(struct buf *cells, double value); /* Finite. */

/* ---- texts (text.c) ---- */

/* In a text that has parsed: behind the value at p; the name of an object's member. */
const char *text_skip_value(const char *p, const char *end);
const char *text_member_name(const char *object, const char *end, size_t index);

/* ---- pointers (pointer.c) ---- */

/* Splits the first token off a pointer that starts with '/'. Still escaped. */
str pointer_take_token(str *pointer);
/* Takes one byte of an escaped token, or -1 at its end. */
int pointer_token_byte(str *token);
bool pointer_token_equals(str token, str name);
/* The token as an array index; no sign, no leading zero. */
bool pointer_token_index(str token, size_t *ret_index);

#endif
