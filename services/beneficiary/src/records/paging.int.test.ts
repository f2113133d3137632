import { type PageCursor, writeCursor } from "@disburse/chassis/paging/page.ts";
import {
  ArchivedFilter,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { mongodbUri } from "@disburse/testkit/engine.ts";
import { type Collection, type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BeneficiaryDocument } from "../beneficiaries/store.ts";
import { creatorOn, merchantId } from "../test-bodies.ts";
import { startTestService, type TestService } from "../test-service.ts";
import { openStores } from "../wiring.ts";
import type { RecordDocument } from "./document.ts";
import type { RecordFilter } from "./list.ts";

/** Exceeds the maximum that lists count. */
const count = 10_100;
/** Number of records that share each millisecond. */
const together = 7;
/** The oldest records. A list that filters for them must not scan the others first. */
const rare = 100;
let service: TestService;
/** The same store through a client that records its commands. */
let watched: ReturnType<typeof openStores>;
let watching: MongoClient;
const sent: Document[] = [];

beforeAll(async () => {
  service = await startTestService();
  const { db } = service.database;
  const create = creatorOn(service);
  await create.permit(merchantId, true);
  await create.crypto();
  await create.depositor(1);
  const beneficiaries = db.collection<BeneficiaryDocument>("beneficiaries");
  const depositors = db.collection<RecordDocument>("depositors");
  await multiply(beneficiaries, (at) => ({
    ...screened(at < rare ? "blocked" : "cleared"),
    account_type: at % 2 === 0 ? "Individual" : "Corporate",
    ...(at < rare
      ? { kind: "fiat", fields: {}, destination_currency: "INR", archived: at % 3 === 0 }
      : {}),
  }));
  await multiply(depositors, (at) => ({
    ...screened(at < rare ? "blocked" : "cleared"),
    ...(at < rare ? {} : { fields: {} }),
  }));
  watching = new MongoClient(mongodbUri(db.databaseName), { monitorCommands: true });
  await watching.connect();
  watching.on("commandStarted", ({ command }) => sent.push(command));
  const database = { ...service.database, db: watching.db(db.databaseName) };
  watched = openStores(database, service.deps.sealer, service.deps.hashes);
}, 60_000);
afterAll(async () => {
  await watching?.close();
  await service.stop();
});

const screened = (status: "blocked" | "cleared") => ({
  screening: { status, screening_id: "scr_1", screened_at: new Date(0) },
});
const id = (at: number) => `rec_${String(at).padStart(6, "0")}`;
const createdAt = (at: number) => new Date(1_600_000_000_000 + Math.floor(at / together));

/** Replaces a collection's single record with many copies. */
async function multiply<T extends RecordDocument>(
  records: Collection<T>,
  change: (at: number) => Partial<RecordDocument & BeneficiaryDocument>,
): Promise<void> {
  const created = await records.findOne({});
  if (created === null) throw new Error("nothing to copy");
  await records.deleteMany({});
  const { sealer } = service.deps;
  const body = { fields: created.fields, name: "" };
  const copies = Array.from({ length: count }, (_each, at) => ({
    ...created,
    ...{ _id: id(at), operation_id: `op-${at}`, created_at: createdAt(at), sealed: [] },
    sealed_body: sealer.seal(JSON.stringify(body), `${created.merchant_id}|${id(at)}|body`),
    ...change(at),
  }));
  await records.insertMany(copies as never);
}

/** Returns what the database examined for each command of a call. */
async function examined(call: () => Promise<unknown>) {
  sent.length = 0;
  await call();
  const plans: Document[] = [];
  for (const { lsid, $clusterTime, $db, ...explain } of sent) {
    const verbosity = "executionStats";
    const plan = await service.database.db.command({ explain, verbosity });
    plans.push(plan.executionStats ?? plan.stages[0].$cursor.executionStats);
  }
  return plans;
}

describe.each<[name: "beneficiaries" | "depositors", where: RecordFilter["where"]]>([
  ["beneficiaries", { archived: false }],
  ["beneficiaries", {}],
  ["beneficiaries", { archived: false, "screening.status": "blocked" }],
  ["beneficiaries", { archived: false, destination_currency: "INR" }],
  ["beneficiaries", { destination_currency: "INR", account_type: "Corporate" }],
  ["beneficiaries", { kind: "fiat" }],
  ["beneficiaries", { archived: true, kind: "fiat", account_type: "Individual" }],
  ["beneficiaries", { archived: true, "screening.status": "cleared" }],
  ["depositors", {}],
  ["depositors", { "screening.status": "blocked" }],
  ["depositors", { "fields.depositor_type": "Individual", "screening.status": "blocked" }],
])("a list of %s narrowed to %j", (name, where) => {
  /** A page reads one record more than it shows. */
  const limit = 10;
  const page = { cursor: "", limit: limit - 1 };
  /** Index runs read side by side: archived, status, kind, type. */
  const runs = 2 * 4 * 2 * 2;
  const filter = { where, createdFrom: undefined, createdTo: undefined };

  it("reads no more for a late page than for the first", async () => {
    const deep = [count - 20, count / 2, 80].map((at) => ({ at: createdAt(at), id: id(at) }));
    for (const after of [undefined, ...deep] satisfies (PageCursor | undefined)[]) {
      const cursor = after === undefined ? "" : writeCursor(name, after);
      const [read] = await examined(() =>
        watched[name].list(merchantId, filter, { ...page, cursor }),
      );
      expect(read?.totalKeysExamined).toBeLessThanOrEqual(limit + runs + 2 * together);
      expect(read?.totalDocsExamined).toBeLessThanOrEqual(limit + together);
    }
  });

  it("counts in an index, without scanning other records", async () => {
    const [, counted] = await examined(() => watched[name].list(merchantId, filter, page));
    expect(counted?.totalDocsExamined).toBe(0);
    expect(counted?.totalKeysExamined).toBeLessThanOrEqual((counted?.nReturned ?? 0) + runs);
  });
});

it("counts up to 10,000, and reports the cap", async () => {
  const total = async (change: object) => {
    const response = await service.rpc.listBeneficiaries({ merchantId, ...change });
    return [response.totalCount, response.totalCountCapped];
  };
  expect(await total({})).toEqual([10_000n, true]);
  expect(await total({ screeningStatus: ScreeningStatus.CLEARED })).toEqual([10_000n, false]);
  expect(await total({ screeningStatus: ScreeningStatus.BLOCKED })).toEqual([66n, false]);
});

it("shows records with equal times once each, in a stable order", async () => {
  const seen: string[] = [];
  let cursor = "";
  do {
    const narrowed = { screeningStatus: ScreeningStatus.BLOCKED, limit: 10, cursor };
    const page = await service.rpc.listBeneficiaries({
      merchantId,
      archived: ArchivedFilter.ANY,
      ...narrowed,
    });
    seen.push(...page.beneficiaries.map((each) => each.id));
    cursor = page.nextCursor;
  } while (cursor !== "");
  expect(seen).toEqual(Array.from({ length: rare }, (_each, at) => id(rare - 1 - at)));
});
