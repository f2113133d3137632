/**
 * A file's location at the bank: under its own name, only under its temporary name, in no visible
 * folder, or unknown because the bank does not say.
 */
export type Place = "present" | "part" | "absent" | "not-said";

/** The next step for a file whose upload may or may not have completed. */
export type AfterCrash = "sent" | "send-again" | "ask-operator";

/**
 * Decides after a crash during an upload. The bank never takes a file under its temporary name. An
 * absent file may have been taken and paid. The same bytes are sent again only if the bank, by its
 * handbook, refuses duplicates.
 */
export function afterCrash(place: Place, refusesDuplicates: boolean): AfterCrash {
  if (place === "present") return "sent";
  if (place === "part" || refusesDuplicates) return "send-again";
  return "ask-operator";
}
