import { create } from "@bufbuild/protobuf";
import { MutationSchema } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import type { Platform } from "../platform.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";
import type { Callers } from "./callers.ts";

export type MerchantControls = {
  /** Payouts of at least this many cents require approval. `undefined` turns the rule off. */
  readonly minimum: bigint | undefined;
  /** Payouts within this time are added up. 0 means that each payout counts alone. */
  readonly windowSeconds: number;
  /** Payouts to beneficiaries younger than this require approval. 0 turns the rule off. */
  readonly newBeneficiaryDays: number;
  readonly lastsSeconds: number;
  /** True if batches require approval by an actor other than their creator. */
  readonly isOfBatches: boolean;
  /** Period in which a repeated payout is detected. 0 turns the duplicate check off. */
  readonly duplicateWindowSeconds: number;
};

/** After this time, every process has read the controls. */
const inForceMs = 15_000;
const daySeconds = 86_400;

/** Sets controls for some merchants in some runs. Waits until the controls are in force. */
export async function setControls(
  scheduler: Scheduler,
  { people }: Pick<Platform, "people">,
  callers: Callers,
  merchantIds: readonly string[],
): Promise<ReadonlyMap<string, MerchantControls>> {
  const { random } = scheduler;
  const all = new Map<string, MerchantControls>();
  if (random.chance(0.4)) return all;
  for (const merchantId of merchantIds) {
    if (random.chance(0.3)) continue;
    const controls: MerchantControls = {
      minimum: random.pick([undefined, 1_000n, 4_000n, 10_000n]),
      windowSeconds: random.pick([0, daySeconds]),
      newBeneficiaryDays: random.pick([0, 0, 3]),
      lastsSeconds: random.pick([60, 60, daySeconds]),
      isOfBatches: random.chance(0.5),
      duplicateWindowSeconds: random.pick([0, daySeconds, daySeconds]),
    };
    const operationId = callers.operation();
    const set = () =>
      people.eve.setPayoutControls({
        mutation: create(MutationSchema, { operationId }),
        merchantId,
        duplicateWindowSeconds: controls.duplicateWindowSeconds,
        approval: rulesOf(controls),
      });
    const created = await callers.ask(set);
    if (typeof created === "string")
      throw new Error(`setting the controls was refused: ${created}`);
    all.set(merchantId, controls);
  }
  await callers.pause(inForceMs);
  return all;
}

function rulesOf({ minimum, windowSeconds, ...rules }: MerchantControls) {
  const { newBeneficiaryDays, lastsSeconds, isOfBatches } = rules;
  const currencyCode = "USD";
  const amounts =
    minimum === undefined
      ? []
      : [{ currencyCode, minimum: formatAmount(minimum, currencyCode), windowSeconds }];
  return { amounts, newBeneficiaryDays, lastsSeconds, batches: isOfBatches };
}
