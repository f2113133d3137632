import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * `public`, in live mode, allows public addresses only. `sandbox` allows all addresses except those
 * of infrastructure.
 */
export type AddressPolicy = "public" | "sandbox";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

export type Networks = readonly (readonly [Address, number])[];

/** The rules for the destinations of a deployment's webhooks. */
export type AddressRules = {
  readonly policy: AddressPolicy;
  /** The deployment's own networks. No webhook may reach them. */
  readonly ownNetworks?: Networks | undefined;
  /** The platform's ports on this machine. No webhook may reach them. */
  readonly ownPorts?: ReadonlySet<number> | undefined;
};

/** Parses networks in CIDR form. Throws on invalid text. */
export function networks(cidrs: readonly string[]): Networks {
  return cidrs.map((cidr) => {
    // The library also accepts spellings of an address that CIDR notation doesn't allow.
    if (!isAddress(cidr.replace(/\/.*$/, "")))
      throw new Error(`${cidr} is not a network in CIDR notation`);
    return ipaddr.parseCIDR(cidr);
  });
}

/*
 * The tables are explicit. The library's ranges lack some of these (metadata addresses, RFC 8215,
 * 3fff::/20), and a library update must not open one.
 */

/**
 * The IANA IPv4 Special-Purpose Address Registry, without the addresses that are refused in every
 * mode.
 */
const specialIpv4 = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12"],
  ...["192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24"],
  ...["192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
];

/** The IPv6 range that IANA assigned to global unicast. */
const globalUnicast = networks(["2000::/3"]);

/**
 * Exceptions in the global unicast range: protocol assignments, documentation, AS112, and 6to4. A
 * 6to4 address can contain any IPv4 address.
 */
const specialIpv6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"];
const special = networks([...specialIpv4, ...specialIpv6]);

/**
 * Addresses of infrastructure, which are refused in every mode. They include link-local, multicast
 * and broadcast addresses, and the local-use translation prefix (RFC 8215). They also include cloud
 * metadata and control addresses (AWS, Google, Alibaba, Azure, Oracle).
 */
const infrastructure = networks([
  ...["169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4", "fe80::/10", "ff00::/8", "64:ff9b:1::/48"],
  ...["100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32"],
  ...["fd00:ec2::/32", "fd20:ce::254/128"],
]);

/**
 * IPv6 networks whose last 32 bits are an IPv4 address. The address is mapped or compatible (RFC
 * 4291), or translated (RFC 6052, RFC 2765).
 */
const ipv4AtEnd = networks(["::ffff:0:0/96", "::/96", "64:ff9b::/96", "::ffff:0:0:0/96"]);
const [sixToFour, teredo] = [networks(["2002::/16"]), networks(["2001::/32"])];

function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes("%");
}

function isIn(address: Address, list: Networks): boolean {
  // The type of `match` requires two addresses of the same kind, which the compiler can't infer
  // from the comparison below.
  const same = address as ipaddr.IPv6;
  return list.some(
    ([network, bits]) =>
      address.kind() === network.kind() && same.match(network as ipaddr.IPv6, bits),
  );
}

/**
 * Returns the IPv4 addresses that an IPv6 address may lead to. Includes those in 6to4 (RFC 3056)
 * and Teredo addresses (RFC 4380).
 */
function innerIpv4(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const bytes = address.toByteArray();
  const at = (from: number) => new ipaddr.IPv4(bytes.slice(from, from + 4));
  if (isIn(address, ipv4AtEnd)) return [at(12)];
  if (isIn(address, sixToFour)) return [at(2)];
  if (!isIn(address, teredo)) return [];
  return [at(4), new ipaddr.IPv4(bytes.slice(12).map((byte) => byte ^ 0xff))];
}

/**
 * Returns all forms of an address that reach the same host. For an IPv4 address, this includes its
 * mapped IPv6 form.
 */
function formsOf(address: Address): Address[] {
  const inner = address instanceof ipaddr.IPv6 ? innerIpv4(address) : [address];
  return [address, ...inner, ...inner.map((each) => each.toIPv4MappedAddress())];
}

/** Addresses with which any machine reaches itself. */
const loopback = networks(["127.0.0.0/8", "0.0.0.0/32", "::1/128", "::/128"]);

/** Returns true for loopback addresses and for this machine's own addresses. */
export function isOfThisMachine(text: string, own: readonly string[] = []): boolean {
  if (!isAddress(text)) return false;
  const ofInterfaces = own
    .filter(isAddress)
    .map((each) => ipaddr.parse(each))
    .map((each) => [each, each.kind() === "ipv4" ? 32 : 128] as const);
  const forms = formsOf(ipaddr.parse(text));
  return forms.some((each) => isIn(each, loopback) || isIn(each, ofInterfaces));
}

/**
 * Returns true if a webhook may go to the address. `own` are the deployment's own networks, which a
 * setting refuses.
 */
export function mayReach(text: string, policy: AddressPolicy, own: Networks = []): boolean {
  if (!isAddress(text)) return false;
  const address = ipaddr.parse(text);
  const forms = formsOf(address);
  const isAnyIn = (list: Networks): boolean => forms.some((each) => isIn(each, list));
  if (isAnyIn(infrastructure) || isAnyIn(own)) return false;
  if (policy === "sandbox") return true;
  if (isAnyIn(special)) return false;
  if (address instanceof ipaddr.IPv4 || address.isIPv4MappedAddress()) return true;
  return isIn(address, globalUnicast);
}
