import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Code, ConnectError } from "@connectrpc/connect";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testWorld } from "../test-world.ts";

type Stored = {
  id: string;
  sourceCurrencyCode: string;
  destinationCurrencyCode: string;
  active: boolean;
  feeShare: string;
  feeFlat: string;
  limits?: { sourceMin: string; sourceMax: string };
  rate?: { rate: string; source: string };
};

/** A quote service that lists one corridor per page. */
function quoteService() {
  const corridors: Stored[] = [
    {
      ...{ id: "cor_1", sourceCurrencyCode: "USD", destinationCurrencyCode: "INR", active: true },
      ...{ feeShare: "0.005", feeFlat: "0.30", limits: { sourceMin: "1.00", sourceMax: "100.00" } },
      rate: { rate: "83.5", source: "treasury" },
    },
    {
      ...{ id: "cor_2", sourceCurrencyCode: "USD", destinationCurrencyCode: "BTC", active: false },
      ...{ feeShare: "0", feeFlat: "0.00" },
    },
  ];
  const open = new Set(["mer_1 cor_1"]);
  const changes: string[] = [];
  const state = { isDown: false };
  const world = testWorld(({ service }) =>
    service(QuoteService, {
      listCorridors: ({ merchantId, cursor }) => {
        const of = corridors.filter(
          ({ id }) => merchantId === "" || open.has(`${merchantId} ${id}`),
        );
        const at = Number(cursor);
        return {
          corridors: of.slice(at, at + 1),
          nextCursor: at + 1 < of.length ? String(at + 1) : "",
        };
      },
      setCorridor: ({ corridor, mutation }) => {
        if (state.isDown) throw new ConnectError("away", Code.Unavailable);
        const { sourceCurrencyCode: from, destinationCurrencyCode: to } = corridor ?? {};
        changes.push(`corridor ${from}-${to} ${corridor?.feeFlat} ${mutation?.operationId}`);
        return { corridor: { id: `cor_${to}` } };
      },
      setMerchantCorridor: ({ merchantId, corridorId, open: isOpen }) => {
        changes.push(`${isOpen ? "open" : "close"} ${corridorId} ${merchantId}`);
        return {};
      },
      setRate: ({ corridorId, rate }) => {
        changes.push(`rate ${corridorId} ${rate?.rate} ${rate?.source}`);
        return {};
      },
    }),
  );
  const file = (text: string) => writeFileSync(join(world.folder, "file.yaml"), text);
  return { ...world, file, changes, state };
}

let service: ReturnType<typeof quoteService>;
beforeEach(() => {
  service = quoteService();
});
afterEach(() => service.remove());

const changing = `
corridors:
  - { from: USD, to: INR, fee_flat: 0.300, fee_share: "0.0060", open_to: [mer_1, mer_2] }
  - { from: USD, to: EUR, active: yes, fee_share: 0.001, fee_flat: "0" }
  - { from: USD, to: BTC, closed_to: [mer_1] }
`;

describe("corridors in a file", () => {
  it("plan only differences; omitted corridors and fields stay unchanged", async () => {
    service.file(changing);
    const { code, out } = await service.run("corridors", "plan", "file.yaml");
    expect(code).toBe(0);
    expect(out).toBe(
      [
        "~ change USD→INR",
        "    fee_share: 0.005 -> 0.0060",
        "+ open USD→INR to mer_2",
        "+ create USD→EUR",
        "    active: true",
        "    fee_share: 0.001",
        "    fee_flat: 0",
        "",
      ].join("\n"),
    );
    expect(service.changes).toEqual([]);
  });

  it("are applied with omitted fields unchanged, digit for digit", async () => {
    service.file(changing);
    const args = ["corridors", "apply", "file.yaml", "--operation-id", "op", "--json"];
    expect(await service.run(...args)).toMatchObject({ code: 2 });
    expect(service.changes).toEqual([]);
    const { code, out } = await service.run(...args, "--yes");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      applied: 3,
      changes: [
        { action: "change_corridor", pair: "USD→INR" },
        { action: "open", merchant_id: "mer_2" },
        { action: "create_corridor", pair: "USD→EUR" },
      ],
    });
    expect(service.changes).toEqual([
      "corridor USD-INR 0.300 op:corridor:USD-INR",
      "open cor_INR mer_2",
      "corridor USD-EUR 0 op:corridor:USD-EUR",
    ]);
  });

  it("that match the current state need no change", async () => {
    service.file(
      "corridors: [{ from: USD, to: INR, active: true, limits: { source_min: 1, source_max: 100 } }]",
    );
    for (const verb of ["plan", "apply"]) {
      const { code, out } = await service.run("corridors", verb, "file.yaml");
      expect({ code, out }).toEqual({
        code: 0,
        out: "nothing to do: the state matches the file\n",
      });
    }
  });

  it("report the applied changes if a service becomes unavailable", async () => {
    service.file("corridors:\n  - { from: USD, to: BTC, open_to: [mer_1], fee_flat: 1 }\n");
    service.state.isDown = true;
    const { code, err } = await service.run("corridors", "apply", "file.yaml", "--yes");
    expect(code).toBe(5);
    expect(err).toContain("0 of 2 changes were applied");
    expect(err).toContain("--operation-id cli-");
  });

  it.each([
    [
      "corridors:\n  - { from: USD, to: INR, fe_flat: 1 }",
      2,
      'corridors[0]: "fe_flat" is not a field; did you mean "fee_flat"?',
    ],
    ["corridor: []", 2, 'did you mean "corridors"?'],
    [
      "corridors: [{ from: USD, to: INR, fee_flat: -1 }]",
      2,
      "corridors[0].fee_flat: must be digits",
    ],
    [
      "corridors: [{ from: USD, to: INR, fee_flat: 1e3 }]",
      2,
      "corridors[0].fee_flat: must be digits",
    ],
    [
      "corridors: [{ from: USD, to: INR, fee_flat: [1] }]",
      2,
      "corridors[0].fee_flat: must be an amount",
    ],
    [
      "corridors: [{ from: USD, to: INR, active: maybe }]",
      2,
      "corridors[0].active: must be true or false",
    ],
    ["corridors: [{ from: USD }]", 2, "corridors[0].to: must be text"],
    ["corridors: [{ from: USD, from: INR }]", 2, "the file cannot be read"],
    ["corridors: [", 2, "the file cannot be read"],
    ["- 1", 2, "the file: "],
    [
      "corridors: [{ from: USD, to: XYZ }]",
      1,
      "corridors[0].active: is required for the new corridor",
    ],
    ["corridors: [{ from: USD, to: INR }, { from: USD, to: INR }]", 1, "USD→INR appears twice"],
    [
      "corridors: [{ from: USD, to: INR, open_to: [m], closed_to: [m] }]",
      1,
      "m is in open_to and in closed_to",
    ],
  ])("%j are rejected", async (text, exit, message) => {
    service.file(text);
    const { code, err } = await service.run("corridors", "apply", "file.yaml", "--yes");
    expect(err).toContain(message);
    expect(code).toBe(exit);
    expect(service.changes).toEqual([]);
  });
});

describe("rates in a file", () => {
  it("are set if they differ or with --renew", async () => {
    service.file(
      'source: desk\nrates:\n  - { from: USD, to: INR, rate: "83.50" }\n  - { from: USD, to: BTC, rate: 0.00001 }\n',
    );
    const planned = await service.run("rates", "plan", "file.yaml");
    expect(planned.out).toBe("~ rate USD→BTC: none -> 0.00001 (desk)\n");
    await service.run("rates", "apply", "file.yaml", "--yes");
    expect(service.changes.splice(0)).toEqual(["rate cor_2 0.00001 desk"]);
    await service.run("rates", "apply", "file.yaml", "--yes", "--renew");
    expect(service.changes).toEqual(["rate cor_1 83.50 desk", "rate cor_2 0.00001 desk"]);
  });

  it.each([
    ["rates: [{ from: USD, to: XYZ, rate: 1, source: a }]", "there is no corridor USD→XYZ"],
    ["rates: [{ from: USD, to: INR, rate: 1 }]", "rates[0].source: is required"],
  ])("%j are rejected", async (text, message) => {
    service.file(text);
    const { code, err } = await service.run("rates", "apply", "file.yaml", "--yes");
    expect({ code, changes: service.changes }).toEqual({ code: 1, changes: [] });
    expect(err).toContain(message);
  });
});
