import { BlockList, isIP } from "node:net";

/**
 * Which addresses a webhook may be sent to. A live deployment sends to public addresses alone; the
 * sandbox also to this machine and private networks, but never to what only infrastructure answers.
 */
export type AddressPolicy = "public" | "sandbox";

/** Where the webhooks of a deployment may go. */
export type AddressRules = {
  readonly policy: AddressPolicy;
  /** Networks of the deployment itself that no webhook may reach. */
  readonly ownNetworks?: BlockList | undefined;
};

/** IANA IPv4 Special-Purpose Address Registry, but for what is refused everywhere anyway. */
const specialIpv4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
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
];

/** All of IPv6 that IANA gave out for global unicast … */
const globalIpv6 = ["2000::/3"];

/**
 * … but for protocol assignments, documentation, AS112 and 6to4, whose inner IPv4 address could be
 * any.
 */
const specialIpv6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"];

/**
 * What only infrastructure answers is refused everywhere: link-local, multicast, broadcast, the
 * translation prefix that a network chooses for itself (RFC 8215), and the addresses at which
 * clouds serve metadata or steer their machines (AWS, Google, Alibaba, Azure, Oracle).
 */
const infrastructure = [
  "169.254.0.0/16",
  "100.100.100.200/32",
  "168.63.129.16/32",
  "192.0.0.192/32",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "64:ff9b:1::/48",
  "fd00:ec2::/32",
  "fd20:ce::254/128",
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

/** The eight numbers of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const numbers = (text: string) => (text === "" ? [] : text.split(":")).map((hex) => `0x${hex}`);
  const [before, after] = [numbers(head), numbers(tail ?? "")];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].map(Number);
}

function ipv4Of(high = 0, low = 0): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

const mappedIpv4 = networks(["::ffff:0:0/96"]);
const compatibleIpv4 = networks(["::/96"]);
const translatedIpv4 = networks(["64:ff9b::/96", "::ffff:0:0:0/96"]);
const [sixToFour, teredo] = [networks(["2002::/16"]), networks(["2001::/32"])];

/**
 * The IPv4 addresses that an IPv6 address leads to where its network knows how: mapped (RFC 4291),
 * compatible, translated (RFC 6052, RFC 2765), 6to4 (RFC 3056), Teredo's server and client (RFC
 * 4380).
 */
function innerIpv4(address: string): string[] {
  const is = (list: BlockList): boolean => list.check(address, "ipv6");
  const groups = groupsOf(address);
  if ([mappedIpv4, compatibleIpv4, translatedIpv4].some(is)) {
    return [ipv4Of(groups[6], groups[7])];
  }
  if (is(sixToFour)) return [ipv4Of(groups[1], groups[2])];
  if (!is(teredo)) return [];
  const [high = 0, low = 0] = groups.slice(6);
  return [ipv4Of(groups[2], groups[3]), ipv4Of(high ^ 0xffff, low ^ 0xffff)];
}

/** An address in every form that reaches the same host: an IPv4 one also mapped into IPv6. */
function formsOf(address: string): { readonly text: string; readonly family: "ipv4" | "ipv6" }[] {
  const isIpv6 = isIP(address) === 6;
  const inner = isIpv6 ? innerIpv4(address) : [address];
  return [
    ...(isIpv6 ? [{ text: address, family: "ipv6" } as const] : []),
    ...inner.map((text) => ({ text, family: "ipv4" }) as const),
    ...inner.map((text) => ({ text: `::ffff:${text}`, family: "ipv6" }) as const),
  ];
}

/** Whether a webhook may be sent to an IP address; `own` are networks that a setting refuses. */
export function mayReach(address: string, policy: AddressPolicy, own?: BlockList): boolean {
  if (isIP(address) === 0 || address.includes("%")) return false;
  const isIn = (list: BlockList | undefined): boolean =>
    formsOf(address).some(({ text, family }) => list?.check(text, family) ?? false);
  if (isIn(neverSent) || isIn(own)) return false;
  if (policy === "sandbox") return true;
  if (isIn(special)) return false;
  const isIpv4 = isIP(address) === 4 || mappedIpv4.check(address, "ipv6");
  return isIpv4 || globalUnicast.check(address, "ipv6");
}
