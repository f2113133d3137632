import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { AccountSchema, PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { namedCallers } from "@disburse/testkit/callers.ts";
import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createKeyedHashes } from "../crypto/sealing.ts";
import { connectDatabase, type Database } from "../mongo/database.ts";
import { orThrow, readRefusal } from "../rpc/refusal.ts";
import { bindOperations, isMutation, openOperationBindings } from "./bindings.ts";
import { contentKeyOf, contentPurpose } from "./content.ts";

let database: Database;
beforeAll(async () => {
  const name = freshDatabase("bindings");
  database = await connectDatabase(mongodbUri(name), name);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

/** The effect of each call, and the number of calls. */
let answer: () => Promise<void> | void;
let calls = 0;
beforeEach(() => {
  answer = () => undefined;
  calls = 0;
});

const opened = async ({ merchantId }: { merchantId: string }) => {
  calls += 1;
  await answer();
  return { account: create(AccountSchema, { merchantId }) };
};

function clientOf(
  own: readonly ("openAccount" | "getAccount")[] = [],
  bindings = openOperationBindings(database),
) {
  const rpc = { openAccount: opened, getAccount: opened };
  const bound = bindOperations(PayoutService, rpc, bindings, { own });
  const transport = createRouterTransport(
    ({ service }) => service(PayoutService, bound),
    namedCallers,
  );
  return createClient(PayoutService, transport);
}

let operations = 0;
const operation = () => ({ operationId: `op-${++operations}` });
const ask = (mutation = operation(), currencyCode = "USD", client = clientOf()) =>
  client.openAccount({ mutation, merchantId: "mer_1", currencyCode });
const outcome = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: ConnectError) => readRefusal(error)?.message ?? Code[error.code],
  );
const other = "operation_id: was used with other content";

describe("an operation", () => {
  it("is answered again with the same content, and refused with other content", async () => {
    const mutation = operation();
    expect(await outcome(ask(mutation))).toBe("OK");
    expect(await outcome(ask(mutation))).toBe("OK");
    expect(await outcome(ask(mutation, "EUR"))).toBe(other);
    expect(await outcome(ask(mutation))).toBe("OK");
    expect(calls).toBe(3);
  });

  it("is its merchant's own", async () => {
    const mutation = operation();
    expect(await outcome(ask(mutation))).toBe("OK");
    const another = { mutation, merchantId: "mer_2", currencyCode: "EUR" };
    expect(await outcome(clientOf().openAccount(another))).toBe("OK");
  });

  it("has one content if two requests arrive at once, and keeps the first", async () => {
    const mutation = operation();
    const contents = ["USD", "EUR", "INR", "USD", "EUR", "INR"];
    const outcomes = await Promise.all(contents.map((each) => outcome(ask(mutation, each))));
    expect(outcomes.filter((each) => each === "OK")).toHaveLength(2);
    expect(outcomes.filter((each) => each === other)).toHaveLength(4);
  });

  it("that was refused may come with other content", async () => {
    const mutation = operation();
    answer = () => orThrow(refused("INSUFFICIENT_BALANCE"));
    expect(await outcome(ask(mutation))).toMatch(/balance/i);
    answer = () => {
      throw new ConnectError("is malformed", Code.InvalidArgument);
    };
    expect(await outcome(ask(mutation, "INR"))).toBe("InvalidArgument");
    answer = () => undefined;
    expect(await outcome(ask(mutation, "EUR"))).toBe("OK");
    expect(await outcome(ask(mutation))).toBe(other);
  });

  it("with an unknown outcome keeps its content", async () => {
    const mutation = operation();
    answer = () => {
      throw new ConnectError("no database", Code.Unavailable);
    };
    expect(await outcome(ask(mutation))).toBe("Unavailable");
    answer = () => undefined;
    expect(await outcome(ask(mutation, "EUR"))).toBe(other);
  });

  it("that was refused once keeps its content if another attempt succeeded", async () => {
    const mutation = operation();
    const [begun, refusing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    answer = async () => {
      begun.resolve();
      await refusing.promise;
      orThrow(refused("INSUFFICIENT_BALANCE"));
    };
    const first = outcome(ask(mutation));
    await begun.promise;
    answer = () => undefined;
    expect(await outcome(ask(mutation))).toBe("OK");
    refusing.resolve();
    expect(await first).toMatch(/balance/i);
    expect(await outcome(ask(mutation, "EUR"))).toBe(other);
  });
});

it("is stored with a keyed digest, and recognised after a rotation of the key", async () => {
  const ring = (...ids: readonly number[]) =>
    ids.map((id) => `k${id}:${Buffer.alloc(32, id).toString("base64")}`).join(",");
  const keyed = (keys: string) =>
    openOperationBindings(database, contentKeyOf(createKeyedHashes(keys, contentPurpose)));
  const mutation = operation();
  expect(await outcome(ask(mutation, "USD", clientOf([], keyed(ring(1)))))).toBe("OK");
  const bound = await database.db
    .collection("operations")
    .findOne({ _id: new RegExp(`${mutation.operationId}$`) as never });
  expect(bound).toMatchObject({ operation_content: expect.stringMatching(/^k1[.][\w-]{43}$/) });
  const rotated = clientOf([], keyed(ring(2, 1)));
  expect(await outcome(ask(mutation, "USD", rotated))).toBe("OK");
  expect(await outcome(ask(mutation, "EUR", rotated))).toBe(other);
});

it("is repeated if the previous release stored its digest without a key", async () => {
  const mutation = operation();
  expect(await outcome(ask(mutation))).toBe("OK");
  const keys = createKeyedHashes(`k1:${Buffer.alloc(32, 1).toString("base64")}`, contentPurpose);
  const updated = clientOf([], openOperationBindings(database, contentKeyOf(keys)));
  expect(await outcome(ask(mutation, "USD", updated))).toBe("OK");
  expect(await outcome(ask(mutation, "EUR", updated))).toBe(other);
});

describe("RPCs", () => {
  it("that read, that keep the content themselves, or that are absent are unchanged", async () => {
    const mutation = operation();
    const client = clientOf(["openAccount"]);
    expect(await outcome(ask(mutation, "USD", client))).toBe("OK");
    expect(await outcome(ask(mutation, "EUR", client))).toBe("OK");
    expect(await outcome(client.getAccount({ accountId: "acc_1" }))).toBe("OK");
    const absent = client.creditAccount({ mutation: operation() });
    expect(await outcome(absent)).toBe("Unimplemented");
  });

  it("are mutations if their request has one", () => {
    const mutations = PayoutService.methods.filter(isMutation).map(({ localName }) => localName);
    expect(mutations).toEqual([
      ...["executePayout", "cancelPayout", "approvePayout", "rejectPayout"],
      ...["reissuePayout"],
      ...["reportRailOutcome", "openAccount", "updateAccount"],
      ...["setTopUpInstructions", "setApprovalRules", "closeAccount", "reopenAccount"],
      ...["creditAccount", "reverseCredit"],
    ]);
  });
});
