/**
 * The sandbox's sanctions list. Its parties are invented, with unique names. Its wallets are real
 * and public: each belongs to a party of OFAC's Specially Designated Nationals list, named below.
 * Entries are named after the designation, so that no real person's name matches in the sandbox.
 */

export const riskyWallets = {
  /** Lazarus Group; added to its designation on 14 April 2022. */
  ETHEREUM: "0x098B716B8Aaf21512996dC57EB0615e2383E2f96",
  /** Ali Khorashadizadeh; designated on 28 November 2018. */
  BTC: "149w62rY42aZBox8fGcmqNsXUzSStKeq8C",
  /** Fengbing Xia; designated on 3 October 2023. */
  TRX: "TTKnV2S1295UrPr7N67Tp9ykNL7xX2Z4Uj",
} as const;

/** The list's invented parties, with a beneficiary form's fields. */
export const listedParties = [
  party("Zoltvar Quimbrandt", "Individual", "1971-03-14", "DE"),
  party("Ondrecka Milusava Vashtibor", "Individual", "1964-11-02", "CZ"),
  party("Marvenko Dzhulbarov", "Individual", "1980-07-29", "KG"),
  party("Quandorvex Tralmine Maritime Ltd", "Corporate", "2009-05-20", "PA"),
  party("Brelvanta Oskarim Petrochem LLC", "Corporate", "2013-09-01", "AE"),
] as const;

/** For a corporate party, `dateOfBirth` is the date of incorporation. */
function party(
  name: string,
  type: "Individual" | "Corporate",
  dateOfBirth: string,
  country: string,
) {
  return { name, type, date_of_birth: dateOfBirth, country } as const;
}

export const sandboxList = { list: "sandbox", version: "1" } as const;

const walletEntries = [
  { currency: "ETH", address: riskyWallets.ETHEREUM, of: "Lazarus Group" },
  { currency: "XBT", address: riskyWallets.BTC, of: "Ali Khorashadizadeh" },
  { currency: "TRX", address: riskyWallets.TRX, of: "Fengbing Xia" },
];

/** Returns the list as JSON lines for `ImportList`. */
export function sandboxListLines(): string {
  const parties = listedParties.map((party, at) => ({
    uid: `sandbox-party-${at + 1}`,
    type: party.type === "Individual" ? "individual" : "entity",
    names: [{ name: party.name, kind: "primary" }],
    dob: [party.date_of_birth],
    countries: [party.country],
    programs: ["SANDBOX"],
  }));
  const wallets = walletEntries.map(({ currency, address, of }) => ({
    uid: `sandbox-wallet-${currency}`,
    type: "entity",
    names: [{ name: `Digital currency address of the OFAC designation ${of}`, kind: "primary" }],
    crypto: [{ currency, address }],
    programs: ["SANDBOX"],
  }));
  return [...parties, ...wallets].map((entry) => `${JSON.stringify(entry)}\n`).join("");
}
