/* program/topic.h — MQTT topics, and the filters that select them.
 *
 * A topic is levels of text with "/" between them; a level may be empty. In a filter "+" stands for any one
 * level, and "#" as the last level for the level before it and everything below. Neither stands for a first
 * level that begins with "$" ($SYS/broker/uptime): such topics are the broker's own. A filter that begins
 * with "$share/GROUP/" is a shared subscription; the rest of it is the filter proper.
 */
#ifndef PROGRAM_TOPIC_H
#define PROGRAM_TOPIC_H

#include "base/str.h"

/* Says what is wrong with a filter, in words that follow "the topic filter …", or NULL. */
const char *topic_filter_check(str filter);

/* The filter proper, without the "$share/GROUP/" of a shared subscription. Borrowed. */
str topic_filter_proper(str filter);

/* Says what is wrong with a topic that a message is published to, in words that follow "the topic …", or
 * NULL. */
const char *topic_check(str topic);

/* True if the filter selects the topic. Both must be free of mistakes; else the answer means nothing. */
bool topic_matches(str filter, str topic);

#endif
