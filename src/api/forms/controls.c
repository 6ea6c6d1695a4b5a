/* api/forms/controls.c — the controls of a form, with labels, help and what is wrong beside each. */
#include "api/forms/forms_int.h"

#include "base/escape.h"
#include "json/put.h"

/* One control as it is written. */
struct form_control {
    const struct json *schema;
    enum form_kind kind;
    str name;    /* As it is sent: "address.street". */
    str pointer; /* Its place in the value: "/address/street". */
    str label, help;
    bool is_needed;   /* Its group needs it, … */
    bool is_required; /* … and the form needs its group. */
    size_t number;
    str problem; /* As HTML; empty: nothing is wrong with it. */
};

static const struct json *root_of(const struct form_writer *writer) { return writer->page->form->schema; }

static void put_attribute(struct buf *out, const char *name, str value)
{
    buf_printf(out, " %s=\"", name);
    escape_html(out, value);
    buf_add_char(out, '"');
}

static str print_value(const struct json *value, struct arena *arena)
{
    struct buf text;
    if (json_is(value, JSON_STRING)) return json_string(value);
    buf_init(&text, arena);
    if (value) json_print(value, &text);
    return buf_str(&text);
}

/* ---- what is in a control ---- */

/* The texts that were typed; NULL: nobody has typed anything. */
static const struct json *typed(const struct form_writer *writer, const struct form_control *control)
{
    return json_get(writer->page->fields, control->name);
}

/* The text in the control: as it was typed, or the default of the schema. */
static str text_of(const struct form_writer *writer, const struct form_control *control)
{
    const struct json *texts = typed(writer, control);
    const struct json *last = texts ? json_item(texts, json_count(texts) - 1) : NULL;
    if (json_is(last, JSON_STRING)) return json_string(last);
    if (writer->page->is_sent) return STR_NONE;
    return print_value(forms_word(root_of(writer), control->schema, "default"), writer->page->arena);
}

static bool is_among(const struct json *list, str text, struct arena *arena)
{
    for (size_t i = 0; json_is(list, JSON_ARRAY) && i < json_count(list); i++)
        if (str_equal(print_value(json_item(list, i), arena), text)) return true;
    return false;
}

static bool is_chosen(const struct form_writer *writer, const struct form_control *control, str text)
{
    const struct json *list = typed(writer, control);
    if (!list && !writer->page->is_sent) list = forms_word(root_of(writer), control->schema, "default");
    return is_among(list, text, writer->page->arena);
}

/* ---- what is wrong ---- */

static bool is_missing(const struct form_writer *writer, const struct form_control *control,
                       const struct schema_problem *problem, str parent)
{
    return control->is_needed && str_equal(problem->keyword, STR("required")) &&
           str_equal(problem->where, parent) && !typed(writer, control) && control->kind != FORM_GROUP;
}

static bool is_inside(str where, str pointer)
{
    return str_equal(where, pointer) ||
           (where.n > pointer.n && where.p[pointer.n] == '/' && str_starts(where, pointer));
}

/* The words for it as HTML. NULL: the control must be filled in. */
static str say_problem(const struct form_writer *writer, const struct schema_problem *problem)
{
    const struct form_words *words = writer->page->words;
    struct buf out;
    buf_init(&out, writer->page->arena);
    if (problem) forms_put_problem(words, problem, writer->page->arena, &out);
    else escape_html(&out, words->must_be_filled_in);
    return buf_str(&out);
}

/* The first problem of the control. All of them are told here, except those of a group's members. */
static str find_problem(struct form_writer *writer, const struct form_control *control, str parent)
{
    const struct answer_form *form = writer->page->form;
    str found = STR_NONE;
    for (size_t i = 0; i < form->problem_count; i++) {
        const struct schema_problem *problem = &form->problem[i];
        bool missing = is_missing(writer, control, problem, parent);
        bool about = control->kind == FORM_GROUP ? false : is_inside(problem->where, control->pointer);
        if (!missing && !about) continue;
        writer->told[i] = writer->told[i] || about;
        if (missing) {
            str named = arena_printf(writer->page->arena, "must have \"%.*s\"",
                                     STR_ARG(str_slice(control->pointer, parent.n + 1, control->pointer.n)));
            writer->told[i] = writer->told[i] || str_equal(problem->message, named);
        }
        if (!found.n) found = say_problem(writer, missing ? NULL : problem);
    }
    return found;
}

static void put_summary(struct form_writer *writer, const struct form_control *control)
{
    struct buf *out = writer->summary;
    if (!control->problem.n) return;
    buf_printf(out, "<li><a href=\"#f%zu\">", control->number);
    escape_html(out, control->label);
    PUT(out, "</a> ");
    buf_add_str(out, control->problem);
    PUT(out, "</li>\n");
}

/* ---- parts of a control ---- */

static void put_hints(struct form_writer *writer, const struct form_control *control)
{
    struct buf *out = writer->out;
    if (control->help.n) {
        buf_printf(out, "<p class=\"help\" id=\"f%zu-help\">", control->number);
        escape_html(out, control->help);
        PUT(out, "</p>\n");
    }
    if (control->problem.n) {
        buf_printf(out, "<p class=\"wrong\" id=\"f%zu-wrong\">", control->number);
        escape_html(out, control->label);
        buf_add_char(out, ' ');
        buf_add_str(out, control->problem);
        PUT(out, "</p>\n");
    }
}

/* Name, id, and the texts that describe it. */
static void put_common(struct buf *out, const struct form_control *control)
{
    put_attribute(out, "name", control->name);
    buf_printf(out, " id=\"f%zu\"", control->number);
    if (control->is_required) PUT(out, " required");
    if (control->problem.n) PUT(out, " aria-invalid=\"true\"");
    if (!control->help.n && !control->problem.n) return;
    PUT(out, " aria-describedby=\"");
    if (control->help.n) buf_printf(out, "f%zu-help", control->number);
    if (control->help.n && control->problem.n) buf_add_char(out, ' ');
    if (control->problem.n) buf_printf(out, "f%zu-wrong", control->number);
    buf_add_char(out, '"');
}

static void put_label(struct form_writer *writer, const struct form_control *control)
{
    struct buf *out = writer->out;
    buf_printf(out, "<label for=\"f%zu\">", control->number);
    escape_html(out, control->label);
    if (!control->is_required) {
        PUT(out, " <span class=\"optional\">");
        escape_html(out, writer->page->words->optional);
        PUT(out, "</span>");
    }
    PUT(out, "</label>\n");
}

/* A bound of the schema as an attribute. */
static void put_bound(struct form_writer *writer, const struct form_control *control, const char *keyword,
                      const char *attribute)
{
    const struct json *value = forms_word(root_of(writer), control->schema, keyword);
    if (json_is(value, JSON_NUMBER))
        put_attribute(writer->out, attribute, print_value(value, writer->page->arena));
}

/* ---- kinds ---- */

static const char *type_of_format(str format)
{
    static const struct {
        str format;
        const char *type;
    } types[] = { { STR_INIT("email"), "email" }, { STR_INIT("idn-email"), "email" },
                  { STR_INIT("uri"), "url" },     { STR_INIT("iri"), "url" },
                  { STR_INIT("date"), "date" },   { STR_INIT("time"), "time" },
                  { STR_INIT("tel"), "tel" } };
    for (size_t i = 0; i < COUNT(types); i++)
        if (str_equal(types[i].format, format)) return types[i].type;
    return "text";
}

static void put_input(struct form_writer *writer, const struct form_control *control)
{
    const struct json *root = root_of(writer);
    bool is_number = control->kind == FORM_NUMBER;
    str format = forms_text(root, control->schema, "format");
    buf_printf(writer->out, "<input type=\"%s\"", is_number ? "number" : type_of_format(format));
    put_common(writer->out, control);
    put_attribute(writer->out, "value", text_of(writer, control));
    if (is_number) {
        bool is_whole = str_equal(forms_text(root, control->schema, "type"), STR("integer"));
        put_attribute(writer->out, "step", is_whole ? STR("1") : STR("any"));
        put_bound(writer, control, "minimum", "min");
        put_bound(writer, control, "maximum", "max");
    } else {
        put_bound(writer, control, "minLength", "minlength");
        put_bound(writer, control, "maxLength", "maxlength");
    }
    PUT(writer->out, ">\n");
}

static void put_area(struct form_writer *writer, const struct form_control *control)
{
    PUT(writer->out, "<textarea rows=\"4\"");
    put_common(writer->out, control);
    if (control->kind == FORM_LONG_TEXT) put_bound(writer, control, "maxLength", "maxlength");
    /* A browser drops the first line break behind the tag. */
    PUT(writer->out, ">\n");
    escape_html(writer->out, text_of(writer, control));
    PUT(writer->out, "</textarea>\n");
}

static void put_file(struct form_writer *writer, const struct form_control *control)
{
    str type = forms_text(root_of(writer), control->schema, "contentMediaType");
    writer->has_file = true;
    PUT(writer->out, "<input type=\"file\"");
    put_common(writer->out, control);
    if (type.n) put_attribute(writer->out, "accept", type);
    if (forms_word(root_of(writer), control->schema, "items")) PUT(writer->out, " multiple");
    PUT(writer->out, ">\n");
}

/* The value of an option as it is sent, and the words for it. */
static str read_option(const struct json *option, struct arena *arena, str *ret_words)
{
    const struct json *value = json_get(option, STR("const"));
    str text = print_value(value ? value : option, arena);
    str title = json_text(option, STR("title"));
    *ret_words = title.n ? title : text;
    return text;
}

static void put_choice(struct form_writer *writer, const struct form_control *control)
{
    const struct json *options = forms_options(root_of(writer), control->schema);
    str chosen = text_of(writer, control);
    writer->is_beyond |= json_count(options) > FORM_OPTIONS_MAX;
    PUT(writer->out, "<select");
    put_common(writer->out, control);
    PUT(writer->out, ">\n<option value=\"\">");
    escape_html(writer->out, writer->page->words->choose);
    PUT(writer->out, "</option>\n");
    for (size_t i = 0; i < json_count(options) && i < FORM_OPTIONS_MAX; i++) {
        str words, text = read_option(json_item(options, i), writer->page->arena, &words);
        PUT(writer->out, "<option");
        put_attribute(writer->out, "value", text);
        if (str_equal(text, chosen)) PUT(writer->out, " selected");
        buf_add_char(writer->out, '>');
        escape_html(writer->out, words);
        PUT(writer->out, "</option>\n");
    }
    PUT(writer->out, "</select>\n");
}

/* A box that is not ticked sends nothing, so a hidden "false" stands before it. */
static void put_flag_box(struct form_writer *writer, struct form_control *control)
{
    struct buf *out = writer->out;
    control->is_required = false; /* "No" is an answer. */
    PUT(out, "<div class=\"field box\">\n<input type=\"hidden\" value=\"false\"");
    put_attribute(out, "name", control->name);
    PUT(out, ">\n<input type=\"checkbox\" value=\"true\"");
    put_common(out, control);
    if (str_equal(text_of(writer, control), STR("true"))) PUT(out, " checked");
    buf_printf(out, ">\n<label for=\"f%zu\">", control->number);
    escape_html(out, control->label);
    PUT(out, "</label>\n");
    put_hints(writer, control);
    PUT(out, "</div>\n");
}

static void open_set(struct form_writer *writer, const struct form_control *control)
{
    buf_printf(writer->out, "<fieldset id=\"f%zu\">\n<legend>", control->number);
    escape_html(writer->out, control->label);
    PUT(writer->out, "</legend>\n");
    put_hints(writer, control);
}

static void put_choices(struct form_writer *writer, const struct form_control *control)
{
    const struct json *items = forms_word(root_of(writer), control->schema, "items");
    const struct json *options = forms_options(root_of(writer), items);
    writer->is_beyond |= json_count(options) > FORM_OPTIONS_MAX;
    open_set(writer, control);
    for (size_t i = 0; i < json_count(options) && i < FORM_OPTIONS_MAX; i++) {
        str words, text = read_option(json_item(options, i), writer->page->arena, &words);
        buf_printf(writer->out, "<div class=\"box\"><input type=\"checkbox\" id=\"f%zu-%zu\"",
                   control->number, i);
        put_attribute(writer->out, "name", control->name);
        put_attribute(writer->out, "value", text);
        if (is_chosen(writer, control, text)) PUT(writer->out, " checked");
        buf_printf(writer->out, "> <label for=\"f%zu-%zu\">", control->number, i);
        escape_html(writer->out, words);
        PUT(writer->out, "</label></div>\n");
    }
    PUT(writer->out, "</fieldset>\n");
}

/* ---- members ---- */

static bool is_required(const struct json *root, const struct json *schema, str name, struct arena *arena)
{
    return is_among(forms_word(root, schema, "required"), name, arena);
}

/* The hint tells what nobody would guess of a control. */
static str hint_of(struct form_writer *writer, const struct form_control *control)
{
    const struct form_words *words = writer->page->words;
    if (control->kind == FORM_LINES) return words->line_each;
    if (control->kind == FORM_JSON) return words->as_json;
    if (control->kind != FORM_FILE) return STR_NONE;
    return arena_printf(writer->page->arena, "%.*s%lld%.*s", STR_ARG(words->before_kilobytes),
                        (long long)(writer->page->file_max >> 10), STR_ARG(words->after_kilobytes));
}

/* The help that the author wrote, and the hint. */
static str help_of(struct form_writer *writer, const struct form_control *control)
{
    str about = forms_text(root_of(writer), control->schema, "description");
    str hint = hint_of(writer, control);
    if (!hint.n) return about;
    return arena_printf(writer->page->arena, "%.*s%s%.*s", STR_ARG(about), about.n ? " " : "", STR_ARG(hint));
}

static void put_members(struct form_writer *writer, const struct form_control *group, size_t depth);

static void put_labelled(struct form_writer *writer, const struct form_control *control)
{
    PUT(writer->out, "<div class=\"field\">\n");
    put_label(writer, control);
    put_hints(writer, control);
    switch (control->kind) {
    case FORM_CHOICE: put_choice(writer, control); break;
    case FORM_FILE: put_file(writer, control); break;
    case FORM_LONG_TEXT:
    case FORM_LINES:
    case FORM_JSON: put_area(writer, control); break;
    default: put_input(writer, control); break;
    }
    PUT(writer->out, "</div>\n");
}

static void put_fixed(struct form_writer *writer, const struct form_control *control)
{
    const struct json *value = forms_word(root_of(writer), control->schema, "const");
    PUT(writer->out, "<input type=\"hidden\"");
    put_attribute(writer->out, "name", control->name);
    put_attribute(writer->out, "value", print_value(value, writer->page->arena));
    PUT(writer->out, ">\n");
}

static void put_control(struct form_writer *writer, struct form_control *control, size_t depth)
{
    put_summary(writer, control);
    switch (control->kind) {
    case FORM_FIXED: put_fixed(writer, control); break;
    case FORM_FLAG: put_flag_box(writer, control); break;
    case FORM_CHOICES: put_choices(writer, control); break;
    case FORM_GROUP:
        open_set(writer, control);
        put_members(writer, control, depth + 1);
        PUT(writer->out, "</fieldset>\n");
        break;
    default: put_labelled(writer, control); break;
    }
}

/* A member that its group needs is needed only if the group is. */
static struct form_control read_member(struct form_writer *writer, const struct form_control *group,
                                       const struct json_each *each, size_t depth)
{
    const struct json *root = root_of(writer);
    struct arena *arena = writer->page->arena;
    struct buf place;
    struct form_control control = { .schema = each->value,
                                    .kind = forms_kind(root, each->value, depth),
                                    .name = arena_printf(arena, "%.*s%s%.*s", STR_ARG(group->name),
                                                         group->name.n ? "." : "", STR_ARG(each->name)),
                                    .label = forms_label(root, each->value, each->name, arena),
                                    .is_needed = is_required(root, group->schema, each->name, arena),
                                    .number = ++writer->count };
    control.is_required = group->is_required && control.is_needed;
    buf_init(&place, arena);
    buf_add_str(&place, group->pointer);
    json_pointer_add(&place, each->name);
    control.pointer = buf_str(&place);
    control.help = help_of(writer, &control);
    control.problem = find_problem(writer, &control, group->pointer);
    return control;
}

/* Recursion goes FORM_DEPTH_MAX deep. */
static void put_members(struct form_writer *writer, const struct form_control *group, size_t depth)
{
    struct json_each each = json_each(forms_word(root_of(writer), group->schema, "properties"));
    while (json_next(&each) && !writer->is_beyond) {
        writer->is_beyond = writer->count == FORM_CONTROLS_MAX || writer->out->n > FORM_PAGE_BYTES_MAX;
        if (writer->is_beyond) break;
        struct form_control control = read_member(writer, group, &each, depth);
        put_control(writer, &control, depth);
    }
}

void forms_put_controls(struct form_writer *writer, const struct json *schema)
{
    const struct form_control whole = { .schema = schema, .kind = FORM_GROUP, .is_required = true };
    put_members(writer, &whole, 0);
}
