import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { connectDatabase, type Database } from "@disburse/chassis/mongo.ts";
import { serviceMutation } from "@disburse/chassis/mutation.ts";
import { readRefusal } from "@disburse/chassis/rpc-refusal.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { corridorRpc } from "./corridor-rpc.ts";
import { openCorridorStore } from "./corridor-store.ts";

let database: Database;
let rpc: ReturnType<typeof createClient<typeof QuoteService>>;
const now = new Date("2026-01-01T00:00:00Z");

beforeAll(async () => {
  const name = freshDatabase("corridor");
  database = await connectDatabase(mongodbUri(name), name);
  const handlers = corridorRpc(await openCorridorStore(database), { now: () => now });
  rpc = createClient(
    QuoteService,
    createRouterTransport(({ service }) => void service(QuoteService, handlers)),
  );
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

let operations = 0;
const mutation = () => serviceMutation("test", `op-${++operations}`);

function set(source: string, feeShare: string) {
  const corridor = { sourceCurrencyCode: source, destinationCurrencyCode: "USD", active: true };
  return rpc.setCorridor({ mutation: mutation(), corridor: { ...corridor, feeShare } });
}

it("loses no change of a corridor that several make at once", async () => {
  for (const source of ["USD", "BTC", "ETH", "SOL", "INR"]) {
    await Promise.all(["0.01", "0.02", "0.03", "0.04"].map((share) => set(source, share)));
  }
  const stored = await database.db.collection("corridors").find().toArray();
  expect(stored.map(({ operations: made }) => made.length)).toEqual([4, 4, 4, 4, 4]);
});

it("loses no change of whom a corridor is open to", async () => {
  const corridorId = (await set("USDC", "0")).corridor?.id ?? "";
  const change = (open: boolean) =>
    rpc.setMerchantCorridor({ mutation: mutation(), merchantId: "mer_1", corridorId, open });
  await Promise.all([true, false, true, false].map(change));
  const [stored] = await database.db.collection("merchant_corridors").find().toArray();
  expect(stored?.operations).toHaveLength(4);
});

it("takes no rate of the future, which would be in force for ever", async () => {
  const corridorId = (await set("MATIC_POLYGON", "0")).corridor?.id ?? "";
  const rate = (aheadMs: number) =>
    rpc
      .setRate({
        mutation: mutation(),
        corridorId,
        rate: {
          rate: "1.5",
          source: "test",
          asOf: timestampFromDate(new Date(now.getTime() + aheadMs)),
        },
      })
      .then(
        () => "OK",
        (error: unknown) => readRefusal(error)?.code,
      );
  expect(await rate(60_000)).toBe("OK");
  expect(await rate(60_001)).toBe("INVALID_REQUEST");
});
