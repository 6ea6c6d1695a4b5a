/* api/pages_int.h — pages of docs/ and schemas of contract/schema, as parts of the program. */
#ifndef API_PAGES_INT_H
#define API_PAGES_INT_H

#include "base/str.h"

struct page {
    str name;  /* "steps.md", "steps.json" */
    str title; /* For lists. */
    str text;
};

/* All of them, one by one; false: there are no more. */
bool pages_doc(size_t index, struct page *ret_page);
bool schemas_page(size_t index, struct page *ret_page);

#endif
