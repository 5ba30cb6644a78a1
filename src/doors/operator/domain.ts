import { findAccount } from '../../features/accounts/find.ts';
import { checkDomain } from '../../features/domains/check.ts';
import { findDomain } from '../../features/domains/find.ts';
import { checkRecords } from '../../features/domains/records.ts';
import { listDomains } from '../../features/domains/sql.ts';
import { viewDomain } from '../../features/domains/view.ts';
import type { CheckedRecord, DomainView } from '../../features/domains/wire.ts';
import { deleteDomainOp, disableDomainOp, enableDomainOp } from '../../features/domains/writes.ts';
import { formatZoneLine } from '../../features/domains/zone-line.ts';
import { fail } from '../../platform/core/failure.ts';
import { accountArgument } from './account.ts';
import { given, type Input, type Operating, type StoreCommand } from './command.ts';
import { formatFields, formatTable } from './table.ts';

const domainArgument = { name: 'DOM', meaning: "a domain's id, or its name" };

const findCommandDomain = ({ services }: Operating, input: Input) =>
  findDomain(services.store, given(input, 'dom'));

/** A domain with its DNS records and the state of each. */
type DomainWithRecords = DomainView & { records: (CheckedRecord & { zone_line: string })[] };

const list: StoreCommand = {
  name: 'domain list',
  meaning: "list an account's domains, newest first",
  arguments: [accountArgument],
  async run({ services }, input): Promise<DomainView[]> {
    const { no } = findAccount(services.store, given(input, 'a'));
    const all = Number.MAX_SAFE_INTEGER;
    return listDomains(services.store, no, all, all).map((domain) => viewDomain(services, domain));
  },
  show: (domains: DomainView[]) =>
    domains.length === 0
      ? 'No domains. An owner registers one with POST /api/v1/domains or in the dashboard.'
      : formatTable(
          ['DOMAIN', 'NAME', 'STATUS', 'DKIM', 'CATCH-ALL', 'CHECKED'],
          domains.map((one) => [
            one.id,
            one.name,
            one.status,
            one.dkim_status ?? '-',
            one.catch_all ? one.catch_all_inbox_id! : '-',
            one.last_checked_at?.slice(0, 19) ?? '-',
          ]),
        ),
};

const show: StoreCommand = {
  name: 'domain show',
  meaning: 'show a domain and its DNS records, ready to paste, with their current state in the DNS',
  arguments: [domainArgument],
  examples: ['postern domain show example.com'],
  async run(operating, input): Promise<DomainWithRecords> {
    const { services } = operating;
    const domain = findCommandDomain(operating, input);
    const records = await checkRecords(services, domain);
    return {
      ...viewDomain(services, domain),
      records: records.map((record) => ({ ...record, zone_line: formatZoneLine(record) })),
    };
  },
  show: (domain: DomainWithRecords) =>
    `${showDomain(domain)}\n\n${domain.records.map(showRecord).join('\n\n')}`,
};

const check: StoreCommand = {
  name: 'domain check',
  meaning: "check a domain's TXT, MX and DKIM records now",
  arguments: [domainArgument],
  async run(operating, input): Promise<DomainView> {
    const { services } = operating;
    return viewDomain(
      services,
      (await checkDomain(services, findCommandDomain(operating, input), 'operator')) ?? fail('not_found'),
    );
  },
  show: showDomain,
};

const disable: StoreCommand = {
  name: 'domain disable',
  meaning: 'disable a domain: no mail, no inboxes, no sending; its mail is deferred for 5 days, then refused',
  arguments: [domainArgument],
  async run(operating, input): Promise<DomainView> {
    const { services } = operating;
    return viewDomain(
      services,
      await services.store.write(disableDomainOp, { id: findCommandDomain(operating, input).id }),
    );
  },
  show: showDomain,
};

const enable: StoreCommand = {
  name: 'domain enable',
  meaning: 'enable a disabled domain; it is checked at once, and verified when its records match',
  arguments: [domainArgument],
  async run(operating, input): Promise<DomainView> {
    const { services } = operating;
    const { id, status } = findCommandDomain(operating, input);
    const enabled = await services.store.write(enableDomainOp, { id });
    if (status !== 'disabled') return viewDomain(services, enabled);
    return viewDomain(services, (await checkDomain(services, enabled, 'operator')) ?? fail('not_found'));
  },
  show: showDomain,
};

const remove: StoreCommand = {
  name: 'domain delete',
  meaning: 'delete a domain that has no inboxes, so that another account can register it',
  arguments: [domainArgument],
  async run(operating, input): Promise<DomainView> {
    const { services } = operating;
    const domain = findCommandDomain(operating, input);
    await services.store.write(deleteDomainOp, { account_no: domain.account_no, id: domain.id });
    return viewDomain(services, domain);
  },
  show: ({ id, name }: DomainView) => `Deleted ${name} (${id}).`,
};

function showDomain(domain: DomainView): string {
  const { catch_all, catch_all_inbox_id } = domain;
  return formatFields([
    ['domain', domain.id],
    ['name', domain.name],
    ['status', domain.status],
    ['checked', domain.last_checked_at],
    ['error', domain.last_error],
    ['catch-all', catch_all ? catch_all_inbox_id : 'off'],
    ['DKIM', domain.dkim_status],
    ['created', domain.created_at],
  ]);
}

const meanings = {
  ownership: 'proves that the domain is yours',
  mx: 'routes its mail here',
  dkim: 'the key that signs outbound email',
  spf: 'optional: who may send for it',
  dmarc: 'optional: what to do with unsigned mail',
} as const;

function showRecord({ purpose, ok, error, note, zone_line }: DomainWithRecords['records'][number]): string {
  const state = ok === null ? 'unknown' : ok ? 'ok' : 'not yet';
  const why = [error, note].map((text) => (text ? `\n; ${text}` : '')).join('');
  return `; ${purpose}: ${meanings[purpose]} (${state})${why}\n${zone_line}`;
}

export const domainCommands: readonly StoreCommand[] = [list, show, check, disable, enable, remove];
