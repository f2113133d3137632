import { everyScope, type Scope } from "../../keys/rules/key.ts";

/** The roles in order, from the fewest permissions to the most. */
export const memberRoles = ["viewer", "maker", "approver", "admin"] as const;
export type MemberRole = (typeof memberRoles)[number];

/**
 * The nouns that makers may change. They cover everything that leads to a payout, but not webhooks,
 * keys or the team.
 */
const makerNouns: ReadonlySet<string> = new Set(["beneficiary", "depositor", "quote", "payout"]);

const isRead = (scope: Scope): boolean => scope.endsWith(":read");
const isMakerScope = (scope: Scope): boolean => {
  const [noun = "", what] = scope.split(":");
  return what === "write" && makerNouns.has(noun);
};
const isApproval = (scope: Scope): boolean => scope.endsWith(":approve");

/**
 * The scopes of each role. A maker can't approve payouts, and an approver can't create them. An
 * admin can do both, but can't approve a payout that the same admin created.
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
