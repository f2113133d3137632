import { Binary, BSON } from "mongodb";
import type {
  Account,
  Delivery,
  Documents,
  Entry,
  Payout,
  PayoutOrder,
  Posting,
  Quote,
  RecordedEntry,
  StoredEvent,
} from "./documents.ts";
import { hashOf } from "./entry-check.ts";

/**
 * A valid set of documents. Contains one payout for each kind of end, and one payout in progress.
 */

export const now = new Date("2026-03-01T12:00:00.000Z");
const at = new Date("2026-03-01T11:59:50.000Z");
const merchant = "mer_1";
const accountId = "acc_1";

/** Postings of a payout of 100.00 USD to 8,245.84 INR. */
const usd = { account: "", currency: "USD", amount: "" };
const post: Posting[] = [
  { ...usd, account: "held", amount: "-100" },
  { ...usd, account: "platform:fees", amount: "0.8" },
  { ...usd, account: "platform:exchange", amount: "99.2" },
  { account: "platform:exchange", currency: "INR", amount: "-8245.84691347872" },
  { account: "platform:settlement", currency: "INR", amount: "8245.84" },
  { account: "platform:rounding", currency: "INR", amount: "0.00691347872" },
];

function turned(amount: string): string {
  return amount.startsWith("-") ? amount.slice(1) : `-${amount}`;
}

const simple = (from: string, to: string, amount: string): Posting[] => [
  { ...usd, account: to, amount },
  { ...usd, account: from, amount: turned(amount) },
];

const postingsOf: Readonly<Record<string, Posting[]>> = {
  credit: simple("platform:funding", "available", "1000"),
  reversal: simple("available", "platform:funding", "1000"),
  hold: simple("available", "held", "100"),
  release: simple("held", "available", "100"),
  post,
  return: post.map((each) => ({
    ...each,
    account: each.account === "held" ? "available" : each.account,
    amount: turned(each.amount),
  })),
};

const effects: Readonly<Record<string, readonly [number, number]>> = {
  credit: [100_000, 0],
  reversal: [-100_000, 0],
  hold: [-10_000, 10_000],
  release: [10_000, -10_000],
  post: [0, -10_000],
  return: [10_000, 0],
};

/** Steps with the credit's or payout's name, in order. */
const movements = [
  ["credit", "one"],
  ["credit", "two"],
  ["reversal", "two"],
  ["hold", "settled"],
  ["hold", "returned"],
  ["hold", "rejected"],
  ["post", "settled"],
  ["post", "returned"],
  ["release", "rejected"],
  ["return", "returned"],
  ["hold", "going"],
] as const;

function chain(): RecordedEntry[] {
  let [available, held, previous] = [0, 0, ""];
  return movements.map(([step, name], index) => {
    const [more, keep] = effects[step] ?? [0, 0];
    available += more;
    held += keep;
    const isMoney = step === "credit" || step === "reversal";
    const credit = `${accountId}:credit:${name}`;
    const key =
      step === "credit" ? credit : `${step === "reversal" ? credit : `po_${name}`}:${step}`;
    const entry: Omit<Entry, "hash"> = {
      ...{ account_id: accountId, merchant_id: merchant, currency: "USD", step, note: name },
      amount: String(Math.abs(more === 0 ? keep : more)),
      payout_id: isMoney ? "" : `po_${name}`,
      ...{ sequence: index + 1, available: String(available), held: String(held) },
      postings: postingsOf[step] ?? [],
      reverses: step === "reversal" ? credit : step === "return" ? `po_${name}:post` : "",
      ...{ previous_hash: previous, created_at: at },
    };
    const hash = hashOf({ ...entry, hash: "" }, key);
    previous = hash;
    return { ...entry, _id: key, hash };
  });
}

const journals: Readonly<Record<string, readonly string[]>> = {
  settled: ["queued", "submitting", "processing", "concluding", "settled"],
  returned: ["queued", "submitting", "concluding", "settled", "returning", "returned"],
  rejected: ["queued", "submitting", "concluding", "rejected"],
  going: ["queued", "submitting", "processing"],
};
const statusOf: Readonly<Record<string, string>> = {
  settled: "succeeded",
  returning: "succeeded",
  returned: "failed",
  rejected: "failed",
};

function statuses(name: string): string[] {
  const all = (journals[name] ?? []).map((stage) => statusOf[stage] ?? "initiated");
  return all.filter((status, index) => status !== all[index - 1]);
}

const amounts = { source_minor: "10000", fees_minor: "80", receiving_minor: "824584" };
const places = { account_id: accountId, corridor_id: "cor_1", source: "USD", destination: "INR" };

function order(name: string): PayoutOrder {
  return {
    ...{ merchant_id: merchant, quote_id: `qt_${name}`, operation_id: `op_${name}` },
    ...{ actor: { kind: "api_key", id: "key_1" }, allow_duplicate: false },
    details: { reference_id: `order ${name}`, remittance_information: "", purpose_code: "" },
  };
}

function quote(name: string, claimed = true): Quote {
  const claim = {
    payout_id: `po_${name}`,
    order: new Binary(BSON.serialize(order(name))),
    operation_id: `op_${name}`,
    claimed_at: at,
  };
  return {
    ...{ _id: `qt_${name}`, merchant_id: merchant, ...places },
    amounts: { source: "10000", fees: "80", converted: "9920", receiving: "824584" },
    ...{ rate: "83.1234567891", beneficiary: { id: "ben_1" } },
    ...{ state: claimed ? "claimed" : "open", expires_at: now },
    ...(claimed ? { claim } : {}),
  };
}

function payout(name: string): Payout {
  const journal = journals[name] ?? [];
  const publicStatuses = journal.map((stage) => statusOf[stage] ?? "initiated");
  const steps = journal.map((stage, index) => {
    const changes = publicStatuses
      .slice(1, index + 1)
      .filter((publicStatus, before) => publicStatus !== publicStatuses[before]);
    return { stage, version: 1 + changes.length };
  });
  const stage = journal.at(-1) ?? "";
  return {
    ...{ _id: `po_${name}`, merchant_id: merchant, ...places, ...amounts, order: order(name) },
    beneficiary_id: "ben_1",
    exchange_rate: "83.1234567891",
    status: statuses(name).at(-1) ?? "",
    progress: stage === "settled" ? { stage, reference: "R" } : { stage },
    ...{ version: statuses(name).length, journal: steps, outbox: [], created_at: at },
    ...(name === "going" ? { work_due_at: now } : {}),
  };
}

function event(name: string, status: string, sequence: number): StoredEvent {
  const event_id = `evt_${name}_${sequence}`;
  return {
    ...{ _id: `${merchant}/${event_id}`, merchant_id: merchant, event_id, sequence, status },
    ...{ transaction_type: "payout_session", transaction_id: `po_${name}` },
    ...{ endpoint_ids: ["whe_1"], received_at: at },
  };
}

function delivery({ event_id, transaction_id }: StoredEvent): Delivery {
  return {
    transaction_id,
    ...{ _id: `whd_${event_id}`, merchant_id: merchant, endpoint_id: "whe_1", event_id },
    ...{ replay: 0, state: "delivered", attempts_count: 1, due_at: null },
    ...{ created_at: at, updated_at: at },
    attempts: [{ status_code: 200 }],
  };
}

/** Returns new documents on each call, so that tests may change them. */
export function soundDocuments() {
  const entries = chain();
  const names = ["settled", "returned", "rejected", "going"];
  const [recorded, recent] = [entries.slice(0, -1), entries.slice(-1)];
  const account: Account = {
    ...{ _id: accountId, merchant_id: merchant, currency: "USD", dirty: true },
    ...{ available: "80000", held: "10000", sequence: entries.length },
    ...{ head_hash: entries.at(-1)?.hash ?? "", recorded_sequence: recorded.length },
    counts: { initiated: 1, succeeded: 1, failed: 2 },
    recent: recent.map(({ _id: key, ...entry }) => ({ ...entry, key })),
    open_holds: [{ payout_id: "po_going", since: at }],
    platform: {
      ...{
        "platform:funding/USD": "-1000",
        "platform:fees/USD": "0.8",
        "platform:exchange/USD": "99.2",
      },
      ...{ "platform:exchange/INR": "-8245.84691347872", "platform:settlement/INR": "8245.84" },
      "platform:rounding/INR": "0.00691347872",
    },
  };
  const events = names.flatMap((name) =>
    statuses(name).map((status, index) => event(name, status, index + 1)),
  );
  const screening = { _id: "scr_1", merchant_id: merchant, record_id: "ben_1", verdict: "clear" };
  const documents = {
    accounts: [account],
    ledger_entries: recorded,
    waiting_payouts: [],
    payouts: names.map(payout),
    scheduled_payouts: [],
    sandbox_transfers: names.map((name) => ({
      _id: `po_${name}`,
      scenario: name === "rejected" ? "fail" : name === "returned" ? "return" : "settle",
      reference: "R",
    })),
    chain_transfers: [],
    bitcoin_transfers: [],
    solana_transfers: [],
    bank_payments: [],
    bank_files: [],
    quotes: [...names.map((name) => quote(name)), quote("open", false)],
    beneficiaries: [
      {
        _id: "ben_1",
        merchant_id: merchant,
        screening: { status: "cleared" },
        updated_at: at,
      },
    ],
    screenings: [{ ...screening, created_at: at }],
    endpoints: [
      {
        ...{ _id: "whe_1", merchant_id: merchant },
        ...{ created_at: new Date(0), updated_at: new Date(0), deleted_at: null },
      },
    ],
    events,
    endpoint_health: [],
    deliveries: events.map(delivery),
    idempotency_keys: [{ _id: "key_1", merchant_id: merchant, progress: { state: "open" } }],
  } satisfies Documents;
  return documents;
}
