import { createHash, timingSafeEqual } from "node:crypto";

/** A member of a merchant's team, or an operator. */
export type SessionKind = "member" | "operator";

/**
 * Returns the name of a portal's session cookie. The portals use different names, because browsers
 * share cookies among all ports of a host. Over https, a prefix prevents other hosts of the site
 * from setting the cookie (RFC 6265bis).
 */
export function cookieName(kind: SessionKind, origin: string | undefined): string {
  return `${origin?.startsWith("https:") ? "__Host-" : ""}disburse_${kind}`;
}

/** A session token has 256 random bits in base64url. */
const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

/** A session expires if it is not used for this time (NIST SP 800-63B, 4.2.3: 30 minutes). */
export const idleMs = 30 * 60_000;
/**
 * A session expires at the latest after a working day of 8 hours (NIST SP 800-63B, 4.2.3: 12 hours
 * at most).
 */
export const wholeMs = 8 * 60 * 60_000;
/**
 * Minimum time between two writes of a session's last use, because a page sends several requests at
 * once.
 */
export const seenEveryMs = 60_000;

/** Returns the expiry of a session that was created and last used at these times. */
export function sessionEnd(createdAt: Date, seenAt: Date): Date {
  return new Date(Math.min(createdAt.getTime() + wholeMs, seenAt.getTime() + idleMs));
}

export function isSessionToken(text: string): boolean {
  return tokenPattern.test(text);
}

/**
 * Returns the hash of a token. The database stores only the hash, so tokens can't be read from it.
 */
export function sessionId(token: string): string {
  return createHash("sha256").update(`session:${token}`).digest("hex");
}

/**
 * Derives the CSRF token of a session from the session token. A page of another origin can read
 * neither of the two.
 */
export function csrfToken(token: string): string {
  return createHash("sha256").update(`csrf:${token}`).digest("base64url");
}

/**
 * Returns true if a request has its session's CSRF token exactly once. Every change requires the
 * token.
 */
export function carriesCsrfToken(token: string, sent: readonly string[]): boolean {
  const [first = ""] = sent;
  const [given, wanted] = [Buffer.from(first), Buffer.from(csrfToken(token))];
  return sent.length === 1 && given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** HTTP methods that change nothing (RFC 9110, 9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export function needsCsrfToken(method: string): boolean {
  return !safeMethods.has(method);
}

/** Returns the value of a cookie. If the header has several with the name, returns the first. */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** A cookie to set. Scripts can't read the cookie. `seconds: 0` removes the cookie. */
export type Cookie = {
  readonly name: string;
  readonly value: string;
  readonly sameSite: "Strict" | "Lax";
  readonly seconds: number;
  readonly isSecure: boolean;
};

/**
 * Returns the value of a `Set-Cookie` header. The cookie has no domain, so browsers send it to this
 * host only.
 */
export function cookieHeader({ name, value, sameSite, seconds, isSecure }: Cookie): string {
  const secure = isSecure ? "; Secure" : "";
  const options = `Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${seconds}${secure}`;
  return `${name}=${value}; ${options}`;
}

export const consolePath = "/console/";

/**
 * A path of a console page. Its segments consist of letters, digits and `-._~`. It may have a
 * query. It has no `//`, no backslash and no other host.
 */
const pagePattern = /^\/console\/(?:[\w.~-]+\/)*[\w.~-]*(?:\?[\w.~%&=+:,-]*)?$/;
/**
 * Paths below `/console/` that are not pages. For example, a return to the sign-in path would start
 * another sign-in.
 */
const noPage = /^\/console\/(?:session|rpc|events)(?:\/|$)/;

/**
 * Returns the page that a sign-in returns to. The default is the first page. Ignores a path that a
 * browser would rewrite, such as `/console/../b/…`.
 */
export function returnPath(wanted: string | undefined): string {
  if (wanted === undefined || !pagePattern.test(wanted)) return consolePath;
  const { pathname, search } = new URL(wanted, "http://console.invalid");
  const isSame = `${pathname}${search}` === wanted;
  return isSame && !noPage.test(pathname) ? wanted : consolePath;
}
