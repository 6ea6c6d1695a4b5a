/* pages/runs/view-tabs.tsx — the saved views of the list, and a way to save this one. */
import { useState } from 'react';
import { Link } from 'wouter';

import { runsAddress } from '../../ui/addresses';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Icon } from '../../ui/icon';
import { printFilter, type RunFilter } from '../../ui/run-filter';
import { t } from '../../texts/runs';
import styles from './runs.module.css';
import { addView, keepViews, savedViews, VIEWS } from './views';

function SaveDialog({
  onSave,
  onClose,
}: {
  readonly onSave: (name: string) => void;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState('');
  return (
    <Dialog
      title={t.saveThisView}
      onClose={onClose}
      onSubmit={() => onSave(name.trim())}
      footer={
        <Button look="primary" type="submit" disabled={name.trim() === ''}>
          {t.save}
        </Button>
      }
    >
      <label className="field">
        <span className="label">{t.name2}</span>
        <input className="in" value={name} maxLength={40} onChange={(event) => setName(event.target.value)} />
      </label>
      <p className="help">{t.itIsKept}</p>
    </Dialog>
  );
}

interface ViewTabsProps {
  readonly filter: RunFilter;
  readonly isGrouped: boolean;
}

export function ViewTabs({ filter, isGrouped }: ViewTabsProps) {
  const addressOf = (query: string) =>
    runsAddress([query, isGrouped ? 'group=held' : ''].filter((part) => part !== '').join('&'));
  const [saved, setSaved] = useState(savedViews);
  const [isSaving, setSaving] = useState(false);
  const here = printFilter(filter);
  const keep = (views: ReturnType<typeof savedViews>) => {
    keepViews(views);
    setSaved(views);
  };
  const isKnown = [...VIEWS, ...saved].some(({ query }) => query === here);
  return (
    <nav className={`tabs ${styles['views'] ?? ''}`} aria-label={t.views}>
      {VIEWS.map(({ name, query }) => (
        <Link
          key={name}
          href={addressOf(query)}
          {...(query === here ? { 'aria-current': 'page' as const } : {})}
        >
          {name}
        </Link>
      ))}
      {saved.map(({ name, query }) => (
        <span key={name} {...(query === here ? { 'aria-current': 'page' as const } : {})}>
          <Link href={addressOf(query)} className="cut">
            {name}
          </Link>
          <Button
            look="quiet"
            isSmall
            icon="close"
            label={t.forgetTheView(name)}
            onClick={() => {
              keep(saved.filter((view) => view.name !== name));
              announce(t.forgotTheView(name));
            }}
          />
        </span>
      ))}
      {!isKnown && (
        <button type="button" className="dim" onClick={() => setSaving(true)}>
          <Icon name="plus" small />
          {t.saveThisView}
        </button>
      )}
      {isSaving && (
        <SaveDialog
          onClose={() => setSaving(false)}
          onSave={(name) => {
            keep(addView(saved, name, filter));
            setSaving(false);
            announce(t.savedTheView(name));
          }}
        />
      )}
    </nav>
  );
}
