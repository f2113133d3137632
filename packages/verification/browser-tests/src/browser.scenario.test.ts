import { optionOf } from "@disburse/harness/scenario.ts";
import { chromiumPath, openBrowser } from "@disburse/testkit/browser.ts";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BrowserTest } from "./browser-test.ts";
import { readSandbox, startSandbox } from "./platform.ts";
import { actions } from "./roles/actions.ts";
import { approvals } from "./roles/approvals.ts";
import { cases } from "./roles/cases.ts";
import { compliance } from "./roles/compliance.ts";
import { devices } from "./roles/devices.ts";
import { docs } from "./roles/docs.ts";
import { doubles } from "./roles/doubles.ts";
import { forms } from "./roles/forms.ts";
import { jobs } from "./roles/jobs.ts";
import { languages } from "./roles/languages.ts";
import { lists } from "./roles/lists.ts";
import { maker } from "./roles/maker.ts";
import { admin, invited, viewer } from "./roles/members.ts";
import { payroll } from "./roles/payroll.ts";
import { search } from "./roles/search.ts";
import { session } from "./roles/session.ts";
import { settings } from "./roles/settings.ts";
import { treasury } from "./roles/treasury.ts";
import { waits } from "./roles/waits.ts";
import { webhooks } from "./roles/webhooks.ts";
import { createVisitor, type Visitor } from "./visitor.ts";

/** `npm run test:console`: README.md describes the tests. */

const browserTests: readonly BrowserTest[] = [
  ...[maker, payroll, jobs, approvals, admin, viewer, invited],
  ...[
    compliance,
    cases,
    treasury,
    actions,
    docs,
    session,
    doubles,
    webhooks,
    devices,
    forms,
    waits,
    search,
    settings,
    languages,
    lists,
  ],
];

const ends = new AsyncDisposableStack();
let browser: Browser;
let sandbox: ReturnType<typeof readSandbox>;

beforeAll(async () => {
  const path = chromiumPath();
  if (path === undefined) throw new Error("Install `chromium`, or set CHROMIUM_PATH.");
  const file = optionOf("sandbox");
  if (file === undefined) {
    const started = await startSandbox();
    ends.defer(started.stop);
    sandbox = started.sandbox;
  } else sandbox = readSandbox(file);
  browser = await openBrowser(path);
  ends.defer(() => browser.close());
});
afterAll(() => ends.disposeAsync());

test.each(browserTests)("$name: $about", async ({ run }) => {
  const visitors: Visitor[] = [];
  const visit = async (home: string | undefined) => {
    if (home === undefined) throw new Error("the platform has no console");
    const visitor = await createVisitor(browser, home, { screenshots: optionOf("screenshots") });
    visitors.push(visitor);
    return visitor;
  };
  try {
    await run({
      sandbox,
      anonymous: () => visit(sandbox.console_url),
      arrive: async (name) => {
        const person = sandbox.people.find((each) => each.name === name);
        const isMember = person?.merchant_id !== undefined;
        const visitor = await visit(isMember ? sandbox.console_url : sandbox.operators_url);
        await visitor.signIn(name, person?.password ?? "");
        return visitor;
      },
    });
  } finally {
    expect.soft(visitors.flatMap(({ faults }) => faults)).toEqual([]);
    await Promise.all(visitors.map(({ close }) => close()));
  }
});
