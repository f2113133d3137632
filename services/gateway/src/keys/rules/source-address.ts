import { BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";

const cidr = /^([0-9a-fA-F:.]+)(?:\/(\d{1,3}))?$/;

function family(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/** Whether a text is an address or a network of addresses, `203.0.113.0/24` or `2001:db8::1`. */
export function isCidr(text: string): boolean {
  const match = cidr.exec(text);
  const version = isIP(match?.[1] ?? "");
  return version !== 0 && Number(match?.[2] ?? 0) <= (version === 4 ? 32 : 128);
}

/** The base address and prefix of a checked address or network. */
function parsed(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const [address = "", bits] = text.split("/");
  const base = ipaddr.parse(address);
  return [base, bits === undefined ? base.toByteArray().length * 8 : Number(bits)];
}

/**
 * Whether a network lies within one of others, all of them checked. An IPv6 network of mapped IPv4
 * addresses lies within no IPv4 one.
 */
export function liesWithin(networks: readonly string[], network: string): boolean {
  const [base, bits] = parsed(network);
  return networks.map(parsed).some(([outer, outerBits]) => {
    if (bits < outerBits || base.kind() !== outer.kind()) return false;
    return base.match(outer, outerBits);
  });
}

/** A set of networks out of checked texts, for `contains`. */
export function addressSet(cidrs: readonly string[]): BlockList {
  const set = new BlockList();
  for (const text of cidrs) {
    const [address = "", bits] = text.split("/");
    if (bits === undefined) set.addAddress(address, family(address));
    else set.addSubnet(address, Number(bits), family(address));
  }
  return set;
}

/** Whether an address is in the set; anything that is no address is not. */
export function contains(set: BlockList, address: string): boolean {
  return isIP(address) !== 0 && set.check(address, family(address));
}

/** An IPv4 address that came over an IPv6 socket, as IPv4: `::ffff:203.0.113.7`. */
function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address.trim());
  return mapped?.[1] ?? address.trim();
}

/**
 * The caller's address. `X-Forwarded-For` is trusted from the right, as long as each hop is one of
 * our own proxies: anyone can make up what is left of the first foreign hop.
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

/** The first 64 bits of an IPv6 address name a network of one customer (RFC 6177). */
const networkParts = 4;

/**
 * Whom limits count an address as: an IPv4 address itself, the /64 network of an IPv6 one. All
 * that is no address counts as one sender.
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
