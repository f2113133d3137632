import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { greatestOf } from "@disburse/kernel/bigint.ts";
import type { BatchDocument, ReservedCoin, StoredVariant } from "./documents.ts";
import { bumpedRate, childFee, firstRate, incrementalRate, raised, rateOf } from "./rules/fees.ts";
import { addTransaction, coinsOf, noteRefused, orderOf, reservedFor } from "./store.ts";
import {
  changeCoin,
  outputsTo,
  type Plan,
  planTransaction,
  type Signed,
  signedBy,
} from "./transaction.ts";
import { type Coin, dustOf } from "./wallet-key.ts";
import { type BatchWork, changeRead, type Run } from "./work.ts";

/**
 * Sends the stored transactions of an unmined batch again, as they are. If a higher fee is due, it
 * signs a transaction with that fee first. After a decision to cancel, that one pays nothing, and no
 * payment is sent any more, also while no cancelling transaction can be signed.
 */
export async function sendAgain(work: BatchWork, batch: BatchDocument, run: Run): Promise<void> {
  const added = isDue(work, batch) ? await raiseFee(work, batch, run) : undefined;
  if (added === undefined) return sendStored(work, batch);
  await sendSigned(work, batch, added, added.id);
}

/**
 * Sends what is stored, oldest first, so that a node without any of it ends with the newest. A node
 * keeps its own variant if it refuses a newer one.
 */
export async function sendStored(work: BatchWork, batch: BatchDocument): Promise<void> {
  const { variants, children, cancel } = batch;
  const sent = cancel === undefined ? variants : variants.filter(({ cancels }) => cancels);
  for (const each of [...sent, ...(cancel === undefined ? children : [])]) {
    if (!work.isSendDue(each.id)) continue;
    await sendSigned(work, batch, { id: each.id, raw: each.raw.value() }, variants.at(-1)?.id);
  }
}

/**
 * Sends a stored transaction. Only a refusal of the newest one counts: nodes refuse older ones
 * because it has replaced them.
 */
async function sendSigned(
  work: BatchWork,
  batch: BatchDocument,
  { id, raw }: Pick<Signed, "id" | "raw">,
  newest: string | undefined,
): Promise<void> {
  work.isSendDue(id);
  const replies = await work.chain.send(raw);
  const isRefused = replies.length > 0 && replies.every((each) => each === "not_replaced");
  if (isRefused && id === newest) await noteRefused(work.store, batch._id, id);
}

/** Returns true if the batch has no transaction for its present purpose, or only an old one. */
function isDue({ fees, clock }: BatchWork, batch: BatchDocument): boolean {
  const last = [...ofPurpose(batch), ...(batch.cancel ? [] : batch.children)];
  const at = Math.max(...last.map((each) => each.at.getTime()));
  return last.length === 0 || clock.now().getTime() - at >= fees.bumpAfterMs;
}

/** Returns the variants that cancel, if operators decided so, or else the payments. */
function ofPurpose({ variants, cancel }: BatchDocument): StoredVariant[] {
  const isCancelled = cancel !== undefined;
  return variants.filter(({ cancels = false }) => cancels === isCancelled);
}

async function raiseFee(work: BatchWork, batch: BatchDocument, run: Run) {
  if (batch.cancel !== undefined) return addCancel(work, batch, run);
  const { estimates } = run.snapshot;
  const { variants, children } = batch;
  const rates = [...variants, ...children].map((each) => rateWith(each, variants));
  const [first, ...others] = rates;
  const rate =
    first === undefined
      ? (firstRate(estimates, work.fees) ?? work.fees.max)
      : bumpedRate(greatestOf(first, ...others), estimates, work.fees);
  if (rate === undefined) {
    run.isAtBound = true;
    return undefined;
  }
  // A payee has probably spent its output, so that a replacement would cost too much.
  if (variants.at(-1)?.refused) {
    const child = await addChildOf(work, batch, rate, run);
    if (child !== undefined) return child;
  }
  return addPayment(work, batch, run, rate);
}

/** Returns the rate of a variant, or of a child together with its parent. */
function rateWith(
  each: BatchDocument["variants"][number] | BatchDocument["children"][number],
  variants: readonly StoredVariant[],
): bigint {
  const fee = fromDecimal128(each.fee);
  const parent = "parent" in each ? variants.find(({ id }) => id === each.parent) : undefined;
  if (parent === undefined) return rateOf(fee, each.vsize);
  return rateOf(fee + fromDecimal128(parent.fee), each.vsize + parent.vsize);
}

/** The virtual size of an output to the wallet (P2WPKH), rounded up. */
const changeVsize = 32;

/** Signs and stores a payment of all payouts. It spends every coin of earlier variants. */
async function addPayment(work: BatchWork, batch: BatchDocument, run: Run, rate: bigint) {
  const { key, store, clock, onEvent } = work;
  const required = coinsOf(run.wallet, batch._id);
  const payouts = outputsTo(batch.payouts.map(orderOf));
  const candidates = freeCoins(run);
  const splits = candidates.length + 1 < work.coinsWanted;
  const wanted = { payouts, required, candidates, splits };
  let plan = planTransaction(key, { ...wanted, rate });
  // Another shape can cost less than the last variant, in spite of its higher rate.
  const least = plan && highestFee(batch.variants) / BigInt(plan.vsize) + incrementalRate;
  if (batch.variants.length > 0 && least !== undefined && least > rate) {
    plan = least > work.fees.max ? undefined : planTransaction(key, { ...wanted, rate: least });
  }
  if (plan === undefined) {
    run.isAtBound = true;
    return undefined;
  }
  if (!plan.coins.some(({ id }) => id === batch._id)) throw new Error("the fixed coin is missing");
  const own = new Set(required.map(({ id }) => id));
  const added = plan.coins.filter(({ id }) => !own.has(id));
  if (!(await reserve(work, run, reservedFor(batch._id, added)))) return undefined;
  // Without change, the fee may contain what a change output would have cost.
  const feeMax = work.fees.max * BigInt(plan.vsize + changeVsize) + dustOf(key.script);
  const signed = await sign(work, plan, batch.payouts, feeMax);
  if (!(await addTransaction(store, batch, signed, clock.now()))) return undefined;
  if (batch.variants.length > 0) onEvent("bumped");
  return signed;
}

/** Returns the coins that are reserved for no batch. */
export function freeCoins({ snapshot, wallet }: Run): Coin[] {
  const reserved = new Set(wallet.reserved.map(({ coin }) => coin));
  return snapshot.coins.filter(({ id }) => !reserved.has(id));
}

/** Reserves further coins. Returns `false` if another process changed the wallet. */
async function reserve(
  work: BatchWork,
  run: Run,
  coins: readonly ReservedCoin[],
): Promise<boolean> {
  const { reserved } = run.wallet;
  const taken = new Set(reserved.map(({ coin }) => coin));
  const added = coins.filter(({ coin }) => !taken.has(coin));
  return added.length === 0 || changeRead(work, run, { reserved: [...reserved, ...added] });
}

/** Signs and stores a transaction that spends the fixed coin to the wallet. */
async function addCancel(work: BatchWork, batch: BatchDocument, run: Run) {
  const { store, clock } = work;
  const own = coinsOf(run.wallet, batch._id);
  const fixed = own.find(({ id }) => id === batch._id);
  if (fixed === undefined) throw new Error("the fixed coin is missing");
  const others = own.filter((each) => each !== fixed);
  const largest = others.toSorted((one, other) => (other.amount > one.amount ? 1 : -1));
  const shapes = [[fixed], ...largest.map((_each, at) => [fixed, ...largest.slice(0, at + 1)])];
  // Without enough coins to replace the payment, one with an ordinary fee waits until nodes have
  // dropped the payment.
  for (const replaces of [true, false]) {
    for (const coins of shapes) {
      const planned = planCancel(work, batch, run, { coins, replaces });
      if (planned === undefined) continue;
      const signed = await sign(work, planned.plan, [], planned.feeMax);
      return (await addTransaction(store, batch, signed, clock.now())) ? signed : undefined;
    }
  }
  run.isAtBound = true;
  return undefined;
}

/**
 * Plans a cancelling transaction of these coins. Nodes replace a payment by it only if it pays more
 * than the payment with its child, whatever its size. A payment that they refused is not replaced.
 */
function planCancel(
  { key, fees }: BatchWork,
  batch: BatchDocument,
  run: Run,
  { coins, replaces }: { readonly coins: readonly Coin[]; readonly replaces: boolean },
): { readonly plan: Plan; readonly feeMax: bigint } | undefined {
  const { variants, children } = batch;
  const wanted = { payouts: [], required: coins, candidates: [] };
  const vsize = BigInt(planTransaction(key, { ...wanted, rate: 1n })?.vsize ?? 0);
  if (vsize === 0n) return undefined;
  const childFees = highestFee(children);
  const replaced = highestFee(variants.filter(({ refused }) => !refused)) + childFees;
  const last = highestFee(ofPurpose(batch)) / vsize;
  const rate = greatestOf(
    replaces && replaced > 0n ? replaced / vsize + incrementalRate : 0n,
    last === 0n ? 0n : raised(last),
    firstRate(run.snapshot.estimates, fees) ?? fees.max,
  );
  const plan = planTransaction(key, { ...wanted, rate });
  // It may cost as much as the payments that it replaces, and its own size twice.
  const largest = BigInt(Math.max(0, ...variants.map((each) => each.vsize)));
  const payments = variants.filter(({ cancels }) => !cancels);
  const paid = greatestOf(highestFee(payments), fees.max * largest);
  const feeMax = paid + childFees + (2n * fees.max + incrementalRate) * vsize;
  return plan === undefined || plan.fee > feeMax ? undefined : { plan, feeMax };
}

function highestFee(stored: readonly { readonly fee: StoredVariant["fee"] }[]): bigint {
  return greatestOf(0n, ...stored.map(({ fee }) => fromDecimal128(fee)));
}

/**
 * Signs and stores a child: it spends the change of the variant in the nodes' mempools to the
 * wallet. Returns `undefined` if there is no such change, or if it is too small.
 */
async function addChildOf(work: BatchWork, batch: BatchDocument, rate: bigint, run: Run) {
  const { key, store, chain, clock, fees, onEvent } = work;
  for (const parent of batch.variants.toReversed()) {
    const coin = changeCoin(parent.raw.value(), key);
    if (parent.refused || coin === undefined || !(await chain.isPending(parent.id))) continue;
    const wanted = { payouts: [], required: [coin], candidates: [] };
    const vsize = planTransaction(key, { ...wanted, rate: 1n })?.vsize;
    if (vsize === undefined) return undefined;
    const fee = childFee(rate, { fee: fromDecimal128(parent.fee), vsize: parent.vsize }, vsize);
    // The rate of the child alone, in whole satoshi.
    const plan = planTransaction(key, { ...wanted, rate: fee / BigInt(vsize) + 1n });
    const [reserved] = reservedFor(batch._id, [coin]);
    if (plan === undefined || reserved === undefined) return undefined;
    if (!(await reserve(work, run, [{ ...reserved, child: true }]))) return undefined;
    const signed = await sign(work, plan, [], fees.max * BigInt(parent.vsize + 2 * vsize));
    const spent = { parent: parent.id, coin: coin.id };
    if (!(await addTransaction(store, batch, signed, clock.now(), spent))) return undefined;
    onEvent("child");
    return signed;
  }
  return undefined;
}

/** Has a transaction signed, and verifies the signatures. */
async function sign(
  { signer, key }: BatchWork,
  plan: Plan,
  payouts: BatchDocument["payouts"],
  feeMax: bigint,
): Promise<Signed> {
  const asked = payouts.map((each) => ({ key: each.key, ...orderOf(each) }));
  const psbt = await signer.sign({ psbt: plan.unsigned.toPSBT(), payouts: asked, feeMax });
  return signedBy(key, plan, psbt);
}
