/** `1 message`, `2 messages`. */
export function formatAmount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
