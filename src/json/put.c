/* json/put.c — writes texts, ids, times and numbers as members of a JSON text. */
#include "json/put.h"

#include "base/datetime.h"

void put_text(struct buf *out, str text) { json_print_string(text, out); }

void put_id(struct buf *out, struct id id)
{
    char *to = buf_reserve(out, ID_CHARS + 3);
    to[0] = '"';
    id_print(id, to + 1);
    to[ID_CHARS + 1] = '"';
    out->n += ID_CHARS + 2;
}

void put_time(struct buf *out, int64_t ms)
{
    char *to = buf_reserve(out, DATETIME_CHARS + 3);
    to[0] = '"';
    datetime_print(ms, to + 1);
    to[DATETIME_CHARS + 1] = '"';
    out->n += DATETIME_CHARS + 2;
}

void put_int(struct buf *out, int64_t value)
{
    char digits[20];
    size_t n = 0;
    uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do digits[sizeof digits - ++n] = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0) buf_add_char(out, '-');
    buf_add(out, digits + sizeof digits - n, n);
}

/* Values in memory have about 1.4 times the bytes of their text, and seldom more than twice. */
bool put_may_fit(const struct buf *out, const struct json *value, int64_t bytes_max)
{
    if (bytes_max <= 0) return true;
    if (put_is_beyond(out, bytes_max)) return false;
    return !value || json_bytes(value) / 2 <= (size_t)bytes_max - out->n; /* A damaged instance has none. */
}

void put_flag(struct buf *out, bool flag) { buf_add_str(out, flag ? STR("true") : STR("false")); }
