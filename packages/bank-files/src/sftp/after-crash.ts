/**
 * A file's state at the bank. `present`: the file has its final name. `part`: only the temporary
 * file exists. `absent`: no visible folder contains the file. `not-said`: the bank does not show.
 */
export type Place = "present" | "part" | "absent" | "not-said";

/** The next step for a file whose upload may or may not have completed. */
export type AfterCrash = "sent" | "send-again" | "ask-operator";

/**
 * Decides the next step after a crash during an upload. A temporary file is safe to send again,
 * because the bank never processes it. An absent file may already have been processed and paid. It
 * is sent again only if the bank's handbook says that the bank refuses duplicates.
 */
export function afterCrash(place: Place, refusesDuplicates: boolean): AfterCrash {
  if (place === "present") return "sent";
  if (place === "part" || refusesDuplicates) return "send-again";
  return "ask-operator";
}
