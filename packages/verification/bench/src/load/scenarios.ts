import { randomBytes } from "node:crypto";
import {
  checkBeneficiary,
  checkExecuted,
  checkPage,
  checkPayout,
  checkQuote,
  type KnownRecord,
} from "./answers.ts";

/** Which merchant of which platform asks. */
export type Target = {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly accountId: string;
  /** Where quotes are to be spread over several accounts: these, in turn. */
  readonly accountIds?: readonly string[];
  readonly beneficiaryId: string;
};

/**
 * A request, and what its answer has to be: `check` answers what was made, and throws
 * `WrongAnswerError`.
 */
export type Exchange<Made = unknown> = {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
  readonly check: (text: string) => Made;
};

/** What the load generator remembers of a target between runs. */
export type TargetState = {
  /** The merchants that ask, in turn; most scenarios have only the first. */
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

/** What can be requested of a platform; `mix` is 80 % reads and 20 % quotes and executes. */
export type ScenarioName =
  | ("quote" | "execute" | "read" | "list" | "list_deep" | "beneficiary")
  | "mix";

/** The next request of a scenario; `undefined` when there is nothing left to request. */
export type Scenario = (memory: TargetState, cursor: string) => Exchange | undefined;

/** The length of a page by default. */
const pageLength = 20;
const listPath = `/api/v1/transfer/payouts?limit=${pageLength}`;

/** How each scenario makes its next request. */
export const scenarios: Readonly<Record<ScenarioName, Scenario>> = {
  quote: ({ targets: [target], quotes }) => {
    const { check, ...exchange } = quoteExchange(target);
    return { ...exchange, check: (text) => quotes.push(check(text)) };
  },

  execute: (memory) => {
    const quote = memory.quotes.shift();
    return quote === undefined ? undefined : executeExchange(memory, quote);
  },

  read: ({ payouts }) => {
    const payout = payouts[Math.floor(Math.random() * payouts.length)];
    if (payout === undefined) return undefined;
    const path = `/api/v1/transfer/payouts/${payout.id}`;
    return { method: "GET", path, check: (text) => checkPayout(text, payout) };
  },

  list: (memory) => page(memory, listPath),

  list_deep: (memory, cursor) => page(memory, `${listPath}&cursor=${cursor}`),

  beneficiary: () => {
    const path = "/api/v1/transfer/crypto/beneficiary";
    return { method: "POST", path, body: beneficiaryBody(), check: checkBeneficiary };
  },

  mix: (memory, cursor) => {
    const name = mixed[mixedMade++ % mixed.length] ?? "read";
    return scenarios[name](memory, cursor) ?? scenarios.read(memory, cursor);
  },
};

/** The turns of `mix`. A quote may be unanswered when its execute is due: then a read stands in. */
export const mixed = [
  ...["read", "read", "read", "read", "quote"],
  ...["read", "read", "read", "read", "execute"],
] as ("read" | "quote" | "execute")[];
let mixedMade = 0;

/** Asks for a quote of the next amount. */
export function quoteExchange(target: Target): Exchange<KnownRecord> {
  const amount = nextAmount();
  const body = quoteBody(target.beneficiaryId, nextAccount(target), amount);
  const check = (text: string) => checkQuote(text, amount);
  return { method: "POST", path: "/api/v1/transfer/rfq", body, check };
}

/** Executes a quote, and remembers the payout. */
export function executeExchange(memory: TargetState, quote: KnownRecord): Exchange<KnownRecord> {
  const body = JSON.stringify({ quote_id: quote.id, reference_id: "bench" });
  const check = (text: string) => {
    const payout = checkExecuted(text, quote);
    memory.executed += 1;
    addPayout(memory, payout);
    return payout;
  };
  return { method: "POST", path: "/api/v1/transfer/execute", body, check };
}

function page({ amounts }: TargetState, path: string): Exchange {
  const check = (text: string) => checkPage(text, pageLength, (id) => amounts.get(id));
  return { method: "GET", path, check };
}

/** Adds a payout to those that can be read. */
export function addPayout({ payouts, amounts }: TargetState, payout: KnownRecord): void {
  payouts.push(payout);
  amounts.set(payout.id, payout.amount);
}

/** What asks for a quote. */
export function quoteBody(beneficiary_id: string, account_id: string, source_amount: string) {
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

/** A person and a wallet that are on no list; another one each time. */
export function beneficiaryBody(): string {
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
