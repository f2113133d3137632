import { isIP } from "node:net";
import { textProblem } from "@disburse/kernel/text.ts";
import { type AddressRules, isOfThisMachine, mayReach } from "./address.ts";

/** Maximum length of a URL. Receivers and proxies commonly accept this much in a request line. */
export const urlLengthMax = 2_048;

/** Allowed ports in live mode. Other ports belong to other protocols (decisions §7). */
const publicPorts = new Set(["", "443", "8443"]);

/** Returns a host without a trailing dot, as certificates and TLS require it. */
export function hostWithoutDot(host: string): string {
  return host.replace(/\.$/, "");
}

/**
 * Returns the host of a URL in the form for DNS: without brackets around IPv6 and without a
 * trailing dot.
 */
export function lookupHost(url: URL): string {
  return hostWithoutDot(url.hostname.replace(/^\[(.*)\]$/, "$1"));
}

/**
 * Host names that are never public, either alone or as a suffix (RFC 6761, 6762 appendix G, 7686,
 * 8375, 9476).
 */
const privateNames = [
  ...["localhost", "invalid", "local", "onion", "alt", "home.arpa"],
  ...["intranet", "internal", "private", "corp", "home", "lan"],
];

/**
 * Returns true for a name in the public DNS. It must have at least two labels of at most 63
 * characters (RFC 1035).
 */
function isPublicName(host: string): boolean {
  if (!/^(?:[^.]{1,63}\.)+[^.]{1,63}$/u.test(host) || host.length > 253) return false;
  return !privateNames.some((name) => host === name || host.endsWith(`.${name}`));
}

function parsed(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** Returns the port that a URL's connection uses. */
export function portOf({ port, protocol }: Pick<URL, "port" | "protocol">): number {
  return Number(port) || (protocol === "https:" ? 443 : 80);
}

/**
 * Returns true for a loopback address or `localhost` (RFC 6761). Checks only the text of the host.
 */
function isLoopback(host: string): boolean {
  return isOfThisMachine(host) || host === "localhost" || host.endsWith(".localhost");
}

/**
 * Describes to the merchant why a URL is not allowed for an endpoint. Checks only the text of the
 * URL. The addresses of its host are checked before each attempt.
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
