import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { mailKinds } from "./kind.ts";
import { mailText } from "./text.ts";

const live = { consoleUrl: "https://console.example.com", mode: "live" } as const;

it("leads with a single kind to its page", () => {
  expect(mailText({ approvals: 1 }, live)).toEqual({
    subject: "1 new request for approval",
    text: [
      "1 new request for approval",
      "",
      "Open the console:",
      "https://console.example.com/console/payouts/waiting",
      "",
      "--",
      "You get this e-mail as a member of a team. Choose your notifications:",
      "https://console.example.com/console/notifications",
      "",
    ].join("\n"),
    html: expect.stringContaining(
      '<a href="https://console.example.com/console/payouts/waiting">Open the console</a>',
    ),
  });
});

it("lists several kinds in their order, and leads to the first page", () => {
  const { subject, text, html } = mailText({ batches: 1, failures: 12, balances: 0 }, live);
  expect(subject).toBe("2 kinds of news about your payouts");
  const lines = ["12 payouts failed or were returned", "1 batch finished"];
  expect(text.split("\n").slice(0, 3)).toEqual([...lines, ""]);
  expect(html).toContain(`<ul>${lines.map((line) => `<li>${line}</li>`).join("")}</ul>`);
  expect(text).toContain("Open the console:\nhttps://console.example.com/console/\n");
});

it.each(mailKinds)("counts one and several of %s", (kind) => {
  expect(mailText({ [kind]: 1 }, live).subject).toMatch(/^1 /);
  expect(mailText({ [kind]: 20 }, live).subject).toMatch(/^20 .*s\b/);
});

const routes = readFileSync(
  join(import.meta.dirname, "../../../../../packages/console/src/routes/merchant.tsx"),
  "utf8",
);

it.each(mailKinds)("links to pages of the console: %s", (kind) => {
  const { text } = mailText({ [kind]: 1 }, live);
  const paths = [...text.matchAll(/^https:\/\/console\.example\.com\/console(\/\S*)$/gm)];
  expect(paths).toHaveLength(2);
  for (const [, path] of paths) expect(routes).toMatch(new RegExp(`(page\\(|path: )"${path}"`));
});

it("names the sandbox", () => {
  const { subject } = mailText({ failures: 1 }, { ...live, mode: "sandbox" });
  expect(subject).toBe("[Sandbox] 1 payout failed or was returned");
});
