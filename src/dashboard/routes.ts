/** Every route of the dashboard; none stands in the API's document. */
import type { Route } from '../http/route.ts';
import { visitor_routes } from './api/visitor.ts';
import { page_routes } from './page-routes.ts';

export const dashboard_routes: readonly Route[] = [...page_routes, ...visitor_routes];
