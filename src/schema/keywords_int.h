/* schema/keywords_int.h — every keyword: its vocabulary, its drafts, how it is read and how it is checked.
 *
 * The order is that of reading and checking: a keyword stands behind those whose rules it looks at, and
 * unevaluatedItems and unevaluatedProperties behind all that look at items and members.
 */
#ifndef SCHEMA_KEYWORDS_INT_H
#define SCHEMA_KEYWORDS_INT_H

#include "schema/schema_int.h"

/* clang-format off */
#define SCHEMA_KEYWORD_MAP(XX)                                                                              \
    /* keyword                  vocabulary   2020-12 draft-07  read                   check              */ \
    XX("$ref",                  CORE,        true,   true,  reference,             reference)               \
    XX("$dynamicRef",           CORE,        true,   false, reference,             dynamic_reference)       \
    XX("$defs",                 CORE,        true,   false, named,                 nothing)                 \
    XX("definitions",           CORE,        true,   true,  named,                 nothing)                 \
    XX("type",                  VALIDATION,  true,   true,  type,                  type)                    \
    XX("enum",                  VALIDATION,  true,   true,  enum,                  enum)                    \
    XX("const",                 VALIDATION,  true,   true,  any,                   const)                   \
    XX("multipleOf",            VALIDATION,  true,   true,  multiple_of,           multiple_of)             \
    XX("maximum",               VALIDATION,  true,   true,  number,                maximum)                 \
    XX("exclusiveMaximum",      VALIDATION,  true,   true,  number,                exclusive_maximum)       \
    XX("minimum",               VALIDATION,  true,   true,  number,                minimum)                 \
    XX("exclusiveMinimum",      VALIDATION,  true,   true,  number,                exclusive_minimum)       \
    XX("maxLength",             VALIDATION,  true,   true,  count,                 max_length)              \
    XX("minLength",             VALIDATION,  true,   true,  count,                 min_length)              \
    XX("pattern",               VALIDATION,  true,   true,  pattern,               pattern)                 \
    XX("format",                FORMAT,      true,   true,  format,                format)                  \
    XX("contentEncoding",       CONTENT,     true,   true,  content,               content_encoding)        \
    XX("contentMediaType",      CONTENT,     true,   true,  content,               content_type)            \
    XX("contentSchema",         CONTENT,     true,   false, one,                   nothing)                 \
    XX("maxItems",              VALIDATION,  true,   true,  count,                 max_items)               \
    XX("minItems",              VALIDATION,  true,   true,  count,                 min_items)               \
    XX("uniqueItems",           VALIDATION,  true,   true,  unique_items,          unique_items)            \
    XX("prefixItems",           APPLICATOR,  true,   false, list,                  prefix_items)            \
    XX("items",                 APPLICATOR,  true,   true,  items,                 items)                   \
    XX("additionalItems",       APPLICATOR,  false,  true,  additional_items,      items)                   \
    XX("contains",              APPLICATOR,  true,   true,  contains,              contains)                \
    XX("maxProperties",         VALIDATION,  true,   true,  count,                 max_properties)          \
    XX("minProperties",         VALIDATION,  true,   true,  count,                 min_properties)          \
    XX("required",              VALIDATION,  true,   true,  names,                 required)                \
    XX("dependentRequired",     VALIDATION,  true,   false, dependencies,          dependencies)            \
    XX("propertyNames",         APPLICATOR,  true,   true,  one,                   property_names)          \
    XX("properties",            APPLICATOR,  true,   true,  named,                 properties)              \
    XX("patternProperties",     APPLICATOR,  true,   true,  pattern_properties,    pattern_properties)      \
    XX("additionalProperties",  APPLICATOR,  true,   true,  additional_properties, additional_properties)   \
    XX("dependentSchemas",      APPLICATOR,  true,   false, dependencies,          dependencies)            \
    XX("dependencies",          APPLICATOR,  true,   true,  dependencies,          dependencies)            \
    XX("if",                    APPLICATOR,  true,   true,  if,                    if)                      \
    XX("then",                  APPLICATOR,  true,   true,  one,                   nothing)                 \
    XX("else",                  APPLICATOR,  true,   true,  one,                   nothing)                 \
    XX("allOf",                 APPLICATOR,  true,   true,  list,                  all_of)                  \
    XX("anyOf",                 APPLICATOR,  true,   true,  list,                  any_of)                  \
    XX("oneOf",                 APPLICATOR,  true,   true,  list,                  one_of)                  \
    XX("not",                   APPLICATOR,  true,   true,  one,                   not)                     \
    XX("unevaluatedItems",      UNEVALUATED, true,   false, one,                   unevaluated_items)       \
    XX("unevaluatedProperties", UNEVALUATED, true,   false, one,                   unevaluated_properties)
/* clang-format on */

#define XX(keyword, vocabulary, in_2020_12, in_draft_07, read, check) \
    schema_read_fn schema_read_##read;                                \
    schema_check_fn schema_check_##check;
SCHEMA_KEYWORD_MAP(XX)
#undef XX

/* Keywords that only hold schemas have no check of their own. */
#define schema_check_nothing NULL

#endif
