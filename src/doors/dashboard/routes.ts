/** Every route of the dashboard; none is in the OpenAPI document. */
import { mailRuleRoutes } from '../../features/mail-rules/routes.ts';
import type { Route } from '../../platform/http/route.ts';
import { attachedMailRoutes } from './api/attached-mail.ts';
import { auditPageRoutes } from './api/audit.ts';
import { deleteListedRoutes } from './api/delete-listed.ts';
import { diaryRoutes } from './api/diary.ts';
import { dashboardDomainRoutes } from './api/domains.ts';
import { heldMailRoutes } from './api/held-mail.ts';
import { keyRoutes } from './api/keys.ts';
import { liveRoutes } from './api/live.ts';
import { mailRoutes } from './api/mail.ts';
import { memberRoutes } from './api/members.ts';
import { oidcRoutes } from './api/oidc.ts';
import { operatorAccountRoutes } from './api/operator/accounts.ts';
import { operatorHealthRoutes } from './api/operator/health.ts';
import { dashboardOutboundRoutes } from './api/outbound.ts';
import { passkeySignInRoutes } from './api/passkey-sign-in.ts';
import { passkeyRoutes } from './api/passkeys.ts';
import { releaseRoutes } from './api/release.ts';
import { secondFactorRoutes } from './api/second-factor.ts';
import { sessionRoutes } from './api/session.ts';
import { signInRoutes } from './api/sign-in.ts';
import { trapRoutes } from './api/trap.ts';
import { usageRoutes } from './api/usage.ts';
import { viewRoutes } from './api/views.ts';
import { visitorRoutes } from './api/visitor.ts';
import { dashboardWebhookRoutes } from './api/webhooks.ts';
import { pageRoutes } from './page-routes.ts';
import { mirrorRoute } from './route.ts';
import type { DashboardServices } from './services.ts';

export const dashboardRoutes: readonly Route<DashboardServices>[] = [
  ...pageRoutes,
  ...visitorRoutes,
  ...mailRoutes,
  ...deleteListedRoutes,
  ...releaseRoutes,
  ...viewRoutes,
  ...attachedMailRoutes,
  ...heldMailRoutes,
  ...liveRoutes,
  ...signInRoutes,
  ...oidcRoutes,
  ...sessionRoutes,
  ...secondFactorRoutes,
  ...passkeySignInRoutes,
  ...passkeyRoutes,
  ...keyRoutes,
  ...memberRoutes,
  ...auditPageRoutes,
  ...usageRoutes,
  ...trapRoutes,
  ...diaryRoutes,
  ...dashboardWebhookRoutes,
  ...mailRuleRoutes.map(mirrorRoute),
  ...dashboardDomainRoutes,
  ...dashboardOutboundRoutes,
  ...operatorAccountRoutes,
  ...operatorHealthRoutes,
];
