import type { Solana } from "../counterparts/solana.ts";
import { inUsdc, type Payer } from "./payer.ts";
import { show } from "./printed.ts";
import { bySolanaWallet, frozenSolanaWallet, paidSolanaWallet } from "./recipients.ts";

const settleTimeoutMs = 30_000;
const sendTimeoutMs = 15_000;
const pollEveryMs = 100;
const blockEveryMs = 400;

/** Pays USDC on Solana, and shows a transfer that the chain refuses. */
export async function payOnSolana(payer: Payer, solana: Solana): Promise<void> {
  await payWallet(payer, solana);
  await payFrozenWallet(payer, solana);
}

async function payWallet({ disburse, pay, until }: Payer, solana: Solana): Promise<void> {
  const { beneficiary_id: id } = await disburse.beneficiaries.createCrypto(
    bySolanaWallet(paidSolanaWallet),
  );
  const payoutId = await pay(id, "USDC_SOL", "150.00", "demo-solana");
  show(
    "Executed: 150.00 USD to a wallet on Solana, as USDC",
    `payout ${payoutId}`,
    "the rail stores the signed bytes, and sends them to both nodes until these report them finalized",
  );
  const paid = await until(payoutId, ({ status }) => status !== "initiated", settleTimeoutMs);
  showTransaction(solana, paid.status, paid.unique_transaction_reference ?? "");
  show(
    "At the recipient",
    `the wallet has ${inUsdc(await solana.balanceOf(paidSolanaWallet))} USDC; the quote said ${paid.receiving_amount}`,
  );
}

/** The issuer freezes the recipient's account after the rail has checked it and sent the bytes. */
async function payFrozenWallet({ disburse, pay, until }: Payer, solana: Solana): Promise<void> {
  const { beneficiary_id: id } = await disburse.beneficiaries.createCrypto(
    bySolanaWallet(frozenSolanaWallet),
  );
  solana.makeBlocks(undefined);
  const payoutId = await pay(id, "USDC_SOL", "75.00", "demo-solana-frozen");
  const signature = await sentTo(solana);
  await solana.freeze(frozenSolanaWallet);
  solana.makeBlocks(blockEveryMs);
  const failed = await until(payoutId, ({ status }) => status === "failed", settleTimeoutMs);
  showTransaction(solana, `${failed.status}, ${failed.failure_code}`, signature);
  show(
    "The failure is final on both nodes, so the money was not sent and is the merchant's again",
    `payout ${payoutId}, the wallet has ${inUsdc(await solana.balanceOf(frozenSolanaWallet))} USDC`,
  );
}

/** Waits until a node has received a transaction. */
async function sentTo({ chain }: Solana): Promise<string> {
  const latest = Date.now() + sendTimeoutMs;
  for (;;) {
    const [signature] = chain.pending();
    if (signature !== undefined) return signature;
    if (Date.now() > latest) throw new Error("the rail sent no transaction");
    await new Promise((resolve) => setTimeout(resolve, pollEveryMs));
  }
}

function showTransaction(solana: Solana, status: string, signature: string): void {
  const found = solana.find(signature);
  if (found === undefined) throw new Error(`the chain has no transaction ${signature}`);
  const result = found.error === null ? "success" : JSON.stringify(found.error);
  show(
    `On Solana: the payout is ${status}`,
    `signature ${signature}`,
    `slot ${found.slot}, ${result}, ${found.unitsUsed} units of computation`,
    ...found.logs.filter((line) => line.startsWith("Program log:") && !line.includes("Create")),
  );
}
