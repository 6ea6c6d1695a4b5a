/* app/key-help.tsx — the keys that work now, from the table that their handler reads. */
import { Dialog } from '../ui/dialog';
import { keyGroups } from '../ui/keys';
import styles from './key-help.module.css';

export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      {keyGroups().map(({ title, bindings }) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl className={styles['keys']}>
            {bindings.map(({ key, says, shown }) => (
              <div key={key + says}>
                <dt>
                  <kbd>{shown ?? key}</kbd>
                </dt>
                <dd>{says}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
