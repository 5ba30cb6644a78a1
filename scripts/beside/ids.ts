/** The ids of a product's messages, by subject. */
export type Ids = ReadonlyMap<string, string>;

export async function findPosternIds(url: string): Promise<Ids> {
  const answer = await fetch(`${url}/dashboard/api/messages?limit=100`);
  const { data } = (await answer.json()) as { data: { id: string; subject: string }[] };
  // A mail to several recipients is several messages, and its row has the id of the newest one.
  const ids = new Map<string, string>();
  for (const { id, subject } of data) if (!ids.has(subject)) ids.set(subject, id);
  return ids;
}

export async function findMailpitIds(url: string): Promise<Ids> {
  const answer = await fetch(`${url}/api/v1/messages?limit=100`);
  const { messages } = (await answer.json()) as { messages: { ID: string; Subject: string }[] };
  return new Map(messages.map(({ ID, Subject }) => [Subject, ID]));
}
