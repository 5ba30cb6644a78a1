/** Name and value of the fields in a header, in order and unfolded (RFC 5322 2.2.3), in linear time. */
export function readHeaderFields(head: string): [name: string, value: string][] {
  return head
    .replace(/\r?\n(?=[ \t])/g, '')
    .split(/\r?\n/)
    .flatMap((line): [string, string][] => {
      const [, name, value = ''] = /^([^:\s]+):(.*)$/s.exec(line) ?? [];
      return name === undefined ? [] : [[name, value.trimStart()]];
    });
}
