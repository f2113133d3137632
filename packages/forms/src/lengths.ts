/** Longest values of strings, in code points (decisions: wire conventions). */
export const lengths = {
  /** Names, address lines, bank fields, and every other text that has no bound of its own. */
  line: 255,
  /** RFC 5321: a path of 256 octets less its angle brackets. */
  email: 254,
  postcode: 12,
  /** The longest IBAN (ISO 13616). */
  accountNumber: 34,
  wallet: 128,
  alias: 100,
  documentId: 64,
  /** The merchant's own id of its business (decisions: corrections). */
  businessId: 64,
  /** `yyyy-mm-dd` */
  date: 10,
  /** `2026-11-20T11:26:00.123+05:30` */
  time: 29,
  /** ISO 3166-1 alpha-2. */
  country: 2,
  /** ITU-T E.164 has at most 3; one more for a leading zero. */
  phoneCountryCode: 4,
  /** ITU-T E.164. */
  phoneNumber: 15,
  /** ISO 9362: 11; an IFSC has 11, an ABA number 9: none of them is near this. */
  routingValue: 255,
  /** Ids and currency codes are far shorter; past this nothing is looked up. */
  reference: 128,
  /** As much as common HTTP servers take for a request line's target. */
  url: 2048,
  /** 15 digits, a point, 18 decimals, and room for an exponent. */
  amount: 64,
} as const;
