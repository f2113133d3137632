import { setTimeout as pause } from "node:timers/promises";
import type { Random } from "@disburse/harness/random.ts";
import { createLoop } from "@disburse/harness/waiting.ts";
import type { FaultPlatform } from "../platform.ts";
import { postUntilAnswered } from "./client.ts";
import type { Recipient } from "./recipients.ts";

/** A client's payout, with the data for repeating the request. */
type AcceptedPayout = { id: string; key: string; body: object; text: string };

export type Load = ReturnType<typeof createLoad>;

/** Other outcomes of the sandbox's rail. The remaining payouts settle. */
const outcomes = [
  ...["fail", "return", "unknown", "callback", "duplicate", "early", "lost", "contradict"],
  "amount",
];
/** One in this many payouts doesn't settle. */
const outcomeEvery = 3;
/**
 * Amounts are from 1.00 to 5.99, so that the account's balance is enough for any number of payouts.
 */
const centsMin = 100;
const centsSpread = 500;
const pauseMaxMs = 150;

/** Creates idle clients. `start` starts them. */
export function createLoad(
  platform: FaultPlatform,
  recipients: readonly Recipient[],
  random: Random,
  clients = 6,
) {
  const accepted: AcceptedPayout[] = [];
  const refused = new Map<string, number>();
  const waiting = new Set<symbol>();
  let unanswered = 0;

  const post = async (path: string, body: object, key: string) => {
    const token = Symbol(path);
    waiting.add(token);
    const answer = await postUntilAnswered(platform, path, body, key);
    waiting.delete(token);
    if (answer === undefined) unanswered += 1;
    else if (answer.status !== 200) {
      refused.set(answer.code, (refused.get(answer.code) ?? 0) + 1);
    }
    return answer?.status === 200 ? answer : undefined;
  };
  const pay = async (): Promise<void> => {
    const { id, currency } = random.pick(recipients);
    const cents = String(centsMin + random.below(centsSpread));
    const quoted = await post(
      "/transfer/rfq",
      {
        source_amount: `${cents.slice(0, -2)}.${cents.slice(-2)}`,
        source_currency_code: "USD",
        destination_currency_code: currency,
        beneficiary_id: id,
        account_id: platform.accountId,
      },
      crypto.randomUUID(),
    );
    if (quoted === undefined) return;
    const outcome = random.below(outcomeEvery) === 0 ? `sandbox-${random.pick(outcomes)}` : "order";
    const key = crypto.randomUUID();
    const body = { quote_id: quoted.data.id, reference_id: `${outcome}-${key}` };
    const paid = await post("/transfer/execute", body, key);
    if (paid !== undefined) accepted.push({ id: paid.data.id ?? "", key, body, text: paid.text });
  };
  const payAndRest = async (): Promise<void> => {
    await pay();
    await pause(random.below(pauseMaxMs));
  };
  return {
    ...createLoop(payAndRest, clients),
    accepted,
    refused,
    /** Number of requests that got no final response before the client gave up. */
    unanswered: () => unanswered,
    /** Pending calls, each identified by a token for its duration. */
    waiting: (): ReadonlySet<symbol> => new Set(waiting),
  };
}
