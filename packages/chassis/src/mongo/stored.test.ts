import { Binary, Decimal128 } from "mongodb";
import { expect, it } from "vitest";
import { fromStored, type Stored, toStored } from "./stored.ts";

type Order = {
  readonly merchantId: string;
  readonly amountMinor: bigint;
  readonly isUrgent: boolean;
  readonly at: Date;
  readonly body: Binary;
  readonly lines: readonly { readonly lineId: string; readonly amountMinor: bigint }[];
  readonly details: { readonly metadata?: Readonly<Record<string, string>> };
  readonly approvedBy?: { readonly actorId: string } | undefined;
};

const order: Order = {
  ...{ merchantId: "mer_1", amountMinor: -(10n ** 20n), isUrgent: true, at: new Date(7) },
  body: new Binary(Uint8Array.of(1, 2)),
  lines: [{ lineId: "a", amountMinor: 1_000n }],
  details: { metadata: { "order-Id": "7", a_b: "" } },
  approvedBy: undefined,
};
const stored = {
  ...{ merchant_id: "mer_1", is_urgent: true, at: new Date(7) },
  amount_minor: Decimal128.fromString("-100000000000000000000"),
  body: new Binary(Uint8Array.of(1, 2)),
  lines: [{ line_id: "a", amount_minor: Decimal128.fromString("1000") }],
  details: {
    metadata: [
      { k: "a_b", v: "" },
      { k: "order-Id", v: "7" },
    ],
  },
};

it("a domain value is stored in snake case, its amounts as decimals, without what is undefined", () => {
  const made: Stored<Order> = toStored(order);
  expect(made).toStrictEqual(stored);
});

it("a stored value reads as it was, keys of metadata untouched", () => {
  const { approvedBy: _, ...whole } = order;
  expect(fromStored<Order>(toStored(order))).toStrictEqual(whole);
});
