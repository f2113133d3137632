import { expect, it } from "vitest";
import { serviceOfCertificate } from "./certificates.ts";

it.each<[string, string | undefined, string | undefined]>([
  ["its SPIFFE ID", "URI:spiffe://disburse/payout", "payout"],
  ["the names of its host beside it", "DNS:payout, URI:spiffe://disburse/payout", "payout"],
  ["no name", undefined, undefined],
  ["a host's name alone", "DNS:payout", undefined],
  ["another trust domain", "URI:spiffe://disburse.example/payout", undefined],
  ["a longer path", "URI:spiffe://disburse/payout/eu", undefined],
  ["no service", "URI:spiffe://disburse/", undefined],
  ["another scheme", "URI:https://disburse/payout", undefined],
  ["two names", "URI:spiffe://disburse/payout, URI:spiffe://disburse/quote", undefined],
  ["a name with another one in it", 'DNS:"a, URI:spiffe://disburse/payout, b"', undefined],
])("knows a service by %s", (_what, subjectAltName, service) => {
  expect(serviceOfCertificate({ subjectAltName }, "disburse")).toBe(service);
});
