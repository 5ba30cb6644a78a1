/** Writes the bill of materials with CycloneDX's own library, so that its format is right. */
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import { version } from '../../package.json';
import type { Commit } from './commit.ts';
import type { Part } from './parts.ts';

export function writeSbom(parts: readonly Part[], { epoch }: Commit): string {
  const bom = new Models.Bom();
  // Without a serial number, which would differ each time, and with the time of the commit.
  bom.metadata.timestamp = new Date(epoch * 1000);
  const own = new Models.Component(Enums.ComponentType.Application, 'postern', {
    version,
    bomRef: `postern@${version}`,
    licenses: licence('MIT'),
  });
  bom.metadata.component = own;
  for (const part of parts) {
    const component = describe(part);
    bom.components.add(component);
    own.dependencies.add(component.bomRef);
  }
  const normalizers = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  return `${new Serialize.JsonSerializer(normalizers).serialize(bom, { sortLists: true, space: 2 })}\n`;
}

function describe({ name, version: of, licence: expression, npm }: Part) {
  const [group, short] = name.startsWith('@') ? name.split('/') : [undefined, name];
  return new Models.Component(Enums.ComponentType.Library, short ?? name, {
    group,
    version: of,
    bomRef: `${name}@${of}`,
    licenses: licence(expression),
    purl: npm === null ? undefined : `pkg:npm/${npm.replace('@', '%40')}@${of}`,
  });
}

function licence(expression: string) {
  const one = /^[\w.+-]+$/.test(expression)
    ? new Models.SpdxLicense(expression)
    : new Models.LicenseExpression(expression);
  return new Models.LicenseRepository([one]);
}
