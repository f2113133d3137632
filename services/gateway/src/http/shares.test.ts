import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import type { RouterContext } from "./observe.ts";
import { createShares } from "./shares.ts";

it("a caller and its merchant have so many at a time, until they are answered", () => {
  const shares = createShares({ noun: "files", callerMax: 2, merchantMax: 3 });
  const begin = (merchantId: string, id: string) => {
    const res = new EventEmitter();
    const refusal = shares.begin({ merchantId, actor: { id } }, {
      res,
    } as unknown as RouterContext);
    return { message: refusal?.detail, close: () => void res.emit("close") };
  };
  const first = begin("mer_1", "key_1");
  expect(first.message).toBeUndefined();
  expect(begin("mer_1", "key_1").message).toBeUndefined();
  expect(begin("mer_1", "key_1").message).toBe(
    "This caller has too many files open at the same time.",
  );
  expect(begin("mer_1", "key_2").message).toBeUndefined();
  const ofMerchant = "This merchant has too many files open at the same time.";
  expect(begin("mer_1", "key_2").message).toBe(ofMerchant);
  expect(begin("mer_1", "key_3").message).toBe(ofMerchant);
  expect(begin("mer_2", "key_4").message).toBeUndefined();
  first.close();
  expect(begin("mer_1", "key_3").message).toBeUndefined();
  expect(begin("mer_1", "key_3").message).toBe(ofMerchant);
});
