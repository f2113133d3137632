import { expect, it } from "vitest";
import { createMetrics } from "./metrics.ts";
import { releaseVersion, showRelease } from "./release.ts";

it("shows which release and which commit a process runs", async () => {
  const metrics = createMetrics("quote");
  showRelease(metrics, "2a325fe9");
  expect(releaseVersion).toMatch(/^\d+\.\d+\.\d+/);
  expect(await metrics.text()).toContain(
    `disburse_build_info{version="${releaseVersion}",commit="2a325fe9",service="quote"} 1`,
  );
});
