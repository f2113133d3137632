export const formWords = {
  optional: "(optional)",
  /** Labels of fields whose API names are unclear to people. */
  labels: {
    beneficiary_name: "Full name",
    beneficiary_name_latin: "Name in Latin letters",
    beneficiary_single_name: "Has only one name",
    beneficiary_address: "Street and number",
    beneficiary_country_code: "Country",
    beneficiary_contact_country_code: "Calling code",
    beneficiary_contact_number: "Telephone",
    beneficiary_email: "E-mail address",
    beneficiary_bank_country_code: "Country of the bank",
    beneficiary_document_id: "Number of the document",
    destination_country: "Country that the money is sent to",
    routing_code_type_1: "Kind of bank code",
    routing_code_value_1: "Bank code or network",
    routing_code_type_2: "Kind of the second bank code",
    routing_code_value_2: "Second bank code",
    beneficiary_account_number: "Account number, IBAN or wallet",
    counter_party_alias: "Nickname of the counterparty",
    currency_type: "Kind of currency",
  } as Readonly<Record<string, string>>,
  groups: {
    person: "Person",
    company: "Company",
    bank: "Bank account",
    wallet: "Wallet",
    contact: "Address and contact",
  },
  bankIn: (country: string) => `A bank in ${country}`,
  countryHint: "Begin to type its name",
  problems: { required: "is required", format: "has another form than this field takes" },
  missed: (count: number) =>
    `${count} ${count === 1 ? "field needs" : "fields need"} another look.`,
  owner: (number: number) => `Owner ${number}`,
  addOwner: "Add an owner",
  removeOwner: "Remove the last owner",
} as const;

export const everyPageWords = {
  actions: {
    cancel: "Cancel",
    close: "Close",
    copy: "Copy",
    copied: "Copied",
    more: "Show more",
    retry: "Try again",
    clearFilters: "Clear filters",
    exportCsv: "Export CSV",
    exporting: "Exporting…",
    apply: "Apply",
    back: "Back",
  },
  states: {
    loading: "Loading…",
    empty: "Nothing here yet.",
    nothingMatches: "Nothing matches these filters.",
    none: "none",
    yes: "yes",
    no: "no",
    any: "Any",
    working: "Working…",
  },
  list: {
    shown: (shown: number, total: number, isCapped: boolean) =>
      `${shown} of ${total}${isCapped ? " or more" : ""}`,
    shownOfMany: (shown: number, isMore: boolean) => `${shown}${isMore ? " and more" : ""}`,
    filters: "Filters",
    filtersSet: (count: number) => `Filters (${count})`,
    created: "Created",
    from: "From day (UTC)",
    to: "To day (UTC)",
    id: "Id",
    copyId: "Copy id",
    makers: "Created by",
    deciders: "Decided by",
    creators: {
      api_key: "API key",
      member: "Person",
      link: "Beneficiary link",
      service: "Disburse",
      operator: "Disburse",
    } as Readonly<Record<string, string>>,
    status: "Status",
    actions: "Actions",
    exported: (rows: number) => `${rows} ${rows === 1 ? "row" : "rows"} exported.`,
    exportCut: (rows: number) =>
      `The file has the newest ${rows} rows, which is the most; set a span of days for the rest.`,
  },
  bulk: {
    title: "Selected rows",
    column: "Select",
    all: "Select all",
    clear: "Clear the selection",
    select: (name: string) => `Select ${name}`,
    selected: (count: number) => `${count} selected`,
    most: (count: number) => `At most ${count} at once`,
    action: (label: string, count: number) => `${label} (${count})`,
    results: (done: number, count: number) => `${done} of ${count} done`,
    sum: "Together",
    expires: "First to expire",
  },
  problems: {
    title: "That did not work",
    noAnswer:
      "No answer came. It is not known whether the request had its effect; look at the list before you try again.",
    noAnswerRead: "The server did not answer.",
    requestId: (id: string) => `Request id ${id}`,
    /** Names the first ten rows of a file with the same mistake. */
    rows: (of: { rows: readonly number[]; count: number; reference: string | undefined }) => {
      const shown = of.rows.slice(0, 10);
      const more = of.count > shown.length ? ` and ${of.count - shown.length} more` : "";
      const named = `${of.count === 1 ? "Row" : "Rows"} ${shown.join(", ")}${more}`;
      return of.reference === undefined ? `${named}: ` : `${named} (${of.reference}): `;
    },
    signedOut: "Your session has ended. Nothing has changed.",
    forbidden: "You may not do this.",
    notFound: "There is no such page.",
    notFoundHint: "The address may be wrong, or you may not see what is there.",
    unexpected: "The page failed. Load it again; if it fails again, report the text below.",
    rateLimited: "Too many requests at once. Wait a moment.",
  },
  steps: {
    signInAgain: "This step needs a fresh sign-in: yours is too old. Nothing has changed.",
    signIn: "Sign in again",
    signedInAgain: "You are signed in. Now repeat the step.",
    proposed:
      'Nothing has changed yet: another person has to approve this. It is in the list "Waiting for you" of those who may.',
    reason: "Reason",
    reasonHint: "10 to 1,000 characters. It is kept with the decision and cannot be changed.",
  },
} as const;
