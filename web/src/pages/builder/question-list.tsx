/* pages/builder/question-list.tsx — a form as a list of questions. The document keeps it as a JSON Schema; nobody sees that here. */
import { fieldsOf, sayName } from '../../flow/data';
import { isList, isObject, type Json, type JsonObject, withMember } from '../../flow/json';
import { Icon } from '../../ui/icon';
import { t } from '../../texts/panel';
import styles from './panel.module.css';

interface QuestionListProps {
  readonly schema: Json | undefined;
  readonly onChange: (schema: Json | undefined, isTyping?: boolean) => void;
  /** The schema has names and types and nothing else: no titles, no choices. */
  readonly isPlain?: boolean;
}

type Answer = 'text' | 'lines' | 'number' | 'yesNo' | 'date' | 'email' | 'choice' | 'list';

const ANSWERS: { readonly [Each in Answer]: { readonly word: string; readonly schema: JsonObject } } = {
  text: { word: t.text, schema: { type: 'string' } },
  lines: { word: t.longText, schema: { type: 'string', maxLength: 4000 } },
  number: { word: t.number, schema: { type: 'number' } },
  yesNo: { word: t.yesOrNo, schema: { type: 'boolean' } },
  date: { word: t.date, schema: { type: 'string', format: 'date' } },
  email: { word: t.eMailAddress, schema: { type: 'string', format: 'email' } },
  choice: { word: t.choice, schema: { type: 'string', enum: ['first', 'second'] } },
  list: { word: t.list, schema: { type: 'array' } },
};
const WORDS = Object.entries(ANSWERS).map(([answer, { word }]) => ({ answer, word }));
const PLAIN_WORDS = WORDS.filter(({ answer }) => ['text', 'number', 'yesNo'].includes(answer));

function answerOf(field: Json | undefined): Answer {
  if (!isObject(field)) return 'text';
  if (isList(field['enum'])) return 'choice';
  const { type, format } = field;
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'boolean') return 'yesNo';
  if (type === 'array') return 'list';
  if (format === 'date' || format === 'date-time') return 'date';
  if (format === 'email') return 'email';
  return typeof field['maxLength'] === 'number' && field['maxLength'] > 160 ? 'lines' : 'text';
}

/* "Days asked for" is kept as daysAskedFor. */
function nameFrom(label: string, taken: readonly string[]): string {
  const words = label
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N} ]/gu, '')
    .trim()
    .split(/\s+/);
  const stem =
    words
      .map((word, i) =>
        i === 0 ? word.toLowerCase() : word.charAt(0).toUpperCase() + word.slice(1).toLowerCase(),
      )
      .join('') || 'field';
  const safe = /^[A-Za-z_]/.test(stem) ? stem : `f${stem}`;
  for (let i = 1; ; i++) {
    const name = i === 1 ? safe : `${safe}${i}`;
    if (!taken.includes(name)) return name;
  }
}

export function QuestionList({ schema, onChange, isPlain = false }: QuestionListProps) {
  const form: JsonObject = isObject(schema) ? schema : isPlain ? {} : { type: 'object' };
  const properties: JsonObject = isObject(form['properties']) ? form['properties'] : {};
  const required = isList(form['required']) ? form['required'] : [];
  const fields = fieldsOf(form);
  const put = (next: JsonObject, needed: readonly Json[], isTyping: boolean) => {
    const isEmpty = Object.keys(next).length === 0;
    const made = withMember(
      { ...form, properties: next },
      'required',
      needed.length === 0 ? undefined : needed,
    );
    onChange(isEmpty ? undefined : made, isTyping);
  };
  const fieldOf = (label: string, kind: JsonObject): JsonObject =>
    isPlain ? { type: kind['type'] === 'array' ? 'string' : kind['type'] } : { title: label, ...kind };
  const rename = (name: string, label: string) => {
    const old = isObject(properties[name]) ? properties[name] : {};
    put({ ...properties, [name]: { ...old, title: label } }, required, true);
  };
  return (
    <div className={styles['rows']}>
      {fields.map(({ name, label }) => {
        const field = properties[name];
        const answer = answerOf(field);
        const list =
          isObject(field) && isList(field['enum'])
            ? field['enum'].filter((word) => typeof word === 'string')
            : [];
        return (
          <div key={name} className={styles['question']}>
            <input
              className="in"
              aria-label={t.question(label)}
              readOnly={isPlain}
              value={isObject(field) && typeof field['title'] === 'string' ? field['title'] : sayName(name)}
              onChange={(event) => rename(name, event.target.value)}
            />
            <select
              className="in"
              aria-label={t.answerTo(label)}
              value={answer}
              onChange={(event) => {
                const kind = event.target.value as Answer;
                put({ ...properties, [name]: fieldOf(label, ANSWERS[kind].schema) }, required, false);
              }}
            >
              {(isPlain ? PLAIN_WORDS : WORDS).map((each) => (
                <option key={each.answer} value={each.answer}>
                  {each.word}
                </option>
              ))}
            </select>
            <label title={t.itMustBeFilled}>
              <input
                type="checkbox"
                className="cb"
                aria-label={t.mustBeFilled(label)}
                checked={required.includes(name)}
                onChange={(event) =>
                  put(
                    properties,
                    event.target.checked ? [...required, name] : required.filter((each) => each !== name),
                    false,
                  )
                }
              />
            </label>
            <button
              type="button"
              className="btn quiet icon small"
              aria-label={t.removeTheQuestion(label)}
              onClick={() =>
                put(
                  withMember(properties, name, undefined),
                  required.filter((each) => each !== name),
                  false,
                )
              }
            >
              <Icon name="close" small />
            </button>
            {answer === 'choice' && (
              <input
                className="in"
                aria-label={t.choicesOfWithCommasBetween(label)}
                defaultValue={list.join(', ')}
                onBlur={(event) => {
                  const words = event.target.value.split(',').map((word) => word.trim());
                  put(
                    {
                      ...properties,
                      [name]: {
                        title: label,
                        type: 'string',
                        enum: [...new Set(words.filter((word) => word !== ''))],
                      },
                    },
                    required,
                    false,
                  );
                }}
              />
            )}
          </div>
        );
      })}
      <form
        className={styles['ask']}
        onSubmit={(event) => {
          event.preventDefault();
          const input = event.currentTarget.elements.namedItem('question');
          if (!(input instanceof HTMLInputElement) || input.value.trim() === '') return;
          const label = input.value.trim();
          put(
            { ...properties, [nameFrom(label, Object.keys(properties))]: fieldOf(label, guess(label)) },
            required,
            false,
          );
          input.value = '';
        }}
      >
        <input
          className="in"
          name="question"
          aria-label={t.anotherQuestion}
          placeholder={t.anotherQuestionThenEnter}
          autoComplete="off"
        />
        <button type="submit" className="btn icon" aria-label={t.addTheQuestion}>
          <Icon name="plus" small />
        </button>
      </form>
    </div>
  );
}

/* The kind of answer that a question most likely gets. */
function guess(label: string): JsonObject {
  if (/amount|number|price|total|how many|days|count|quantity/i.test(label)) return ANSWERS.number.schema;
  if (/mail/i.test(label)) return ANSWERS.email.schema;
  if (/date|from|until|\bday\b|when/i.test(label)) return ANSWERS.date.schema;
  if (/note|comment|reason|description|message|why/i.test(label)) return ANSWERS.lines.schema;
  return ANSWERS.text.schema;
}
