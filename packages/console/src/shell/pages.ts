import { t } from "../catalogue/texts.ts";
import { hasRole, may, type Session } from "../session/session.ts";

/** The roles that decide alerts. */
export const reviewers = ["compliance_officer", "compliance_approver"];
export const compliance = [...reviewers, "auditor"];
export const treasurers = ["treasury", "treasury_approver"];
export const treasury = [...treasurers, "auditor"];
export const support = [...treasury, "support"];
const accountReaders = [...support, "admin"];
export const payoutReaders = [...accountReaders, ...compliance];
/** The roles that approve proposals, or read them. */
export const deciders = [...compliance, ...treasury, "developer_relations", "admin"];

/** The path and name of a page, and the scope or the roles that it needs. */
type PageLink = readonly [
  to: string,
  name: keyof typeof t.shell.pages,
  needs?: string | readonly string[],
];
type Sections = { readonly [name in keyof typeof t.shell.sections]?: readonly PageLink[] };

const teamless: Sections = { team: [["/invitations", "invitations"]] };

const merchant: Sections = {
  money: [
    ["/", "home", "account:read"],
    ["/payouts", "payouts", "payout:read"],
    ["/payouts/waiting", "approvals", "payout:read"],
    ["/scheduled", "scheduled", "payout:read"],
    ["/batches", "batches", "payout:read"],
  ],
  people: [
    ["/beneficiaries", "beneficiaries", "beneficiary:read"],
    ["/depositors", "depositors", "depositor:read"],
  ],
  developers: [
    ["/webhooks", "webhooks", "webhook:read"],
    ["/deliveries", "deliveries", "webhook:read"],
    ["/requests", "requests", "webhook:read"],
    ["/keys", "keys", "key:read"],
    ["/developers", "developers"],
  ],
  team: [
    ["/team", "team", "team:read"],
    ["/settings", "settings", "merchant:write"],
  ],
};

const operators: Sections = {
  work: [["/", "home"]],
  compliance: [
    ["/compliance/alerts", "alerts", compliance],
    ["/compliance/search", "search", ["compliance_officer"]],
    ["/compliance/lists", "lists", compliance],
  ],
  treasury: [
    ["/treasury/balances", "balances", accountReaders],
    ["/treasury/payouts", "payouts", payoutReaders],
    ["/treasury/exceptions", "exceptions", support],
    ["/treasury/corridors", "corridors", support],
    ["/treasury/rails", "rails", support],
    ["/treasury/reconciliation", "reconciliation", treasury],
  ],
  platform: [
    ["/approvals", "waiting", deciders],
    ["/actions", "actions"],
    ["/health", "health"],
    ["/trace", "trace"],
  ],
};

/** Returns the navigation for a person's permissions. */
export function navigationFor(session: Session) {
  const { kind } = session;
  const member = session.merchant === null ? teamless : merchant;
  const sections = Object.entries(kind === "operator" ? operators : member);
  const isFor = ([, , needs = []]: PageLink) =>
    typeof needs === "string"
      ? may(session, needs)
      : needs.length === 0 || hasRole(session, ...needs);
  return sections
    .map(([name, links]) => ({
      title: t.shell.sections[name as keyof Sections],
      links: links.filter(isFor).map(([to, page]) => ({ to, label: t.shell.pages[page] })),
    }))
    .filter(({ links }) => links.length > 0);
}

/** True if the navigation has the page, or the list of its record. */
export function mayOpen(session: Session, to: string): boolean {
  if (to === "/") return true;
  // The first page lists the accounts.
  if (to.startsWith("/accounts/")) return may(session, "account:read");
  const links = navigationFor(session).flatMap((section) => section.links);
  return links.some((link) => link.to !== "/" && to.startsWith(link.to));
}
