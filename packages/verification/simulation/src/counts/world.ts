import { pendingWorkOf } from "../checks/pending-work.ts";
import { createPlatform, migratePlatform } from "../platform.ts";
import { Callers, makerOf, mutationFor } from "../workload/callers.ts";
import { endings, type FundedAccount, SetUp } from "../workload/set-up.ts";
import { addHistory } from "./history.ts";
import { createMeter } from "./meter.ts";
import { steadyScheduler } from "./steady.ts";

/** Clients that send requests in lockstep, their merchants and the merchants' history. */
export type Load = {
  readonly clients: number;
  readonly merchants: number;
  /**
   * Number of finished payouts of each merchant, in addition to the page that every merchant has.
   */
  readonly payoutsBehind: number;
};

/** Longer than a payout, its webhooks and the compaction of its account take together. */
const restMs = 12_000;
const restsMax = 10;
const stepsMax = 2_000_000;
/** Payouts that every merchant has. This number fills one page. */
const pageSize = 20;
const quoteTtlSeconds = 60;

/**
 * In this time, every loop of a process has run. Afterwards no process relies on its last write to
 * an account.
 */
const idleMs = 72_000;

export async function openWorld(load: Load) {
  const scheduler = steadyScheduler();
  const meter = createMeter();
  const runs = (name: string) => !name.endsWith("-2");
  const platform = createPlatform(scheduler, {}, { ...meter.assembly, runs });
  const { quote, payout } = platform.rpc;

  /** Runs the work and waits until the platform is idle again. */
  const done = async <T>(work: () => Promise<T>): Promise<T> => {
    const outcome: { value?: T; error?: unknown } = {};
    work().then(
      (value) => Object.assign(outcome, { value }),
      (error: unknown) => Object.assign(outcome, { error }),
    );
    for (let left = restsMax; left > 0; left -= 1) {
      await scheduler.run(() => false, scheduler.nowMs() + restMs, stepsMax);
      const { now, laterMs } = pendingWorkOf(platform, scheduler.nowMs());
      const isAtRest = now.length === 0 && laterMs === undefined;
      if ("error" in outcome) throw outcome.error;
      if ("value" in outcome && isAtRest) return outcome.value as T;
    }
    throw new Error("the simulated platform did not finish its pending work");
  };
  let operations = 0;
  /**
   * The operation id is as long as the gateway's ids, so that the byte counts are realistic and
   * don't depend on the number.
   */
  const operation = (): string => {
    operations += 1;
    return `op_${String(operations).padStart(64, "0")}`;
  };
  const mutation = ({ merchantId }: FundedAccount) => mutationFor(makerOf(merchantId), operation());
  const quoted = async (account: FundedAccount): Promise<string> => {
    const created = await quote.createQuote({
      mutation: mutation(account),
      merchantId: account.merchantId,
      accountId: account.id,
      beneficiaryId: account.beneficiaryIds[0] ?? "",
      sourceCurrencyCode: "USD",
      destinationCurrencyCode: endings.destination,
      sourceAmount: "10.00",
    });
    return created.quote?.id ?? "";
  };
  const executed = async (account: FundedAccount, quoteId: string): Promise<string> => {
    const { merchantId } = account;
    const own = { mutation: mutation(account), merchantId, quoteId };
    return (await payout.executePayout({ ...own, referenceId: "counted" })).payoutId;
  };
  const read = ({ merchantId }: FundedAccount, payoutId: string) =>
    payout.getPayout({ merchantId, payoutId });
  const page = ({ merchantId }: FundedAccount) =>
    payout.listPayouts({ merchantId, limit: pageSize });
  const payouts = (of: readonly FundedAccount[]) =>
    Promise.all(of.map(async (account) => executed(account, await quoted(account))));

  await migratePlatform(platform);
  for (const host of platform.hosts) host.start();
  const names = Array.from({ length: load.merchants }, (_each, at) => `mer_${at + 1}`);
  const opening = new SetUp(scheduler, platform, new Callers(scheduler, "count"));
  const accounts = await done(() => opening.open(quoteTtlSeconds, names));
  await done(() => payouts(Array.from({ length: pageSize }, () => accounts).flat()));
  if (load.payoutsBehind > 0) {
    for (const account of accounts) await addHistory(platform, account, load.payoutsBehind);
  }
  meter.take();
  for (let passed = 0; passed < idleMs; passed += restMs) await done(async () => undefined);
  const background = Object.keys(meter.take().kinds);
  meter.ignore(background);
  const clients = Array.from(
    { length: load.clients },
    (_each, at) => accounts[at % accounts.length] as FundedAccount,
  );
  return { meter, background, done, clients, quoted, executed, read, page };
}
