import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { say } from "@disburse/harness/command-line.ts";
import { optionOf, skipBecause } from "@disburse/harness/scenario.ts";
import { callGateway } from "@disburse/platform/merchant.ts";
import { thisCheckout } from "@disburse/platform/processes.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ReplicatedPlatform, startReplicatedPlatform } from "../replicas/platform.ts";
import { restartAll, shutdownDelaySeconds } from "../replicas/rolling-restart.ts";
import { checkOut, commitOf, removeCheckout } from "./checkout.ts";

/** A round has four requests, so a client begins one every 200 ms. */
const perSecond = 20;

const from = optionOf("from") ?? "HEAD^";
const isFolder = existsSync(join(from, "services"));
const commit = isFolder ? undefined : commitOf(from);
const unknown = !isFolder && commit === undefined;

const ends = new AsyncDisposableStack();

/** Two versions on one database: each process of one is replaced by one of the other. */
describe("update", () => {
  let earlier: string;
  let platform: ReplicatedPlatform;

  beforeAll(async () => {
    if (unknown) return;
    const folder = mkdtempSync(join(tmpdir(), "update-"));
    earlier = isFolder ? resolve(from) : join(folder, "earlier");
    if (commit !== undefined) {
      checkOut(commit, earlier);
      ends.defer(() => removeCheckout(earlier));
    }
    const settings = { SHUTDOWN_DELAY_SECONDS: String(shutdownDelaySeconds) };
    platform = await startReplicatedPlatform(folder, settings, earlier);
    ends.defer(platform.stop);
  });
  afterAll(() => ends.disposeAsync());

  const replaceBy = async (version: string) => {
    for (const replica of platform.replicas) replica.changeTo(version);
    await platform.migrate();
    const { requests, payoutIds } = await restartAll(platform, perSecond);
    await platform.settle();
    const lost: string[] = [];
    for (const id of payoutIds) {
      const { data } = await callGateway(platform.payer, "GET", `/transfer/payouts/${id}`);
      if (data?.status !== "succeeded") lost.push(`${id} ${data?.status}`);
    }
    expect(lost).toEqual([]);
    expect(new Set(payoutIds).size).toBe(payoutIds.length);
    return `${requests} requests, 0 failed, ${payoutIds.length} payouts, all succeeded`;
  };

  test("forward", async (context) => {
    skipBecause(context, unknown ? `there is no commit ${from} here` : undefined);
    say(`from ${commit ?? earlier}: ${await replaceBy(thisCheckout)}`);
  });

  test("back", async (context) => {
    skipBecause(context, unknown ? `there is no commit ${from} here` : undefined);
    say(`back to ${commit ?? earlier}: ${await replaceBy(earlier)}`);
  });
});
