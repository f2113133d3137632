/** A `BANK_RAILS` entry of a SWIFT rail with a USD account. */
export const iso20022Settings = {
  rail: "bank-usd",
  format: "iso20022",
  currency: "USD",
  transfer_methods: ["SWIFT"],
  profile: {
    version: "pain.001.001.09",
    characters: "swift",
    initiating_party: { name: "Disburse Inc", id: "DISBURSE01" },
    debtor: { name: "Disburse Inc", address: { town: "New York", country: "US" } },
    account: { number: "000123456789" },
    agent: { bic: "CHASUS33" },
    charge_bearer: "SHAR",
    service_level: "URGP",
  },
  schedule: {
    zone: "America/New_York",
    calendars: ["FEDERAL_RESERVE"],
    windows: [{ cut_off: "16:00", settles_after_days: 1 }],
  },
  sftp: {
    host: "files.bank.example",
    username: "disburse",
    private_key_file: "/run/secrets/banks/key",
    host_keys: [`SHA256:${"a".repeat(43)}`],
    outgoing: "/outgoing",
    incoming: "/incoming",
  },
};

/** A `BANK_RAILS` entry of an ACH rail with a USD account. */
export const nachaSettings = {
  rail: "bank-ach",
  format: "nacha",
  currency: "USD",
  transfer_methods: ["ACH"],
  profile: {
    destination: { routing: "231380104", name: "Federal Reserve Bank" },
    origin: { id: "121042882", name: "Disburse Inc" },
    company: { name: "Disburse Inc", id: "1234567890", description: "PAYOUT" },
    odfi: "12104288",
  },
  schedule: {
    zone: "America/New_York",
    calendars: ["FEDERAL_RESERVE"],
    windows: [
      { cut_off: "10:00", settles_after_days: 0, max: "1000000.00" },
      { cut_off: "17:00", settles_after_days: 1 },
    ],
  },
  sftp: iso20022Settings.sftp,
};
