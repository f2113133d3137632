import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import {
  ComplianceService,
  ImportListRequestSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { AccountSchema, PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind, MutationSchema } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openAuditStore } from "../audit/store.ts";
import { withCallContext } from "../call-context.ts";
import { enumValue } from "../enum-names.ts";
import { connectDatabase, type Database } from "../mongo/database.ts";
import type { Principal } from "../principal.ts";
import { orThrow } from "../rpc/refusal.ts";
import { bindOperations, openOperationBindings } from "./bindings.ts";

let database: Database;
beforeAll(async () => {
  const name = freshDatabase("audited");
  database = await connectDatabase(mongodbUri(name), name);
});
afterAll(async () => {
  await database?.db.dropDatabase();
  await database?.close();
});

const ada: Principal = { kind: "person", id: "ada", roles: new Set(["treasury", "admin"]) };
const sandbox: Principal = { kind: "service", name: "sandbox" };
const gateway: Principal = { kind: "service", name: "gateway" };

/** The effect of each call, and the number of calls. */
let answer: () => void;
let calls = 0;
beforeEach(() => {
  answer = () => undefined;
  calls = 0;
});
const opened = async ({ merchantId }: { merchantId: string }) => {
  calls += 1;
  answer();
  return { account: create(AccountSchema, { id: `acc_${calls}`, merchantId }) };
};
const keyed = (content: string) => `keyed ${content}`;
const rpc = { openAccount: opened, getAccount: opened };
const boundWith = (
  options: Parameters<typeof bindOperations<typeof PayoutService, typeof rpc>>[3],
) => {
  const bindings = openOperationBindings(database, keyed);
  const bound = bindOperations(PayoutService, rpc, bindings, options);
  return createClient(
    PayoutService,
    createRouterTransport(({ service }) => service(PayoutService, bound)),
  );
};
const as = <T>(principal: Principal, work: () => Promise<T>): Promise<T> =>
  withCallContext({ requestId: "req-1", principal }, work);

let operations = 0;
const operation = () => ({ operationId: `op-${++operations}` });
const open = (
  principal: Principal,
  mutation = operation(),
  currencyCode = "USD",
  client = boundWith({}),
) =>
  as(principal, () => client.openAccount({ mutation, merchantId: "mer_1", currencyCode })).catch(
    (error: ConnectError) => error,
  );
const audit = () => openAuditStore<string>(database);
const entriesOf = async ({ operationId }: { operationId: string }) => {
  const all = await audit().list(undefined, undefined, 1_000);
  return all.filter((each) => each.operation === operationId).toReversed();
};
const later = () => new Date(Date.now() + 120_000);
const pending = ({ operationId }: { operationId: string }) =>
  database.db.collection("operations").countDocuments({
    "pending.operation": operationId,
  });

describe("a privileged call", () => {
  it("is in the trail when it is answered: caller, RPC, content, time and subject", async () => {
    const mutation = operation();
    await open(ada, mutation);
    const [entry, ...others] = await entriesOf(mutation);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      ...{ person: "ada", action: "OpenAccount", subject: "acc_1", detail: "" },
      call: {
        ...{ caller: "person", roles: ["admin", "treasury"], merchantId: "mer_1" },
        ...{ rpc: "disburse.payout.v1.PayoutService/OpenAccount", outcome: "done" },
        ...{ requestId: "req-1", content: expect.stringMatching(/^keyed [\w-]{43}$/) },
      },
    });
    expect(await pending(mutation)).toBe(0);
  });

  it("of the operators' job is in it too, and a merchant's own is not", async () => {
    const [byJob, byMerchant] = [operation(), operation()];
    await open(sandbox, byJob);
    await open(gateway, byMerchant);
    expect(await entriesOf(byJob)).toMatchObject([{ person: "sandbox", call: { roles: [] } }]);
    expect(await entriesOf(byMerchant)).toEqual([]);
  });

  it("by an operator with a service's key is in it, with the operator and the reason", async () => {
    const byHand = { ...gateway, operator: { person: "ann", reason: "restore" } };
    for (const client of [boundWith({}), boundWith({ own: ["openAccount"] })]) {
      const mutation = operation();
      await open(byHand, mutation, "USD", client);
      const detail = '{"operator":"ann","reason":"restore"}';
      expect(await entriesOf(mutation)).toMatchObject([
        { person: "gateway", detail, call: { caller: "service", roles: [], outcome: "done" } },
      ]);
    }
    const lost = operation();
    answer = () => {
      throw new Error("the process ends here");
    };
    await open(byHand, lost);
    await openOperationBindings(database, keyed).sweepPending(later());
    expect(await entriesOf(lost)).toMatchObject([
      { detail: expect.stringContaining("ann"), call: { outcome: "unknown" } },
    ]);
  });

  it("that is a merchant's decision is in it as its key's or member's, and a repeat is not", async () => {
    const client = boundWith({ decisions: ["openAccount"] });
    const decide = async (kind: Actor_Kind) => {
      const { operationId } = operation();
      const mutation = create(MutationSchema, { operationId, actor: { kind, id: "who_1" } });
      for (const _ of ["first", "repeat"]) await open(gateway, mutation, "USD", client);
      return entriesOf({ operationId });
    };
    for (const caller of ["api_key", "member"] as const) {
      const kind = enumValue(Actor_Kind, caller);
      expect(await decide(kind)).toMatchObject([
        { person: "who_1", action: "OpenAccount", call: { caller, roles: [], outcome: "done" } },
      ]);
    }
    // A service that acts by itself makes no recorded decision.
    expect(await decide(Actor_Kind.SERVICE)).toEqual([]);
  });

  it("is in it once, however often it is repeated, also at once", async () => {
    const mutation = operation();
    await Promise.all([1, 2, 3, 4].map(() => open(ada, mutation)));
    await open(ada, mutation);
    expect(calls).toBe(5);
    expect(await entriesOf(mutation)).toHaveLength(1);
    expect(await pending(mutation)).toBe(0);
  });

  it("that was refused changed nothing, and is not in it", async () => {
    const mutation = operation();
    answer = () => orThrow(refused("INSUFFICIENT_BALANCE"));
    await open(ada, mutation);
    await audit().head();
    expect(await entriesOf(mutation)).toEqual([]);
    expect(await openOperationBindings(database).sweepPending(later())).toBe(false);
    expect(await entriesOf(mutation)).toEqual([]);
  });

  it("with an unknown outcome is in it as such, once, and again when a repeat succeeded", async () => {
    const mutation = operation();
    answer = () => {
      throw new ConnectError("no database", Code.Unavailable);
    };
    await open(ada, mutation);
    const { sweepPending } = openOperationBindings(database);
    await sweepPending(new Date());
    expect(await entriesOf(mutation)).toEqual([]);
    await Promise.all([sweepPending(later()), sweepPending(later())]);
    await sweepPending(later());
    const unknown = { subject: "mer_1", call: { outcome: "unknown" } };
    expect(await entriesOf(mutation)).toMatchObject([unknown]);
    answer = () => undefined;
    await open(ada, mutation);
    await sweepPending(later());
    expect(await entriesOf(mutation)).toMatchObject([unknown, { call: { outcome: "done" } }]);
  });

  it.each(["SERVICE_UNAVAILABLE", "IDEMPOTENCY_IN_PROGRESS"] as const)(
    "that has its effect later, after %s, is in it with an unknown outcome",
    async (code) => {
      const mutation = operation();
      answer = () => orThrow(refused(code));
      await open(ada, mutation);
      await openOperationBindings(database).sweepPending(later());
      expect(await entriesOf(mutation)).toMatchObject([{ call: { outcome: "unknown" } }]);
    },
  );

  it("whose process was killed after its effect is in it", async () => {
    const name = database.db.databaseName;
    const script = join(import.meta.dirname, "test-killed.ts");
    const child = spawn(process.execPath, [script, mongodbUri(name), name], { stdio: "inherit" });
    const [, signal] = await once(child, "exit");
    expect(signal).toBe("SIGKILL");
    expect(await database.db.collection("effects").countDocuments()).toBe(1);
    const mutation = { operationId: "op-killed" };
    expect(await entriesOf(mutation)).toEqual([]);
    await openOperationBindings(database).sweepPending(later());
    expect(await entriesOf(mutation)).toMatchObject([
      { person: "ada", action: "OpenAccount", call: { outcome: "unknown", merchantId: "mer_1" } },
    ]);
  });

  it("of an RPC that compares the content itself has a keyed digest", async () => {
    const client = boundWith({ own: ["openAccount"] });
    const [byPerson, byMerchant] = [operation(), operation()];
    await open(ada, byPerson, "USD", client);
    // The RPC compares the content itself.
    await open(ada, byPerson, "EUR", client);
    await open(gateway, byMerchant, "USD", client);
    expect(calls).toBe(3);
    expect(await entriesOf(byPerson)).toMatchObject([
      { call: { content: expect.stringMatching(/^keyed [\w-]{43}$/) } },
    ]);
    const id = new RegExp(byMerchant.operationId);
    expect(await database.db.collection("operations").findOne({ _id: id as never })).toBeNull();
  });
});

it("a noted read is in the trail only for persons, each time", async () => {
  const client = boundWith({ noted: ["getAccount"] });
  const read = (by: Principal) => as(by, () => client.getAccount({ accountId: "acc_read" }));
  await read(ada);
  await read(ada);
  await read(sandbox);
  const all = await audit().list(undefined, undefined, 1_000);
  const reads = all.filter(({ action }) => action === "GetAccount");
  expect(reads).toMatchObject([{ subject: "acc_read", person: "ada" }, { person: "ada" }]);
});

it("a stream that begins with a mutation is in it, by the digest of all of it", async () => {
  const lines: string[] = [];
  const importList = async (requests: AsyncIterable<{ part: { case?: string | undefined } }>) => {
    for await (const { part } of requests) lines.push(part.case ?? "");
    return { version: { list: "own" } };
  };
  const bindings = openOperationBindings(database);
  const bound = bindOperations(ComplianceService, { importList }, bindings);
  const transport = createRouterTransport(({ service }) => service(ComplianceService, bound));
  const client = createClient(ComplianceService, transport);
  const send = (operationId: string, text: string) => {
    const mutation = { operationId };
    const parts = [
      { case: "header", value: { mutation, list: "own", version: "1" } },
      { case: "lines", value: Buffer.from(text) },
    ] as const;
    async function* messages() {
      for (const part of parts) yield create(ImportListRequestSchema, { part } as never);
    }
    return as(ada, () => client.importList(messages()));
  };
  await send("imp-1", "a");
  await send("imp-1", "a");
  await send("imp-2", "a");
  await send("imp-3", "b");
  expect(lines.slice(0, 2)).toEqual(["header", "lines"]);
  const [first, ...again] = await entriesOf({ operationId: "imp-1" });
  expect(again).toEqual([]);
  expect(first).toMatchObject({ action: "ImportList", subject: "own" });
  const contents = await Promise.all(
    ["imp-2", "imp-3"].map(
      async (operationId) => (await entriesOf({ operationId }))[0]?.call?.content,
    ),
  );
  expect(contents[0]).toBe(first?.call?.content);
  expect(contents[1]).not.toBe(first?.call?.content);
});
