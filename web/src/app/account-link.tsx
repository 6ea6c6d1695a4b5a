/* app/account-link.tsx — who is signed in, in the top bar; it leads to their sessions. */
import { Link } from 'wouter';

import { isOpen, type Me } from '../api/me';
import { accountAddress } from '../ui/addresses';
import { Icon } from '../ui/icon';
import { t } from '../texts/app';

export function AccountLink({ me }: { readonly me: Me }) {
  const says = isOpen(me) ? t.nobodyHasToSign : t.signedIn(me.name);
  return (
    <Link href={accountAddress} className="btn quiet account" title={says}>
      <Icon name="person" />
      <span className="sr">{says}</span>
      <span className="cut" aria-hidden="true">
        <bdi>{isOpen(me) ? t.noLogin : me.name}</bdi>
      </span>
    </Link>
  );
}
