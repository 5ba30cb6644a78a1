/**
 * Messages in a page of the dashboard's list. The server names the request for the first of them in the headers of the
 * document, so it must be the same request that the script makes (src/doors/dashboard/page-routes.ts).
 */
export const LIST_ROWS = 100;
