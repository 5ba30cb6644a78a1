import { fail, failField } from '../../platform/core/failure.ts';
import { checkSameBody } from '../../platform/http/idempotency.ts';
import { describeData, describePage } from '../../platform/http/page.ts';
import { created, nothing } from '../../platform/http/reply.ts';
import { routeOn } from '../../platform/http/route.ts';
import { isTrap, type TrapAccount } from '../accounts/trap.ts';
import { readFault } from './request.ts';
import { type CreatingRequest, type FaultRule, type NewFaultRule, RULES_MAX } from './rules.ts';
import type { FaultServices } from './services.ts';
import { isBeforeAuth } from './stages.ts';
import { viewFault } from './view.ts';
import { NewSmtpFault, SmtpFault } from './wire.ts';

const tag = 'SMTP faults';

const route = routeOn<FaultServices>();

/** Throws not_a_trap: in any other account, a fault could hit real mail. */
function entitle({ account }: { account: Pick<TrapAccount, 'no' | 'trap'> }, services: FaultServices): void {
  if (!isTrap(services, account)) fail('not_a_trap');
}

function addFault(
  services: FaultServices,
  accountNo: number,
  wanted: NewFaultRule,
  nowUs: number,
  request: CreatingRequest | null,
): FaultRule {
  if (!services.capture && isBeforeAuth(wanted.stage))
    failField('stage', 'comes before AUTH, which says whose trap it is');
  return (
    services.faultRules.add(accountNo, wanted, nowUs, request) ??
    fail('conflict', { text: `There are ${RULES_MAX} SMTP faults already; delete some first.` })
  );
}

export const faultRoutes = [
  route({
    name: 'createSmtpFault',
    method: 'POST',
    path: '/api/v1/smtp_faults',
    summary: 'Create an SMTP fault',
    description:
      'Makes SMTP refuse, delay or drop sessions of your trap at a stage, so that a test can see what the sender does. ' +
      'An account that is not a trap gets `not_a_trap`; an account with 100 faults gets `conflict`. ' +
      'A repeat with the same `Idempotency-Key` gets the fault of the first request until that is deleted or expires.',
    tag,
    entitle,
    body: NewSmtpFault,
    creates: true,
    responses: { 201: describeData(SmtpFault) },
    links: { deleteSmtpFault: { id: 'id' } },
    fails: ['not_a_trap'],
    run({ services, caller, body, once, nowUs }) {
      const { no } = caller.account;
      const first = once && services.faultRules.findByKey(no, once.key, nowUs);
      if (first) checkSameBody(once, first.bodyHash);
      const rule = first?.rule ?? addFault(services, no, readFault(body, nowUs), nowUs, once);
      return created(viewFault(rule), `/api/v1/smtp_faults/${rule.id}`);
    },
  }),
  route({
    name: 'listSmtpFaults',
    method: 'GET',
    path: '/api/v1/smtp_faults',
    summary: 'List SMTP faults',
    description: 'Returns all faults of the account, oldest first: the order in which they are tried.',
    tag,
    entitle,
    responses: { 200: describePage(SmtpFault) },
    fails: ['not_a_trap'],
    run({ services, caller, nowUs }) {
      const data = services.faultRules.list(caller.account.no, nowUs).map(viewFault);
      return { status: 200, json: { data, pagination: { next_cursor: null, has_more: false } } };
    },
  }),
  route({
    name: 'clearSmtpFaults',
    method: 'DELETE',
    path: '/api/v1/smtp_faults',
    summary: 'Delete all SMTP faults',
    tag,
    entitle,
    responses: { 204: null },
    fails: ['not_a_trap'],
    run({ services, caller }) {
      services.faultRules.clear(caller.account.no);
      return nothing();
    },
  }),
  route({
    name: 'deleteSmtpFault',
    method: 'DELETE',
    path: '/api/v1/smtp_faults/:id',
    summary: 'Delete an SMTP fault',
    tag,
    responses: { 204: null },
    // An account that is not a trap has no rules, so every id is unknown.
    run({ services, caller, params, nowUs }) {
      if (!services.faultRules.remove(caller.account.no, params.id ?? '', nowUs)) fail('not_found');
      return nothing();
    },
  }),
];
