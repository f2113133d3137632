import { createHash, timingSafeEqual } from "node:crypto";

/** Whose session it is: a member's of a merchant's team, or an operator's. */
export type SessionKind = "member" | "operator";

/**
 * The name of a portal's session cookie: browsers do not tell ports of a host apart, so each has
 * its own. Over https the prefix keeps other hosts of the site from setting it (RFC 6265bis).
 */
export function cookieName(kind: SessionKind, origin: string | undefined): string {
  return `${origin?.startsWith("https:") ? "__Host-" : ""}disburse_${kind}`;
}

/** 256 random bits as base64url. */
const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

/** A session ends when it was not used for so long (NIST SP 800-63B, 4.2.3: 30 minutes) … */
export const idleMs = 30 * 60_000;
/** … and after a working day in any case (the same: 12 hours at most). */
export const wholeMs = 8 * 60 * 60_000;
/** How often a session's use is stored: a page asks for several things at once. */
export const seenEveryMs = 60_000;

/** When a session ends that was begun and last used at these times. */
export function sessionEnd(createdAt: Date, seenAt: Date): Date {
  return new Date(Math.min(createdAt.getTime() + wholeMs, seenAt.getTime() + idleMs));
}

/** Whether a text has the form of a session's token. */
export function isSessionToken(text: string): boolean {
  return tokenPattern.test(text);
}

/** What a session is stored under: its token cannot be read from the database. */
export function sessionId(token: string): string {
  return createHash("sha256").update(`session:${token}`).digest("hex");
}

/**
 * The CSRF token of a session. A page of another origin can read neither it nor the cookie that it
 * is made of.
 */
export function csrfToken(token: string): string {
  return createHash("sha256").update(`csrf:${token}`).digest("base64url");
}

/** Whether a request may change something: it carries its session's CSRF token, exactly once. */
export function carriesCsrfToken(token: string, sent: readonly string[]): boolean {
  const [first = ""] = sent;
  const [given, wanted] = [Buffer.from(first), Buffer.from(csrfToken(token))];
  return sent.length === 1 && given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** Methods that change nothing (RFC 9110, 9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Whether requests of a method need the CSRF token. */
export function needsCsrfToken(method: string): boolean {
  return !safeMethods.has(method);
}

/** The value of a cookie; the first where several have the name. */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** A cookie to set. Scripts never read it; `seconds` 0 removes it. */
export type Cookie = {
  readonly name: string;
  readonly value: string;
  readonly sameSite: "Strict" | "Lax";
  readonly seconds: number;
  readonly isSecure: boolean;
};

/** The value of `Set-Cookie`. Without a domain: no other host of the site has it. */
export function cookieHeader({ name, value, sameSite, seconds, isSecure }: Cookie): string {
  const secure = isSecure ? "; Secure" : "";
  const options = `Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${seconds}${secure}`;
  return `${name}=${value}; ${options}`;
}

/** The first page of the console. */
export const consolePath = "/console/";

/** Segments of letters, digits and `-._~`, and a query: no `//`, no backslash, no other host. */
const pagePattern = /^\/console\/(?:[\w.~-]+\/)*[\w.~-]*(?:\?[\w.~%&=+:,-]*)?$/;
/** What is below `/console/` and no page: signing in would lead to signing in. */
const noPage = /^\/console\/(?:session|rpc|events)(?:\/|$)/;

/**
 * Where a sign-in leads back to: a page of the console, else its first one. A path that its
 * browser would change (`/console/../b/…`) is none.
 */
export function returnPath(wanted: string | undefined): string {
  if (wanted === undefined || !pagePattern.test(wanted)) return consolePath;
  const { pathname, search } = new URL(wanted, "http://console.invalid");
  const isSame = `${pathname}${search}` === wanted;
  return isSame && !noPage.test(pathname) ? wanted : consolePath;
}
