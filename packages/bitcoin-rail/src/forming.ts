import { storeWithdrawal } from "@disburse/chain-rail/wallet/store.ts";
import type { BatchDocument, TransferDocument } from "./documents.ts";
import { chooseBatch, type Payable } from "./rules/coins.ts";
import { freeCoins } from "./sending.ts";
import { findBatch, fixedCoins, orderOf, reservedFor, storeBatch } from "./store.ts";
import { dustOf, scriptOf, type WalletKey } from "./wallet-key.ts";
import { type BatchWork, changeRead, type Run } from "./work.ts";

/** The time that a payout waits for others, and the maximum number of payouts. */
export type BatchPolicy = { readonly afterMs: number; readonly payoutsMax: number };

/**
 * Returns the script to pay, or the reason why an order can't be paid: its address is invalid or
 * the wallet's own, or nodes would not relay so small an amount.
 */
export function payableScript(
  key: WalletKey,
  { to, amount }: { readonly to: string; readonly amount: bigint },
): Uint8Array | "INVALID_ACCOUNT" | "AMOUNT_NOT_ACCEPTED" {
  const script = scriptOf(to);
  if (script === undefined || Buffer.compare(script, key.script) === 0) return "INVALID_ACCOUNT";
  return amount < dustOf(script) ? "AMOUNT_NOT_ACCEPTED" : script;
}

/**
 * Stores the batch and the withdrawals that the wallet's document has decided, wherever another
 * process stopped. Returns `false` if another process changed the wallet.
 */
export async function completeWallet(work: BatchWork, run: Run, since: string): Promise<boolean> {
  const { store, clock } = work;
  const { wallet } = run;
  await storeBatch(store, wallet, clock.now());
  for (const key of wallet.withdrawn) await storeWithdrawal(store, key, clock.now());
  const isDone = wallet.forming === null && wallet.withdrawn.length === 0;
  if (isDone && since === wallet.since_block) return true;
  return changeRead(work, run, { forming: null, withdrawn: [], since_block: since });
}

/** Forms a batch of waiting transfers at a fee rate, if one is due and the coins cover it. */
export async function formBatch(
  work: BatchWork,
  run: Run,
  waiting: readonly TransferDocument[],
  { afterMs, payoutsMax, rate }: BatchPolicy & { readonly rate: bigint },
): Promise<BatchDocument | undefined> {
  const { store, key, clock } = work;
  const [oldest] = waiting;
  if (oldest === undefined) return undefined;
  const waitedMs = clock.now().getTime() - oldest.accepted_at.getTime();
  if (waitedMs < afterMs && waiting.length < payoutsMax) return undefined;
  const payable = waiting.flatMap((each): Payable[] => {
    const script = payableScript(key, orderOf(each));
    return typeof script === "string" ? [] : [{ key: each._id, script, ...orderOf(each) }];
  });
  const free = freeCoins(run);
  const used = await fixedCoins(
    store,
    free.map(({ id }) => id),
  );
  const coins = free.filter(({ id }) => !used.has(id));
  const chosen = chooseBatch(key, payable, coins, { rate, payoutsMax });
  const [fixed] = chosen?.coins ?? [];
  if (chosen === undefined || fixed === undefined) return undefined;
  const keys = chosen.payouts.map((each) => each.key);
  const isFormed =
    (await changeRead(work, run, {
      forming: { id: fixed.id, keys, since: run.snapshot.height },
      reserved: [...run.wallet.reserved, ...reservedFor(fixed.id, chosen.coins)],
    })) && (await completeWallet(work, run, run.wallet.since_block));
  return isFormed ? findBatch(store, fixed.id) : undefined;
}
