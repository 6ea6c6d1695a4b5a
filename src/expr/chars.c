/* expr/chars.c — values as text, and upper and lower case of Unicode. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "expr/chars_int.h"

#include "base/utf8.h"

str chars_of(const struct json *value, struct arena *arena)
{
    if (json_is(value, JSON_STRING)) return json_string(value);
    struct buf out;
    buf_init(&out, arena);
    json_print(value, &out);
    return buf_str(&out);
}

static bool is_ascii(str text)
{
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] >= 0x80) return false;
    return true;
}

static void *take_memory(size_t bytes, void *arena) { return arena_alloc(arena, bytes); }

static void leave_memory(void *memory, void *arena)
{
    (void)memory;
    (void)arena;
}

/* Beyond ASCII the mapping needs Unicode's tables, and PCRE2 brings them: one substitution
 * of the whole text by itself in the other case. */
static enum status change_unicode_case(struct vm *vm, str text, bool upper, str *ret_text)
{
    pcre2_general_context *general = pcre2_general_context_create(take_memory, leave_memory, vm->arena);
    pcre2_match_data *match_data = pcre2_match_data_create(1, general);
    int error;
    size_t place;
    pcre2_code *all = pcre2_compile((PCRE2_SPTR) ".+", PCRE2_ZERO_TERMINATED, PCRE2_UTF | PCRE2_DOTALL,
                                    &error, &place, pcre2_compile_context_create(general));
    must(all);
    /* The other case of a character can be longer: ɐ has two bytes, Ɐ three. */
    size_t room = 2 * text.n + 1;
    char *out = arena_alloc(vm->arena, room);
    int count = pcre2_substitute(all, (PCRE2_SPTR)text.p, text.n, 0, PCRE2_SUBSTITUTE_EXTENDED, match_data,
                                 pcre2_match_context_create(general), (PCRE2_SPTR)(upper ? "\\U$0" : "\\L$0"),
                                 PCRE2_ZERO_TERMINATED, (PCRE2_UCHAR *)out, &room);
    if (count != 1) return vm_fail(vm, ST_INVALID, "cannot change the case of this text");
    *ret_text = (str){ out, room };
    return ST_OK;
}

enum status chars_change_case(struct vm *vm, str text, bool upper, str *ret_text)
{
    TRY(vm_spend_scan(vm, text.n));
    if (!is_ascii(text)) {
        TRY(vm_spend(vm, text.n));
        return change_unicode_case(vm, text, upper, ret_text);
    }
    char *out = arena_alloc(vm->arena, text.n);
    char from = upper ? 'a' : 'A';
    for (size_t i = 0; i < text.n; i++) {
        bool letter = text.p[i] >= from && text.p[i] < from + 26;
        out[i] = letter ? (char)(text.p[i] ^ 0x20) : text.p[i];
    }
    *ret_text = (str){ out, text.n };
    return ST_OK;
}
