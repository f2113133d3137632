import { queryOptions } from "@tanstack/react-query";
import { Problem } from "../api/problem.ts";
import { adoptSession, get, leavePage, send } from "../api/request.ts";

type Merchant = { readonly id: string; readonly name: string };

/** A team of a person, or one that invites it; `id` is the member's. */
export type Team = { readonly id: string; readonly merchant: Merchant; readonly role: string };

/** Who is signed in, and what they may do. */
export type Session = {
  readonly person: { readonly id: string; readonly name: string; readonly email: string };
  readonly kind: "member" | "operator";
  /** Null of an operator, and of a person who is in no team yet. */
  readonly merchant: Merchant | null;
  /** Of merchants' people: their teams, and those that invite them. */
  readonly merchants?: readonly Team[];
  readonly invitations?: readonly Team[];
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly csrf_token: string;
  readonly expires_at: string;
  readonly mode: "sandbox" | "live";
  readonly signed_in_at: string;
};

/** The session; null where none is open. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: readSession,
  staleTime: 60_000,
  refetchOnWindowFocus: true,
});

async function readSession(): Promise<Session | null> {
  try {
    const session = await get<Session>("/console/session");
    await adoptSession(session.merchant?.id ?? "", session.csrf_token);
    return session;
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return null;
    throw error;
  }
}

/** Where signing in begins; it leads back to a page of the console. */
export function signInAddress(returnTo: string, again = false): string {
  const query = new URLSearchParams({ return_to: returnTo, ...(again ? { again: "true" } : {}) });
  return `/console/session/login?${query}`;
}

/** Ends the session; the browser's cookie is gone with the answer. */
export async function signOut(): Promise<void> {
  await send("POST", "/console/session/logout");
}

const ownTeams = "/console/session";

/** Goes on for another merchant of the person, from the first page on. */
export async function switchTeam(memberId: string): Promise<void> {
  await send("POST", `${ownTeams}/merchant`, { body: { member_id: memberId } });
  await leavePage();
}

/** Accepts or declines an invitation of the person. */
export async function answerInvitation(
  memberId: string,
  answer: "accept" | "decline",
): Promise<void> {
  await send("POST", `${ownTeams}/invitations/${encodeURIComponent(memberId)}/${answer}`);
}

/** Whether the session may use a scope of the public interface. */
export function may(session: Session, scope: string): boolean {
  return session.scopes.includes(scope);
}

/** Whether an operator has one of these roles. */
export function hasRole(session: Session, ...roles: readonly string[]): boolean {
  return session.kind === "operator" && session.roles.some((role) => roles.includes(role));
}
