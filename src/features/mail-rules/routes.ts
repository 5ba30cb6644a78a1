import { z } from 'zod';
import { fail, failField } from '../../platform/core/failure.ts';
import { describeData, describePage, makePagination, readPageRange } from '../../platform/http/page.ts';
import { created, nothing, ok } from '../../platform/http/reply.ts';
import { type Principal, routeOn } from '../../platform/http/route.ts';
import { Pagination } from '../../platform/http/wire.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { ErrorCode } from '../../rules/errors.ts';
import { findTrap, type TrapServices } from '../accounts/trap.ts';
import { readTrapInbox, type TrapInbox } from '../domains/trap-inbox.ts';
import { findOwnMessage } from '../messages/sql.ts';
import { dryRun } from './dry-run.ts';
import { readRuleRequest } from './request.ts';
import type { Rule } from './rule.ts';
import { findOwnRule, listEnabledRules, listRules, readRule } from './sql.ts';
import { listDiary, viewRule } from './view.ts';
import { DryRunMatch, DryRunRequest, MessageDiaryEntry, NewRule, RuleShape, RuleUpdate } from './wire.ts';
import { createRuleOp, deleteRuleOp, planRule, type RuleChanges, updateRuleOp } from './writes.ts';

const tag = 'Rules';

type RuleServices = PlatformServices & TrapServices;

const route = routeOn<RuleServices>();

const ruleLinks = {
  getRule: { id: 'id' },
  updateRule: { id: 'id' },
  deleteRule: { id: 'id' },
};

/** Failures of a rule that sends what the account may not send. */
const sendingFails: ErrorCode[] = [
  'outbound_disabled',
  'outbound_entitlement_required',
  'recipient_not_approved',
  'webhook_entitlement_required',
  'webhook_ssrf_rejected',
];

const DryRunPage = z
  .object({
    data: z.array(DryRunMatch),
    scanned: z.int().describe('How many messages were checked for this page.'),
    pagination: Pagination,
  })
  .meta({ id: 'RuleDryRunPage' });

const lastPage = { next_cursor: null, has_more: false };

export const mailRuleRoutes = [
  route({
    name: 'listRules',
    method: 'GET',
    path: '/api/v1/rules',
    summary: 'List rules',
    description: 'Returns the rules of the account, in the order in which they are tried.',
    tag,
    responses: { 200: describePage(RuleShape) },
    run({ services, caller }) {
      const data = listRules(services.store, caller.account.no).map((row) => viewRule(services.store, row));
      return { status: 200, json: { data, pagination: lastPage } };
    },
  }),
  route({
    name: 'createRule',
    method: 'POST',
    path: '/api/v1/rules',
    summary: 'Create a rule',
    description: 'Creates a rule for mail that arrives from now on.',
    tag,
    body: NewRule,
    creates: true,
    responses: { 201: describeData(RuleShape) },
    links: ruleLinks,
    fails: ['conflict', ...sendingFails],
    async run({ services, caller, body, once }) {
      const changes = readRuleRequest(services, caller, body);
      const trapInbox = findTrapInbox(services, caller, changes);
      const isOwner = caller.role === 'owner';
      const input = { account_no: caller.account.no, changes, trapInbox, isOwner, once };
      const row = await services.store.write(createRuleOp, input);
      return created(viewRule(services.store, row), `/api/v1/rules/${row.id}`);
    },
  }),
  route({
    name: 'getRule',
    method: 'GET',
    path: '/api/v1/rules/:id',
    summary: 'Get a rule',
    tag,
    responses: { 200: describeData(RuleShape) },
    links: ruleLinks,
    run({ services, caller, params }) {
      return ok(
        viewRule(
          services.store,
          findOwnRule(services.store, caller.account.no, params.id ?? '') ?? fail('not_found'),
        ),
      );
    },
  }),
  route({
    name: 'updateRule',
    method: 'PATCH',
    path: '/api/v1/rules/:id',
    summary: 'Update a rule',
    description: 'Changes the fields that you send. Others stay the same.',
    tag,
    body: RuleUpdate,
    responses: { 200: describeData(RuleShape) },
    links: ruleLinks,
    fails: sendingFails,
    async run({ services, caller, params, body }) {
      const changes = readRuleRequest(services, caller, body);
      const trapInbox = findTrapInbox(services, caller, changes);
      const isOwner = caller.role === 'owner';
      const input = { account_no: caller.account.no, id: params.id ?? '', changes, trapInbox, isOwner };
      const row = await services.store.write(updateRuleOp, input);
      return ok(viewRule(services.store, row));
    },
  }),
  route({
    name: 'deleteRule',
    method: 'DELETE',
    path: '/api/v1/rules/:id',
    summary: 'Delete a rule',
    description: 'What the rule did stays, and forwards that it began are still sent.',
    tag,
    responses: { 204: null },
    async run({ services, caller, params }) {
      const isOwner = caller.role === 'owner';
      await services.store.write(deleteRuleOp, {
        account_no: caller.account.no,
        id: params.id ?? '',
        isOwner,
      });
      return nothing();
    },
  }),
  route({
    name: 'dryRunRules',
    method: 'POST',
    path: '/api/v1/rules/dry_run',
    summary: 'Try rules on stored mail',
    description: 'Returns what the rules would do with stored mail, newest first. Nothing is changed.',
    tag,
    body: DryRunRequest,
    bodyOptional: true,
    responses: { 200: DryRunPage },
    fails: sendingFails,
    run({ services, caller, body }) {
      const rules = readRules(services, caller, body);
      const accountNo = caller.account.no;
      const scope = ['rules dry run', accountNo, JSON.stringify(rules)];
      const { before } = readPageRange(services, scope, { limit: 1, cursor: body.cursor ?? null });
      const { matches, scanned, next } = dryRun(services, accountNo, rules, before);
      const pagination = makePagination(services, scope, next);
      return { status: 200, json: { data: matches, scanned, pagination } };
    },
  }),
  route({
    name: 'listMessageDiary',
    method: 'GET',
    path: '/api/v1/messages/:id/diary',
    summary: "List a message's rule log",
    description: 'Returns what rules did with a message, and why anything failed or was refused.',
    tag,
    responses: { 200: describePage(MessageDiaryEntry) },
    run({ services, caller, params }) {
      const accountNo = caller.account.no;
      const message = findOwnMessage(services.store, accountNo, params.id ?? '') ?? fail('not_found');
      const data = listDiary(services.store, accountNo, message.received_at);
      return { status: 200, json: { data, pagination: lastPage } };
    },
  }),
];

/** In a trap every address exists, so a rule may name an inbox that has no mail yet. Null for any other inbox. */
function findTrapInbox(
  services: RuleServices,
  { account }: Principal,
  { conditions: { inbox_id } }: RuleChanges,
): TrapInbox | null {
  if (!inbox_id?.includes('@')) return null;
  const trap = findTrap(services, account);
  return trap && readTrapInbox(trap, inbox_id);
}

/** Returns the rules that a dry run tries. */
function readRules(
  services: PlatformServices,
  caller: Principal,
  { rule_id, cursor: _, ...rule }: z.output<typeof DryRunRequest>,
): Rule[] {
  const { store } = services;
  const isGiven = Object.keys(rule).length > 0;
  if (rule_id !== undefined) {
    if (isGiven) failField('rule_id', "can't be used together with the fields of a rule");
    return [
      readRule(
        findOwnRule(store, caller.account.no, rule_id) ?? failField('rule_id', 'is not one of your rules'),
      ),
    ];
  }
  if (!isGiven) return listEnabledRules(store, caller.account.no);
  return [planRule(store, caller.account.no, readRuleRequest(services, caller, rule))];
}
