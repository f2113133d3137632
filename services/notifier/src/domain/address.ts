import { BlockList, isIP } from "node:net";

/**
 * Which addresses a webhook may be sent to. A live deployment sends to public addresses alone; the
 * sandbox also to this machine and private networks, but never to what only infrastructure answers.
 */
export type AddressPolicy = "public" | "sandbox";

/** IANA IPv4 Special-Purpose Address Registry, with multicast and the reserved block. */
const specialIpv4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/** All of IPv6 that IANA gave out for global unicast … */
const globalIpv6 = ["2000::/3"];

/**
 * … but for protocol assignments, documentation and 6to4, whose inner IPv4 address could be any.
 */
const specialIpv6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

/** Link-local (cloud metadata services listen there), multicast, broadcast: refused everywhere. */
const infrastructure = [
  "169.254.0.0/16",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "fd00:ec2::/32",
  "fe80::/10",
  "ff00::/8",
];

/** A list of networks in CIDR form; throws on text that is none. */
export function networks(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [, address = "", prefix = ""] = /^([^/]+)\/(\d{1,3})$/.exec(cidr) ?? [];
    const family = isIP(address);
    if (family === 0) throw new Error(`not a network: ${cidr}`);
    list.addSubnet(address, Number(prefix), family === 4 ? "ipv4" : "ipv6");
  }
  return list;
}

const special = networks([...specialIpv4, ...specialIpv6]);
const globalUnicast = networks(globalIpv6);
const neverSent = networks(infrastructure);

const mappedIpv4 = networks(["::ffff:0:0/96"]);

/**
 * The IPv4 address inside `::ffff:0:0/96`, which reaches the same host; else the address itself.
 */
function unwrapped(address: string): string {
  if (isIP(address) !== 6 || !mappedIpv4.check(address, "ipv6")) return address;
  const tail = new URL(`http://[${address}]`).hostname.slice("[::ffff:".length, -1);
  const [high = "0", low = "0"] = tail.split(":");
  const bits = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join(".");
}

/** Whether a webhook may be sent to an IP address; `own` are networks that a setting refuses. */
export function mayReach(address: string, policy: AddressPolicy, own?: BlockList): boolean {
  if (isIP(address) === 0 || address.includes("%")) return false;
  const plain = unwrapped(address);
  const family = isIP(plain) === 4 ? "ipv4" : "ipv6";
  if (neverSent.check(plain, family) || own?.check(plain, family)) return false;
  if (policy === "sandbox") return true;
  if (special.check(plain, family)) return false;
  return family === "ipv4" || globalUnicast.check(plain, family);
}
