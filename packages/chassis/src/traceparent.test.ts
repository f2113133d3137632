import { describe, expect, it } from "vitest";
import { formatTraceparent, isSampled, parseTraceparent } from "./traceparent.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

describe("parseTraceparent", () => {
  it.each([
    [`00-${traceId}-${spanId}-01`, 1],
    [`00-${traceId}-${spanId}-00`, 0],
    // Unknown flags are dropped.
    [`00-${traceId}-${spanId}-03`, 1],
    [`00-${traceId}-${spanId}-fe`, 0],
    // A later version may append fields.
    [`01-${traceId}-${spanId}-01-what-comes`, 1],
    [`fe-${traceId}-${spanId}-01`, 1],
  ])("reads %s", (sent, traceFlags) => {
    expect(parseTraceparent(sent)).toEqual({ traceId, spanId, traceFlags, isRemote: true });
  });

  it.each([
    [undefined],
    [null],
    [""],
    ["00"],
    [`00-${traceId}-${spanId}`],
    [`00-${traceId}-${spanId}-1`],
    [`00-${traceId}-${spanId}-001`],
    [`00-${traceId}-${spanId}-01-more`],
    [`00-${traceId}-${spanId}-01\n`],
    [` 00-${traceId}-${spanId}-01`],
    [`00-${traceId.toUpperCase()}-${spanId}-01`],
    [`00-${traceId.slice(1)}-${spanId}-01`],
    [`00-${traceId}-${spanId}0-01`],
    [`00-${"0".repeat(32)}-${spanId}-01`],
    [`00-${traceId}-${"0".repeat(16)}-01`],
    [`ff-${traceId}-${spanId}-01`],
    [`00-${traceId}-${spanId}-01,00-${traceId}-${spanId}-01`],
  ])("refuses %j", (sent) => expect(parseTraceparent(sent)).toBeUndefined());
});

it("writes what it reads", () => {
  for (const sent of [`00-${traceId}-${spanId}-01`, `00-${traceId}-${spanId}-00`]) {
    const span = parseTraceparent(sent)!;
    expect(formatTraceparent(span)).toBe(sent);
    expect(isSampled(span)).toBe(sent.endsWith("1"));
  }
});
