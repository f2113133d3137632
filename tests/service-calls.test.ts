import { callersOf } from "@disburse/chassis/identity/access.ts";
import { contracts } from "@disburse/sandbox/access-table.ts";
import { openProgram } from "@disburse/tidy/typed/program.ts";
import { type ServedRpcs, serviceCalls } from "@disburse/tidy/typed/service-calls.ts";
import { describe, expect, it } from "vitest";

/** Calls that the checker can't resolve, with the reason why none calls a service. */
const notServices: Readonly<Record<string, string>> = {
  "services/gateway/src/main.ts": "passes on calls of persons, with the token of the person",
};

/** The services that serve each RPC, by client method name. */
const served: ServedRpcs = new Map(
  [
    ...Map.groupBy(
      contracts.flatMap(([service, { methods }]) =>
        methods.map(({ localName }) => ({ localName, service })),
      ),
      ({ localName }) => localName,
    ),
  ].map(([name, all]) => [name, new Set(all.map(({ service }) => service))]),
);

/** Permitted calls: `notifier disburse.quote.v1.QuoteService/getQuote`. */
const open = new Set(
  contracts.flatMap(([, { typeName, methods }]) =>
    methods.flatMap((method) =>
      [...callersOf(method).services].map((caller) => `${caller} ${typeName}/${method.localName}`),
    ),
  ),
);

/** Calls RPCs as the signed-in person, whose roles the service checks. */
const asPersons = "services/gateway/src/console/downloads.ts";

/** Returns the service whose identity a file's code uses. The sandbox's job is one. */
function callerOf(path: string): string | undefined {
  const [, service, sandbox] = /^(?:services\/(\w+)|packages\/(sandbox))\/src\//.exec(path) ?? [];
  return service ?? sandbox;
}

describe("calls between services", () => {
  const program = openProgram(["services/*/src", "packages/sandbox/src"]);
  const { calls, unresolved } = serviceCalls(program, served, callerOf);
  program.close();
  const called = new Set(calls.map(({ caller, rpc }) => `${caller} ${rpc}`));

  it("are of RPCs that are open to the caller", () => {
    const own = calls.filter(({ path }) => path !== asPersons);
    expect(own.filter(({ caller, rpc }) => !open.has(`${caller} ${rpc}`))).toEqual([]);
    expect(called).toContain(
      "notifier disburse.payout.v1.PayoutOperatorService/republishPayoutEvents",
    );
    expect(called.size).toBeGreaterThan(80);
  });

  it("are all that RPCs are open for", () => {
    // External systems of the operator call from outside this repository.
    const ours = [...open].filter((each) => !each.startsWith("external "));
    expect(ours.filter((each) => !called.has(each))).toEqual([]);
  });

  it("are all resolved", () => {
    expect(unresolved.filter(({ path }) => notServices[path] === undefined)).toEqual([]);
    expect(new Set(unresolved.map(({ path }) => path))).toEqual(new Set(Object.keys(notServices)));
  });
});

const imports = `
import type { Client } from "@connectrpc/connect";
import type { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
type Payout = Client<typeof PayoutService>;
`;

const found = [
  ["of a client", "export const f = (payout: Payout) => payout.getPayout({});"],
  ["of a part", `export const f = (p: Pick<Payout, "getPayout">) => p.getPayout({});`],
  ["of one that may be absent", "export const f = (p?: Payout) => p?.getPayout({});"],
  ["by a string", `export const f = (payout: Payout) => payout["getPayout"]({});`],
  ["taken out", "export const f = ({ getPayout }: Payout) => getPayout({});"],
  ["taken out later", "export function f(p: Payout) { const { getPayout: g } = p; return g({}); }"],
  ["passed on", "export const f = (p: Payout) => [1].map(p.getPayout as never);"],
  [
    "of a parameter that a method's client gives its type",
    "export const on = (f: (of: { payout: Payout }) => unknown) => f;\non(({ payout: p }) => p.getPayout({}));",
  ],
] as const;

const lost = [
  [
    "a type of one's own",
    "export const f = (p: { getPayout: (of: object) => unknown }) => p.getPayout({});",
  ],
  ["any value", "export const f = (p: Record<string, never>) => p.getPayout;"],
  ["a cast", "export const f = (p: Payout) => p as unknown as Record<string, never>;"],
  ["a computed name", "export const f = (p: Payout, name: keyof Payout) => p[name];"],
  ["a spread", "export const f = (p: Payout) => ({ ...p });"],
  ["a rest", "export const f = ({ getPayout: _one, ...rest }: Payout) => rest;"],
  ["another parameter", "const g = (of: object) => of;\nexport const f = (p: Payout) => g(p);"],
  ["another member", "export const f = (p: Payout): { a: unknown } => ({ a: p });"],
] as const;

const own = [
  "its own RPC",
  `
import type { Client } from "@connectrpc/connect";
import type { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
export const f = (own: Client<typeof NotifierService>) => own.listEvents({});
`,
] as const;

describe("in a file of the notifier", () => {
  const examples = [...[...found, ...lost].map(([how, text]) => [how, imports + text]), own];
  const pathOf = (how: string) =>
    `services/notifier/src/example-${examples.findIndex(([each]) => each === how)}.ts`;
  const files = examples.map(([how = "", text = ""]) => [pathOf(how), text] as const);
  const program = openProgram([], Object.fromEntries(files));
  const { calls, unresolved } = serviceCalls(program, served, (path) =>
    path.includes("/example-") ? "notifier" : undefined,
  );
  program.close();
  const resultOf = (how: string) => ({
    calls: calls.filter(({ path }) => path === pathOf(how)).map(({ rpc }) => rpc),
    lines: unresolved.filter(({ path }) => path === pathOf(how)).length,
  });

  it.each(found)("a call is found %s", (how) => {
    const calls = ["disburse.payout.v1.PayoutService/getPayout"];
    expect(resultOf(how)).toEqual({ calls, lines: 0 });
  });

  it.each(lost)("a call may be hidden, which fails the check, by %s", (how) => {
    expect(resultOf(how).lines).toBe(1);
  });

  it("a call of its own service is none", () => {
    expect(resultOf(own[0])).toEqual({ calls: [], lines: 0 });
  });
});
