import { everyScope, type Scope } from "../../keys/rules/key.ts";

/** Ordered from the fewest permissions to the most. */
export const memberRoles = ["viewer", "maker", "approver", "admin"] as const;
export type MemberRole = (typeof memberRoles)[number];

/** Makers may change everything that leads to a payout, but not webhooks, keys or the team. */
const makerNouns: ReadonlySet<string> = new Set(["beneficiary", "depositor", "quote", "payout"]);

const isRead = (scope: Scope): boolean => scope.endsWith(":read");
const isMakerScope = (scope: Scope): boolean => {
  const [noun = "", what] = scope.split(":");
  return what === "write" && makerNouns.has(noun);
};
const isApproval = (scope: Scope): boolean => scope.endsWith(":approve");

/**
 * Scopes of each role. A maker cannot approve and an approver cannot create payouts. Only an admin
 * has both, and an approval requires a person other than the maker.
 */
const scopes: Readonly<Record<MemberRole, ReadonlySet<Scope>>> = {
  viewer: new Set(everyScope.filter(isRead)),
  maker: new Set(everyScope.filter((scope) => isRead(scope) || isMakerScope(scope))),
  approver: new Set(everyScope.filter((scope) => isRead(scope) || isApproval(scope))),
  admin: new Set(everyScope),
};

export function scopesOf(role: MemberRole): ReadonlySet<Scope> {
  return scopes[role];
}
