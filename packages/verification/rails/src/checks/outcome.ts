import type { Verdict } from "@disburse/harness/scenario.ts";
import { until } from "@disburse/harness/waiting.ts";
import { collectionOf } from "@disburse/invariants/database-check.ts";
import type { Accepted, Load } from "../load.ts";
import type { World } from "../world.ts";

export type Paid = {
  readonly times: (payout: Accepted) => number;
  readonly returned: (payout: Accepted) => number;
  /** False for ACH, because no bank confirms an ACH credit. */
  readonly confirms: boolean;
  /** Sum of paid minor units, less returns. */
  readonly sum: bigint;
};

/** A payout in a final state, from the platform's own documents. */
type Ended = { readonly accepted: Accepted; readonly status: string; readonly stage: string };

const shownMax = 5;

/**
 * Waits until every payout of a load is final. Returns the payouts that are not final as problems.
 */
export async function atTheirEnd(
  world: World,
  load: Load,
  paid: Omit<Paid, "sum">,
  timeoutMs: number,
): Promise<Ended[]> {
  const payouts = collectionOf(world.databases, "payouts");
  const ids = load.accepted.map(({ id }) => id);
  const read = async (): Promise<Ended[]> => {
    const found = await payouts.find({ _id: { $in: ids } }).toArray();
    const byId = new Map(found.map((payout) => [payout._id, payout]));
    return load.accepted.map((accepted) => {
      const { status = "lost", progress } = byId.get(accepted.id) ?? {};
      return endOf(accepted, status, progress?.stage ?? "lost", paid);
    });
  };
  let ended = await read();
  await until(
    async () => {
      ended = await read();
      return ended.every(({ status }) => status !== "initiated");
    },
    { timeoutMs, everyMs: 1_000 },
  );
  return ended;
}

/**
 * Returns the end of a payout. A returned payout ends when it fails. A payout that no bank confirms
 * ends when it is sent.
 */
export function endOf(
  accepted: Accepted,
  status: string,
  stage: string,
  { times, returned, confirms }: Omit<Paid, "sum">,
): Ended {
  if (status === "succeeded" && returned(accepted) > 0) {
    return { accepted, status: "initiated", stage: "was returned, and has not failed" };
  }
  const hasLeft = times(accepted) > 0 && returned(accepted) === 0;
  const isPaid = status === "initiated" && stage === "processing" && !confirms && hasLeft;
  return { accepted, status: isPaid ? "succeeded" : status, stage };
}

/**
 * Checks a rail's invariants: no payment is lost or paid twice, and the sums on both sides are
 * equal.
 */
export function outcomeVerdicts(
  ended: readonly Ended[],
  load: Pick<Load, "refused">,
  paid: Paid,
): Verdict[] {
  const settled = ended.filter(({ status }) => status === "succeeded");
  const twice = ended.filter(({ accepted }) => paid.times(accepted) > 1);
  const unpaid = settled.filter(({ accepted }) => paid.times(accepted) !== 1);
  const released = ended.filter(({ status, accepted }) => {
    return status === "failed" && paid.times(accepted) !== paid.returned(accepted);
  });
  const open = ended.filter(({ status }) => status !== "succeeded" && status !== "failed");
  const sum = settled.reduce((total, { accepted }) => total + accepted.minor, 0n);
  return [
    {
      name: "every accepted payout is at its end",
      problems: named(open, "is not at its end"),
      figures: `${ended.length} payouts, ${settled.length} settled`,
    },
    { name: "nothing is paid twice", problems: named(twice, "was paid more than once") },
    {
      name: "settled payouts were paid, and failed ones were not or were returned",
      problems: [
        ...named(unpaid, "settled, and was not paid once"),
        ...named(released, "failed, and was paid without coming back"),
      ],
    },
    {
      name: "the sum that left is the sum of what settled",
      problems: sum === paid.sum ? [] : [`${paid.sum} left, ${sum} settled`],
      figures: `${sum} minor units`,
    },
    {
      name: "no call was refused",
      problems: load.refused.slice(0, shownMax),
    },
  ];
}

function named(ended: readonly Ended[], what: string): string[] {
  const shown = ended.slice(0, shownMax).map(({ accepted, stage }) => {
    return `${accepted.id} ${what} (${stage})`;
  });
  const more = ended.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more ${what}`] : shown;
}
