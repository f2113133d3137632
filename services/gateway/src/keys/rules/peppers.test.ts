import { expect, it } from "vitest";
import { currentPepper, isOlder, peppersPattern, readPeppers } from "./peppers.ts";

const base64 = (byte: number) => Buffer.alloc(32, byte).toString("base64");

it("reads one or several by their versions, the first of which hashes", () => {
  const alone = readPeppers(`p1:${base64(1)}`);
  expect(alone.current).toBe("p1");
  expect(Buffer.from(currentPepper(alone))).toEqual(Buffer.alloc(32, 1));
  const ring = readPeppers(`p2:${base64(2)},p1:${base64(1)}`);
  expect(ring.current).toBe("p2");
  expect(Buffer.from(currentPepper(ring))).toEqual(Buffer.alloc(32, 2));
  expect(ring.byVersion.get("p1")).toEqual(alone.byVersion.get("p1"));
});

it.each<[string, boolean]>([
  [base64(1), false],
  [`p1:${base64(1)}`, true],
  [`p2:${base64(2)}`, true],
  [`p2:${base64(2)},p1:${base64(1)}`, true],
  [`${base64(2)},${base64(1)}`, false],
  [`p2:${base64(2)},${base64(1)}`, false],
  ["p2:short", false],
  [`second:${base64(2)}`, false],
  ["", false],
])("takes %s as a setting: %s", (text, isTaken) => {
  expect(peppersPattern.test(text)).toBe(isTaken);
});

it("rehashes keys with a lower version number, regardless of its position", () => {
  const [front, behind] = [`p10:${base64(2)},p9:${base64(1)}`, `p9:${base64(1)},p10:${base64(2)}`];
  const older = (text: string) => ["p9", "p10"].map((each) => isOlder(each, readPeppers(text)));
  expect([older(front), older(behind)]).toEqual([
    [true, false],
    [false, false],
  ]);
});
