import {
  orderIn,
  unsentReply,
  type WalletRailOptions,
  walletRail,
  watchedReply,
} from "@disburse/chain-rail/wallet/rail.ts";
import { findTransfer } from "@disburse/chain-rail/wallet/store.ts";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { currencyOf } from "@disburse/kernel/currency.ts";
import { formatDecimal } from "@disburse/kernel/decimal.ts";
import type { Rail, RailReply } from "@disburse/rail/rail.ts";
import type { TransferredAmount } from "@disburse/rail/report.ts";
import type { createDispatcher } from "./dispatcher.ts";
import type { BatchDocument, BitcoinStore, TransferDocument } from "./documents.ts";
import { payableScript } from "./forming.ts";
import { shareOf } from "./rules/fees.ts";
import { currency } from "./settings.ts";
import { acceptTransfer, findBatch, orderOf } from "./store.ts";
import { outputsOf, readTransaction } from "./transaction.ts";
import { scriptOf, type WalletKey } from "./wallet-key.ts";
import { withdrawTransfer } from "./withdrawal.ts";

export type BitcoinRailOptions = WalletRailOptions & {
  readonly key: WalletKey;
  readonly store: BitcoinStore;
  readonly dispatcher: ReturnType<typeof createDispatcher>;
  /** The maximum fee rate, in satoshi per virtual byte. */
  readonly feeRateMax: bigint;
};

/** The virtual size that a payout adds to a batch: an output, and a part of an input. */
const payoutVsize = 150n;
/** The poll interval of an ended transfer whose transaction may still leave the chain. */
const watchPollMs = 60_000;

/** Creates a rail whose transfers a dispatcher pays in batches. */
export function createBitcoinRail(options: BitcoinRailOptions): Rail {
  const { wallet, capabilities, key: walletKey, store, dispatcher, clock, pollMs, wake } = options;
  const feeMax = payoutVsize * options.feeRateMax;
  const reply = async (key: string): Promise<RailReply> => {
    const transfer = await findTransfer(store, key);
    if (transfer === null) return { status: { kind: "not_received" } };
    const batch = transfer.batch === undefined ? undefined : await findBatch(store, transfer.batch);
    return replyOf(transfer, batch, pollMs);
  };
  return {
    ...walletRail(options, dispatcher.state, reply),
    shortage: async ({ amount }) => {
      const state = dispatcher.state();
      return state !== undefined && state.free < amount + feeMax ? "LOW_FUNDS" : undefined;
    },
    preflight: async (instruction) => {
      const checked = payableScript(walletKey, orderIn(capabilities, instruction));
      if (typeof checked !== "string") return { kind: "ok" };
      return { kind: "refuse", failure: { code: checked } };
    },
    submit: async (key, instruction) => {
      const order = orderIn(capabilities, instruction);
      if (order.currency !== currency)
        throw new Error(`the rail does not support ${order.currency}`);
      const checked = payableScript(walletKey, order);
      const refused = typeof checked === "string" ? { refused: checked } : undefined;
      await acceptTransfer(store, key, wallet, order, clock.now(), refused);
      wake();
      return reply(key);
    },
    withdraw: (key) => withdrawTransfer(store, wallet, key, clock.now()),
  };
}

/** Converts a transfer to a reply. Sets the time of the next poll while the batch needs work. */
function replyOf(
  { _id: key, state, refused: code }: TransferDocument,
  batch: BatchDocument | undefined,
  pollMs: number,
): RailReply {
  if (state === "withdrawn") return unsentReply(code && { code });
  if (batch?.end === undefined || batch.state === "open")
    return { status: { kind: "accepted" }, pollAfterMs: pollMs };
  if (batch.state === "unclear") return { status: { kind: "unknown" } };
  const watched = watchedReply(batch, watchPollMs);
  if (batch.state === "cancelled") return { status: { kind: "rejected" }, ...watched };
  const index = batch.payouts.findIndex((each) => each.key === key);
  const payout = batch.payouts[index];
  if (payout === undefined) throw new Error(`batch ${batch._id} does not contain payout ${key}`);
  return {
    status: { kind: "settled", reference: referenceOf(batch, batch.end.id, index) },
    transferred: amountOf(fromDecimal128(payout.amount_minor)),
    charges: feesOf(batch, index),
    ...watched,
  };
}

/** Returns the output that pays a payout, as `txid:output`. Equal payouts have different outputs. */
function referenceOf({ variants, payouts }: BatchDocument, id: string, index: number): string {
  const variant = variants.find((each) => each.id === id);
  if (variant === undefined) throw new Error("the final transaction is no variant of the batch");
  const outputs = outputsOf(readTransaction(variant.raw.value()));
  const taken = new Set<number>();
  for (const payout of payouts.slice(0, index + 1)) {
    const { to, amount } = orderOf(payout);
    const script = Buffer.from(scriptOf(to) ?? []);
    const at = outputs.findIndex((each, place) => {
      return !taken.has(place) && each.amount === amount && script.equals(each.script);
    });
    if (at < 0) throw new Error(`the final transaction does not pay ${payout.key}`);
    taken.add(at);
  }
  return `${id}:${[...taken].at(-1)}`;
}

/**
 * Returns the payout's shares of the fees that the platform paid: of the final variant, then of its
 * child. A payout without a share of the one has none of the other either.
 */
function feesOf(batch: BatchDocument, index: number): TransferredAmount[] {
  const { variants, children, payouts, end, child_end } = batch;
  const paid = [
    variants.find(({ id }) => id === end?.id),
    children.find(({ id }) => id === child_end?.id),
  ];
  return paid.flatMap((each) => {
    const fee = each === undefined ? 0n : fromDecimal128(each.fee);
    const share = shareOf(fee, index, payouts.length);
    return share > 0n ? [amountOf(share)] : [];
  });
}

function amountOf(satoshi: bigint): TransferredAmount {
  const amount = formatDecimal({ units: satoshi, scale: currencyOf(currency).decimals });
  return { amount, currency };
}
