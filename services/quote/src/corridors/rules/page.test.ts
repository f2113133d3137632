import { expect, it } from "vitest";
import { readPairStart, writePairCursor } from "./page.ts";

it("reads back what it wrote", () => {
  const pair = { source: "USD", destination: "USDC_COIN_POLYGON" };
  expect(readPairStart(writePairCursor(pair))).toEqual(pair);
  expect(readPairStart("")).toBeUndefined();
});

it.each(["USD", "USD.", "USD.XXX", "XXX.USD", "USD.USD.USD", "constructor.USD"])(
  "takes no cursor for %j",
  (text) => {
    const cursor = Buffer.from(text).toString("base64url");
    expect(readPairStart(cursor)).toMatchObject({ refused: "INVALID_REQUEST" });
  },
);
