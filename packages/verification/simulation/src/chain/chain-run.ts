import type { TransferDocument } from "@disburse/chain-rail/documents.ts";
import { createTestChain } from "@disburse/chain-rail/test-chain.ts";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { parseDecimal } from "@disburse/kernel/decimal.ts";
import { migrations } from "@disburse/payout/migrations.ts";
import { instruction } from "@disburse/rail/test-contract.ts";
import { keyOf, type OpenRail, RailCallers } from "../callers/rail-callers.ts";
import { runToRest } from "../callers/rail-run.ts";
import type { Sabotage } from "../network/database-link.ts";
import { Host } from "../scheduler/host.ts";
import { Scheduler } from "../scheduler/scheduler.ts";
import { createMemoryDatabase } from "../store/memory-database.ts";
import { startChainProcess } from "./chain-process.ts";

const startMs = Date.UTC(2026, 0, 5, 9);
/** Confirmations until a block is final. No simulated reorganisation is that deep. */
const finality = 3;
const blockMaxMs = 4_000;
const roughMs = 40_000;
/** Time to finish. After it, work that was deferred by a clock with an error of one hour is due. */
const settleMs = 3 * 3_600_000;
const advanceMs = 600_000;

/** Runs one seed of payouts from one wallet of a chain until idle. Returns problems. */
export async function runChainSeed(
  seed: number,
  options: { readonly sabotage?: Sabotage; readonly listen?: (line: string) => void } = {},
) {
  const scheduler = new Scheduler(seed, startMs, options.listen);
  const world = createTestChain(finality);
  const database = createMemoryDatabase(() => scheduler.now());
  const { db } = database.connect(database.direct);
  for (const { up } of migrations) await up(db);
  const broken: string[] = [];
  const transfers = () =>
    database.documents("chain_transfers") as unknown as readonly TransferDocument[];
  const sent: Uint8Array[] = [];
  const send = async (raw: Uint8Array) => {
    sent.push(raw);
    const id = new TextDecoder().decode(raw);
    const isStored = transfers().some(({ attempts }) => attempts.some((each) => each.id === id));
    if (!isStored) broken.push("bytes were sent that no transfer has stored");
    await world.chain.send(raw);
  };
  const shared = { database, broken, chain: { ...world.chain, send }, sabotage: options.sabotage };
  const open = new Map<string, OpenRail>();
  const hosts = ["wallet-1", "wallet-2", "wallet-3"].map(
    (name) =>
      new Host(scheduler, name, async (instance) => {
        open.set(name, { instance, rail: startChainProcess(shared, instance) });
      }),
  );
  const callers = new RailCallers({
    scheduler,
    open,
    takenBack: "chain: taken back",
    instructionOf: (number, amount) => ({
      ...instruction,
      currency: "USDC_ETH",
      network: "ETHEREUM",
      transferMethod: "CRYPTO",
      amount,
      accountNumber: keyOf(number),
    }),
  });
  for (const host of hosts) host.start();
  scheduler.faults.begin();
  sendOldBytes(scheduler, sent, world.chain.send);
  happenings(scheduler, world, () => reservedOf(database.documents("chain_wallets")));
  const failed = await runToRest({
    scheduler,
    hosts,
    database,
    callers,
    roughMs,
    endsWithCallers: true,
    heal: () => {
      world.knobs.baseFee = 10n;
    },
    isAtRest: () => transfers().every(({ open: wallet }) => wallet === undefined),
    settleMs,
    advanceMs,
  });
  const wrong = [...failed, ...broken, ...walletProblems(transfers(), world.paid(), callers)];
  return {
    seed,
    wrong,
    faults: scheduler.faults.counts,
    steps: scheduler.steps,
    traceHash: scheduler.traceHash,
  };
}

function reservedOf(wallets: readonly Record<string, unknown>[]): number {
  return Number(wallets[0]?.next_nonce ?? 0);
}

type World = ReturnType<typeof createTestChain>;

/** Simulates blocks, reorganisations, fees above the limit, and nonces that others have used. */
function happenings(scheduler: Scheduler, world: World, reserved: () => number): void {
  const { random, faults } = scheduler;
  let outside = 0;
  const next = () => {
    const run = () => {
      if (!faults.happens("chain: no block", 0.1)) world.mine();
      if (faults.happens("chain: reorganised", 0.15)) {
        world.reorganise(1 + random.below(finality - 1));
      }
      if (faults.happens("chain: fees rose", 0.15)) {
        world.knobs.baseFee = random.pick([30n, 400n, 2_000n]);
      } else if (random.chance(0.3)) world.knobs.baseFee = 10n;
      if (reserved() > world.paid().length && faults.happens("chain: nonce used outside", 0.05)) {
        outside += 1;
        world.useOutside(`outside-${outside}`);
      }
      next();
    };
    scheduler.after(1 + random.below(blockMaxMs), { label: "a block", run });
  };
  next();
}

/** Signed bytes stay valid: a node can resend them at any time. */
function sendOldBytes(
  scheduler: Scheduler,
  sent: readonly Uint8Array[],
  send: (raw: Uint8Array) => Promise<void>,
): void {
  const { random, faults } = scheduler;
  const run = () => {
    if (sent.length > 0 && faults.happens("chain: old bytes back", 0.3)) {
      void send(random.pick(sent));
    }
    sendOldBytes(scheduler, sent, send);
  };
  scheduler.after(random.below(blockMaxMs), { label: "a node sends", run });
}

/**
 * Requires that each payout has at most one mined payment, and that exactly the payouts with such a
 * payment are settled. The sums must agree.
 */
function walletProblems(
  transfers: readonly TransferDocument[],
  paid: readonly string[],
  { orders, withdrawn, mayBeWithdrawn }: RailCallers,
): string[] {
  const byKey = new Map(transfers.map((each) => [each._id, each]));
  const wrong = [...orders].flatMap(([key, amount]) => {
    const transfer = byKey.get(key);
    if (transfer === undefined) return [`${key} was submitted and is not there`];
    const { state, end } = transfer;
    const payments = paid.filter((to) => to === key).length;
    const expected = state === "settled" ? 1 : 0;
    const isEnded = state === "settled" || state === "withdrawn";
    const isWithdrawn = state === "withdrawn";
    const isOther = withdrawn.has(key) ? !isWithdrawn : isWithdrawn && !mayBeWithdrawn.has(key);
    return [
      ...(payments === expected ? [] : [`${key} is ${state} and was paid ${payments} times`]),
      ...(isEnded ? [] : [`${key} is ${state} at the end`]),
      ...(isOther ? [`${key} is ${state}, and its caller heard otherwise`] : []),
      ...(state !== "settled" || isSame(end?.received, amount) ? [] : [`${key} paid otherwise`]),
      ...(state !== "settled" || fromDecimal128(transfer.amount_minor) === amount
        ? []
        : [`${key} was taken with another amount`]),
    ];
  });
  const unexpected = paid.filter((to) => !orders.has(to) && !to.startsWith("outside-"));
  return [...wrong, ...unexpected.map((to) => `${to} was paid, which is no payout`)];
}

/** Compares decimal text of six places with minor units. */
function isSame(text: string | undefined, minor: bigint): boolean {
  const decimal = parseDecimal(text ?? "");
  return decimal !== undefined && decimal.units * 10n ** BigInt(6 - decimal.scale) === minor;
}
