import { setTimeout as pause } from "node:timers/promises";
import type { Random } from "@disburse/harness/random.ts";
import { createLoop } from "@disburse/harness/waiting.ts";
import type { FaultPlatform } from "../platform.ts";
import { postUntilAnswered } from "./client.ts";
import { createPayments } from "./payments.ts";
import type { Recipient } from "./recipients.ts";

export type Load = ReturnType<typeof createLoad>;

/** Other outcomes of the sandbox's rail. The remaining payouts settle. */
const outcomes = [
  ...["fail", "return", "unknown", "callback", "duplicate", "early", "lost", "contradict"],
  "amount",
];
/** One in this many payouts doesn't settle. */
const outcomeEvery = 3;
const pauseMaxMs = 150;

/** Creates idle clients. `start` starts them. */
export function createLoad(
  platform: FaultPlatform,
  recipients: readonly Recipient[],
  random: Random,
  clients = 6,
) {
  const { accountId } = platform;
  const { pay, accepted } = createPayments({ accountId, recipients, random });
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
  const outcome = () =>
    random.below(outcomeEvery) === 0 ? `sandbox-${random.pick(outcomes)}` : "order";
  const payAndRest = async (): Promise<void> => {
    await pay(post, outcome);
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
