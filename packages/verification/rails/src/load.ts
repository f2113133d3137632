import { setTimeout as pause } from "node:timers/promises";
import { postUntilAnswered } from "@disburse/faults/payouts/client.ts";
import { createLoop } from "@disburse/harness/waiting.ts";
import type { World } from "./world.ts";

/** A load's beneficiary. Each payout has a unique amount, so that both sides can be compared. */
export type Recipient = {
  readonly id: string;
  readonly currency: string;
  readonly digits: number;
  /** Unique amounts are above this one, in minor units. */
  readonly base: bigint;
};

/** An accepted payout with its receiving amount in minor units. */
export type Accepted = { readonly id: string; readonly minor: bigint };

export type Load = ReturnType<typeof createLoad>;

/** Creates idle clients. `start` starts them. Payout amounts continue after `from`. */
export function createLoad(world: World, recipient: Recipient, clients: number, restMs: number) {
  const accepted: Accepted[] = [];
  const refused: string[] = [];
  const gateway = { baseUrl: world.platform.baseUrl, apiKey: world.apiKey };
  const pay = async (): Promise<void> => {
    const minor = recipient.base + world.nextNumber();
    const digits = minor.toString().padStart(recipient.digits + 1, "0");
    const receiving = `${digits.slice(0, -recipient.digits)}.${digits.slice(-recipient.digits)}`;
    const quoted = await postUntilAnswered(gateway, "/transfer/rfq", {
      receiving_amount: receiving,
      beneficiary_id: recipient.id,
      source_currency_code: "USD",
      destination_currency_code: recipient.currency,
      account_id: world.accountId,
    });
    if (quoted?.status !== 200) {
      refused.push(quoted?.text ?? "no answer");
      return;
    }
    const body = { quote_id: quoted.data.id, reference_id: `rails-${digits}` };
    const paid = await postUntilAnswered(gateway, "/transfer/execute", body);
    if (paid?.status === 200) accepted.push({ id: paid.data.id ?? "", minor });
    else refused.push(paid?.text ?? "no answer");
  };
  return {
    ...createLoop(async () => {
      await pay();
      await pause(restMs);
    }, clients),
    payMany: async (count: number): Promise<void> => {
      let left = count;
      const client = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await pay();
        }
      };
      await Promise.all(Array.from({ length: clients }, client));
    },
    accepted: accepted as readonly Accepted[],
    refused: refused as readonly string[],
  };
}
