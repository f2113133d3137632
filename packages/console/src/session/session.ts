import { queryOptions } from "@tanstack/react-query";
import { Problem } from "../api/problem.ts";
import { adoptSession, get, leavePage, send } from "../api/request.ts";

type Merchant = { readonly id: string; readonly name: string };

/** A person's team or invitation. `id` is the member's id in that team. */
export type Team = { readonly id: string; readonly merchant: Merchant; readonly role: string };

export type Session = {
  readonly person: { readonly id: string; readonly name: string; readonly email: string };
  readonly kind: "member" | "operator";
  /** Null for an operator, and for a person without a team. */
  readonly merchant: Merchant | null;
  /** Teams and invitations of a merchant's member. */
  readonly merchants?: readonly Team[];
  readonly invitations?: readonly Team[];
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly csrf_token: string;
  readonly expires_at: string;
  readonly mode: "sandbox" | "live";
  readonly signed_in_at: string;
  /** The names of operators by id; only an operator's session has them. */
  readonly operators?: Readonly<Record<string, string>>;
};

/** Reads the session; null if no one is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: readSession,
  staleTime: 60_000,
  refetchOnWindowFocus: true,
});

let lastSession: Session | null = null;

/** Returns the latest session of this page, also after it has ended. */
export const knownSession = (): Session | null => lastSession;

/** Returns an operator's name, or the id of one who never signed in here; "" for none. */
export const operatorName = (id = ""): string => lastSession?.operators?.[id] ?? id;

async function readSession(): Promise<Session | null> {
  try {
    const session = await get<Session>("/console/session");
    const { person, merchant, csrf_token: token } = session;
    await adoptSession({ personId: person.id, merchantId: merchant?.id ?? "", token });
    lastSession = session;
    return session;
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return null;
    throw error;
  }
}

/** Returns the URL that starts a sign-in and then returns to a page of the console. */
export function signInAddress(returnTo: string, again = false): string {
  const query = new URLSearchParams({ return_to: returnTo, ...(again ? { again: "true" } : {}) });
  return `/console/session/login?${query}`;
}

/** Tells the console's pages in this browser that a person has signed in. */
export const signedIn = new BroadcastChannel("disburse.signed-in");

/**
 * Opens the sign-in in a window of its own, so that the page keeps its input. Where windows are
 * blocked, the sign-in replaces the page.
 */
export function openSignIn(again = false): void {
  const size = "popup,width=520,height=720";
  const opened = window.open(signInAddress("/console/signed-in", again), "disburse-sign-in", size);
  const { pathname, search } = window.location;
  if (opened === null) window.location.assign(signInAddress(`${pathname}${search}`, again));
}

/** Ends the session; the response removes the browser's cookie. The other tabs forget drafts too. */
export async function signOut(): Promise<void> {
  signedIn.postMessage("out");
  await send("POST", "/console/session/logout");
}

const ownTeams = "/console/session";

/** Switches the session to another of the person's teams and opens the first page. */
export async function switchTeam(memberId: string): Promise<void> {
  await send("POST", `${ownTeams}/merchant`, { body: { member_id: memberId } });
  await leavePage();
}

export async function answerInvitation(
  memberId: string,
  answer: "accept" | "decline",
): Promise<void> {
  await send("POST", `${ownTeams}/invitations/${encodeURIComponent(memberId)}/${answer}`);
}

/** Returns true if the session has a scope of the public API. */
export function may(session: Session, scope: string): boolean {
  return session.scopes.includes(scope);
}

export function hasRole(session: Session, ...roles: readonly string[]): boolean {
  return session.kind === "operator" && session.roles.some((role) => roles.includes(role));
}
