import { z } from 'zod';
import type { Params } from '../../../platform/http/query.ts';
import type { Route } from '../../../platform/http/route.ts';
import { type DashboardSpec, dashboardRoute, mirrorRoute, type Who } from '../route.ts';
import type { DashboardServices } from '../services.ts';

/** A route for people who sign in. Capture mode has no sign-in, so it has none of these. */
export function ownerRoute<
  B extends z.ZodType = z.ZodType<undefined>,
  Q extends Params = Record<never, never>,
  W extends Who = 'visitor',
>(spec: DashboardSpec<B, Q, W>): Route<DashboardServices> {
  const { open, method, who, limits = [] } = spec;
  // A caller who is not signed in draws from limits of the client's address.
  const isChange = method !== 'GET' && who !== 'anyone';
  return dashboardRoute<B, Q, W>({
    ...spec,
    limits: isChange ? [...limits, 'dashboard_changes_per_minute'] : limits,
    open: outsideCapture(open ?? null),
  });
}

/** Mirrors a route of the API for people who are signed in, so not in capture mode. */
export function mirrorOwnerRoute(original: Route<DashboardServices>): Route<DashboardServices> {
  return { ...mirrorRoute(original), open: outsideCapture(original.open) };
}

function outsideCapture(open: Route<DashboardServices>['open']) {
  return (services: DashboardServices) => !services.capture && (open?.(services) ?? true);
}

/** A text field of a form. The operation checks its content. */
export const text = z.string('must be a string').max(2_000, 'is too long');
