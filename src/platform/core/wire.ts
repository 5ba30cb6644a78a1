/** A setting as `postern config` and the operator's page show it. */
export interface SettingView {
  name: string;
  variable: string;
  value: string | null;
  default: string | null;
  source: string;
  meaning: string;
}
