/** Returns the reasons for an error's fields, a line each, without those that its message already has. */
export function reasonsBeyond(
  message: string,
  fields: Readonly<Record<string, readonly string[]>>,
): string[] {
  return Object.entries(fields).flatMap(([field, texts]) => {
    const rest = texts.filter((text) => !message.includes(text));
    return rest.length > 0 ? [`${field} ${rest.join('; ')}`] : [];
  });
}
