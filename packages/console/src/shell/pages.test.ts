import { expect, it } from "vitest";
import type { Session } from "../session/session.ts";
import { mayOpen } from "./pages.ts";

const operator = (...roles: string[]) => ({ kind: "operator", roles, scopes: [] });
const member = (...scopes: string[]) => ({ kind: "member", merchant: {}, roles: [], scopes });

it.each([
  [operator("compliance_officer"), "/treasury/payouts/po_1", true],
  [operator("compliance_officer"), "/treasury/balances?merchant_id=mer_1", false],
  [operator("compliance_officer"), "/compliance/alerts/alr_1", true],
  [operator("admin"), "/treasury/payouts/po_1", true],
  [operator("treasury"), "/compliance/alerts/alr_1", false],
  [operator("treasury"), "/actions/rails-pause", true],
  [member("payout:read"), "/payouts/po_1", true],
  [member("payout:read"), "/beneficiaries/ben_1", false],
  [member("account:read"), "/accounts/acc_1", true],
  [member(), "/accounts/acc_1", false],
])("%j may open %s: %s", (session, to, isOpen) => {
  expect(mayOpen(session as unknown as Session, to)).toBe(isOpen);
});
