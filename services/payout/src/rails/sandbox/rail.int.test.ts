import { createHmac } from "node:crypto";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrations } from "../../migrations.ts";
import { freshKey, instruction, keepsRailContract } from "../test-contract.ts";
import { signMessage } from "./callbacks.ts";
import { createSandboxRail, type SandboxRail } from "./rail.ts";

const settleMs = 1_000;
const callbackSecret = "a secret";
let database: Database;
let rail: SandboxRail;
let now = new Date("2026-01-01T00:00:00Z");

beforeAll(async () => {
  database = await migratedDatabase("rail", migrations);
  rail = createSandboxRail({
    database,
    clock: { now: () => now },
    behaviour: { settleMs, delay: "fixed", seed: 1, shares: {} },
    callbackSecret,
  });
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

const after = (ms: number) => {
  now = new Date(now.getTime() + ms);
};

describe("the sandbox's rail", () => {
  keepsRailContract(() => ({
    rail,
    settle: async () => after(settleMs),
    paid: (key) =>
      database.db.collection<{ _id: string }>("sandbox_transfers").countDocuments({ _id: key }),
    signed: (key) => signMessage(messageOf(key), callbackSecret),
  }));

  it("signs with HMAC-SHA256 over the very bytes", () => {
    const { body, signature } = signMessage(messageOf("po_1"), callbackSecret);
    const mac = createHmac("sha256", callbackSecret).update(body).digest("hex");
    expect(signature).toBe(`sha256=${mac}`);
  });

  it.each([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["no outcome", JSON.stringify({ ...messageOf("po_1"), outcome: "maybe" })],
    ["an amount that is a number", JSON.stringify({ ...messageOf("po_1"), amount: 10 })],
    ["a reference of two lines", JSON.stringify({ ...messageOf("po_1"), reference: "a\nb" })],
    ["no key", JSON.stringify({ ...messageOf(""), key: undefined })],
  ])("says that its own message of %s is unreadable", (_what, text) => {
    const body = new TextEncoder().encode(text);
    const mac = createHmac("sha256", callbackSecret).update(body).digest("hex");
    expect(rail.readCallback(body, `sha256=${mac}`)).toBe("unreadable");
  });

  it("sends a message again until it was taken, and then no more", async () => {
    const key = freshKey();
    await rail.submit(key, { ...instruction, referenceId: "sandbox-callback" });
    const sent: string[] = [];
    rail.sendTo(async ({ body }) => {
      sent.push(new TextDecoder().decode(body));
      if (sent.length === 1) throw new Error("nobody there");
    });
    await rail.sendDue();
    expect(sent).toEqual([]);
    after(settleMs);
    await expect(rail.sendDue()).rejects.toThrow("nobody there");
    await rail.sendDue();
    await rail.sendDue();
    expect(sent).toHaveLength(2);
    expect(sent[1]).toBe(sent[0]);
    expect(JSON.parse(sent[0] ?? "")).toMatchObject({ key, amount: "10.00", currency: "USD" });
  });
});

function messageOf(key: string) {
  return { key, outcome: "settled", reference: "R1", amount: "10.00", currency: "USD" } as const;
}
