/** Every route of the dashboard; none stands in the API's document. */
import type { Route } from '../http/route.ts';
import { diary_routes } from './api/diary.ts';
import { dashboard_domain_routes } from './api/domains.ts';
import { key_routes } from './api/keys.ts';
import { live_routes } from './api/live.ts';
import { look_routes } from './api/look.ts';
import { mail_routes } from './api/mail.ts';
import { member_routes } from './api/members.ts';
import { operator_account_routes } from './api/operator/accounts.ts';
import { operator_health_routes } from './api/operator/health.ts';
import { dashboard_outbound_routes } from './api/outbound.ts';
import { session_routes } from './api/session.ts';
import { sign_in_routes } from './api/sign-in.ts';
import { usage_routes } from './api/usage.ts';
import { visitor_routes } from './api/visitor.ts';
import { webhook_routes } from './api/webhooks.ts';
import { page_routes } from './page-routes.ts';

export const dashboard_routes: readonly Route[] = [
  ...page_routes,
  ...visitor_routes,
  ...mail_routes,
  ...look_routes,
  ...live_routes,
  ...sign_in_routes,
  ...session_routes,
  ...key_routes,
  ...member_routes,
  ...usage_routes,
  ...diary_routes,
  ...webhook_routes,
  ...dashboard_domain_routes,
  ...dashboard_outbound_routes,
  ...operator_account_routes,
  ...operator_health_routes,
];
