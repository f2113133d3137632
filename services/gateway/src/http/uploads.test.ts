import { EventEmitter } from "node:events";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { expect, it } from "vitest";
import type { RouterContext } from "./observe.ts";
import { createUploads, type Upload, type UploadLimits } from "./uploads.ts";

/** Uploads of one process, each with a function that ends its response. */
function uploadsOf(limits: UploadLimits) {
  const uploads = createUploads(limits);
  return (merchantId: string) => {
    const res = new EventEmitter();
    const begun = uploads.begin(merchantId, { res } as unknown as RouterContext);
    return { begun, close: () => void res.emit("close") };
  };
}

function admitted(begun: ReturnType<ReturnType<typeof uploadsOf>>["begun"]): Upload {
  if (isRefused(begun)) throw new Error("refused");
  return begun;
}

it("a merchant has so many at a time, until they are answered; another is not counted", () => {
  const begin = uploadsOf({ merchantMax: 2 });
  const [first, second, third] = [begin("mer_1"), begin("mer_1"), begin("mer_1")];
  expect([first, second, third].map(({ begun }) => isRefused(begun))).toEqual([false, false, true]);
  expect(third.begun).toMatchObject({ refused: "RATE_LIMITED" });
  expect(isRefused(begin("mer_2").begun)).toBe(false);
  first.close();
  expect(isRefused(begin("mer_1").begun)).toBe(false);
  expect(isRefused(begin("mer_1").begun)).toBe(true);
});

it("all of them hold so many bytes, which an answer gives back", () => {
  const begin = uploadsOf({ bufferedMax: 10 });
  const [one, two] = [begin("mer_1"), begin("mer_2")];
  expect(admitted(one.begun).keep(6)).toBe(true);
  expect(admitted(two.begun).keep(5)).toBe(false);
  expect(admitted(two.begun).keep(4)).toBe(true);
  one.close();
  expect(admitted(one.begun).keep(1)).toBe(false);
  expect(admitted(two.begun).keep(6)).toBe(true);
  expect(admitted(two.begun).keep(1)).toBe(false);
});

it("a merchant's parses take a quarter of the time at most; another's are not delayed", async () => {
  const begin = uploadsOf({ merchantMax: 2 });
  const spentMs = 40;
  const spend = () => {
    const untilMs = performance.now() + spentMs;
    while (performance.now() < untilMs);
    return performance.now();
  };
  const first = begin("mer_1");
  const ended = await admitted(first.begun).parse(spend);
  first.close();
  const again = admitted(begin("mer_1").begun).parse(() => performance.now());
  const other = await admitted(begin("mer_2").begun).parse(() => performance.now());
  expect(other - ended).toBeLessThan(spentMs);
  expect((await again) - ended).toBeGreaterThanOrEqual(3 * spentMs - 1);
});

it("a failed parse counts as well", async () => {
  const begin = uploadsOf({});
  const fail = () => {
    throw new Error("not JSON");
  };
  const { parse } = admitted(begin("mer_1").begun);
  await expect(parse(fail)).rejects.toThrow("not JSON");
  expect(await parse(() => "read")).toBe("read");
});
