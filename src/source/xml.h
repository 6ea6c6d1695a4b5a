/* source/xml.h — XML as a JSON document, for samples and data of entities.
 *
 *     <order id="7">                       {"@id": 7,
 *       <customer>Ann</customer>            "customer": "Ann",
 *       <item><sku>A1</sku></item>          "item": [{"sku": "A1"}, {"sku": "B2"}],
 *       <item><sku>B2</sku></item>          "total": {"@currency": "EUR", "#text": 12.50},
 *       <total currency="EUR">12.50</total> "paid": true,
 *       <paid>true</paid><note/>            "note": ""}
 *     </order>
 *
 *  - The outermost element stands for the document; its name is not kept.
 *  - An element with elements or attributes is an object; others are their text. An empty one is "", and {}
 *    if it is the outermost.
 *  - Elements of one name beside each other are an array, which stands where the first one stood.
 *  - Attributes are members with @ before their name, text beside elements or attributes is the member #text.
 *    Neither can be the name of an element.
 *  - White space at both ends of a text is dropped. Numbers in the syntax of JSON are numbers with all their
 *    digits, true and false are booleans, everything else is a string: 007, +1, NaN, dates. A text with a
 *    CDATA section is always a string.
 *  - Names are taken as they are written, with their prefixes; attributes that declare namespaces are
 *    dropped.
 *  - Comments and processing instructions are ignored. A document type declaration is refused, and with it
 *    every entity but &amp; &lt; &gt; &apos; &quot; and numbers of characters: nothing expands, nothing is
 *    fetched.
 *  - The text is UTF-8, with or without a byte order mark, whatever its declaration says.
 */
#ifndef SOURCE_XML_H
#define SOURCE_XML_H

#include "base/arena.h"
#include "base/status.h"
#include "json/json.h"

/* The document lives in the arena. Errors have line and column, but for a text that is too large or not
 * UTF-8. Limits (bytes_max, if it is not 0, and those of source/limits.h) give ST_LIMIT. */
enum status xml_parse(str text, size_t bytes_max, struct arena *arena, const struct json **ret_value,
                      struct error *err);

#endif
