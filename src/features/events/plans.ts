import type { PlatformServices } from '../../platform/services.ts';
import { planNames } from '../../rules/plans.ts';
import { setWebhookPlansOp } from './writes.ts';

/** Tells the store which plans include webhooks, because write operations know no settings. */
export async function passOnPlans({ store, plans }: PlatformServices): Promise<void> {
  await store.write(
    setWebhookPlansOp,
    planNames.filter((plan) => plans[plan].webhooks > 0),
  );
}
