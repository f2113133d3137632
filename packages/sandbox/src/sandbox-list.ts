/**
 * The sandbox's sanctions list. Its parties are invented, with names that nobody else has. Its
 * wallets are real and public: the Office of Foreign Assets Control designated them (Specially
 * Designated Nationals list), and they belong to a designated party each, named below. The entries
 * that carry them are named after the designation, so that no real person's name matches in the
 * sandbox.
 */

/** A party of the sandbox's list, in the words of a beneficiary's form. */
export type SandboxParty = {
  readonly name: string;
  readonly type: "Individual" | "Corporate";
  /** Of birth, or of incorporation. */
  readonly date_of_birth: string;
  readonly country: string;
};

/** Wallets that the sandbox refuses, by network. */
export const riskyWallets = {
  /** Lazarus Group; added to its designation on 14 April 2022. */
  ETHEREUM: "0x098B716B8Aaf21512996dC57EB0615e2383E2f96",
  /** Ali Khorashadizadeh; designated on 28 November 2018. */
  BTC: "149w62rY42aZBox8fGcmqNsXUzSStKeq8C",
  /** Fengbing Xia; designated on 3 October 2023. */
  TRX: "TTKnV2S1295UrPr7N67Tp9ykNL7xX2Z4Uj",
} as const;

/** Invented parties that the sandbox's list holds. */
export const listedParties: readonly SandboxParty[] = [
  {
    name: "Zoltvar Quimbrandt",
    type: "Individual",
    date_of_birth: "1971-03-14",
    country: "DE",
  },
  {
    name: "Ondrecka Milusava Vashtibor",
    type: "Individual",
    date_of_birth: "1964-11-02",
    country: "CZ",
  },
  {
    name: "Marvenko Dzhulbarov",
    type: "Individual",
    date_of_birth: "1980-07-29",
    country: "KG",
  },
  {
    name: "Quandorvex Tralmine Maritime Ltd",
    type: "Corporate",
    date_of_birth: "2009-05-20",
    country: "PA",
  },
  {
    name: "Brelvanta Oskarim Petrochem LLC",
    type: "Corporate",
    date_of_birth: "2013-09-01",
    country: "AE",
  },
];

/** The sandbox's list under this name and version. */
export const sandboxList = { list: "sandbox", version: "1" } as const;

const walletEntries = [
  { currency: "ETH", address: riskyWallets.ETHEREUM, of: "Lazarus Group" },
  { currency: "XBT", address: riskyWallets.BTC, of: "Ali Khorashadizadeh" },
  { currency: "TRX", address: riskyWallets.TRX, of: "Fengbing Xia" },
];

/** The sandbox's list as `ImportList` takes it: JSON lines. */
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
