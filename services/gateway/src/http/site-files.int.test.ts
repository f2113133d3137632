import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";

const contact = "mailto:security@example.com";
let gateway: TestGateway;
let withoutContact: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({ securityContact: contact });
  withoutContact = await startTestGateway();
});
afterAll(async () => {
  await gateway.stop();
  await withoutContact.stop();
});

it("/robots.txt keeps crawlers from the API, the console and payees' links", async () => {
  const { status, headers, text } = await gateway.ask({ path: "/robots.txt" });
  expect([status, headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
  expect(text).toBe("User-agent: *\nDisallow: /api/\nDisallow: /b/\nDisallow: /console/\n");
});

it("/favicon.ico is the console's mark", async () => {
  const { status, headers, text } = await gateway.ask({ path: "/favicon.ico" });
  expect([status, headers["content-type"]]).toEqual([200, "image/svg+xml"]);
  const mark = new URL("../../../../packages/console/src/styles/mark.svg", import.meta.url);
  expect(text).toBe(readFileSync(mark, "utf8"));
});

it("/.well-known/security.txt has the contact, and is to be trusted for half a year", async () => {
  const { status, headers, text } = await gateway.ask({ path: "/.well-known/security.txt" });
  expect([status, headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
  const fields = Object.fromEntries(text.split("\n").map((line) => line.split(/: (.*)/)));
  expect(fields).toMatchObject({ Contact: contact, "Preferred-Languages": "en" });
  // The test gateway starts on 20 November 2026 at noon.
  expect(fields.Expires).toBe("2027-05-19T12:00:00.000Z");
});

it("/.well-known/security.txt is missing without a contact", async () => {
  const { status } = await withoutContact.ask({ path: "/.well-known/security.txt" });
  expect(status).toBe(404);
});
