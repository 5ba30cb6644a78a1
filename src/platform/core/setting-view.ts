import { type Knob, knobs, type LoadedSettings } from './settings.ts';
import type { SettingView } from './wire.ts';

export function viewSettings(sources: LoadedSettings['sources']): SettingView[] {
  return knobs.map((knob) => toView(knob, sources));
}

function toView({ name, variable, rule }: Knob, sources: LoadedSettings['sources']): SettingView {
  const { source = 'default', text = null } = sources[name] ?? {};
  // The values of a secret setting that are plain words (off, direct) may be shown.
  const isSecret = rule.secret && text !== null && text !== rule.default && text !== 'direct';
  const value = isSecret ? '********' : text;
  return { name, variable, value, default: rule.default, source, meaning: rule.meaning };
}
