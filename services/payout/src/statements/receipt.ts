import { sign } from "node:crypto";
import type { ServiceKey } from "@disburse/chassis/identity/keys.ts";
import { entriesOfHold } from "@disburse/ledger/statement.ts";
import { openPdf } from "@disburse/statement-formats/pdf-page.ts";
import { printableName } from "@disburse/statement-formats/printable.ts";
import { holdOf } from "../payouts/rules/payout.ts";
import { findPayout } from "../payouts/store.ts";
import type { StatementStores } from "./period.ts";
import { canonicalJson, type Receipt, receiptOf, receiptPurpose } from "./rules/receipt.ts";

export type SignedReceipt = {
  readonly receipt: Receipt;
  readonly keyId: string;
  readonly signature: string;
};

/** Signs a receipt of a merchant's payout. Returns `undefined` for an unknown payout. */
export async function signedReceipt(
  stores: StatementStores,
  { merchantId, payoutId }: { readonly merchantId: string; readonly payoutId: string },
  { keyId, privateKey }: ServiceKey,
  now: Date,
): Promise<SignedReceipt | undefined> {
  const payout = await findPayout(stores.payouts, payoutId, { merchant_id: merchantId });
  if (payout === undefined) return undefined;
  const own = { merchantId, accountId: payout.quote.accountId };
  const entries = await entriesOfHold(stores.ledger, own, holdOf(payout.order));
  const receipt = receiptOf(payout, entries, now);
  const text = receiptPurpose + canonicalJson(receipt);
  const signature = sign(null, Buffer.from(text), privateKey).toString("base64url");
  return { receipt, keyId, signature };
}

const titles: Readonly<Record<string, string>> = {
  initiated: "Payout in progress",
  succeeded: "Receipt of a payout",
  failed: "Payout that was not paid",
};

const columns = [
  { title: "Movement", share: 0.12 },
  { title: "Amount", share: 0.18, isNumber: true },
  { title: "Hash in the account's chain", share: 0.7 },
];

/** Renders a receipt for people, with the signed file attached. */
export async function receiptPdf({ receipt, keyId, signature }: SignedReceipt): Promise<Buffer> {
  const page = await openPdf(titles[receipt.status] ?? "Payout");
  page.fields([
    ["Payout", receipt.payout_id],
    ["Your reference", receipt.reference_id],
    ["Status", `${receipt.status} (${receipt.sub_status})`],
    ["Beneficiary", printableName(receipt.beneficiary_name, receipt.beneficiary_name_latin ?? "")],
    ["Account or wallet", receipt.beneficiary_account_number_masked],
    ["Method", [receipt.transfer_method, receipt.network].filter((each) => each !== "").join(", ")],
    ["Taken from your account", `${receipt.source_amount} ${receipt.source_currency_code}`],
    ["Fees of it", `${receipt.total_fees} ${receipt.source_currency_code}`],
    ["Exchange rate", receipt.exchange_rate],
    ["Beneficiary receives", `${receipt.receiving_amount} ${receipt.destination_currency_code}`],
    ["Reference of the transfer", receipt.unique_transaction_reference],
    ...(receipt.failure_code === "" ? [] : [["Reason", receipt.failure_code] as const]),
    ...(receipt.reissue_of ? [["Pays again", receipt.reissue_of] as const] : []),
    ...(receipt.reissued_as ? [["Paid again by", receipt.reissued_as] as const] : []),
    ["Made", receipt.created_at],
    ["Last change", receipt.updated_at],
  ]);
  page.heading("Movements of your account");
  await page.table(
    columns,
    receipt.ledger.map(({ step, amount, hash }) => [step, amount, hash]),
  );
  page.heading("Proof");
  page.text(
    `Issued ${receipt.issued_at}. The file receipt.json is attached and signed with the key ${keyId}; \`npx disburse verify receipt.json\` checks it.`,
  );
  page.code(signature);
  page.attach(
    "receipt.json",
    `${JSON.stringify({ receipt, key_id: keyId, signature }, null, 2)}\n`,
  );
  return page.end();
}
