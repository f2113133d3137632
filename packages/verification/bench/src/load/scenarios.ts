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
import { monotonicMs } from "./monotonic-clock.ts";
import type { Exchange, Send } from "./sender.ts";

/** The settlement time of the sandbox's rail: short, so that it does not bound lifecycles. */
export const railMs = 100;

/** A merchant of a platform. */
export type Target = {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly accountId: string;
  /** Quotes go to these accounts in turn, if there are several. */
  readonly accountIds?: readonly string[];
  readonly beneficiaryId: string;
};

/** A target as the load generator keeps it between runs. */
export type TargetState = {
  /** The merchants that send requests, in turn. */
  readonly targets: readonly [Target, ...Target[]];
  /** Quotes that were not executed yet. */
  readonly quotes: KnownRecord[];
  /** Payouts that can be read. */
  readonly payouts: KnownRecord[];
  /** Their amounts by id. */
  readonly amounts: Map<string, string>;
  /** Successful executes. */
  executed: number;
};

/** The requests that the load generator can send to a platform. */
export type ScenarioName = keyof typeof scenarios;

/** One turn of a client. */
type Turn = {
  readonly state: TargetState;
  /** The merchant whose turn it is. */
  readonly target: Target;
  readonly send: Send;
  /** The start of a page deep in the list. */
  readonly cursor: string;
  /** Waits for a payout's webhook; returns when it came. Call it before the execute. */
  readonly webhookOf: (payoutId: string) => Promise<number>;
  /** Milliseconds from each execute to its webhook. */
  readonly webhookMs: number[];
};

/** The length of a page by default. */
const pageLength = 20;
const listPath = `/api/v1/transfer/payouts?limit=${pageLength}`;

/** Each runs one turn; returns false if nothing is left to request. */
export const scenarios = {
  quote: async ({ state, target, send }: Turn) => {
    state.quotes.push(await send(quoteExchange(target)));
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
    const path = `/api/v1/transfer/payouts/${payout.id}`;
    await send({ method: "GET", path, check: (text) => checkPayout(text, payout) });
    return true;
  },

  list: async (turn: Turn) => await page(turn, listPath),

  list_deep: async (turn: Turn) => await page(turn, `${listPath}&cursor=${turn.cursor}`),

  beneficiary: async ({ send }: Turn) => {
    await send(beneficiaryExchange());
    return true;
  },

  lifecycle: async ({ state, target, send, webhookOf, webhookMs }: Turn) => {
    const quote = await send(quoteExchange(target));
    const sentAtMs = monotonicMs();
    const [receivedAtMs] = await Promise.all([
      webhookOf(payoutIdOf(quote)),
      execute(state, send, quote),
    ]);
    webhookMs.push(receivedAtMs - sentAtMs - railMs);
    return true;
  },
};

/** Requests a quote, by default for the next amount. */
export function quoteExchange(target: Target, amount = nextAmount()): Exchange<KnownRecord> {
  const body = quoteBody(target.beneficiaryId, nextAccount(target), amount);
  const check = (text: string) => checkQuote(text, amount);
  return { method: "POST", path: "/api/v1/transfer/rfq", body, check };
}

/** Executes a quote. */
export function executeExchange(quote: KnownRecord): Exchange<KnownRecord> {
  const body = JSON.stringify({ quote_id: quote.id, reference_id: "bench" });
  const check = (text: string) => checkExecuted(text, quote);
  return { method: "POST", path: "/api/v1/transfer/execute", body, check };
}

async function execute(state: TargetState, send: Send, quote: KnownRecord): Promise<void> {
  const payout = await send(executeExchange(quote));
  state.executed += 1;
  addPayout(state, payout);
}

async function page({ state, send }: Turn, path: string): Promise<boolean> {
  const check = (text: string) => checkPage(text, pageLength, (id) => state.amounts.get(id));
  await send({ method: "GET", path, check });
  return true;
}

/** Creates a beneficiary; its answer is the id. */
export function beneficiaryExchange(): Exchange<string> {
  const path = "/api/v1/transfer/crypto/beneficiary";
  return { method: "POST", path, body: beneficiaryBody(), check: checkBeneficiary };
}

/** Adds a payout to those that can be read. */
export function addPayout({ payouts, amounts }: TargetState, payout: KnownRecord): void {
  payouts.push(payout);
  amounts.set(payout.id, payout.amount);
}

function quoteBody(beneficiary_id: string, account_id: string, source_amount: string) {
  const corridor = { source_currency_code: "USD", destination_currency_code: "USDC_ETH" };
  return JSON.stringify({ source_amount, ...corridor, beneficiary_id, account_id });
}

let amountsMade = 0;

/** From 2.00, which the corridor's fees leave something of, to 8.99. */
function nextAmount(): string {
  amountsMade += 1;
  return (200 + (amountsMade % 700)).toString().replace(/(..)$/, ".$1");
}

function nextAccount({ accountId, accountIds = [accountId] }: Target): string {
  return accountIds[amountsMade % accountIds.length] ?? accountId;
}

const firstNames = ["Ada", "Grace", "Edsger", "Barbara", "Tony", "Radia", "Donald", "Frances"];
const lastNames = ["Lovelace", "Hopper", "Dijkstra", "Liskov", "Hoare", "Perlman", "Knuth"];

function anyOf(names: readonly string[]): string {
  return names[Math.floor(Math.random() * names.length)] ?? "";
}

/** A new person and wallet that are on no list. */
function beneficiaryBody(): string {
  return JSON.stringify({
    beneficiary_name: `${anyOf(firstNames)} ${anyOf(lastNames)}`,
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
  });
}
