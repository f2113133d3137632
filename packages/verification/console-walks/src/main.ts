import { oneOf, readArguments, runCommand, say } from "@disburse/harness/command-line.ts";
import { chromiumPath } from "@disburse/testkit/browser.ts";
import { type Browser, chromium } from "playwright-core";
import { readSandbox, startSandbox } from "./platform.ts";
import { createVisitor, type Visitor } from "./visitor.ts";
import type { Walk, WalkDeps } from "./walk.ts";
import { approvals } from "./walks/approvals.ts";
import { compliance } from "./walks/compliance.ts";
import { docs } from "./walks/docs.ts";
import { maker } from "./walks/maker.ts";
import { admin, invited, viewer } from "./walks/members.ts";
import { treasury } from "./walks/treasury.ts";

/** `npm run test:console`: README.md says what it walks and how. */

const walks: readonly Walk[] = [
  ...[maker, approvals, admin, viewer, invited],
  ...[compliance, treasury, docs],
];

const usage = `usage: npm run test:console -- [--only WALK] [--screenshots FOLDER] [--sandbox FILE]
walks: ${walks.map(({ name }) => name).join(", ")}
--sandbox: the sandbox.json of a platform that runs; one is started where it is left out`;

const options = {
  only: { type: "string" },
  screenshots: { type: "string" },
  sandbox: { type: "string" },
} as const;

type Given = {
  only?: string | undefined;
  screenshots?: string | undefined;
  sandbox?: string | undefined;
};

async function run({ only, screenshots, sandbox: file }: Given): Promise<number> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) {
    say("There is no Chromium here: install `chromium`, or set CHROMIUM_PATH.");
    return 1;
  }
  const platform =
    file === undefined
      ? await startSandbox()
      : { sandbox: readSandbox(file), stop: async () => undefined };
  // Chromium refuses to put root into its sandbox; it sees our own pages only.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const browser = await chromium.launch({ executablePath, args });
  let failed = 0;
  try {
    const names = walks.map(({ name }) => name);
    const chosen = only === undefined ? undefined : oneOf(names, only, usage);
    for (const walk of walks.filter(({ name }) => chosen === undefined || name === chosen)) {
      const problems = await walkOnce(walk, browser, { ...platform, screenshots });
      say(`${problems.length === 0 ? "ok    " : "FAILED"} ${walk.name}: ${walk.about}`);
      for (const problem of problems) say(`       ${problem}`);
      if (problems.length > 0) failed += 1;
    }
  } finally {
    await browser.close();
    await platform.stop();
  }
  return failed === 0 ? 0 : 1;
}

type Around = Pick<WalkDeps, "sandbox"> & { readonly screenshots: string | undefined };

/** Walks once; answers what went wrong, and what was found fault with on the way. */
async function walkOnce({ run: walk }: Walk, browser: Browser, { sandbox, screenshots }: Around) {
  const visitors: Visitor[] = [];
  const visit = async (home: string | undefined) => {
    if (home === undefined) throw new Error("the platform has no console");
    const visitor = await createVisitor(browser, home, { screenshots });
    visitors.push(visitor);
    return visitor;
  };
  const problems: string[] = [];
  try {
    await walk({
      sandbox,
      stranger: () => visit(sandbox.console_url),
      arrive: async (name) => {
        const person = sandbox.people.find((each) => each.name === name);
        const isMember = person?.merchant_id !== undefined;
        const visitor = await visit(isMember ? sandbox.console_url : sandbox.operators_url);
        await visitor.signIn(name, person?.password ?? "");
        return visitor;
      },
    });
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  }
  problems.push(...visitors.flatMap(({ faults }) => faults));
  await Promise.all(visitors.map(({ close }) => close()));
  return problems;
}

await runCommand((args) => run(readArguments(args, options, usage)));
