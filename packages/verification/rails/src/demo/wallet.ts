import type { Chain } from "../counterparts/chain.ts";
import type { Payer } from "./payer.ts";
import { show } from "./printed.ts";
import { byWallet, paidWallet } from "./recipients.ts";

const settleTimeoutMs = 30_000;

/** Pays USDC to a wallet, and shows the transaction that the chain has. */
export async function payWallet({ disburse, pay, until }: Payer, chain: Chain): Promise<void> {
  const { beneficiary_id: id } = await disburse.beneficiaries.createCrypto(byWallet);
  const payoutId = await pay(id, "USDC_ETH", "250.00", "demo-wallet");
  show(
    "Executed: 250.00 USD to a wallet, as USDC",
    `payout ${payoutId}`,
    `the rail gives it a nonce, stores the signed bytes, and only then sends them`,
  );
  const paid = await until(payoutId, ({ status }) => status !== "initiated", settleTimeoutMs);
  const hash = paid.unique_transaction_reference as `0x${string}`;
  const receipt = await chain.anvil.client.getTransactionReceipt({ hash });
  const transaction = await chain.anvil.client.getTransaction({ hash });
  const [transfer] = (await chain.transfers()).filter((each) => each.hash === hash);
  if (transfer === undefined) throw new Error(`no transfer of ${hash} is on the chain`);
  show(
    `On the chain: the payout is ${paid.status}`,
    `transaction ${hash}`,
    `block ${receipt.blockNumber}, nonce ${transaction.nonce}, status ${receipt.status}, ${receipt.gasUsed} gas`,
    `Transfer of ${inUsdc(transfer.value)} USDC from ${chain.wallet} to ${transfer.to}`,
    `the wallet has ${inUsdc(await chain.balanceOf(paidWallet))} USDC; the quote said ${paid.receiving_amount}`,
  );
}

function inUsdc(units: bigint): string {
  const digits = units.toString().padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
