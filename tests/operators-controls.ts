import { readApprovalRequired } from "@disburse/chassis/approvals/answers.ts";
import type { TestPlatform } from "@disburse/testkit/platform.ts";
import { approvers } from "./second-person.ts";

/** Controls on a merchant's payouts. Omitted ones are off. */
export type Controls = {
  readonly duplicateWindowSeconds?: number;
  readonly approval?: {
    readonly amounts?: { currencyCode: string; minimum: string }[];
    readonly batches?: boolean;
  };
};

/**
 * Sets a merchant's controls as operators do. A second person approves changes that loosen them.
 */
export async function setControls(
  platform: TestPlatform,
  merchantId: string,
  { duplicateWindowSeconds = 0, approval = {} }: Controls = {},
): Promise<void> {
  const mutation = { operationId: crypto.randomUUID() };
  const request = { mutation, merchantId, duplicateWindowSeconds, approval };
  const set = platform.as("ada").operations.setPayoutControls(request);
  const failure: unknown = await set.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure === undefined) return;
  if (readApprovalRequired(failure) === undefined) throw failure;
  const second = approvers(platform, "payout");
  await second.approve("bob", set);
  second.close();
}
