/* ui/form/controls.tsx — the native controls of a form, one per kind of field. Each shows a draft and hands back the next. */
import { t } from '../../texts/form';
import { asText, type Draft, isDraftList } from './fields';
import styles from './form.module.css';
import type { ControlLinks } from './form-fields';
import type { ChoiceField, ChoicesField, NumberField, TextField, TextFormat } from './schema';

interface ControlProps<F> {
  readonly links: ControlLinks;
  readonly field: F;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

function attributes(links: ControlLinks) {
  return {
    id: links.id,
    'data-pointer': links.pointer,
    'aria-required': links.isRequired,
    'aria-invalid': links.isWrong,
    'aria-describedby': links.describedBy,
    onBlur: links.onLeave,
  };
}

const INPUT_TYPES: { readonly [K in TextFormat]: string } = {
  text: 'text',
  lines: 'text',
  email: 'email',
  url: 'url',
  date: 'date',
  time: 'time',
  instant: 'datetime-local',
  password: 'password',
};

const two = (part: number) => String(part).padStart(2, '0');

/** An instant as the person's own clock shows it, for <input type="datetime-local">. */
export function localOf(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  const day = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const seconds = at.getSeconds() === 0 ? '' : `:${two(at.getSeconds())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}${seconds}`;
}

export function instantOf(local: string): string {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString().replace('.000Z', 'Z');
}

/** A time without seconds is what the browser gives; the schema's format wants them, and a zone. */
function timeOf(entry: string): string {
  return /^\d\d:\d\d$/.test(entry) ? `${entry}:00Z` : entry;
}

export function TextControl({ links, field, draft, onChange }: ControlProps<TextField>) {
  const text = asText(draft);
  if (field.format === 'lines')
    return (
      <textarea
        {...attributes(links)}
        className="in"
        rows={3}
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  const isInstant = field.format === 'instant';
  const isTime = field.format === 'time';
  return (
    <input
      {...attributes(links)}
      className="in"
      type={INPUT_TYPES[field.format]}
      value={isInstant ? localOf(text) : isTime ? text.slice(0, 5) : text}
      onChange={({ target: { value } }) =>
        onChange(isInstant ? instantOf(value) : isTime ? timeOf(value) : value)
      }
    />
  );
}

export function NumberControl({ links, field, draft, onChange }: ControlProps<NumberField>) {
  return (
    <input
      {...attributes(links)}
      className="in"
      type="text"
      inputMode={field.isInteger ? 'numeric' : 'decimal'}
      autoComplete="off"
      value={asText(draft)}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

interface RadioProps {
  readonly links: ControlLinks;
  readonly value: string;
  readonly label: string;
  readonly help: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function Radio({ links, value, label, help, isChosen, onChoose }: RadioProps) {
  return (
    <label className={styles['option']}>
      <input
        type="radio"
        className="radio"
        name={links.id}
        value={value}
        checked={isChosen}
        onChange={onChoose}
        onBlur={links.onLeave}
      />
      <span className={styles['words']}>
        <span className="m">{label}</span>
        {help !== '' && <small>{help}</small>}
      </span>
    </label>
  );
}

export function YesNoControl({
  links,
  title,
  isAsked,
  draft,
  onChange,
}: Omit<ControlProps<never>, 'field'> & { readonly title: string; readonly isAsked: boolean }) {
  if (!isAsked)
    return (
      <label className="row">
        <input
          {...attributes(links)}
          aria-required={undefined}
          type="checkbox"
          className="cb"
          checked={draft === 'yes'}
          onChange={(event) => onChange(event.target.checked ? t.yes : t.no)}
        />
        {title}
      </label>
    );
  return (
    <div className={styles['options']} data-pointer={links.pointer}>
      {(['yes', 'no'] as const).map((word) => (
        <Radio
          key={word}
          links={links}
          value={word}
          label={word === 'yes' ? t.yes2 : t.no2}
          help=""
          isChosen={draft === word}
          onChoose={() => onChange(word)}
        />
      ))}
    </div>
  );
}

export function ChoiceControl({ links, field, draft, onChange }: ControlProps<ChoiceField>) {
  if (field.look === 'menu')
    return (
      <select
        {...attributes(links)}
        className="in"
        value={asText(draft)}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">{links.isRequired ? t.choose : t.none}</option>
        {field.options.map((option, at) => (
          <option key={at} value={at}>
            {option.label}
          </option>
        ))}
      </select>
    );
  return (
    <div className={styles['options']} data-pointer={links.pointer}>
      {field.options.map((option, at) => (
        <Radio
          key={at}
          links={links}
          value={String(at)}
          label={option.label}
          help={option.help}
          isChosen={draft === String(at)}
          onChoose={() => onChange(String(at))}
        />
      ))}
      {!links.isRequired && draft !== '' && (
        <button className="btn quiet" type="button" onClick={() => onChange('')}>
          {t.clear}
        </button>
      )}
    </div>
  );
}

export function ChoicesControl({ links, field, draft, onChange }: ControlProps<ChoicesField>) {
  const chosen = isDraftList(draft) ? draft : [];
  return (
    <div className={styles['boxes']} data-pointer={links.pointer}>
      {field.options.map((option, at) => {
        const number = String(at);
        return (
          <label key={at} className="row">
            <input
              type="checkbox"
              className="cb"
              checked={chosen.includes(number)}
              aria-invalid={links.isWrong}
              onBlur={links.onLeave}
              onChange={(event) =>
                onChange(event.target.checked ? [...chosen, number] : chosen.filter((one) => one !== number))
              }
            />
            {option.label}
          </label>
        );
      })}
    </div>
  );
}

interface JsonControlProps {
  readonly links: ControlLinks;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

export function JsonControl({ links, text, onChange }: JsonControlProps) {
  const rows = Math.min(12, Math.max(3, text.split('\n').length));
  return (
    <textarea
      {...attributes(links)}
      className="in mono"
      rows={rows}
      spellCheck={false}
      placeholder={t.asJson}
      value={text}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
