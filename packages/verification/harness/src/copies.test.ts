import { Binary, Decimal128 } from "mongodb";
import { expect, test } from "vitest";
import { compileCopy } from "./copies.ts";

test("gives a copy its own names and times, and leaves the rest", () => {
  const original = {
    _id: "po_aaa",
    event: "evt_aaa_2",
    operation: "op_ccc of aaa",
    amount: Decimal128.fromString("500"),
    version: 2,
    claim: { at: new Date(5_000), note: "x" },
    journal: [{ cause: "aaa and aaa" }],
    lease: null,
    body: new Binary(Buffer.from([0xff, 0x61, 0x61, 0x61, 0x00])),
  };
  const copier = compileCopy(original, ["aaa", "ccc"]);
  const copy = copier({ names: ["bbb", "ddd"], shiftMs: -1_000 });
  expect(copy).toEqual({
    ...original,
    ...{ _id: "po_bbb", event: "evt_bbb_2", operation: "op_ddd of bbb" },
    claim: { at: new Date(4_000), note: "x" },
    journal: [{ cause: "bbb and bbb" }],
    body: copy.body,
  });
  expect([...copy.body.value()]).toEqual([0xff, 0x62, 0x62, 0x62, 0x00]);
  expect(original._id).toBe("po_aaa");
  expect(copier({ names: ["eee", "fff"], shiftMs: 0 })).toMatchObject({ _id: "po_eee" });
});

test("makes copies that can be changed, also of documents without a name", () => {
  const original = { step: "hold", held: 1 };
  const copy = compileCopy(original, ["aaa"])({ names: ["bbb"], shiftMs: 0 });
  copy.held = 2;
  expect(original.held).toBe(1);
});
