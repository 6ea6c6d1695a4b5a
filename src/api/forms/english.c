/* api/forms/english.c — the words of the pages in English. */
#include "api/forms/forms_int.h"

/* A sentence about a field that has its name before it: "must be a number". */
static str say_problem(const struct schema_problem *problem, struct arena *arena)
{
    (void)arena;
    return str_slice(problem->message, 0, str_find(problem->message, STR(", and is a string"), 0));
}

const struct form_words forms_english = {
    .language = STR_INIT("en"),
    .send = STR_INIT("Send"),
    .the_form = STR_INIT("The form"),
    .optional = STR_INIT("optional"),
    .choose = STR_INIT("Choose …"),
    .line_each = STR_INIT("One on each line."),
    .as_json = STR_INIT("As JSON."),
    .before_kilobytes = STR_INIT("At most "),
    .after_kilobytes = STR_INIT(" KB in all."),
    .not_sent = STR_INIT("It was not sent"),
    .must_be_filled_in = STR_INIT("must be filled in"),
    .thank_you = STR_INIT("Thank you"),
    .before_arrived = STR_INIT("“"),
    .after_arrived = STR_INIT("” has arrived."),
    .reference = STR_INIT("Your reference:"),
    .another = STR_INIT("Fill in another one"),
    .no_form = STR_INIT("There is no form here"),
    .sign_in = STR_INIT("Please sign in"),
    .too_large = STR_INIT("This is too large"),
    .failed = STR_INIT("It was not sent"),
    .how_to_sign_in =
        STR_INIT("Sign in in another tab, then load this page again: it sends once more what you typed."),
    .problem = say_problem,
};
