import { BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";

const cidr = /^([0-9a-fA-F:.]+)(?:\/(\d{1,3}))?$/;

function family(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/** Returns true for an address or a network, for example `203.0.113.0/24` or `2001:db8::1`. */
export function isCidr(text: string): boolean {
  const match = cidr.exec(text);
  const version = isIP(match?.[1] ?? "");
  return version !== 0 && Number(match?.[2] ?? 0) <= (version === 4 ? 32 : 128);
}

/** Returns the base address and the prefix length. Expects a valid address or network. */
function parsed(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const [address = "", bits] = text.split("/");
  const base = ipaddr.parse(address);
  return [base, bits === undefined ? base.toByteArray().length * 8 : Number(bits)];
}

/**
 * Returns true if `network` lies within one of `networks`. Expects valid networks. An IPv6 network
 * of mapped IPv4 addresses is not within any IPv4 network.
 */
export function liesWithin(networks: readonly string[], network: string): boolean {
  const [base, bits] = parsed(network);
  return networks.map(parsed).some(([outer, outerBits]) => {
    if (bits < outerBits || base.kind() !== outer.kind()) return false;
    return base.match(outer, outerBits);
  });
}

/** Builds the set that `contains` searches. Expects valid networks. */
export function addressSet(cidrs: readonly string[]): BlockList {
  const set = new BlockList();
  for (const text of cidrs) {
    const [address = "", bits] = text.split("/");
    if (bits === undefined) set.addAddress(address, family(address));
    else set.addSubnet(address, Number(bits), family(address));
  }
  return set;
}

/** Returns true if the set contains the address. Returns `false` if the text is not an address. */
export function contains(set: BlockList, address: string): boolean {
  return isIP(address) !== 0 && set.check(address, family(address));
}

/**
 * Converts an IPv4 address that an IPv6 socket reports (`::ffff:203.0.113.7`) to its plain form.
 */
function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address.trim());
  return mapped?.[1] ?? address.trim();
}

/**
 * Returns the caller's address. Reads `X-Forwarded-For` from right to left and skips our own
 * proxies. The first other address is the caller's, because anyone can forge the entries to its
 * left.
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

/**
 * Number of 16-bit parts. The first 64 bits of an IPv6 address identify one customer's network (RFC
 * 6177).
 */
const networkParts = 4;

/**
 * Returns the sender that limits count an address for. An IPv4 address is its own sender. For an
 * IPv6 address, the sender is its /64 network. All invalid addresses count as one sender.
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
