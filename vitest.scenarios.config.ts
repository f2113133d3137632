import { defineConfig } from "vitest/config";

/** The scenarios of a package, which `scripts/scenarios.mjs` runs by the project's name. */
const project = (name: string, folder: string) => ({
  extends: true as const,
  test: { name, include: [`${folder}/**/*.scenario.test.ts`] },
});

/** Scenarios take minutes or hours, so `npm test` leaves them out. */
export default defineConfig({
  test: {
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Each scenario has its own limits. How long a run takes depends on its settings.
    testTimeout: 0,
    hookTimeout: 0,
    // Scenarios measure and break things, so they run one after the other.
    isolate: false,
    maxWorkers: 1,
    projects: [
      project("cluster", "packages/verification/deploy/src"),
      project("drills", "packages/verification/drills/src"),
      project("console", "packages/verification/browser-tests/src"),
      project("engines", "packages/verification/engines/src"),
      project("faults", "packages/verification/faults/src"),
      project("operate", "packages/verification/operate/src"),
      {
        extends: true,
        test: {
          name: "rails",
          include: [
            "packages/*-rail/src/**/*.scenario.test.ts",
            // They also run in `npm test`, because they take less than a minute.
            "packages/*-rail/src/{crashes,nodes}.int.test.ts",
            "packages/verification/rails/src/**/*.scenario.test.ts",
          ],
          globalSetup: ["packages/verification/testkit/src/global-setup.ts"],
        },
      },
    ],
  },
});
