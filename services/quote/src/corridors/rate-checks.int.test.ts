import { withCallContext } from "@disburse/chassis/call-context.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { migrations } from "../migrations.ts";
import { corridorsRpc } from "./rpc.ts";
import { type CorridorStore, openCorridors, setCorridor } from "./store.ts";

let database: Database;
let corridors: CorridorStore;
beforeAll(async () => {
  database = await migratedDatabase("rate_checks", migrations);
  corridors = openCorridors(database);
});
afterAll(() => database.close());

it("a rate is refused if another one came after the decision that one person is enough", async () => {
  const none = () => undefined;
  const current = { corridorChanged: none, openingChanged: none, rateChanged: none } as never;
  const railsTo = async () => new Map();
  const rpc = corridorsRpc({ corridors, current, railsTo, clock: { now: () => new Date() } });
  const limits = {
    ...{ sourceMin: undefined, sourceMax: undefined },
    ...{ receivingMin: undefined, receivingMax: undefined },
  };
  const fee = { share: { units: 0n, scale: 0 }, flatMinor: 0n };
  const terms = { source: "USD", destination: "INR", active: true, fee, limits };
  const times = { quoteTtlSeconds: 60, rateMaxAgeSeconds: 60, returnCharges: "platform" } as const;
  const by = { operationId: "op-corridor", actor: { kind: "service", id: "test" } } as const;
  const { id: corridorId } = await setCorridor(corridors, { ...terms, ...times }, by, new Date(0));
  const set = (operationId: string, rate: string, checkedBefore: string) => {
    const principal = { kind: "person", id: "ada", roles: new Set() } as never;
    const request = { mutation: { operationId }, corridorId, rate: { rate, source: "desk" } };
    return withCallContext({ requestId: "r", principal, checkedBefore }, async () =>
      rpc.setRate(request as never).then(
        () => "OK",
        (error: unknown) => readRefusal(error)?.code,
      ),
    );
  };
  expect(await set("op-1", "100", "")).toBe("OK");
  expect(await set("op-2", "50", '{"rate":"100"}')).toBe("OK");
  expect(await set("op-3", "101", '{"rate":"100"}')).toBe("IDEMPOTENCY_IN_PROGRESS");
  // A repeat adds nothing.
  expect(await set("op-1", "100", "")).toBe("OK");
  expect(await corridors.rates.countDocuments()).toBe(2);
});
