/* json/pointer.c — follows JSON Pointers, and makes them. */
#include "json/json_int.h"

#include "base/ascii.h"

str pointer_take_token(str *pointer)
{
    const char *p = pointer->p + 1, *end = pointer->p + pointer->n;
    const char *slash = p < end ? memchr(p, '/', (size_t)(end - p)) : NULL;
    if (!slash) slash = end;
    *pointer = (str){ slash, (size_t)(end - slash) };
    return (str){ p, (size_t)(slash - p) };
}

int pointer_token_byte(str *token)
{
    if (!token->n) return -1;
    unsigned char byte = (unsigned char)token->p[0];
    size_t length = 1;
    if (byte == '~' && token->n > 1 && (token->p[1] == '0' || token->p[1] == '1')) {
        byte = token->p[1] == '0' ? '~' : '/';
        length = 2;
    }
    *token = (str){ token->p + length, token->n - length };
    return byte;
}

bool pointer_token_equals(str token, str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (pointer_token_byte(&token) != (unsigned char)name.p[i]) return false;
    return token.n == 0;
}

bool pointer_token_index(str token, size_t *ret_index)
{
    if (!token.n || token.n > 10 || (token.n > 1 && token.p[0] == '0')) return false;
    size_t index = 0;
    for (size_t i = 0; i < token.n; i++) {
        if (!ascii_is_digit(token.p[i])) return false;
        index = index * 10 + (size_t)(token.p[i] - '0');
    }
    *ret_index = index;
    return true;
}

void json_pointer_add(struct buf *pointer, str name)
{
    buf_add_char(pointer, '/');
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] == '~') buf_add_str(pointer, STR("~0"));
        else if (name.p[i] == '/') buf_add_str(pointer, STR("~1"));
        else buf_add_char(pointer, name.p[i]);
    }
}

static const struct json *find_member(const struct json *object, str token)
{
    if (!token.n || !memchr(token.p, '~', token.n)) return json_get(object, token);
    struct json_each each = json_each(object);
    while (json_next(&each))
        if (pointer_token_equals(token, each.name)) return each.value;
    return NULL;
}

const struct json *json_pointer(const struct json *value, str pointer)
{
    if (pointer.n && pointer.p[0] != '/') return NULL;
    while (value && pointer.n) {
        str token = pointer_take_token(&pointer);
        size_t index;
        switch (json_kind(value)) {
        case JSON_OBJECT: value = find_member(value, token); break;
        case JSON_ARRAY: value = pointer_token_index(token, &index) ? json_item(value, index) : NULL; break;
        default: return NULL;
        }
    }
    return value;
}
