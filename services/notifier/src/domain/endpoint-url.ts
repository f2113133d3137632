import { isIP } from "node:net";
import { textProblem } from "@disburse/kernel/text.ts";
import { type AddressPolicy, mayReach } from "./address.ts";

/** What receivers and proxies commonly take in a request line. */
export const urlLengthMax = 2_048;

/**
 * Where HTTPS is served on the public internet; others are mostly other protocols' (decisions §7).
 */
const publicPorts = new Set(["", "443", "8443"]);

/** The host of a URL as it is looked up: no brackets around IPv6, no trailing dot. */
export function lookupHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

/** `localhost` and what is under it never leave the machine (RFC 6761, 6.3). */
function isLocalName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}

function parsed(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/**
 * What is wrong with an endpoint's URL, in words for the merchant, or `undefined`. Checks its text
 * alone: to where a name resolves is checked at each delivery.
 */
export function urlProblem(text: string, policy: AddressPolicy): string | undefined {
  if (text === "") return "is required";
  if (text.length > urlLengthMax) return `must have at most ${urlLengthMax} characters`;
  const characters = textProblem(text);
  if (characters !== undefined) return characters;
  const url = parsed(text);
  if (url === undefined || /\s|\\/u.test(text)) return "must be an absolute URL";
  const live = policy === "public";
  if (url.protocol !== "https:" && (live || url.protocol !== "http:")) {
    return live ? "must be an https URL" : "must be an http or https URL";
  }
  if (url.username !== "" || url.password !== "") return "must not contain a user name or password";
  if (text.includes("#")) return "must not contain a fragment";
  if (live && !publicPorts.has(url.port)) return "must use port 443 or 8443";
  const host = lookupHost(url);
  if (live && isLocalName(host)) return "must have a public host";
  if (isIP(host) !== 0 && !mayReach(host, policy)) return "must have a public address";
  return undefined;
}
