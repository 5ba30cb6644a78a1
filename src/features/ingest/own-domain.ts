import { SECOND_US } from '../../platform/core/clock.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { domainChecks } from '../../rules/domain-checks.ts';
import type { ReplyName } from '../../rules/replies.ts';
import { findAccountByNo } from '../accounts/sql.ts';
import { findCatchAllAddress } from '../domains/catch-all/sql.ts';
import type { Domain } from '../domains/sql.ts';

/**
 * What happens to mail for an address on a custom domain: the address of the inbox that gets it (null for none), or the
 * refusal.
 */
type DomainVerdict = { target: string | null } | { refuse: ReplyName };

/**
 * Decides on mail for a custom domain. Only a verified domain accepts mail. If its verification has lapsed, mail that
 * it would accept is deferred for some days, so that senders keep it while the owner fixes the DNS (docs/decisions.md,
 * Domains).
 * @param inbox The live inbox of the address, if any.
 */
export function judgeOnDomain(
  services: PlatformServices,
  domain: Domain,
  inbox: { address: string; is_enabled: boolean } | undefined,
): DomainVerdict {
  if (domain.status !== 'verified' && domain.stopped_at === null) return { refuse: 'relay_refused' };
  // A disabled inbox refuses: its owner does not want its mail in the catch-all either.
  if (inbox && !inbox.is_enabled) return { refuse: 'unknown_recipient' };
  const target = inbox ? inbox.address : findCatchAllTarget(services, domain);
  if (domain.status === 'verified') return { target };
  if (target === null) return { refuse: 'unknown_recipient' };
  const stoppedUs = services.clock.nowUs() - domain.stopped_at!;
  return {
    refuse: stoppedUs < domainChecks.mailPutOffS * SECOND_US ? 'domain_put_off' : 'domain_stopped',
  };
}

/** Returns the catch-all's inbox while the plan includes catch-alls. After a downgrade the catch-all is suspended. */
function findCatchAllTarget(
  { store, plans }: PlatformServices,
  { no, account_no, catch_all }: Domain,
): string | null {
  const account = catch_all === 1 ? findAccountByNo(store, account_no) : null;
  return account && plans[account.plan].catch_all > 0 ? findCatchAllAddress(store, no) : null;
}
