/* pages/builder/form-share.tsx — where the form of a start is, for people and for programs. */
import { lazy, Suspense, useState } from 'react';

import { inputSchemaOf } from '../../flow/data';
import { type FlowNode, startsOf } from '../../flow/flow';
import { Button } from '../../ui/button';
import { CopyButton } from '../../ui/copy-button';
import { formAddress, formCurl } from '../../ui/form-address';
import { useMe } from '../../ui/may';
import { t } from '../../texts/panel';
import { useBuilder } from './context';
import { Field } from './field';
import styles from './panel.module.css';

const QrDialog = lazy(() => import('./qr-dialog').then((it) => ({ default: it.QrDialog })));

export function FormShare({ node }: { readonly node: FlowNode }) {
  const { flow } = useBuilder();
  const me = useMe();
  const [isCode, setCode] = useState(false);
  const id = flow['definitionId'] ?? flow['id'];
  if (typeof id !== 'string' || id === '') return null;
  const people = startsOf(flow).filter((start) => start.type === 'trigger_manual');
  const trigger = people.length > 1 ? node.id : '';
  const address = formAddress(location.origin, me?.tenant ?? '', id, trigger);
  const isOpen = node.config['openForm'] === true;
  return (
    <Field
      label={t.itsPage}
      name="form"
      help={t.onceItIsPublishedCan(isOpen ? t.everybodyWhoKnows : t.peopleWhoAreSigned)}
    >
      <div className={styles['share']}>
        <code className="cut" title={address}>
          {address}
        </code>
        <CopyButton text={address} what={t.theAddress} />
        <CopyButton text={formCurl(address, inputSchemaOf(flow, node))} what={t.theLineForCurl}>
          {t.asCurl}
        </CopyButton>
        <Button onClick={() => setCode(true)}>{t.qrCode}</Button>
      </div>
      {isCode && (
        <Suspense>
          <QrDialog address={address} name={id} onClose={() => setCode(false)} />
        </Suspense>
      )}
    </Field>
  );
}
