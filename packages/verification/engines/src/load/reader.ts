import { setTimeout as pause } from "node:timers/promises";
import type { Gateway } from "@disburse/faults/payouts/client.ts";
import type { Random } from "@disburse/harness/random.ts";
import { createLoop } from "@disburse/harness/waiting.ts";

const callTimeoutMs = 12_000;
const pauseMaxMs = 150;
/** Half of the reads are of the newest payouts: a stale member doesn't have these. */
const recentMax = 5;

/** The gateway received the request too slowly, on a machine with other work. */
const slowRequest = 408;

/** A status never moves to a lower rank. */
const ranks: Readonly<Record<string, number>> = { initiated: 0, succeeded: 1, failed: 2 };

type ReaderOptions = {
  readonly gateways: readonly Gateway[];
  /** Grows while the reader reads. */
  readonly accepted: readonly { readonly id: string }[];
  readonly random: Random;
  readonly slack: number;
};

/** Reads accepted payouts, and checks that none is missing or older than an earlier read. */
export function createReader({ gateways, accepted, random, slack }: ReaderOptions) {
  const reached = new Map<string, number>();
  const problems: string[] = [];
  let answered = 0;
  let unavailable = 0;
  const read = async (gateway: Gateway, id: string): Promise<void> => {
    const before = reached.get(id) ?? 0;
    const answer = await get(gateway, `/transfer/payouts/${id}`);
    if (answer === undefined || answer.status >= 500 || answer.status === slowRequest) {
      unavailable += 1;
      return;
    }
    answered += 1;
    if (answer.status !== 200) problems.push(`${id} was not found: ${answer.status}`);
    const rank = ranks[answer.data?.status ?? ""] ?? 0;
    if (answer.status === 200 && rank < before) problems.push(`${id} was read as it had been`);
    reached.set(id, Math.max(rank, reached.get(id) ?? 0));
  };
  const step = async (): Promise<void> => {
    await pause(random.below(pauseMaxMs * slack));
    const { length } = accepted;
    const back = random.chance(0.5) ? random.below(recentMax) : random.below(length + 1);
    const payout = accepted[length - 1 - back];
    if (payout !== undefined) await read(random.pick(gateways), payout.id);
  };
  return {
    ...createLoop(step, gateways.length),
    problems,
    counts: () => ({ answered, unavailable }),
  };
}

async function get({ baseUrl, apiKey }: Gateway, path: string) {
  try {
    const response = await fetch(`${baseUrl}/api/v1${path}`, {
      headers: { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(callTimeoutMs),
    });
    const { data } = (await response.json()) as { data?: { status?: string } };
    return { status: response.status, data };
  } catch {
    return undefined;
  }
}
