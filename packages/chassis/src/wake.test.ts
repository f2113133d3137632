import { expect, it } from "vitest";
import { createWake } from "./wake.ts";

it("wakes one waiting side for each notification, the one that began to wait last", async () => {
  const wake = createWake();
  const order: string[] = [];
  const first = wake.next(60_000).then(() => order.push("first"));
  const last = wake.next(60_000).then(() => order.push("last"));
  wake.notify();
  await last;
  expect(order).toEqual(["last"]);
  wake.notify();
  await first;
  expect(wake.take()).toBe(false);
});

it("keeps one notification for a side that waits later, until it is taken", async () => {
  const wake = createWake();
  wake.notify();
  wake.notify();
  expect(await wake.next(60_000)).toBe(true);
  expect(await wake.next(1)).toBe(false);
  wake.notify();
  expect(wake.take()).toBe(true);
  expect(await wake.next(1)).toBe(false);
});

it("gives no notification to a side that has stopped waiting", async () => {
  const wake = createWake();
  expect(await wake.next(1)).toBe(false);
  const stopping = new AbortController();
  const stopped = wake.next(60_000, stopping.signal);
  stopping.abort();
  expect(await stopped).toBe(false);
  expect(await wake.next(60_000, stopping.signal)).toBe(false);
  wake.notify();
  expect(await wake.next(60_000, stopping.signal)).toBe(true);
});
