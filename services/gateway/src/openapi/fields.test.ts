import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { enumName, enumNames } from "@disburse/chassis/enum-names.ts";
import {
  BeneficiaryKind,
  DepositorStatus,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import {
  CircuitState,
  DeliveryOrder,
  DeliveryState,
  EndpointState,
  ReplayState,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import {
  LedgerStep,
  PayoutCause,
  PayoutStatus,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteSchema } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { describe, expect, it } from "vitest";
import {
  component,
  decimal,
  fields,
  flag,
  from,
  listOf,
  moment,
  momentOrNone,
  optional,
  ref,
  text,
  whole,
  within,
  word,
} from "./fields.ts";

describe("the words of the public interface", () => {
  it.each<[string, Readonly<Record<string, number>>, string]>([
    ["payout status", PayoutStatus, "initiated succeeded failed"],
    [
      "payout sub-status",
      PayoutSubStatus,
      "queued processing unknown settled rejected returned awaiting_funds cancelled awaiting_approval scheduled awaiting_balance",
    ],
    ["ledger step", LedgerStep, "credit hold post release return reversal reserve unreserve"],
    [
      "payout cause",
      PayoutCause,
      "executed submitted accepted outcome_unknown settled rejected returned resolved awaiting_funds cancelled approved approval_rejected approval_expired reissued awaiting_balance not_paid",
    ],
    ["beneficiary kind", BeneficiaryKind, "crypto fiat"],
    ["screening status", ScreeningStatus, "pending cleared review blocked"],
    ["depositor status", DepositorStatus, "pending whitelisted review rejected"],
    ["endpoint state", EndpointState, "active paused unverified"],
    ["delivery order", DeliveryOrder, "none bounded strict"],
    ["circuit state", CircuitState, "closed open"],
    ["delivery state", DeliveryState, "pending delivered exhausted cancelled"],
    ["replay state", ReplayState, "running done cancelled"],
  ])("%s", (_what, values, words) => {
    expect(enumNames(values).join(" ")).toBe(words);
    const { schema, write } = word(values, "What it is.");
    expect(schema.anyOf).toEqual([{ type: "string", enum: words.split(" ") }, { type: "string" }]);
    for (const each of words.split(" ")) {
      const value = values[each.toUpperCase()] ?? 0;
      expect([enumName(values, value), write(value)]).toEqual([each, each]);
    }
    expect(write(0)).toBe("");
  });
});

describe("a table of fields", () => {
  const createdAt = timestampFromDate(new Date("2026-11-20T11:26:00.123Z"));
  const quote = create(QuoteSchema, { id: "qt_1", sourceAmount: "9007199254740993.10", createdAt });

  it("reads each kind from the message's field of its name, in the table's order", () => {
    const { schema, write } = component(
      "Quote",
      "A quote.",
      fields(QuoteSchema, {
        source_amount: decimal("What is paid.", "1.00"),
        id: text("Its id.", "qt_0"),
        currency: from("sourceCurrencyCode", text("Its currency.", "USD")),
        is_open: from(({ id }) => id !== "", flag("Whether it is open.", true)),
        created_at: moment("When it was made."),
        expired_at: momentOrNone("When it expires."),
      }),
    );
    expect(JSON.stringify(write(quote))).toBe(
      '{"source_amount":9007199254740993.10,"id":"qt_1","currency":"","is_open":true,' +
        '"created_at":"2026-11-20T11:26:00.123Z","expired_at":""}',
    );
    expect(schema).toMatchObject({
      description: "A quote.",
      required: ["source_amount", "id", "currency", "is_open", "created_at", "expired_at"],
      properties: { id: { type: "string", description: "Its id.", examples: ["qt_0"] } },
    });
  });

  it("does not compile with a name or a kind that the message does not have", () => {
    // @ts-expect-error: there is no such field.
    expect(() => fields(QuoteSchema, { price: text("What it costs.", "1") })).toThrow("price");
    // @ts-expect-error: it is a time, no text.
    fields(QuoteSchema, { created_at: text("When it was made.", "") });
    // @ts-expect-error: there is no such field.
    fields(QuoteSchema, { price: from("cost", text("What it costs.", "1")) });
  });

  it.each([
    ["", undefined],
    [undefined, undefined],
    ["x", "x"],
  ])("leaves an optional %j out", (value, written) => {
    const { schema, write } = component("A", "A.", {
      a: from((its: { a: typeof value }) => its.a, optional(text("A.", "a"))),
    });
    expect(write({ a: value })).toEqual(written === undefined ? {} : { a: written });
    expect(schema.required).toEqual([]);
  });

  it("leaves an optional empty list out, and a false flag", () => {
    expect(optional(listOf("A.", text("A.", "a"))).write([])).toBeUndefined();
    expect(optional(flag("A.", true)).write(false)).toBeUndefined();
  });

  it("takes the fields of a part, which must be there", () => {
    type Reply = { part?: { number: bigint } };
    const part = component("Part", "A part.", {
      number: from(({ number }: { number: bigint }) => number, whole("Its number.", 1)),
    });
    const reply = component<Reply>("Reply", "A reply.", {
      ...within(({ part }) => part, { number: from(({ number }) => number, whole("N.", 1)) }),
      part: from(({ part }) => part, ref(part)),
    });
    expect(JSON.stringify(reply.write({ part: { number: 9_007_199_254_740_993n } }))).toBe(
      '{"number":9007199254740993,"part":{"number":9007199254740993}}',
    );
    expect(() => reply.write({})).toThrow("lacks a value that its contract requires");
  });
});
