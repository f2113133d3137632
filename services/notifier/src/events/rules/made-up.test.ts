import { expect, it } from "vitest";
import { madeUpData } from "./made-up.ts";

const example =
  '{"id":"po_1","status":"succeeded","merchant_id":"mer_x","amount":250.00,"note":""}';
const chosen = { merchantId: "mer_1", transactionId: "", status: "", data: {} };

it.each([
  [{}, '{"id":"po_1","status":"succeeded","merchant_id":"mer_1","amount":250.00,"note":""}'],
  [
    { transactionId: "po_2", status: "failed", data: { note: "late", amount: "12.10" } },
    '{"id":"po_2","status":"failed","merchant_id":"mer_1","amount":12.10,"note":"late"}',
  ],
  [
    { data: { id: "po_3", status: "failed", more: "7", amount: "much" } },
    '{"id":"po_3","status":"failed","merchant_id":"mer_1","amount":"much","note":"","more":"7"}',
  ],
])("with %j the example becomes %s", (change, dataJson) => {
  const { id: transactionId, status } = JSON.parse(dataJson);
  expect(madeUpData(example, { ...chosen, ...change })).toEqual({
    ...{ transactionId, status, dataJson },
  });
});

it("an example that is no object makes none", () => {
  expect(madeUpData("[]", chosen)).toBeUndefined();
});
