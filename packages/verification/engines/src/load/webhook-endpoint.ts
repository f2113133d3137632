import { openWebhookRecorder } from "@disburse/faults/payouts/checks.ts";
import type { FaultPlatform } from "@disburse/faults/platform.ts";

/**
 * A merchant's test endpoint with the delivery order `strict`. It checks the promises of
 * docs/reference/webhooks.md.
 */
export type WebhookEndpoint = Awaited<ReturnType<typeof openWebhookEndpoint>>;

export async function openWebhookEndpoint(platform: FaultPlatform) {
  const bodies = new Map<string, string>();
  const sequences = new Map<string, number>();
  const problems: string[] = [];
  let calls = 0;
  const recorder = await openWebhookRecorder(platform, {
    fields: { order: "strict" },
    onCall: (headers, body) => {
      const id = String(headers["webhook-id"]);
      calls += 1;
      const known = bodies.get(id);
      if (known !== undefined && known !== body) problems.push(`${id} arrived with two bodies`);
      if (known !== undefined) return;
      bodies.set(id, body);
      const { transaction_id } = JSON.parse(body);
      const sequence = Number(headers["webhook-sequence"]);
      const before = sequences.get(transaction_id) ?? 0;
      if (sequence !== before + 1) {
        problems.push(`${transaction_id}: ${sequence} arrived after ${before}`);
      }
      sequences.set(transaction_id, sequence);
    },
  });
  return {
    ...recorder,
    problems,
    calls: (): number => calls,
    /** Calls beyond the first of each event. Webhooks arrive at least once. */
    repeated: (): number => calls - bodies.size,
  };
}
