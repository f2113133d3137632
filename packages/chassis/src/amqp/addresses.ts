/** Splits the addresses of a broker's nodes. A comma in a password is written as `%2C`. */
export function brokerAddressesOf(url: string): readonly string[] {
  return url.split(",").map((address) => address.trim());
}
