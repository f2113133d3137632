import { expect, it } from "vitest";
import { readSettings } from "../settings.ts";
import { busSettings } from "./settings.ts";

const addressOf = (AMQP_URL: string) => readSettings({ AMQP_URL }, busSettings).AMQP_URL;

it.each([
  "amqp://a.test",
  "amqps://payout:s3cret%2C@a.test:5671",
  "amqp://a.test,amqps://payout:s3cret@b.test:5671/vhost, amqp://c.test",
])("takes %s", (text) => {
  expect(addressOf(text)).toBe(text);
});

it.each([
  "http://a.test",
  "a.test",
  "amqp://a.test,b.test",
  "amqp://a.test,",
  "amqp://payout:s3c,ret@a.test",
])("refuses %s, and shows nothing of it", (text) => {
  expect(() => addressOf(text)).toThrow(
    "settings: AMQP_URL: must be an amqp:// address, or several separated by commas",
  );
});
