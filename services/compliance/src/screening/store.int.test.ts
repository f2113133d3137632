import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { migrations } from "../migrations.ts";
import type { Screening } from "./rules/screening.ts";
import { openStore } from "./store.ts";

const sealer = createSealer(`k1:${Buffer.alloc(32, 7).toString("base64")}`);
let database: Awaited<ReturnType<typeof migratedDatabase>>;
beforeAll(async () => {
  database = await migratedDatabase("screenings", migrations);
});
afterAll(() => database.close());

function screeningOf(id: string, recordId: string, verdict: Screening["verdict"]) {
  const screening: Screening = {
    ...{ id, kind: "party", trigger: "request", verdict, hits: [], lists: [] },
    subject: { merchantId: "mer_1", recordId },
    configurationVersion: "cfg-1",
    createdAt: new Date("2026-03-01T10:00:00Z"),
  };
  const actor = { kind: "service", id: "beneficiary" } as const;
  return { screening, operationId: "op", actor, request: "{}" };
}

it("keeps one screening of a record's operation: a race's second gets the first one", async () => {
  const store = openStore(database, sealer);
  const first = screeningOf("scr_1", "ben_1", "clear");
  expect((await store.save(first)).screening).toEqual(first.screening);
  const second = await store.save(screeningOf("scr_2", "ben_1", "block"));
  expect(second.screening).toEqual(first.screening);
  expect(await store.get("scr_2")).toBeUndefined();
});

it("keeps both where two records race with one operation; the first is the operation's", async () => {
  const store = openStore(database, sealer);
  const other = screeningOf("scr_3", "ben_2", "block");
  expect((await store.save(other)).screening).toEqual(other.screening);
  expect((await store.findOperation("party", "op"))?.screening.id).toBe("scr_1");
});

it("returns the screening of the lowest id, in any order of storage", async () => {
  const store = openStore(database, sealer);
  for (const [id, recordId] of [
    ["scr_6", "ben_5"],
    ["scr_5", "ben_6"],
  ] as const) {
    await store.save({ ...screeningOf(id, recordId, "clear"), operationId: "op-race" });
  }
  expect((await store.findOperation("party", "op-race"))?.screening.id).toBe("scr_5");
});

it("lists the screenings of all merchants and records newest first", async () => {
  const any = { merchantId: "", recordId: "", verdict: undefined, before: undefined };
  const listed = await openStore(database, sealer).list(any, 3);
  expect(listed.map(({ id }) => id)).toEqual(["scr_6", "scr_5", "scr_3"]);
});
