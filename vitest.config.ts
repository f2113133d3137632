import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tests are beside the code, or in the top folder if they cover several workspaces. */
const roots = ["packages/*/src", "packages/verification/*/src", "services/*/src", "tests"];
const named = (suffix: string): string[] => roots.map((root) => `${root}/**/*${suffix}`);

const integration = named(".int.test.ts");
const endToEnd = named(".e2e.test.ts");
/** vitest.scenarios.config.ts runs these; they are not part of `npm test`. */
const scenarios = named(".scenario.test.ts");

/** Starts, once a run, the engine and broker that integration and end-to-end tests share. */
const globalSetup = ["packages/verification/testkit/src/global-setup.ts"];

/** Slow files: they start brokers, browsers and whole installations. */
const slowest = new RegExp(
  `/(${[
    ...["seed-run", "counts", "processes", "rules"],
    ...["broker.int", "history.int", "docs-page.int", "import.int", "delivery.int"],
    ...["faults.e2e", "guides.e2e", "standalone.e2e", "fields.e2e", "outage.e2e", "races.e2e"],
  ].join("|")})\\.test\\.ts$`,
);

/** Starts the slowest files of a project first, so that no worker ends long after the others. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) =>
      2 * project.config.sequence.groupOrder + (slowest.test(moduleId) ? 0 : 1);
    return (await super.sort(files)).sort((one, two) => rank(one) - rank(two));
  }
}

/*
 * Files of a project share a worker's modules (`isolate: false`): loading them anew for each file
 * took two fifths of all processor time. No test may leave a module or a global changed.
 */
export default defineConfig({
  test: {
    restoreMocks: true,
    // Node loads the modules itself, as in production, which takes a tenth less time.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // A busy machine is slow, not wrong.
    expect: { poll: { timeout: 10_000 } },
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: named(".test.ts"),
          exclude: [...integration, ...endToEnd, ...scenarios],
          testTimeout: 60_000,
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "int",
          include: integration,
          globalSetup,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          isolate: false,
          // They wait for engine and broker half of the time.
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: endToEnd,
          globalSetup,
          testTimeout: 240_000,
          hookTimeout: 180_000,
          isolate: false,
          // These tests spend a fifth of their time waiting for timers, process starts and
          // settlements.
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
