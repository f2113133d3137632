import { BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";

const cidr = /^([0-9a-fA-F:.]+)(?:\/(\d{1,3}))?$/;

function family(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/** Accepts an address or a network: `203.0.113.0/24` or `2001:db8::1`. */
export function isCidr(text: string): boolean {
  const match = cidr.exec(text);
  const version = isIP(match?.[1] ?? "");
  return version !== 0 && Number(match?.[2] ?? 0) <= (version === 4 ? 32 : 128);
}

/** Returns the base address and prefix length of a valid address or network. */
function parsed(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const [address = "", bits] = text.split("/");
  const base = ipaddr.parse(address);
  return [base, bits === undefined ? base.toByteArray().length * 8 : Number(bits)];
}

/** Expects valid networks. An IPv6 network of mapped IPv4 addresses is within no IPv4 network. */
export function liesWithin(networks: readonly string[], network: string): boolean {
  const [base, bits] = parsed(network);
  return networks.map(parsed).some(([outer, outerBits]) => {
    if (bits < outerBits || base.kind() !== outer.kind()) return false;
    return base.match(outer, outerBits);
  });
}

/** Builds a set for `contains` from valid networks. */
export function addressSet(cidrs: readonly string[]): BlockList {
  const set = new BlockList();
  for (const text of cidrs) {
    const [address = "", bits] = text.split("/");
    if (bits === undefined) set.addAddress(address, family(address));
    else set.addSubnet(address, Number(bits), family(address));
  }
  return set;
}

/** Returns `false` for a text that is not an address. */
export function contains(set: BlockList, address: string): boolean {
  return isIP(address) !== 0 && set.check(address, family(address));
}

/** Converts an IPv4 address of an IPv6 socket to plain IPv4: `::ffff:203.0.113.7`. */
function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address.trim());
  return mapped?.[1] ?? address.trim();
}

/**
 * Returns the caller's address. Reads `X-Forwarded-For` from the right while each hop is one of our
 * proxies: anyone can forge the entries left of the first foreign hop.
 */
export function callerAddress(
  peer: string,
  forwardedFor: string | undefined,
  proxies: BlockList,
): string {
  const hops = [...(forwardedFor?.split(",") ?? []), peer].map(plainAddress);
  const foreign = hops.findLastIndex((hop) => !contains(proxies, hop));
  return hops[Math.max(foreign, 0)] ?? peer;
}

/** The first 64 bits of an IPv6 address identify one customer's network (RFC 6177). */
const networkParts = 4;

/**
 * Groups addresses for limits: an IPv4 address by itself, an IPv6 address by its /64 network. All
 * invalid addresses count as one sender.
 */
export function senderOf(address: string): string {
  const version = isIP(address);
  if (version === 0) return "";
  if (version === 4) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const parts = parsed.parts.slice(0, networkParts);
  return parts.map((part) => part.toString(16)).join(":");
}
