/** `code` of an error's body; nothing of a success, or of a body that is none of ours. */
export function errorCodeOf(status: number, body: unknown): string | undefined {
  if (status < 400 || typeof body !== "string") return undefined;
  return /^\{"code":"([A-Z_]+)"/.exec(body)?.[1];
}

const ours = "[a-z]{2,3}_[0-9a-hjkmnp-tv-z]{26}";
const firstId = new RegExp(`^\\{"data":\\{"(?:[a-z]+_)*id":"(${ours})"`);
const wholeId = new RegExp(`^${ours}$`);

/** The record that an answer is of, or that the path names by an id of ours. */
export function recordIdOf(body: unknown, params: readonly string[]): string | undefined {
  const answered = typeof body === "string" ? firstId.exec(body)?.[1] : undefined;
  return answered ?? params.findLast((each) => wholeId.test(each));
}
