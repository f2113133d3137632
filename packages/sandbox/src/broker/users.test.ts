import { expect, it } from "vitest";
import { brokerPasswordsOf, brokerUrlOf } from "./users.ts";

it("gives a service's credentials to each address of a cluster, and reads them back", () => {
  const passwords = { payout: "p4ss" };
  const url = brokerUrlOf("amqps://a.test:5671,amqps://b.test:5671", "payout", passwords);
  expect(url).toBe("amqps://payout:p4ss@a.test:5671,amqps://payout:p4ss@b.test:5671");
  const urlOf = (service: string) => (service === "payout" ? url : undefined);
  expect(brokerPasswordsOf(urlOf)).toEqual(passwords);
});
