import { createHash, timingSafeEqual } from "node:crypto";

/** A member of a merchant's team, or an operator. */
export type SessionKind = "member" | "operator";

/**
 * Name of a portal's session cookie. Each portal has its own, because browsers share cookies among
 * the ports of a host. Over https the prefix keeps other hosts of the site from setting it (RFC
 * 6265bis).
 */
export function cookieName(kind: SessionKind, origin: string | undefined): string {
  return `${origin?.startsWith("https:") ? "__Host-" : ""}disburse_${kind}`;
}

/** 256 random bits as base64url. */
const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

/** An unused session expires after this time (NIST SP 800-63B, 4.2.3: 30 minutes). */
export const idleMs = 30 * 60_000;
/** Every session expires after a working day (NIST SP 800-63B, 4.2.3: 12 hours at most). */
export const wholeMs = 8 * 60 * 60_000;
/** Interval for storing a session's last use. A page sends several requests at once. */
export const seenEveryMs = 60_000;

/** Expiry of a session by its start and last use. */
export function sessionEnd(createdAt: Date, seenAt: Date): Date {
  return new Date(Math.min(createdAt.getTime() + wholeMs, seenAt.getTime() + idleMs));
}

export function isSessionToken(text: string): boolean {
  return tokenPattern.test(text);
}

/** Hash of the token, so that tokens cannot be read from the database. */
export function sessionId(token: string): string {
  return createHash("sha256").update(`session:${token}`).digest("hex");
}

/**
 * CSRF token of a session. A page of another origin can read neither this nor the cookie that it
 * derives from.
 */
export function csrfToken(token: string): string {
  return createHash("sha256").update(`csrf:${token}`).digest("base64url");
}

/** A change must carry its session's CSRF token exactly once. */
export function carriesCsrfToken(token: string, sent: readonly string[]): boolean {
  const [first = ""] = sent;
  const [given, wanted] = [Buffer.from(first), Buffer.from(csrfToken(token))];
  return sent.length === 1 && given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** Methods that change nothing (RFC 9110, 9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export function needsCsrfToken(method: string): boolean {
  return !safeMethods.has(method);
}

/** Returns a cookie's value; the first if several have the name. */
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

/** Value of `Set-Cookie`. It has no domain, so no other host of the site receives it. */
export function cookieHeader({ name, value, sameSite, seconds, isSecure }: Cookie): string {
  const secure = isSecure ? "; Secure" : "";
  const options = `Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${seconds}${secure}`;
  return `${name}=${value}; ${options}`;
}

export const consolePath = "/console/";

/** Segments of letters, digits and `-._~`, and a query. No `//`, backslash or other host. */
const pagePattern = /^\/console\/(?:[\w.~-]+\/)*[\w.~-]*(?:\?[\w.~%&=+:,-]*)?$/;
/** Paths below `/console/` that are not pages: a sign-in would return to a sign-in. */
const noPage = /^\/console\/(?:session|rpc|events)(?:\/|$)/;

/**
 * Returns the console page to open after a sign-in, by default the first one. Rejects a path that a
 * browser would rewrite (`/console/../b/…`).
 */
export function returnPath(wanted: string | undefined): string {
  if (wanted === undefined || !pagePattern.test(wanted)) return consolePath;
  const { pathname, search } = new URL(wanted, "http://console.invalid");
  const isSame = `${pathname}${search}` === wanted;
  return isSame && !noPage.test(pathname) ? wanted : consolePath;
}
