import { expect, test } from "vitest";
import { endpointsInAll, planEndpoints, saturated } from "./endpoints.ts";
import { eventIdOf, readEventId, sessionMessage } from "./events.ts";

test("an event's id says of which run it is and to whom it goes", () => {
  const name = { run: "c2", number: 17, endpoint: 99 };
  expect(readEventId(eventIdOf(name))).toEqual(name);
  expect(readEventId("evt_01kah0m3sg7z8x9c2v4b6n8m0q_2")).toBeUndefined();
});

test("an event goes to one endpoint of 100, of which four merchants have most", () => {
  let merchants = 0;
  const endpoints = planEndpoints(() => `mer_${++merchants}`);
  expect(endpoints).toHaveLength(endpointsInAll);
  expect(new Set(endpoints.map(({ merchantId, status }) => `${merchantId} ${status}`)).size).toBe(
    100,
  );
  expect(merchants).toBe(44);
  expect(new Set(saturated(endpoints).map(({ merchantId }) => merchantId)).size).toBe(4);
});

test("an event has every field of the interface's payment session, and 1 kB in all", () => {
  const [endpoint] = planEndpoints();
  const { body, id } = sessionMessage("a", 12_345, endpoint!);
  const text = Buffer.from(body).toString("latin1");
  const data = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  expect(id).toBe("evt_a_12345_0");
  expect(Object.keys(JSON.parse(data))).toEqual([
    ...["id", "reference_id", "merchant_id", "status", "failure_code", "amount"],
    ...["source_currency", "source_account", "payment_option_id", "payment_option_code"],
    ...["success_redirect_url", "failure_redirect_url", "risk_score"],
    ...["created_at", "updated_at", "expires_at"],
  ]);
  const frame = `{"transaction_type":"payment_session","transaction_id":"ps_a_12345","data":${data}}`;
  expect(frame.length).toBe(1_024);
});
