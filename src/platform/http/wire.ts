import { z } from 'zod';

export const Pagination = z
  .object({
    next_cursor: z.string().nullable().describe('Null when has_more is false.'),
    has_more: z.boolean(),
  })
  .meta({ id: 'Pagination' });

/** A page of a list as sent. */
export interface PageView<Row> {
  data: Row[];
  pagination: z.output<typeof Pagination>;
}
