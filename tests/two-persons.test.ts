import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";
import { callersOf } from "@disburse/chassis/identity/access.ts";
import { onePersonRpcs, twoPersonEffects } from "@disburse/sandbox/access/two-persons.ts";
import { contracts } from "@disburse/sandbox/access-table.ts";
import { describe, expect, it } from "vitest";

/** Compares the table of effects that need two persons with the contracts and the code's guards. */

const root = join(import.meta.dirname, "..");
/** Rail packages are parts of the payout service. */
const guarded = ["services/*/src/**/*.ts", "packages/{rail,*-rail}/src/**/*.ts"];

const methods = new Map<string, DescMethod>(
  contracts.flatMap(([, service]) =>
    service.methods.map((method) => [`${service.name}/${method.name}`, method] as const),
  ),
);
const isRead = (name: string) =>
  /^(?:Find|Get|List|Compare|Describe|Render|Export|CheckDestination)/.test(name);
const operatorsChanges = [...methods]
  .filter(([, method]) => callersOf(method).roles.size > 0 && !isRead(method.name))
  .map(([name]) => name);

const rows = twoPersonEffects.flatMap(({ rpcs }) => rpcs);
const namesOf = (how: (typeof rows)[number]["how"]) =>
  rows.filter((row) => row.how === how).map(({ rpc }) => rpc);

/** Returns the RPCs that a service guards: keys of a `Guards` that name methods. */
function guardsInCode(): Set<string> {
  const found = new Set<string>();
  for (const file of globSync(guarded, { cwd: root })) {
    if (file.endsWith("test.ts")) continue;
    const source = readFileSync(join(root, file), "utf8");
    if (!/chassis\/approvals\/(?:guard|open)\.ts/.test(source)) continue;
    const [folder, workspace] = file.split("/");
    const owner = folder === "services" ? workspace : "payout";
    const keys = new Set(
      [...source.matchAll(/\b(\w+): (?:\{|guard\(|\w+Guard\()/g)].map(([, key]) => key),
    );
    for (const [service, { name, methods: own }] of contracts) {
      if (service !== owner || name === "ApprovalService") continue;
      for (const { localName, name: rpc } of own) {
        if (keys.has(localName)) found.add(`${name}/${rpc}`);
      }
    }
  }
  return found;
}

describe("the table of effects that need two persons", () => {
  it("takes no RPC with a mutation for a read", () => {
    const reads = [...methods.values()].filter(({ name }) => isRead(name));
    expect(
      reads.filter(({ input }) => input.fields.some(({ localName }) => localName === "mutation")),
    ).toEqual([]);
  });

  it("classifies every RPC by which an operator changes something, once", () => {
    const classified = [...rows.map(({ rpc }) => rpc), ...Object.keys(onePersonRpcs)];
    expect([...classified].sort()).toEqual([...operatorsChanges].sort());
  });

  it("names as guarded what the code guards, and nothing else", () => {
    // A guard of merchants' own actors is not in the table of operators.
    const ofOperators = [...guardsInCode()].filter((name) => operatorsChanges.includes(name));
    expect(ofOperators.sort()).toEqual(namesOf("proposal").sort());
    expect(guardsInCode()).toContain("PayoutService/SetApprovalRules");
  });

  it("has every guarded set of handlers served", () => {
    const files = globSync(guarded, { cwd: root }).filter((file) => !/test[^/]*$/.test(file));
    const texts = files.map((file) => readFileSync(join(root, file), "utf8"));
    const declared = texts.flatMap((text) =>
      [...text.matchAll(/^export function (guarded\w+)/gm)].map(([, name = ""]) => name),
    );
    expect(declared.length).toBeGreaterThan(5);
    const isServed = (name: string) =>
      texts.some((text) => new RegExp(`(?<!function )\\b${name}\\(`).test(text));
    expect(declared.filter((name) => !isServed(name))).toEqual([]);
  });

  it("has proposals decided after a fresh sign-in", () => {
    const approve = methods.get("ApprovalService/ApproveProposal");
    expect(approve && callersOf(approve).stepUp).toBe(true);
  });

  it("has what retains wait for an RPC that is guarded", () => {
    const guarded = guardsInCode();
    for (const { rpc, by = "" } of rows.filter(({ how }) => how === "retained")) {
      expect(guarded.has(by), rpc).toBe(true);
    }
  });

  it("lets no service's call of such an RPC through that acts for a person", () => {
    // Guards don't apply to services. Only the sandbox's seeding and the external event publisher
    // may be among the callers.
    for (const rpc of namesOf("proposal")) {
      const method = methods.get(rpc);
      const services = [...(method === undefined ? [] : callersOf(method).services)];
      expect(
        services.filter((each) => !["sandbox", "external"].includes(each)),
        rpc,
      ).toEqual([]);
    }
  });
});
