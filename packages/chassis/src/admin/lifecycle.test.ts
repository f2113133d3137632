import { describe, expect, it } from "vitest";
import { createDatabaseCheck, createLifecycle } from "./lifecycle.ts";

describe("a lifecycle", () => {
  it("is ready once it has started, until it drains", async () => {
    const lifecycle = createLifecycle(async () => true);
    expect([lifecycle.hasStarted(), await lifecycle.isReady()]).toEqual([false, false]);
    lifecycle.started();
    expect([lifecycle.hasStarted(), await lifecycle.isReady()]).toEqual([true, true]);
    lifecycle.drain();
    expect([lifecycle.hasStarted(), await lifecycle.isReady()]).toEqual([true, false]);
    expect(lifecycle.draining.aborted).toBe(true);
  });

  it("is not ready while it can't work", async () => {
    const lifecycle = createLifecycle(async () => false);
    lifecycle.started();
    expect(await lifecycle.isReady()).toBe(false);
  });
});

describe("the check of a database", () => {
  function checked() {
    const state = { nowMs: 0, isThere: true, pings: 0 };
    const ping = async () => {
      state.pings += 1;
      return state.isThere;
    };
    return { state, check: createDatabaseCheck(ping, () => state.nowMs) };
  }

  it("queries once a second, however often it is called", async () => {
    const { state, check } = checked();
    await Promise.all([check(), check()]);
    state.nowMs = 999;
    expect(await check()).toBe(true);
    expect(state.pings).toBe(1);
    state.nowMs = 1_000;
    await check();
    expect(state.pings).toBe(2);
  });

  it("tolerates 4 s without an answer, and no more", async () => {
    const { state, check } = checked();
    await check();
    state.isThere = false;
    state.nowMs = 3_999;
    expect(await check()).toBe(true);
    state.nowMs = 5_000;
    expect(await check()).toBe(false);
    state.isThere = true;
    state.nowMs = 6_000;
    expect(await check()).toBe(true);
  });

  it("answers within 0.4 s from the last result while a ping hangs, and pings once", async () => {
    const hung = Promise.withResolvers<boolean>();
    const state = { nowMs: 0, pings: 0, hangs: false };
    const ping = () => {
      state.pings += 1;
      return state.hangs ? hung.promise : Promise.resolve(true);
    };
    const check = createDatabaseCheck(ping, () => state.nowMs);
    expect(await check()).toBe(true);
    state.hangs = true;
    state.nowMs = 2_000;
    const startedAt = performance.now();
    expect(await check()).toBe(true);
    state.nowMs = 6_000;
    expect(await check()).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(800);
    expect(state.pings).toBe(2);
    hung.resolve(true);
    await hung.promise;
    expect(await check()).toBe(true);
  });

  it("tolerates a slow first ping after a long time without calls", async () => {
    const slow = Promise.withResolvers<boolean>();
    const state = { nowMs: 0, isSlow: false };
    const ping = () => (state.isSlow ? slow.promise : Promise.resolve(true));
    const check = createDatabaseCheck(ping, () => state.nowMs);
    await check();
    Object.assign(state, { nowMs: 60_000, isSlow: true });
    expect(await check()).toBe(true);
    slow.resolve(false);
    await slow.promise;
    expect(await check()).toBe(false);
  });

  it("does not tolerate a database that never answered", async () => {
    const { state, check } = checked();
    state.isThere = false;
    expect(await check()).toBe(false);
  });
});
