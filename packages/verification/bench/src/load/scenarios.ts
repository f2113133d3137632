import { randomBytes } from "node:crypto";
import {
  checkBeneficiary,
  checkExecuted,
  checkPage,
  checkPayout,
  checkQuote,
  type KnownRecord,
  payoutIdOf,
} from "./answers.ts";
import { webhookOf } from "./receiver.ts";
import type { Send } from "./sender.ts";

/** Settlement time of the sandbox's rail. Short, so that it doesn't limit lifecycles. */
export const railMs = 100;

export type Target = {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly merchantId: string;
  readonly accountId: string;
  readonly beneficiaryId: string;
  readonly endpointId: string | undefined;
};

export type LoadState = ReturnType<typeof newLoadState>;

/** Merchants take turns. Reads choose among `payouts`. */
export function newLoadState(
  targets: readonly [Target, ...Target[]],
  payouts: readonly KnownRecord[] = [],
) {
  return {
    targets,
    quotes: [] as KnownRecord[],
    payouts: [...payouts],
    amounts: new Map(payouts.map(({ id, amount }) => [id, amount])),
    executed: 0,
  };
}

export type ScenarioName = keyof typeof scenarios;

type Turn = {
  readonly state: LoadState;
  readonly target: Target;
  readonly send: Send;
  readonly webhookMs: number[];
};

const pageLength = 20;

/** Each function runs one turn. It returns false if nothing is left to request. */
export const scenarios = {
  quote: async ({ state, target, send }: Turn) => {
    state.quotes.push(await requestQuote(send, target));
    return true;
  },

  execute: async ({ state, send }: Turn) => {
    const quote = state.quotes.shift();
    if (quote !== undefined) await execute(state, send, quote);
    return quote !== undefined;
  },

  read: async ({ state, send }: Turn) => {
    const payout = state.payouts[Math.floor(Math.random() * state.payouts.length)];
    if (payout === undefined) return false;
    const check = (text: string) => checkPayout(text, payout);
    await send({ path: `/transfer/payouts/${payout.id}`, check });
    return true;
  },

  list: async ({ state, send }: Turn) => {
    const check = (text: string) => checkPage(text, pageLength, (id) => state.amounts.get(id));
    await send({ path: `/transfer/payouts?limit=${pageLength}`, check });
    return true;
  },

  beneficiary: async ({ send }: Turn) => {
    await createBeneficiary(send);
    return true;
  },

  lifecycle: async ({ state, target, send, webhookMs }: Turn) => {
    const quote = await requestQuote(send, target);
    const sentAtMs = performance.now();
    const [receivedAtMs] = await Promise.all([
      webhookOf(payoutIdOf(quote)),
      execute(state, send, quote),
    ]);
    webhookMs.push(receivedAtMs - sentAtMs - railMs);
    return true;
  },
};

let amountsUsed = 0;

/** Returns an amount from 2.00 to 8.99. Lower amounts would not cover the corridor's fees. */
function nextAmount(): string {
  amountsUsed += 1;
  return (200 + (amountsUsed % 700)).toString().replace(/(..)$/, ".$1");
}

export async function requestQuote(
  send: Send,
  { beneficiaryId: beneficiary_id, accountId: account_id }: Target,
  source_amount = nextAmount(),
): Promise<KnownRecord> {
  const corridor = { source_currency_code: "USD", destination_currency_code: "USDC_ETH" };
  const body = { source_amount, ...corridor, beneficiary_id, account_id };
  return send({ path: "/transfer/rfq", body, check: (text) => checkQuote(text, source_amount) });
}

export async function executeQuote(send: Send, quote: KnownRecord): Promise<KnownRecord> {
  const body = { quote_id: quote.id, reference_id: "bench" };
  return send({ path: "/transfer/execute", body, check: (text) => checkExecuted(text, quote) });
}

async function execute(state: LoadState, send: Send, quote: KnownRecord): Promise<void> {
  const payout = await executeQuote(send, quote);
  state.executed += 1;
  state.payouts.push(payout);
  state.amounts.set(payout.id, payout.amount);
}

/** Uses a new person and wallet that are on no list. */
export async function createBeneficiary(send: Send): Promise<string> {
  const anyOf = (names: readonly string[]) => names[Math.floor(Math.random() * names.length)];
  const first = anyOf(["Ada", "Grace", "Edsger", "Barbara", "Tony", "Radia", "Donald", "Frances"]);
  const last = anyOf(["Lovelace", "Hopper", "Dijkstra", "Liskov", "Hoare", "Perlman", "Knuth"]);
  const body = {
    beneficiary_name: `${first} ${last}`,
    beneficiary_account_type: "Individual",
    beneficiary_date_of_birth: "1985-12-10",
    beneficiary_document_type: "PASSPORT",
    beneficiary_document_id: randomBytes(6).toString("hex"),
    beneficiary_address: "12 St James Square",
    beneficiary_city: "London",
    beneficiary_state: "London",
    beneficiary_postcode: "SW1Y 4JH",
    beneficiary_country_code: "GB",
    routing_code_type_1: "NETWORK",
    routing_code_value_1: "ETHEREUM",
    destination_currency: "USDC_ETH",
    beneficiary_account_number: `0x${randomBytes(20).toString("hex")}`,
    beneficiary_wallet_custody_provider: "OTHERS",
    beneficiary_wallet_custody_provider_name: "Paper wallet",
  };
  return send({ path: "/transfer/crypto/beneficiary", body, check: checkBeneficiary });
}
