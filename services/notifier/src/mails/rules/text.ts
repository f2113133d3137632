import { type MailCounts, type MailKind, mailKinds } from "./kind.ts";

type Words = { readonly one: string; readonly other: string; readonly page: string };

const words: Readonly<Record<MailKind, Words>> = {
  approvals: {
    one: "1 new request for approval",
    other: "# new requests for approval",
    page: "payouts/waiting",
  },
  failures: {
    one: "1 payout failed or was returned",
    other: "# payouts failed or were returned",
    page: "payouts",
  },
  balances: {
    one: "1 warning about a low balance",
    other: "# warnings about low balances",
    page: "",
  },
  batches: { one: "1 batch finished", other: "# batches finished", page: "batches" },
  webhooks: {
    one: "1 webhook endpoint fails or was paused",
    other: "# webhook endpoints fail or were paused",
    page: "webhooks",
  },
};

const lineOf = (kind: MailKind, count: number): string =>
  count === 1 ? words[kind].one : words[kind].other.replace("#", String(count));

export type MailText = { readonly subject: string; readonly text: string; readonly html: string };

/**
 * Writes an e-mail from counts and links alone: no name, no amount, no time. `consoleUrl` is the
 * console's origin.
 */
export function mailText(
  counts: MailCounts,
  { consoleUrl, mode }: { readonly consoleUrl: string; readonly mode: "sandbox" | "live" },
): MailText {
  const kinds = mailKinds.filter((kind) => (counts[kind] ?? 0) > 0);
  const lines = kinds.map((kind) => lineOf(kind, counts[kind] ?? 0));
  const [only = ""] = lines;
  const [onlyKind] = kinds;
  const title = lines.length === 1 ? only : `${lines.length} kinds of news about your payouts`;
  const page = lines.length === 1 && onlyKind !== undefined ? words[onlyKind].page : "";
  const link = `${consoleUrl}/console/${page}`;
  const preferences = `${consoleUrl}/console/notifications`;
  const why = "You get this e-mail as a member of a team. Choose your notifications:";
  return {
    subject: mode === "sandbox" ? `[Sandbox] ${title}` : title,
    // Links have lines of their own, so that mail programs don't break them.
    text: [...lines, "", "Open the console:", link, "", "--", why, preferences, ""].join("\n"),
    html: [
      '<!doctype html><html lang="en"><body>',
      `<ul>${lines.map((line) => `<li>${line}</li>`).join("")}</ul>`,
      `<p><a href="${link}">Open the console</a></p>`,
      `<p><small>${why} <a href="${preferences}">${preferences}</a></small></p>`,
      "</body></html>",
    ].join("\n"),
  };
}
