import { t } from "../catalogue/texts.ts";
import { hasRole, may, type Session } from "../session/session.ts";

type NavigationLink = { readonly to: string; readonly label: string; readonly exact?: boolean };

export type NavigationSection = {
  readonly title: string;
  readonly links: readonly NavigationLink[];
};

/** Returns the navigation for a person's permissions. */
export function navigationFor(session: Session): readonly NavigationSection[] {
  const sections =
    session.kind === "member" ? merchantSections(session) : operatorSections(session);
  return sections.filter(({ links }) => links.length > 0);
}

const { pages, sections } = t.shell;

function merchantSections(session: Session): NavigationSection[] {
  if (session.merchant === null) {
    const invitations = { to: "/invitations", label: pages.invitations };
    return [{ title: sections.team, links: [invitations] }];
  }
  const when = (scope: string, ...links: NavigationLink[]) => (may(session, scope) ? links : []);
  return [
    {
      title: sections.money,
      links: [
        ...when("account:read", { to: "/", label: pages.home, exact: true }),
        ...when(
          "payout:read",
          { to: "/payouts", label: pages.payouts, exact: true },
          { to: "/payouts/waiting", label: pages.approvals },
          { to: "/scheduled", label: pages.scheduled },
          { to: "/batches", label: pages.batches },
        ),
      ],
    },
    {
      title: sections.people,
      links: [
        ...when("beneficiary:read", { to: "/beneficiaries", label: pages.beneficiaries }),
        ...when("depositor:read", { to: "/depositors", label: pages.depositors }),
      ],
    },
    {
      title: sections.developers,
      links: [
        ...when(
          "webhook:read",
          { to: "/webhooks", label: pages.webhooks },
          { to: "/deliveries", label: pages.deliveries },
          { to: "/requests", label: pages.requests },
        ),
        ...when("key:read", { to: "/keys", label: pages.keys }),
        { to: "/developers", label: pages.developers },
      ],
    },
    {
      title: sections.team,
      links: [
        ...when("team:read", { to: "/team", label: pages.team }),
        ...when("merchant:write", { to: "/settings", label: pages.settings }),
      ],
    },
  ];
}

export const compliance = ["compliance_officer", "compliance_approver", "auditor"];
export const treasury = ["treasury", "treasury_approver", "auditor"];
export const support = [...treasury, "support"];
/** The roles that approve proposals, or read them. */
export const deciders = [...compliance, ...treasury, "developer_relations", "admin"];

function operatorSections(session: Session): NavigationSection[] {
  const when = (roles: readonly string[], ...links: NavigationLink[]) =>
    hasRole(session, ...roles) ? links : [];
  return [
    { title: sections.work, links: [{ to: "/", label: pages.home, exact: true }] },
    {
      title: sections.compliance,
      links: [
        ...when(compliance, { to: "/compliance/alerts", label: pages.alerts }),
        ...when(["compliance_officer"], { to: "/compliance/search", label: pages.search }),
        ...when(compliance, { to: "/compliance/lists", label: pages.lists }),
      ],
    },
    {
      title: sections.treasury,
      links: [
        ...when([...support, "admin"], { to: "/treasury/balances", label: pages.balances }),
        ...when([...support, "admin"], { to: "/treasury/payouts", label: pages.payouts }),
        ...when(
          support,
          { to: "/treasury/exceptions", label: pages.exceptions },
          { to: "/treasury/corridors", label: pages.corridors },
          { to: "/treasury/rails", label: pages.rails },
        ),
        ...when(treasury, { to: "/treasury/reconciliation", label: pages.reconciliation }),
      ],
    },
    {
      title: sections.platform,
      links: [
        ...when(deciders, { to: "/approvals", label: pages.waiting }),
        { to: "/actions", label: pages.actions },
        { to: "/health", label: pages.health },
        { to: "/trace", label: pages.trace },
      ],
    },
  ];
}
