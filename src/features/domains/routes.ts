import { z } from 'zod';
import { fail } from '../../platform/core/failure.ts';
import { byNo, describeData, describePage, page, readPageRange } from '../../platform/http/page.ts';
import { cursorParam, defineLimitParam } from '../../platform/http/query.ts';
import { created, nothing, ok } from '../../platform/http/reply.ts';
import { routeOn } from '../../platform/http/route.ts';
import { isOutboundOn } from '../outbound/entitle.ts';
import { setCatchAllOp } from './catch-all/writes.ts';
import { checkDomain, type DomainServices } from './check.ts';
import { createRsaPair, sealDkimKey } from './dkim-key.ts';
import {
  entitleCatchAll,
  entitleChanging,
  entitleReading,
  entitleRemoving,
  entitleSendingFrom,
} from './entitle.ts';
import { requireDomainName, requireSendingName } from './name.ts';
import { findOwnDomain, listDomains } from './sql.ts';
import { viewDomain } from './view.ts';
import { DomainShape } from './wire.ts';
import { addDkimKeyOp, createDomainOp, deleteDomainOp } from './writes.ts';

const NAME_CHARS_MAX = 253;

const NewDomain = z
  .strictObject({
    name: z
      .string('must be a string')
      .max(NAME_CHARS_MAX, `has more than ${NAME_CHARS_MAX} characters`)
      // For the OpenAPI document: the shortest has a dot between two characters. The real check is requireDomainName.
      .meta({ minLength: 3 }),
  })
  .meta({ id: 'NewDomain' });

const CatchAll = z
  .strictObject({
    catch_all: z.boolean('must be true or false'),
    inbox_id: z
      .string('must be the id of an inbox, or null')
      .nullable()
      .optional()
      .describe('The target inbox. By default the current target, or a new inbox.'),
  })
  .meta({ id: 'CatchAll' });

const tag = 'Domains';

const links = {
  getDomain: { id: 'id' },
  verifyDomain: { id: 'id' },
  setCatchAll: { id: 'id' },
  setUpSending: { id: 'id' },
  deleteDomain: { id: 'id' },
};

const route = routeOn<DomainServices>();

export const domainRoutes = [
  route({
    name: 'listDomains',
    method: 'GET',
    path: '/api/v1/domains',
    summary: 'List domains',
    description: "Returns the account's domains, newest first.",
    tag,
    entitle: entitleReading,
    query: { limit: defineLimitParam(100, 25), cursor: cursorParam },
    responses: { 200: describePage(DomainShape) },
    fails: ['byod_disabled'],
    run({ services, caller, query }) {
      const accountNo = caller.account.no;
      const scope = ['domains', accountNo];
      const range = readPageRange(services, scope, query);
      const rows = listDomains(services.store, accountNo, range.before, range.rowsWanted);
      return page(services, range, rows, byNo, (row) => viewDomain(services, row));
    },
  }),
  route({
    name: 'createDomain',
    method: 'POST',
    path: '/api/v1/domains',
    summary: 'Register a domain',
    description:
      'Registers a domain and returns the records to publish. It is verified once its TXT and MX records are found.',
    tag,
    entitle: entitleChanging,
    body: NewDomain,
    creates: true,
    responses: { 201: describeData(DomainShape) },
    links,
    fails: ['byod_disabled', 'domain_entitlement_required', 'domain_limit_reached', 'domain_taken'],
    async run({ services, caller, body, once }) {
      const input = {
        account_no: caller.account.no,
        cap: services.plans[caller.account.plan].custom_domains,
        name: requireDomainName(services.settings, body.name),
      };
      const domain = await services.store.write(createDomainOp, { input, once });
      return created(viewDomain(services, domain), `/api/v1/domains/${domain.id}`);
    },
  }),
  route({
    name: 'getDomain',
    method: 'GET',
    path: '/api/v1/domains/:id',
    summary: 'Get a domain',
    tag,
    entitle: entitleReading,
    responses: { 200: describeData(DomainShape) },
    links,
    fails: ['byod_disabled'],
    run({ services, caller, params }) {
      return ok(
        viewDomain(
          services,
          findOwnDomain(services.store, caller.account.no, params.id ?? '') ?? fail('not_found'),
        ),
      );
    },
  }),
  route({
    name: 'deleteDomain',
    method: 'DELETE',
    path: '/api/v1/domains/:id',
    summary: 'Delete a domain',
    description: 'Deletes a domain that has no inboxes; with inboxes, `domain_has_inboxes`.',
    tag,
    entitle: entitleRemoving,
    responses: { 204: null },
    fails: ['byod_disabled', 'domain_has_inboxes'],
    async run({ services, caller, params }) {
      await services.store.write(deleteDomainOp, { account_no: caller.account.no, id: params.id ?? '' });
      return nothing();
    },
  }),
  route({
    name: 'verifyDomain',
    method: 'POST',
    path: '/api/v1/domains/:id/verify',
    summary: 'Verify a domain',
    description: 'Checks the TXT and MX records of the domain now, and returns the domain.',
    tag,
    limits: ['domain_verify_domain', 'domain_verify_account'],
    limitedSubject: (_, id) => id,
    entitle: entitleChanging,
    responses: { 200: describeData(DomainShape) },
    links,
    fails: ['byod_disabled', 'domain_entitlement_required'],
    async run({ services, caller, params }) {
      const domain = findOwnDomain(services.store, caller.account.no, params.id ?? '') ?? fail('not_found');
      const checked = (await checkDomain(services, domain, 'owner')) ?? fail('not_found');
      return ok(viewDomain(services, checked));
    },
  }),
  route({
    name: 'setCatchAll',
    method: 'PATCH',
    path: '/api/v1/domains/:id/catch_all',
    summary: "Set a domain's catch-all",
    description: 'Turns the catch-all on or off. It puts mail for addresses without an inbox into one inbox.',
    tag,
    limits: ['catch_all_toggles'],
    limitedSubject: (_, id) => id,
    entitle: entitleCatchAll,
    body: CatchAll,
    responses: { 200: describeData(DomainShape) },
    links,
    fails: [
      'byod_disabled',
      'catch_all_entitlement_required',
      'domain_not_verified',
      'inbox_limit_reached',
      'catch_all_target_invalid',
      'domain_not_found_or_unverified',
      'catch_all_target',
    ],
    failsAs: { domain_not_found_or_unverified: 404 },
    async run({ services, caller, params, body }) {
      const domain = await services.store.write(setCatchAllOp, {
        account_no: caller.account.no,
        id: params.id ?? '',
        on: body.catch_all,
        inbox_id: body.inbox_id ?? null,
        cap: services.plans[caller.account.plan].inboxes,
      });
      return ok(viewDomain(services, domain));
    },
  }),
  route({
    name: 'setUpSending',
    method: 'POST',
    path: '/api/v1/domains/:id/sending_setup',
    summary: 'Create a DKIM key',
    description:
      'Creates a new DKIM key and returns its TXT record. The previous key signs until the new record is found.',
    tag,
    open: isOutboundOn,
    limits: ['sending_setups'],
    limitedSubject: (_, id) => id,
    entitle: entitleSendingFrom,
    responses: { 200: describeData(DomainShape) },
    links,
    fails: [
      'byod_disabled',
      'domain_entitlement_required',
      'outbound_entitlement_required',
      'outbound_disabled',
      'domain_not_verified',
      'validation_error',
    ],
    async run({ services, caller, params }) {
      const accountNo = caller.account.no;
      const domain = findOwnDomain(services.store, accountNo, params.id ?? '') ?? fail('not_found');
      if (domain.status !== 'verified') fail('domain_not_verified');
      requireSendingName(domain.name);
      const { id } = domain;
      const pair = sealDkimKey(services.key, id, await createRsaPair());
      return ok(
        viewDomain(
          services,
          await services.store.write(addDkimKeyOp, { account_no: accountNo, id, ...pair }),
        ),
      );
    },
  }),
];
