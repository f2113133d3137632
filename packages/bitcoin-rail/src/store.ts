import { fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import type { FailureCode } from "@disburse/kernel/failure.ts";
import { Binary } from "mongodb";
import type {
  BatchDocument,
  BitcoinStore,
  ReservedCoin,
  StoredEnd,
  TransferDocument,
  WalletDocument,
} from "./documents.ts";
import type { Signed } from "./transaction.ts";
import type { Coin } from "./wallet-key.ts";

/** The maximum number of transfers in one run. Later transfers wait for the next run. */
const workMax = 1_000;

type Order = { readonly to: string; readonly amount: bigint };

/**
 * Accepts a transfer once, or records that it must never be paid if `ended` is given. A repeated
 * call changes nothing, even with other transfer data.
 */
export async function acceptTransfer(
  { transfers }: BitcoinStore,
  key: string,
  wallet: string,
  { to, amount }: Order,
  at: Date,
  ended?: { readonly refused?: FailureCode },
): Promise<void> {
  await insertOnce(transfers, {
    _id: key,
    schema_version: 1,
    wallet,
    to,
    amount_minor: toDecimal128(amount),
    state: ended === undefined ? "waiting" : "withdrawn",
    ...(ended ?? { open: wallet }),
    accepted_at: at,
    updated_at: at,
  });
}

export async function findBatch({ batches }: BitcoinStore, id: string) {
  return (await batches.findOne({ _id: id })) ?? undefined;
}

/** Returns a wallet's waiting transfers, oldest first. */
export function waitingTransfers({ transfers }: BitcoinStore, wallet: string) {
  return transfers.find({ open: wallet }).sort({ accepted_at: 1 }).limit(workMax).toArray();
}

/** Returns a wallet's batches that need work, oldest first. */
export function openBatches({ batches }: BitcoinStore, wallet: string) {
  return batches.find({ open: wallet }).sort({ created_at: 1 }).toArray();
}

/** Returns the ids that belong to no stored transaction. */
export async function unknownTransactions(
  { batches }: BitcoinStore,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const known = await batches
    .find({ transactions: { $in: [...ids] } }, { projection: { transactions: 1 } })
    .toArray();
  const stored = new Set(known.flatMap(({ transactions }) => transactions));
  return ids.filter((id) => !stored.has(id));
}

/** Returns the coins that were ever the fixed coin of a batch. */
export async function fixedCoins({ batches }: BitcoinStore, coins: readonly string[]) {
  const found = await batches
    .find({ _id: { $in: [...coins] } }, { projection: { _id: 1 } })
    .toArray();
  return new Set(found.map(({ _id }) => _id));
}

export async function beginWallet({ wallets }: BitcoinStore, wallet: string, since: string) {
  await insertOnce(wallets, {
    _id: wallet,
    schema_version: 1,
    revision: 1,
    since_block: since,
    forming: null,
    reserved: [],
    withdrawn: [],
  });
}

export function reservedFor(batch: string, coins: readonly Coin[]): ReservedCoin[] {
  return coins.map(({ id, amount }) => ({ coin: id, amount: toDecimal128(amount), batch }));
}

/** Returns the coins that every variant of a batch spends. The fixed coin is the first. */
export function coinsOf({ reserved }: WalletDocument, batch: string): Coin[] {
  return reserved
    .filter((each) => each.batch === batch && !each.child)
    .map(({ coin, amount }) => ({ id: coin, amount: fromDecimal128(amount) }));
}

/** Stores a new batch and adds it to its transfers. A repeated call changes nothing. */
export async function storeBatch(
  { batches, transfers }: BitcoinStore,
  { _id: wallet, forming }: WalletDocument,
  at: Date,
): Promise<void> {
  if (forming === null) return;
  const { id, keys, since } = forming;
  const found = await transfers.find({ _id: { $in: keys } }).toArray();
  const byKey = new Map(found.map((each) => [each._id, each]));
  const payouts = keys.map((key) => {
    const transfer = byKey.get(key);
    if (transfer === undefined) throw new Error(`transfer ${key} has no document in the database`);
    return { key, to: transfer.to, amount_minor: transfer.amount_minor };
  });
  await insertOnce(batches, {
    _id: id,
    schema_version: 1,
    wallet,
    payouts,
    state: "open",
    open: wallet,
    since,
    variants: [],
    children: [],
    transactions: [],
    created_at: at,
  });
  await transfers.updateMany(
    { _id: { $in: keys }, state: "waiting" },
    { $set: { state: "batched", batch: id, updated_at: at }, $unset: { open: "" } },
  );
}

/** The batch if it has neither ended nor changed its transactions since it was read. */
const unchanged = ({ _id, transactions }: BatchDocument) => ({
  _id,
  state: "open" as const,
  transactions: { $size: transactions.length },
});

/** Adds a variant, or a child of one. Returns `false` if the batch has changed. */
export async function addTransaction(
  { batches }: BitcoinStore,
  batch: BatchDocument,
  { id, raw, fee, vsize }: Signed,
  at: Date,
  child?: { readonly parent: string; readonly coin: string },
): Promise<boolean> {
  const { cancel } = batch;
  const stored = { id, raw: new Binary(raw), fee: toDecimal128(fee), vsize, at };
  const added =
    child === undefined
      ? { variants: { ...stored, ...(cancel && { cancels: true as const }) } }
      : { children: { ...stored, ...child } };
  const { modifiedCount } = await batches.updateOne(
    // A payment or its child must not be added after a decision to cancel.
    { ...unchanged(batch), cancel: { $exists: child === undefined && cancel !== undefined } },
    { $push: { ...added, transactions: id } },
  );
  return modifiedCount === 1;
}

/** Records that nodes refused to replace an earlier variant. It affects only the choice of fees. */
export async function noteRefused({ batches }: BitcoinStore, batch: string, id: string) {
  await batches.updateOne(
    { _id: batch, variants: { $elemMatch: { id, refused: { $exists: false } } } },
    { $set: { "variants.$.refused": true } },
  );
}

/** Ends a batch by a final transaction. It is then watched for a number of blocks. */
export async function endBatch(
  { batches }: BitcoinStore,
  batch: BatchDocument,
  state: Exclude<BatchDocument["state"], "open">,
  end: StoredEnd,
): Promise<boolean> {
  const { modifiedCount } = await batches.updateOne(unchanged(batch), { $set: { state, end } });
  return modifiedCount === 1;
}

export async function endChild(
  { batches }: BitcoinStore,
  { _id }: BatchDocument,
  end: StoredEnd,
): Promise<void> {
  await batches.updateOne({ _id, child_end: { $exists: false } }, { $set: { child_end: end } });
}

/** Stores the decision to cancel. Returns `undefined` if another write was first. */
export async function storeCancel(
  { batches }: BitcoinStore,
  id: string,
  cancel: BatchDocument["cancel"] & object,
): Promise<BatchDocument | undefined> {
  await batches.updateOne(
    { _id: id, state: "open", cancel: { $exists: false } },
    { $set: { cancel } },
  );
  const found = await batches.findOne({ _id: id });
  return found?.cancel?.operation === cancel.operation ? found : undefined;
}

export function orderOf({ to, amount_minor }: TransferDocument | BatchDocument["payouts"][number]) {
  return { to, amount: fromDecimal128(amount_minor) };
}
