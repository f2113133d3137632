import type { Random } from "@disburse/harness/random.ts";
import type { Recipient } from "./recipients.ts";

/** A client's payout, with the data for repeating the request. */
type AcceptedPayout = { id: string; key: string; body: object; text: string };

/** Sends a request. Returns the data of a success. */
export type Post = (path: string, body: object, key: string) => Promise<Answered | undefined>;
type Answered = { readonly data: Readonly<Record<string, string>>; readonly text: string };

type PaymentOptions = {
  readonly accountId: string;
  readonly recipients: readonly Recipient[];
  readonly random: Random;
};

/**
 * Amounts are from 1.00 to 5.99, so that the account's balance is enough for any number of payouts.
 */
const centsMin = 100;
const centsSpread = 500;

/** Creates quotes and executes them. Remembers the quotes and the accepted payouts. */
export function createPayments({ accountId, recipients, random }: PaymentOptions) {
  const accepted: AcceptedPayout[] = [];
  const quoteIds: string[] = [];
  /** The first word of a payout's reference chooses the outcome of the sandbox's rail. */
  const pay = async (post: Post, outcome: () => string = () => "order"): Promise<void> => {
    const { id, currency } = random.pick(recipients);
    const cents = String(centsMin + random.below(centsSpread));
    const quote = {
      source_amount: `${cents.slice(0, -2)}.${cents.slice(-2)}`,
      source_currency_code: "USD",
      destination_currency_code: currency,
      beneficiary_id: id,
      account_id: accountId,
    };
    const quoted = await post("/transfer/rfq", quote, crypto.randomUUID());
    if (quoted === undefined) return;
    quoteIds.push(quoted.data.id ?? "");
    const key = crypto.randomUUID();
    const body = { quote_id: quoted.data.id, reference_id: `${outcome()}-${key}` };
    const paid = await post("/transfer/execute", body, key);
    if (paid !== undefined) accepted.push({ id: paid.data.id ?? "", key, body, text: paid.text });
  };
  return { pay, accepted, quoteIds: quoteIds as readonly string[] };
}
