import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";
import { callersOf } from "@disburse/chassis/identity/access.ts";
import type { ClientIdentity } from "@disburse/chassis/identity/service-tokens.ts";
import { accessTable, allRoles, contracts } from "@disburse/sandbox/access-table.ts";
import { workloads } from "@disburse/sandbox/secrets.ts";
import type { ServiceName } from "@disburse/sandbox/service-names.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

/** Calls every RPC as every service and as a person of every role, on a running platform. */

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform?.stop());

/** Calls an RPC with an empty message and returns the error code. Streams get no message. */
async function codeOf(
  service: ServiceName,
  method: DescMethod,
  identity?: ClientIdentity,
  more: Readonly<Record<string, string>> = {},
) {
  const url = `${platform.url(service)}/${method.parent.typeName}/${method.name}`;
  const isUnary = method.methodKind === "unary";
  const authorization = await identity?.(service);
  const headers = {
    ...more,
    ...(authorization === undefined ? {} : { authorization }),
    "content-type": isUnary ? "application/json" : "application/connect+json",
  };
  const response = await fetch(url, { method: "POST", headers, body: isUnary ? "{}" : "" });
  return /"code":"(\w+)"/.exec(await response.text())?.[1] ?? "ok";
}

async function refusedTo(identity: ClientIdentity): Promise<string[]> {
  const refused: string[] = [];
  for (const [service, { methods }] of contracts) {
    for (const method of methods) {
      const code = await codeOf(service, method, identity);
      if (code === "permission_denied") refused.push(method.name);
      else expect(["ok", "invalid_argument", "not_found"], method.name).toContain(code);
    }
  }
  return refused;
}

const methodsWhere = (test: (method: DescMethod) => boolean) =>
  contracts.flatMap(([, { methods }]) => methods.filter(test).map(({ name }) => name));

it.each(workloads)("%s is refused what the contract does not open to it", async (workload) => {
  const refused = await refusedTo(platform.trust.service(workload));
  expect(refused).toEqual(methodsWhere((method) => !callersOf(method).services.has(workload)));
});

it.each(allRoles)("%s is refused what the contract does not open to it", async (role) => {
  const refused = await refusedTo(platform.trust.person("ada", [role]));
  expect(refused).toEqual(methodsWhere((method) => !callersOf(method).roles.has(role)));
});

it("a person without a role is refused everything, and so is a caller without a token", async () => {
  const everything = methodsWhere(() => true);
  expect(await refusedTo(platform.trust.person("ada", []))).toEqual(everything);
  for (const [service, { methods }] of contracts) {
    for (const method of methods) {
      expect(await codeOf(service, method), method.name).toBe("unauthenticated");
    }
  }
});

it("who calls is who the token says, whatever a header says", async () => {
  const claims = [
    // Otherwise one token would give access to a full account number and another merchant's key.
    ["beneficiary", "GetPaymentInstruction", "gateway", "payout"],
    ["gateway", "CreateKey", "quote", "sandbox"],
    ["payout", "CreditAccount", "notifier", "sandbox"],
  ] as const;
  for (const [service, name, caller, claimed] of claims) {
    const methods = contracts.flatMap((each) => each[1].methods);
    const method = methods.find((each) => each.name === name);
    if (method === undefined) throw new Error(`there is no ${name}`);
    const identity = platform.trust.service(caller);
    const header = { "x-disburse-caller": claimed };
    expect(await codeOf(service, method, identity, header), name).toBe("permission_denied");
    expect(await codeOf(service, method, undefined, header), name).toBe("unauthenticated");
  }
});

it("a person who signed in an hour ago is refused what asks for a fresh sign-in alone", async () => {
  const signedInAt = new Date(Date.now() - 3_600_000);
  const identity = platform.trust.person("ada", allRoles, { signedInAt });
  const refused: string[] = [];
  for (const [service, { methods }] of contracts) {
    for (const method of methods) {
      const code = await codeOf(service, method, identity);
      if (code === "unauthenticated") refused.push(method.name);
    }
  }
  expect(refused).toEqual(methodsWhere((method) => callersOf(method).stepUp));
  expect(new Set(refused)).toEqual(new Set(["ApproveProposal"]));
});

it("an auditor changes nothing, and account numbers in full are for payout alone", () => {
  const writes = methodsWhere(({ input }) => input.fields.some(({ name }) => name === "mutation"));
  const audited = methodsWhere((method) => callersOf(method).roles.has("auditor"));
  expect(audited.filter((name) => writes.includes(name))).toEqual([]);
  const full = contracts.flatMap(([, { methods }]) =>
    methods.filter(({ name }) => name === "GetPaymentInstruction").map(callersOf),
  );
  expect(full).toEqual([{ services: new Set(["payout"]), roles: new Set(), stepUp: false }]);
});

it("docs/reference/access.md is the contract's", () => {
  const written = readFileSync(join(import.meta.dirname, "../docs/reference/access.md"), "utf8");
  expect(written).toBe(accessTable());
});
