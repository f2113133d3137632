import { expectCounts } from "@disburse/testkit/operation-counts.ts";
import { backgroundCommands } from "@disburse/testkit/performance-page.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { virtualGlobals } from "../scheduler/virtual-globals.ts";
import { type Load, openWorld } from "./world.ts";

const loads: readonly (readonly [name: string, load: Load])[] = [
  ["one client", { clients: 1, merchants: 1, payoutsBehind: 0 }],
  ["64 clients in step", { clients: 64, merchants: 1, payoutsBehind: 0 }],
  ["2 merchants with 2,000 payouts", { clients: 2, merchants: 2, payoutsBehind: 2_000 }],
];

let globals: ReturnType<typeof virtualGlobals>;
beforeAll(() => {
  globals = virtualGlobals();
});
afterAll(() => globals.restore());

test.each(loads)(
  "%s: documents, commands, bytes and hops of each operation",
  async (name, load) => {
    const { clients, done, meter, background, ...world } = await openWorld(load);
    const count = async <T>(operation: string, one: (at: number) => Promise<T>): Promise<T[]> => {
      meter.take();
      const answers = await done(() => Promise.all(clients.map((_client, at) => one(at))));
      const { counts, kinds } = meter.take();
      const each = Object.entries(counts).map(([measure, sum]) => [
        measure,
        Math.round((100 * sum) / clients.length) / 100,
      ]);
      const detail = { clients: clients.length, kinds };
      const found = Object.fromEntries(each);
      expectCounts({ section: `simulation, ${name}`, operation, found }, detail);
      return answers;
    };
    const of = (at: number) => clients[at] as (typeof clients)[number];

    const undocumented = background.filter((what) => !backgroundCommands.has(what));
    expect(undocumented, "in the background, and not in docs/explanation/performance.md").toEqual(
      [],
    );
    const quotes = await count("quote", (at) => world.quoted(of(at)));
    const payouts = await count("execute until its webhooks are received", (at) =>
      world.executed(of(at), quotes[at] ?? ""),
    );
    await count("read", (at) => world.read(of(at), payouts[at] ?? ""));
    await count("list page", (at) => world.page(of(at)));
  },
  180_000,
);
