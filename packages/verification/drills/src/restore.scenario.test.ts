import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { beneficiaryLoss } from "./losses/beneficiary.ts";
import { gatewayLoss } from "./losses/gateway.ts";
import { notifierLoss } from "./losses/notifier.ts";
import { payoutLoss } from "./losses/payout.ts";
import { quoteLoss } from "./losses/quote.ts";
import { type DrillPlatform, startDrillPlatform } from "./platform.ts";
import { runDrill } from "./restore.ts";

/** `npm run drill:restore`: README.md describes the drills. */

const losses = [payoutLoss, quoteLoss, beneficiaryLoss, gatewayLoss, notifierLoss];
let platform: DrillPlatform;

beforeAll(async () => {
  // The script removes the folder, even if the run is interrupted.
  platform = await startDrillPlatform(mkdtempSync(join(tmpdir(), "drill-")));
});
afterAll(() => platform?.stop());

test.each(losses)("$service", async (loss) => {
  expect(await runDrill(platform, loss)).toEqual([]);
});
