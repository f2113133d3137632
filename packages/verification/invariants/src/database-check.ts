import type { Filter, MongoClient } from "mongodb";
import { checkHolding, createAccountCheck } from "./account-check.ts";
import { type DataKey, namedBy, openerOf } from "./answer-check.ts";
import { type CollectionName, type Documents, serviceOf } from "./documents.ts";
import {
  type CheckOptions,
  checkBatch,
  checkLedgerEntry,
  type DocumentIndex,
  entryKey,
  indexDocuments,
  payoutSteps,
} from "./documents-check.ts";
import type { Finding, Invariant } from "./finding.ts";

/** Number of documents of one kind that are loaded at a time, with their related documents. */
const batchSize = 500;
/** Maximum number of reported findings. All findings are counted. */
const findingsKept = 1_000;

/** Database names are `prefix` followed by the service's name. */
export type Databases = { readonly client: MongoClient; readonly prefix: string };

export type CheckReport = ReturnType<ReturnType<typeof createReport>["end"]>;

type Document<C extends CollectionName> = Documents[C][number];

/** Returns a collection from its service's database, typed for the checks. */
export function collectionOf<C extends CollectionName>({ client, prefix }: Databases, name: C) {
  return client.db(`${prefix}${serviceOf[name]}`).collection<Document<C> & { _id: string }>(name);
}

/** Returns a decryption function for stored answers, using the gateway's keys. */
export async function openerFor({ client, prefix }: Databases, encryptionKeys: string) {
  const dataKeys = client
    .db(`${prefix}${serviceOf.idempotency_keys}`)
    .collection<DataKey>("data_keys");
  return openerOf(encryptionKeys, await dataKeys.find().toArray());
}

/**
 * Checks all invariants on the raw documents, in batches. Memory holds accounts, endpoints and the
 * keys of one batch. It doesn't grow with the number of payouts.
 */
export async function checkDatabase(
  databases: Databases,
  options: CheckOptions,
): Promise<CheckReport> {
  const report = createReport();
  const all = async <C extends CollectionName>(name: C) => {
    const documents = await readAll(databases, name, {});
    report.count(name, documents.length);
    return documents;
  };
  const base = indexDocuments({
    accounts: await all("accounts"),
    endpoints: await all("endpoints"),
    endpoint_health: await all("endpoint_health"),
  });
  await checkAccounts(databases, base, options, report);
  for (const name of Object.keys(related) as Batched[]) {
    await checkCollection(databases, name, base, options, report);
  }
  for (const name of ["beneficiaries", "screenings"] as const) {
    report.count(name, await collectionOf(databases, name).estimatedDocumentCount());
  }
  return report.end();
}

export function withFindings(report: CheckReport, found: readonly Finding[]): CheckReport {
  const broken = new Map(report.broken);
  for (const { invariant } of found) broken.set(invariant, (broken.get(invariant) ?? 0) + 1);
  return { ...report, broken, findings: [...report.findings, ...found].slice(0, findingsKept) };
}

function createReport() {
  const counts: Partial<Record<CollectionName, number>> = {};
  const findings: Finding[] = [];
  const broken = new Map<Invariant, number>();
  return {
    count: (name: CollectionName, count: number) => {
      counts[name] = (counts[name] ?? 0) + count;
    },
    add: (found: readonly Finding[]) => {
      for (const finding of found) {
        broken.set(finding.invariant, (broken.get(finding.invariant) ?? 0) + 1);
        if (findings.length < findingsKept) findings.push(finding);
      }
    },
    end: () => ({
      counts: Object.fromEntries(
        Object.keys(serviceOf).map((name) => [name, counts[name as CollectionName] ?? 0]),
      ),
      findings: findings as readonly Finding[],
      broken: broken as ReadonlyMap<Invariant, number>,
    }),
  };
}

type Report = ReturnType<typeof createReport>;

async function checkAccounts(
  databases: Databases,
  base: DocumentIndex,
  { now }: CheckOptions,
  report: Report,
): Promise<void> {
  const ledger = collectionOf(databases, "ledger_entries");
  for (const account of base.accounts.values()) {
    const check = createAccountCheck(account);
    const chain = ledger.find({ account_id: account._id }).sort({ sequence: 1 });
    for await (const entry of chain) check.add(entry);
    report.add(check.end(now));
    const holding = check.holding();
    for (let at = 0; at < holding.length; at += batchSize) {
      const ids = holding.slice(at, at + batchSize);
      const payoutIds = ids.map((id) => id.split(".")[0] ?? id);
      const payouts = await readAll(databases, "payouts", { _id: { $in: payoutIds } });
      const orders = await readAll(databases, "scheduled_payouts", { _id: { $in: ids } });
      const known = indexDocuments({ payouts, scheduled_payouts: orders });
      report.add(checkHolding(account, ids, known.payouts, known.scheduled));
    }
  }
  for await (const entries of batches(databases, "ledger_entries")) {
    report.count("ledger_entries", entries.length);
    const ids = entries.map(({ payout_id }) => payout_id).filter((id) => id !== "");
    const payouts = await readAll(databases, "payouts", { _id: { $in: ids } });
    const index = { ...base, payouts: indexDocuments({ payouts }).payouts };
    report.add(entries.flatMap((entry) => checkLedgerEntry(entry, index)));
  }
}

type Batched = keyof typeof related;

async function checkCollection<C extends Batched>(
  databases: Databases,
  name: C,
  base: DocumentIndex,
  options: CheckOptions,
  report: Report,
): Promise<void> {
  const read = reader(databases, options);
  for await (const documents of batches(databases, name)) {
    report.count(name, documents.length);
    const batch = { [name]: documents } as Partial<Documents>;
    const others = indexDocuments({ ...batch, ...(await related[name](batch, read)) });
    const { accounts, endpoints } = base;
    const entries = new Map([...base.entries, ...others.entries]);
    const filed = await filedOf(databases, batch.bank_files ?? []);
    report.add(checkBatch(batch, { ...others, accounts, endpoints, entries, filed }, options));
  }
}

/** Counts the payments that name each file. A file may have 20,000 payments. */
async function filedOf(
  databases: Databases,
  files: Documents["bank_files"],
): Promise<ReadonlyMap<string, number>> {
  if (files.length === 0) return new Map();
  const isNamed = { $or: [{ block: { $exists: true } }, { trace: { $exists: true } }] };
  const counted = collectionOf(databases, "bank_payments").aggregate<{ _id: string; n: number }>([
    { $match: { file: { $in: files.map(({ _id }) => _id) }, ...isNamed } },
    { $group: { _id: "$file", n: { $sum: 1 } } },
  ]);
  return new Map((await counted.toArray()).map(({ _id, n }) => [_id, n]));
}

type Reader = ReturnType<typeof reader>;

function reader(databases: Databases, options: CheckOptions) {
  const where = <C extends CollectionName>(
    name: C,
    filter: Filter<Document<C> & { _id: string }>,
  ) => readAll(databases, name, filter);
  const named = async <C extends CollectionName, T>(
    name: C,
    by: readonly T[],
    idOf: (each: T) => string | undefined,
  ) => {
    const wanted = [...new Set(by.map(idOf).filter((id) => id !== undefined && id !== ""))];
    return wanted.length === 0 ? [] : where(name, { _id: { $in: wanted } } as never);
  };
  return { options, where, named };
}

/** The related documents of each kind, read for a whole batch. */
const related = {
  payouts: async ({ payouts = [] }: Partial<Documents>, { named, where }: Reader) => {
    const keys = payouts.flatMap((each) => payoutSteps.map((step) => entryKey(each, step)));
    const paid = [...new Set(payouts.map(({ beneficiary_id }) => beneficiary_id))];
    // Event ids up to one more than the payout's version. Events with other ids are found when the
    // events themselves are checked.
    const eventIds = payouts.flatMap(({ _id, merchant_id, version }) =>
      Array.from({ length: version + 1 }, (_each, at) => {
        return `${merchant_id}/evt_${_id.slice("po_".length)}_${at + 1}`;
      }),
    );
    return {
      beneficiaries: await named("beneficiaries", paid, (id) => id),
      ledger_entries: await named("ledger_entries", keys, (key) => key),
      sandbox_transfers: await named("sandbox_transfers", payouts, ({ _id }) => _id),
      bank_payments: await named("bank_payments", payouts, ({ _id }) => _id),
      chain_transfers: await named("chain_transfers", payouts, ({ _id }) => _id),
      bitcoin_transfers: await named("bitcoin_transfers", payouts, ({ _id }) => _id),
      solana_transfers: await named("solana_transfers", payouts, ({ _id }) => _id),
      quotes: await named("quotes", payouts, ({ order }) => order.quote_id),
      screenings: await where("screenings", { record_id: { $in: paid } }),
      events: await named("events", eventIds, (id) => id),
    };
  },
  waiting_payouts: async ({ waiting_payouts = [] }: Partial<Documents>, { named }: Reader) => ({
    payouts: await named("payouts", waiting_payouts, ({ _id }) => _id),
    events: await named(
      "events",
      waiting_payouts.flatMap(({ _id, merchant_id }) =>
        [1, 2].map((version) => `${merchant_id}/evt_${_id.slice("po_".length)}_${version}`),
      ),
      (id) => id,
    ),
  }),
  scheduled_payouts: async ({ scheduled_payouts = [] }: Partial<Documents>, { named }: Reader) => {
    const keys = scheduled_payouts.flatMap(({ _id }) => [`${_id}:reserve`, `${_id}:unreserve`]);
    return { ledger_entries: await named("ledger_entries", keys, (key) => key) };
  },
  quotes: async ({ quotes = [] }: Partial<Documents>, { named }: Reader) => ({
    payouts: await named("payouts", quotes, ({ claim }) => claim?.payout_id),
    beneficiaries: await named("beneficiaries", quotes, ({ beneficiary }) => beneficiary.id),
  }),
  sandbox_transfers: async ({ sandbox_transfers = [] }: Partial<Documents>, { named }: Reader) => ({
    payouts: await named("payouts", sandbox_transfers, ({ _id }) => _id),
  }),
  bank_payments: async ({ bank_payments = [] }: Partial<Documents>, { named }: Reader) => ({
    payouts: await named("payouts", bank_payments, ({ _id }) => _id),
    bank_files: await named("bank_files", bank_payments, ({ file }) => file),
  }),
  bank_files: async () => ({}),
  // `chain/chain-check.ts` compares these transfers with their chain.
  chain_transfers: async () => ({}),
  bitcoin_transfers: async () => ({}),
  solana_transfers: async () => ({}),
  events: async ({ events = [] }: Partial<Documents>, { named, where }: Reader) => ({
    payouts: await named("payouts", events, ({ transaction_id }) => transaction_id),
    deliveries: await where("deliveries", {
      merchant_id: { $in: [...new Set(events.map(({ merchant_id }) => merchant_id))] },
      transaction_id: { $in: [...new Set(events.map(({ transaction_id }) => transaction_id))] },
    }),
  }),
  deliveries: async ({ deliveries = [] }: Partial<Documents>, { named }: Reader) => ({
    events: await named("events", deliveries, (each) => `${each.merchant_id}/${each.event_id}`),
  }),
  idempotency_keys: async (
    { idempotency_keys = [] }: Partial<Documents>,
    { named, options: { open } }: Reader,
  ) => {
    if (open === undefined) return {};
    const records = idempotency_keys
      .map((key) => namedBy(key, open))
      .filter((each) => typeof each === "object");
    const read = <C extends CollectionName>(name: C) =>
      named(name, records, (each) => (each.collection === name ? each.id : undefined));
    return {
      payouts: await read("payouts"),
      quotes: await read("quotes"),
      beneficiaries: await read("beneficiaries"),
    };
  },
} as const;

/** Excludes scheduled payouts without a payout, which are stored in the payouts' collection. */
export function whole<F extends object>(name: CollectionName, filter: F): F {
  return name === "payouts" ? { status: { $exists: true }, ...filter } : filter;
}

export async function readAll<C extends CollectionName>(
  databases: Databases,
  name: C,
  filter: Filter<Document<C> & { _id: string }>,
): Promise<Document<C>[]> {
  return (await collectionOf(databases, name).find(whole(name, filter)).toArray()) as Document<C>[];
}

export async function* batches<C extends CollectionName>(
  databases: Databases,
  name: C,
): AsyncGenerator<Document<C>[]> {
  let batch: Document<C>[] = [];
  for await (const document of collectionOf(databases, name)
    .find(whole(name, {}))
    .sort({ _id: 1 })) {
    batch.push(document as Document<C>);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
