/* ui/form/form-fields.tsx — draws a form made from a JSON Schema: `<FormFields form={useForm(schema)} />` inside a <form noValidate>.
 * Not here: sending, buttons, what the value is for. */
import { createContext, type ReactNode, useContext, useId } from 'react';

import { Icon } from '../icon';
import { t } from '../../texts/form';
import {
  ChoiceControl,
  ChoicesControl,
  JsonControl,
  NumberControl,
  TextControl,
  YesNoControl,
} from './controls';
import { type Draft, emptyDraft, isDraftList, isGroupDraft, isRawDraft } from './fields';
import styles from './form.module.css';
import { pointerTo } from './json';
import type { Field, GroupField, ListField } from './schema';
import type { Form } from './use-form';

const FormContext = createContext<Pick<Form, 'problems' | 'leave'>>({
  problems: new Map(),
  leave: () => undefined,
});

export interface FieldProps<F extends Field> {
  readonly field: F;
  readonly draft: Draft;
  readonly pointer: string;
  readonly isRequired: boolean;
  readonly onChange: (draft: Draft) => void;
}

export function FormFields({ form }: { readonly form: Form }) {
  return (
    <FormContext value={form}>
      <div id={form.id} className={styles['form']}>
        <FieldView field={form.field} draft={form.draft} pointer="" isRequired onChange={form.change} />
        {form.field.kind === 'group' && <ProblemLine message={form.problems.get('')} />}
      </div>
    </FormContext>
  );
}

/** True if the schema asks for nothing, so there is nothing to draw. */
export function isEmptyForm(field: Field): boolean {
  return field.kind === 'group' && field.members.every((member) => member.field.kind === 'fixed');
}

export function ProblemLine({ message, id }: { readonly message: string | undefined; readonly id?: string }) {
  if (message === undefined) return null;
  return (
    <span className={styles['problem']} id={id}>
      <Icon name="warn" small />
      {message}
    </span>
  );
}

/** The attributes that connect a control with its label, help and problem. */
export interface ControlLinks {
  readonly id: string;
  readonly pointer: string;
  readonly isRequired: boolean;
  readonly isWrong: boolean;
  readonly describedBy: string | undefined;
  readonly onLeave: () => void;
}

interface FrameProps {
  readonly field: Field;
  readonly pointer: string;
  readonly isRequired: boolean;
  readonly children: (links: ControlLinks) => ReactNode;
  /** A set of controls has a legend, a single one a label; a check box has its words beside it. */
  readonly shape: 'one' | 'set' | 'box';
  readonly isShort?: boolean;
}

function Frame({ field, pointer, isRequired, children, shape, isShort = false }: FrameProps) {
  const id = useId();
  const { problems, leave } = useContext(FormContext);
  const message = problems.get(pointer);
  const describedBy = [field.help === '' ? '' : `${id}h`, message === undefined ? '' : `${id}p`]
    .join(' ')
    .trim();
  const control = children({
    id,
    pointer,
    isRequired,
    isWrong: message !== undefined,
    describedBy: describedBy === '' ? undefined : describedBy,
    onLeave: () => leave(pointer),
  });
  const title = (
    <>
      {field.title}
      {!isRequired && shape !== 'box' && (
        <>
          {' '}
          <span className={styles['optional']}>{t.canStayEmpty}</span>
        </>
      )}
    </>
  );
  const below = (
    <>
      {field.help !== '' && (
        <span className="help" id={`${id}h`}>
          {field.help}
        </span>
      )}
      <ProblemLine message={message} id={`${id}p`} />
    </>
  );
  const className = t.field(styles[isShort ? 'short' : 'long'] ?? '');
  if (shape === 'set')
    return (
      <fieldset className={className} aria-describedby={describedBy === '' ? undefined : describedBy}>
        {field.title !== '' && <legend className={`label ${styles['legend'] ?? ''}`}>{title}</legend>}
        {control}
        {below}
      </fieldset>
    );
  return (
    <div className={className}>
      {shape === 'one' && field.title !== '' && <label htmlFor={id}>{title}</label>}
      {control}
      {below}
    </div>
  );
}

export function FieldView(props: FieldProps<Field>) {
  const { field, draft, pointer, isRequired, onChange } = props;
  const frame = { field, pointer, isRequired };
  if (isRawDraft(draft))
    return (
      <Frame {...frame} shape="one">
        {(links) => <JsonControl links={links} text={draft.raw} onChange={(raw) => onChange({ raw })} />}
      </Frame>
    );
  const own = { draft, onChange };
  switch (field.kind) {
    case 'text':
      return (
        <Frame {...frame} shape="one" isShort={SHORT_FORMATS.has(field.format)}>
          {(links) => <TextControl links={links} field={field} {...own} />}
        </Frame>
      );
    case 'number':
      return (
        <Frame {...frame} shape="one" isShort>
          {(links) => <NumberControl links={links} field={field} {...own} />}
        </Frame>
      );
    case 'yesNo': {
      // A question that must be answered is two choices: an empty box would silently mean no.
      const isAsked = isRequired && field.initial === undefined;
      return (
        <Frame {...frame} shape={isAsked ? 'set' : 'box'}>
          {(links) => <YesNoControl links={links} title={field.title} isAsked={isAsked} {...own} />}
        </Frame>
      );
    }
    case 'choice':
      return (
        <Frame {...frame} shape={field.look === 'radios' ? 'set' : 'one'}>
          {(links) => <ChoiceControl links={links} field={field} {...own} />}
        </Frame>
      );
    case 'choices':
      return (
        <Frame {...frame} shape="set">
          {(links) => <ChoicesControl links={links} field={field} {...own} />}
        </Frame>
      );
    case 'json':
      return (
        <Frame {...frame} shape="one">
          {(links) => (
            <JsonControl links={links} text={typeof draft === 'string' ? draft : ''} onChange={onChange} />
          )}
        </Frame>
      );
    case 'group':
      return <GroupView {...props} field={field} />;
    case 'list':
      return <ListView {...props} field={field} />;
    case 'fixed':
      return null;
  }
}

const SHORT_FORMATS: ReadonlySet<string> = new Set(['date', 'time', 'instant']);

function GroupView({ field, draft, pointer, onChange }: FieldProps<GroupField>) {
  if (!isGroupDraft(draft)) return null;
  const members = field.members.map(({ name, isRequired, field: inner }) => (
    <FieldView
      key={name}
      field={inner}
      draft={draft.members[name] ?? ''}
      pointer={pointerTo(pointer, name)}
      isRequired={isRequired}
      onChange={(next) => onChange({ ...draft, members: { ...draft.members, [name]: next } })}
    />
  ));
  if (pointer === '' || field.title === '') return <div className={styles['group']}>{members}</div>;
  return (
    <fieldset className={`${styles['long'] ?? ''} ${styles['inner'] ?? ''}`}>
      <legend className="label">{field.title}</legend>
      {field.help !== '' && <p className="help">{field.help}</p>}
      <div className={styles['group']}>{members}</div>
    </fieldset>
  );
}

function ListView({ field, draft, pointer, isRequired, onChange }: FieldProps<ListField>) {
  const items = isDraftList(draft) ? draft : [];
  const add = () => onChange([...items, emptyDraft(field.item)]);
  return (
    <Frame field={field} pointer={pointer} isRequired={isRequired} shape="set">
      {() => (
        <div className={styles['list']} data-pointer={pointer}>
          {items.map((item, at) => (
            // An item has no name of its own; its place is what it is.
            <div key={at} className={styles['item']}>
              <FieldView
                field={
                  field.item.title === ''
                    ? { ...field.item, title: `${field.title || t.entry} ${at + 1}` }
                    : field.item
                }
                draft={item}
                pointer={pointerTo(pointer, at)}
                isRequired
                onChange={(next) => onChange(items.map((old, index) => (index === at ? next : old)))}
              />
              <button
                className="btn quiet icon"
                type="button"
                aria-label={t.remove(field.title, at + 1)}
                onClick={() => onChange(items.filter((_, index) => index !== at))}
              >
                <Icon name="close" />
              </button>
            </div>
          ))}
          {items.length < field.most && (
            <button className="btn small" type="button" onClick={add}>
              <Icon name="plus" small />
              {t.add}
            </button>
          )}
        </div>
      )}
    </Frame>
  );
}
