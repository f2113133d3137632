import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { operatorPortal } from "../console/portal.ts";
import { migrations } from "../migrations.ts";
import { testSealingKey } from "../test-gateway.ts";
import { openOperatorNames, sealedOperatorNames } from "./operator-names.ts";
import { openOperatorSessions } from "./operators.ts";
import type { SignedIn } from "./provider.ts";
import { openSessions } from "./store.ts";

let database: Awaited<ReturnType<typeof migratedDatabase>>;
beforeAll(async () => {
  database = await migratedDatabase("gateway", migrations);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
const collection = () => database.db.collection("operators");
beforeEach(() => collection().deleteMany());

const sealer = createSealer(testSealingKey);
const clock = { now: () => new Date() };
const names = () => openOperatorNames(database.db, { sealer, clock });

/** The portal of a provider whose operators have a role, unless their id is `none`. */
function portal() {
  const sessions = openOperatorSessions({
    sessions: openSessions(database.db, { sealer, clock }),
    verify: (authorization) => {
      const id = authorization?.split(" ")[1] ?? "";
      return { kind: "person", id, roles: new Set(id === "none" ? [] : (["support"] as const)) };
    },
    provider: undefined,
    cookieName: "disburse_operator",
  });
  const address = { origin: undefined, provider: undefined };
  return operatorPortal(address, { sessions, names: names(), clock });
}
const signIn = (id: string, name: string) =>
  portal().admit({ id, name, email: "", tokens: { accessToken: id } } as SignedIn, undefined);

it("an operator's name is known from its sign-in on, and stored sealed", async () => {
  await signIn("sub-1", "Ada Lovelace");
  expect(await signIn("none", "Eve Intruder")).toBeUndefined();
  expect(await portal().operatorNames?.()).toEqual({ "sub-1": "Ada Lovelace" });
  await signIn("sub-1", "Ada King");
  expect(await names().all()).toEqual({ "sub-1": "Ada King" });
  expect(JSON.stringify(await collection().find().toArray())).not.toContain("Ada");
});

it("operators of the same name are shown apart by their ids", async () => {
  await signIn("sub-1", "Ada");
  await signIn("sub-2", "Ada");
  await signIn("sub-3", "Bob");
  const shown = { "sub-1": "Ada (sub-1)", "sub-2": "Ada (sub-2)", "sub-3": "Bob" };
  expect(await names().all()).toEqual(shown);
  await signIn("sub-4", "  bob ");
  expect(await names().all()).toMatchObject({ "sub-3": "Bob (sub-3)", "sub-4": "bob (sub-4)" });
});

it("a name that can't be opened is left out", async () => {
  await signIn("sub-1", "Ada");
  await signIn("sub-2", "Bob");
  await collection().updateOne({ sealed_name: { $exists: true } }, { $set: { sealed_name: "x" } });
  expect(await names().all()).toEqual({ "sub-2": "Bob" });
});

it("names are sealed again under a new key", async () => {
  await signIn("sub-1", "Ada");
  const document = (await collection().findOne()) as Record<string, unknown> | null;
  const { sealed_name: text } = document ?? {};
  const both = createSealer(`n9:${Buffer.alloc(32, 9).toString("base64")},${testSealingKey}`);
  const change = sealedOperatorNames.reseal(document ?? {}, both);
  expect(change?.where).toEqual({ sealed_name: text });
  const alone = createSealer(`n9:${Buffer.alloc(32, 9).toString("base64")}`);
  expect(alone.open(change?.set.sealed_name, "operator|sub-1|name")).toBe("Ada");
});
