/* net/weighted.c — items of a list in a header, and their weights (RFC 9110, 12.4.2). */
#include "net/weighted.h"

#include "base/ascii.h"

/* Takes what stands before the mark, without spaces around it. */
static str take_until(str *rest, str mark)
{
    size_t at = str_find(*rest, mark, 0);
    str part = str_trim(str_slice(*rest, 0, at == SIZE_MAX ? rest->n : at));
    *rest = at == SIZE_MAX ? STR_NONE : str_slice(*rest, at + 1, rest->n);
    return part;
}

bool weighted_next_item(str *list, str *ret_item)
{
    while (list->n) {
        *ret_item = take_until(list, STR(","));
        if (ret_item->n) return true;
    }
    return false;
}

/* "1", "0.5", "0.125". Further digits count for nothing. */
static int read_weight(str text)
{
    int weight = 0, unit = WEIGHT_WHOLE;
    for (size_t i = 0; i < text.n; i++) {
        if (i == 1 && text.p[i] == '.') continue;
        if (!ascii_is_digit(text.p[i])) return 0;
        weight += (text.p[i] - '0') * unit;
        unit /= 10;
    }
    return weight > WEIGHT_WHOLE ? 0 : weight;
}

bool weighted_next(str *list, struct weighted_item *ret_item)
{
    str rest;
    if (!weighted_next_item(list, &rest)) return false;
    *ret_item = (struct weighted_item){ .name = take_until(&rest, STR(";")), .weight = WEIGHT_WHOLE };
    ret_item->parameters = str_trim(rest);
    while (rest.n) {
        str parameter = take_until(&rest, STR(";"));
        if (str_equal_ignoring_case(str_slice(parameter, 0, 2), STR("q=")))
            ret_item->weight = read_weight(str_trim(str_slice(parameter, 2, parameter.n)));
    }
    return true;
}
