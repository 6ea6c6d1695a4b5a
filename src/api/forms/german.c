/* api/forms/german.c — the words of the pages in German. */
#include "api/forms/forms_int.h"

/* ---- what is wrong with a field ---- */

static str say_type(str type)
{
    static const struct {
        str type, sentence;
    } sentences[] = { { STR_INIT("string"), STR_INIT("muss ein Text sein") },
                      { STR_INIT("number"), STR_INIT("muss eine Zahl sein") },
                      { STR_INIT("integer"), STR_INIT("muss eine ganze Zahl sein") },
                      { STR_INIT("boolean"), STR_INIT("muss ja oder nein sein") },
                      { STR_INIT("array"), STR_INIT("muss eine Liste sein") },
                      { STR_INIT("object"), STR_INIT("muss aus Feldern bestehen") },
                      { STR_INIT("null"), STR_INIT("muss leer bleiben") } };
    for (size_t i = 0; i < COUNT(sentences); i++)
        if (str_equal(sentences[i].type, type)) return sentences[i].sentence;
    return STR("hat nicht die richtige Art");
}

/* A sentence with the value of the keyword inside. `of_one` is for counts; empty: it is like the others. */
struct german_rule {
    str keyword, before, after, of_one;
};

static const struct german_rule rules[] = {
    { STR_INIT("const"), STR_INIT("muss "), STR_INIT(" sein"), STR_INIT("") },
    { STR_INIT("minimum"), STR_INIT("muss mindestens "), STR_INIT(" sein"), STR_INIT("") },
    { STR_INIT("maximum"), STR_INIT("darf höchstens "), STR_INIT(" sein"), STR_INIT("") },
    { STR_INIT("exclusiveMinimum"), STR_INIT("muss größer als "), STR_INIT(" sein"), STR_INIT("") },
    { STR_INIT("exclusiveMaximum"), STR_INIT("muss kleiner als "), STR_INIT(" sein"), STR_INIT("") },
    { STR_INIT("multipleOf"), STR_INIT("muss ein Vielfaches von "), STR_INIT(" sein"), STR_INIT("") },
    { STR_INIT("pattern"), STR_INIT("muss dem Muster „"), STR_INIT("“ entsprechen"), STR_INIT("") },
    { STR_INIT("minLength"), STR_INIT("muss mindestens "), STR_INIT(" Zeichen haben"),
      STR_INIT("darf nicht leer sein") },
    { STR_INIT("maxLength"), STR_INIT("darf höchstens "), STR_INIT(" Zeichen haben"), STR_INIT("") },
    { STR_INIT("minItems"), STR_INIT("muss mindestens "), STR_INIT(" Einträge haben"),
      STR_INIT("muss mindestens einen Eintrag haben") },
    { STR_INIT("maxItems"), STR_INIT("darf höchstens "), STR_INIT(" Einträge haben"),
      STR_INIT("darf höchstens einen Eintrag haben") },
    { STR_INIT("minProperties"), STR_INIT("muss mindestens "), STR_INIT(" Felder haben"),
      STR_INIT("muss mindestens ein Feld haben") },
    { STR_INIT("maxProperties"), STR_INIT("darf höchstens "), STR_INIT(" Felder haben"),
      STR_INIT("darf höchstens ein Feld haben") },
};

/* A decimal point is a comma in German. */
static void put_value(const struct json *value, struct buf *out)
{
    size_t from = out->n;
    if (json_is(value, JSON_STRING)) buf_add_str(out, json_string(value));
    else json_print(value, out);
    for (size_t i = from; json_is(value, JSON_NUMBER) && i < out->n; i++)
        if (out->p[i] == '.') out->p[i] = ',';
}

static str fill_rule(const struct german_rule *rule, const struct json *value, struct arena *arena)
{
    struct buf out;
    int64_t count;
    if (rule->of_one.n && json_int64(value, &count) && count == 1) return rule->of_one;
    buf_init(&out, arena);
    buf_add_str(&out, rule->before);
    put_value(value, &out);
    buf_add_str(&out, rule->after);
    return buf_str(&out);
}

/* Sentences that need no value. */
static str say_plainly(str keyword)
{
    static const struct {
        str keyword, sentence;
    } sentences[] = { { STR_INIT("enum"), STR_INIT("muss einer der vorgesehenen Werte sein") },
                      { STR_INIT("type"), STR_INIT("hat nicht die richtige Art") },
                      { STR_INIT("required"), STR_INIT("ist nicht vollständig") },
                      { STR_INIT("uniqueItems"), STR_INIT("darf keine gleichen Einträge haben") },
                      { STR_INIT("oneOf"), STR_INIT("passt nicht zu genau einer der Möglichkeiten") },
                      { STR_INIT("anyOf"), STR_INIT("passt zu keiner der Möglichkeiten") },
                      { STR_INIT("not"), STR_INIT("darf nicht so aussehen") },
                      { STR_INIT("contentEncoding"), STR_INIT("muss eine Datei sein") } };
    for (size_t i = 0; i < COUNT(sentences); i++)
        if (str_equal(sentences[i].keyword, keyword)) return sentences[i].sentence;
    return STR_NONE;
}

static str say_problem(const struct schema_problem *problem, struct arena *arena)
{
    const struct json *value = problem->value;
    str text = json_is(value, JSON_STRING) ? json_string(value) : STR_NONE;
    if (text.n && str_equal(problem->keyword, STR("type"))) return say_type(text);
    for (size_t i = 0; value && i < COUNT(rules); i++)
        if (str_equal(rules[i].keyword, problem->keyword)) return fill_rule(&rules[i], value, arena);
    return say_plainly(problem->keyword);
}

/* ---- the page ---- */

const struct form_words forms_german = {
    .language = STR_INIT("de"),
    .send = STR_INIT("Absenden"),
    .the_form = STR_INIT("Das Formular"),
    .optional = STR_INIT("freiwillig"),
    .choose = STR_INIT("Bitte wählen …"),
    .line_each = STR_INIT("Jeden Eintrag in eine eigene Zeile."),
    .as_json = STR_INIT("Als JSON."),
    .before_kilobytes = STR_INIT("Zusammen höchstens "),
    .after_kilobytes = STR_INIT(" KB."),
    .not_sent = STR_INIT("Es wurde nicht abgesendet"),
    .must_be_filled_in = STR_INIT("muss ausgefüllt werden"),
    .thank_you = STR_INIT("Vielen Dank"),
    .before_arrived = STR_INIT("„"),
    .after_arrived = STR_INIT("“ ist angekommen."),
    .reference = STR_INIT("Ihr Aktenzeichen:"),
    .another = STR_INIT("Noch eines ausfüllen"),
    .no_form = STR_INIT("Hier ist kein Formular"),
    .sign_in = STR_INIT("Bitte melden Sie sich an"),
    .too_large = STR_INIT("Das ist zu groß"),
    .failed = STR_INIT("Es wurde nicht abgesendet"),
    .why_no_form = STR_INIT("Hier ist kein Formular, oder es ist nicht für Sie."),
    .why_sign_in = STR_INIT("Dieses Formular ist für Personen, die angemeldet sind."),
    .how_to_sign_in = STR_INIT("Melden Sie sich in einem anderen Tab an und laden Sie dann diese Seite neu: "
                               "Was Sie geschrieben haben, wird dabei noch einmal gesendet."),
    .problem = say_problem,
};
