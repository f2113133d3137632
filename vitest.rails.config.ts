import { defineConfig } from "vitest/config";

/** `npm run test:rails`: rails at their real counterparts, at more length than `npm test`. */
export default defineConfig({
  test: {
    include: [
      "services/*/src/**/*.rails.test.ts",
      "packages/verification/*/src/**/*.rails.test.ts",
    ],
    globalSetup: ["packages/verification/testkit/src/global-setup.ts"],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    // A figure is measured in one of them.
    maxWorkers: 1,
  },
});
