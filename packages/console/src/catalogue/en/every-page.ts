export const formWords = {
  optional: "(optional)",
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
    created: "Created",
    from: "From day (UTC)",
    to: "To day (UTC)",
    id: "Id",
    status: "Status",
    actions: "Actions",
    exported: (rows: number) => `${rows} rows exported.`,
    exportCut: (rows: number) =>
      `The file has the newest ${rows} rows, which is the most; set a span of days for the rest.`,
  },
  problems: {
    title: "That did not work",
    noAnswer:
      "No answer came. It is not known whether the request had its effect; look at the list before you try again.",
    noAnswerRead: "The server did not answer.",
    requestId: (id: string) => `Request id ${id}`,
    signedOut: "Your session has ended. Sign in again.",
    forbidden: "You may not do this.",
    notFound: "There is no such page.",
    notFoundHint: "The address may be wrong, or you may not see what is there.",
    unexpected: "The page failed. Load it again; if it fails again, report the text below.",
    rateLimited: "Too many requests at once. Wait a moment.",
  },
  steps: {
    signInAgain: "This step needs a fresh sign-in: yours is too old. Nothing has changed.",
    signIn: "Sign in again",
    proposed:
      'Nothing has changed yet: another person has to approve this. It is in the list "Waiting for you" of those who may.',
    reason: "Reason",
    reasonHint: "10 to 1,000 characters. It is kept with the decision and cannot be changed.",
  },
} as const;
