import type { SandboxClients } from "@disburse/sandbox/clients.ts";
import type { BitcoinNode } from "../counterparts/bitcoin.ts";
import type { Payer, PayoutSeen } from "./payer.ts";
import { show } from "./printed.ts";
import { byBitcoin } from "./recipients.ts";

const settleTimeoutMs = 60_000;

/** Another address of the same payee: P2PKH instead of SegWit. */
const legacyAddress = "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH";

/** Pays two payouts by one transaction, shows it, and has one refused. */
export async function payBitcoin(
  { disburse, pay, until }: Payer,
  bitcoin: BitcoinNode,
  { operations }: Pick<SandboxClients, "operations">,
): Promise<void> {
  const ended = ({ status }: PayoutSeen) => status !== "initiated";
  const payTo = async (address: string, amount: string, reference: string) => {
    const { beneficiary_id: id } = await disburse.beneficiaries.createCrypto({
      ...byBitcoin,
      beneficiary_account_number: address,
    });
    return pay(id, "BTC", amount, reference);
  };
  // No block until the batch was shown.
  bitcoin.makeBlocks(3_600_000);
  const first = await payTo(byBitcoin.beneficiary_account_number, "500.00", "demo-bitcoin");
  const second = await payTo(legacyAddress, "250.00", "demo-bitcoin-2");
  show(
    "Executed: 500.00 and 250.00 USD to two wallets, in bitcoin",
    `payouts ${first} and ${second}`,
    "the rail puts them into one transaction, stores its signed bytes, and only then sends them",
  );
  const { rail } = bitcoin.settings;
  const signed = async () => {
    const { batches } = await operations.listTransactionBatches({ rail });
    return batches.find(({ transactions }) => transactions.length > 0);
  };
  const latest = Date.now() + settleTimeoutMs;
  let batch = await signed();
  while (batch === undefined && Date.now() < latest) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    batch = await signed();
  }
  const [shown] = batch?.transactions ?? [];
  if (batch === undefined || shown === undefined) throw new Error("no batch was signed");
  show(
    `A batch of ${batch.payoutIds.length} waits for a block`,
    `every variant of it spends the coin ${batch.id}, so only one can be mined`,
    `transaction ${shown.hash}, fee ${shown.fee} sat for ${shown.size} vB`,
  );
  bitcoin.makeBlocks(500);
  const paid = await until(first, ended, settleTimeoutMs);
  const other = await until(second, ended, settleTimeoutMs);
  const [hash = "", output] = paid.unique_transaction_reference.split(":");
  const found = await bitcoin.transaction(hash);
  show(
    `On the chain: the payouts are ${paid.status} and ${other.status}`,
    `transaction ${found.txid}, block ${found.blockhash}, ${found.confirmations} confirmations`,
    ...found.vin.map(({ txid, vout }) => `input ${txid}:${vout}`),
    ...found.vout.map(({ n, value, scriptPubKey }) => {
      const to = scriptPubKey.address === bitcoin.address ? "the wallet" : scriptPubKey.address;
      return `output ${n}: ${value} BTC to ${to}`;
    }),
    `output ${output} pays ${paid.receiving_amount} BTC, as the quote said`,
  );
  const own = await payTo(bitcoin.mainNetAddress, "100.00", "demo-bitcoin-refused");
  const refused = await until(own, ended, settleTimeoutMs);
  show(
    "Executed: 100.00 USD to an address that the rail can't pay, the wallet's own",
    `the payout is ${refused.status}: ${refused.failure_code}, ${refused.failure_message}`,
    "nothing was signed, and the merchant has the money again",
  );
}
