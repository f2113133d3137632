import { expect, test } from "vitest";
import { endpointOf, endpointsInAll, planEndpoints } from "./endpoints.ts";
import { readSessionId, sessionIdOf, sessionMessage } from "./events.ts";

test("a session's id names its run and its number", () => {
  const name = { run: "backlog", number: 17 };
  expect(readSessionId(sessionIdOf(name))).toEqual(name);
  expect(readSessionId("ps_01kah0m3sg7z8x9c2v4b6n8m0q")).toBeUndefined();
});

test("100 endpoints, 60 of them of four merchants, each with a status of its own", () => {
  let merchants = 0;
  const endpoints = planEndpoints(() => `mer_${++merchants}`);
  expect(endpoints).toHaveLength(endpointsInAll);
  const pairs = endpoints.map(({ merchantId, status }) => `${merchantId} ${status}`);
  expect(new Set(pairs).size).toBe(100);
  expect(merchants).toBe(44);
  expect(new Set(endpoints.slice(0, 60).map(({ merchantId }) => merchantId)).size).toBe(4);
  expect(endpointOf(endpoints, 203).at).toBe(3);
});

test("a webhook's body has 1 kB", () => {
  const [endpoint] = planEndpoints();
  const { body } = sessionMessage({ run: "a", number: 12_345 }, endpoint!);
  const text = Buffer.from(body).toString("latin1");
  const data = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  expect(JSON.parse(data)).toMatchObject({ id: "ps_a_12345", status: endpoint?.status });
  const frame = `{"transaction_type":"payment_session","transaction_id":"ps_a_12345","data":${data}}`;
  expect(frame.length).toBe(1_024);
});
