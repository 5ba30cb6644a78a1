import { z } from 'zod';
import type { Params } from '../../../platform/http/query.ts';
import type { Route } from '../../../platform/http/route.ts';
import { borrowed, type DashboardSpec, dashboardRoute, type Who } from '../route.ts';
import type { DashboardServices } from '../services.ts';

/** A route for those who sign in: capture mode, where nobody does, has none of them. */
export function ownerRoute<
  B extends z.ZodType = z.ZodType<undefined>,
  Q extends Params = Record<never, never>,
  W extends Who = 'visitor',
>(spec: DashboardSpec<B, Q, W>): Route<DashboardServices> {
  const { open, method, who, limits = [] } = spec;
  // Who is not signed in draws from limits of their address.
  const isChange = method !== 'GET' && who !== 'anyone';
  return dashboardRoute<B, Q, W>({
    ...spec,
    limits: isChange ? [...limits, 'dashboard_changes_per_minute'] : limits,
    open: (services) => !services.capture && (open?.(services) ?? true),
  });
}

/** A route of the API, lent to who is signed in. */
export function ownerBorrowed(lent: Route<DashboardServices>): Route<DashboardServices> {
  return { ...borrowed(lent), open: (services) => !services.capture && (lent.open?.(services) ?? true) };
}

/** A text of a form. Its own meaning is read by the operation. */
export const text = z.string('must be a string').max(2_000, 'is too long');
