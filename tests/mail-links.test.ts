import { readFileSync } from "node:fs";
import { join } from "node:path";
import { mailKinds } from "@disburse/notifier/mails/rules/kind.ts";
import { mailText } from "@disburse/notifier/mails/rules/text.ts";
import { expect, it } from "vitest";

const routes = readFileSync(
  join(import.meta.dirname, "../packages/console/src/routes/merchant.tsx"),
  "utf8",
);

it.each(mailKinds)("an e-mail about %s links to pages of the console", (kind) => {
  const { text } = mailText({ [kind]: 1 }, { consoleUrl: "https://console.example", mode: "live" });
  const paths = [...text.matchAll(/^https:\/\/console\.example\/console(\/\S*)$/gm)];
  expect(paths).toHaveLength(2);
  for (const [, path] of paths) expect(routes).toContain(`path: "${path}"`);
});
