import { isIP } from "node:net";
import { textProblem } from "@disburse/kernel/text.ts";
import { type AddressRules, isOfThisMachine, mayReach } from "./address.ts";

/** What receivers and proxies commonly take in a request line. */
export const urlLengthMax = 2_048;

/** Where HTTPS is served on the public internet; others are other protocols' (decisions §7). */
const publicPorts = new Set(["", "443", "8443"]);

/** A host name as certificates and TLS have it: without the dot that may end it. */
export function hostWithoutDot(host: string): string {
  return host.replace(/\.$/, "");
}

/** The host of a URL as it is looked up: no brackets around IPv6, no trailing dot. */
export function lookupHost(url: URL): string {
  return hostWithoutDot(url.hostname.replace(/^\[(.*)\]$/, "$1"));
}

/** Names that no public host has or is under: RFC 6761, 6762 (appendix G), 7686, 8375, 9476. */
const privateNames = [
  ...["localhost", "invalid", "local", "onion", "alt", "home.arpa"],
  ...["intranet", "internal", "private", "corp", "home", "lan"],
];

/** Of two labels or more, each of at most 63 characters (RFC 1035), and in the public tree. */
function isPublicName(host: string): boolean {
  if (!/^(?:[^.]{1,63}\.)+[^.]{1,63}$/u.test(host) || host.length > 253) return false;
  return !privateNames.some((name) => host === name || host.endsWith(`.${name}`));
}

function parsed(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** The port that a URL's connection goes to. */
export function portOf({ port, protocol }: Pick<URL, "port" | "protocol">): number {
  return Number(port) || (protocol === "https:" ? 443 : 80);
}

/** Whether a host is this machine by its text: a loopback address, or `localhost` (RFC 6761). */
function isLoopback(host: string): boolean {
  return isOfThisMachine(host) || host === "localhost" || host.endsWith(".localhost");
}

/**
 * What is wrong with the text of an endpoint's URL, in words for the merchant. To where a name
 * resolves is checked at each delivery.
 */
export function urlProblem(
  text: string,
  { policy, ownNetworks, ownPorts }: AddressRules,
): string | undefined {
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
  if (url.port === "0") return "must not use port 0";
  const host = lookupHost(url);
  if (ownPorts?.has(portOf(url)) && isLoopback(host)) return "must not be a port of the platform";
  if (isIP(host) !== 0) {
    return mayReach(host, policy, ownNetworks) ? undefined : "must have a public address";
  }
  if (live && !isPublicName(host)) return "must have a public host";
  return host.split(".").includes("") ? "must have a host without empty labels" : undefined;
}
